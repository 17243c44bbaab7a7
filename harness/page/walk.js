// The in-page walk: reads the page as a list of nodes with roles, names, states and refs. Runs in an isolated world
// and never changes the page: no attribute, style, scroll position or focus is written.
"use strict";

globalThis.harnessWalk = (() => {
  const { childrenOf, clean, closedRoots, contentText, shadowRootOf } = globalThis.harnessText;
  const { ACTIVE, LEAF, roleOf } = globalThis.harnessRoles;
  const { describe, labelsOf, nameOf } = globalThis.harnessNames;
  const { lookOf } = globalThis.harnessLooks;
  const { reach } = globalThis.harnessHit;
  // Text flows through these from what is before to what is after them, whatever their style makes of them.
  const INLINE =
    /^(A|ABBR|B|BDI|BDO|CITE|CODE|DATA|DEL|DFN|EM|I|INS|KBD|MARK|Q|S|SAMP|SMALL|SPAN|STRONG|SUB|SUP|TIME|U|VAR|WBR)$/;
  // Replaced by something else than their children, or told by their value.
  const CHILDLESS = /^(INPUT|SELECT|TEXTAREA|IMG|svg|PROGRESS|METER|IFRAME|FRAME|OBJECT|EMBED|VIDEO|AUDIO|CANVAS)$/;
  const NAMELESS = new Set(["button", "clickable", "link"]); // what has no name here is known by its looks
  const SOLID = new Set(["img", "textbox", "searchbox", "spinbutton", "slider"]);
  // A cell that holds these is a place, not a text.
  const SCROLLS = /auto|scroll/;
  const SHORT = 80; // characters of what can have the focus and is no place
  const BLOCKS = "table,ul,ol,dl,form,fieldset,article,section,h1,h2,h3,h4,h5,h6";

  // A node has a number for as long as it lives: of this document alone, refs are made of it outside.
  let nextId = 1;
  let rows = [];
  let targets = []; // places of the rows that can be acted on
  const ids = new WeakMap();
  const nodesById = new Map();

  function idOf(node) {
    let id = ids.get(node);
    if (id === undefined) {
      id = nextId++;
      ids.set(node, id);
      nodesById.set(id, new WeakRef(node));
    }
    return id;
  }

  function nodeOf(id) {
    return nodesById.get(id)?.deref();
  }

  function boxOf(el) {
    const rect = el.getBoundingClientRect();
    return [Math.round(rect.x), Math.round(rect.y), Math.round(rect.width), Math.round(rect.height)];
  }

  function emit(node, parent, role, name, value, states, box, tag, extra) {
    rows.push([idOf(node), parent, role, name, value, states, box, tag, extra]);
    return rows.length - 1;
  }

  // A run of text and inline elements is one node; it belongs to its first text node. In a quiet one text is passed
  // over, and only what can be acted on is listed: the text is the name of what it stands in.
  function newRun(quiet = false) {
    return { text: "", node: null, quiet };
  }

  function flush(run, parent) {
    const text = run.node ? clean(run.text) : "";
    if (text) {
      const holder = run.node.parentElement ?? run.node.parentNode.host;
      emit(run.node, parent, "text", text, null, "", boxOf(holder), "#text", {});
    }
    run.text = "";
    run.node = null;
  }

  // Elements in elements on the way of one descent. A parser stops at 512, scripts only where layout does: what is
  // deeper than a descent has its turn when the stack is empty again.
  const MAX_DEPTH = 500;
  let depth = 0;
  let deeper = []; // what was left for later, in order; null stands for each in the rows

  // `style` is the element's own.
  function visitChildren(el, parent, run, style) {
    if (depth >= MAX_DEPTH) {
      flush(run, parent);
      deeper.push({ el, parent, quiet: run.quiet, style });
      rows.push(null);
      return;
    }
    depth += 1;
    const silent = run.quiet || style.visibility !== "visible";
    for (const child of childrenOf(el)) {
      if (child.nodeType === 1) visit(child, parent, run, style);
      else if (child.nodeType === 3 && !silent) {
        if (!run.node && child.data.trim()) run.node = child;
        run.text += child.data;
      }
    }
    depth -= 1;
  }

  // Puts what is below the elements that were left for later into their places.
  function goDeeper() {
    const left = deeper.values();
    const before = rows;
    const active = new Set(targets);
    const places = []; // in the new rows, by the place in those before
    const placeOf = (parent) => (parent < 0 ? parent : places[parent]);
    [rows, targets, deeper] = [[], [], []];
    for (const [place, row] of before.entries()) {
      if (row) {
        row[1] = placeOf(row[1]);
        places[place] = rows.push(row) - 1;
        if (active.has(place)) targets.push(places[place]);
        continue;
      }
      const { el, parent, quiet, style } = left.next().value;
      const run = newRun(quiet);
      visitChildren(el, placeOf(parent), run, style);
      flush(run, placeOf(parent));
    }
  }

  // Elements that may have a closed shadow root, of which no script is told: custom ones, and those that can have a root
  // and take up room although nothing is in them.
  const HOSTS = /^(ARTICLE|ASIDE|BLOCKQUOTE|DIV|FOOTER|H[1-6]|HEADER|MAIN|NAV|P|SECTION|SPAN)$/;
  const MAX_SUSPECTS = 40; // of one walk; the next one goes on
  const examined = new WeakSet();
  const rootsKnown = new WeakSet();
  const roots = new Set(); // weak references to the shadow roots met
  let suspects = [];

  function noteRoot(el) {
    const root = shadowRootOf(el);
    if (root) {
      if (!rootsKnown.has(root)) {
        rootsKnown.add(root);
        roots.add(new WeakRef(root));
      }
    } else if (suspects.length < MAX_SUSPECTS && !examined.has(el)) {
      const custom = el.tagName.includes("-") && el.matches(":defined");
      if (custom || (!el.firstChild && HOSTS.test(el.tagName) && el.offsetHeight > 0)) suspects.push(idOf(el));
    }
  }

  // The shadow root of an element as the protocol sees it, null if it has none.
  function adopt(id, root) {
    const el = nodeOf(id);
    if (!el) return;
    examined.add(el);
    if (root) closedRoots.set(el, root);
  }

  // The shadow roots that were met and are still there: what changes in them no observer of the document is told.
  function liveRoots() {
    const live = [];
    for (const reference of roots) {
      const root = reference.deref();
      if (root?.isConnected) live.push(root);
      else roots.delete(reference);
    }
    return live;
  }

  function visitBlock(el, parent, run, style) {
    flush(run, parent);
    const inner = newRun(run.quiet);
    visitChildren(el, parent, inner, style);
    flush(inner, parent);
  }

  function visit(el, parent, run, above) {
    const tag = el.tagName;
    if (tag === "BR") {
      run.text += " ";
      return;
    }
    if (tag === "SCRIPT" || tag === "STYLE" || tag === "TEMPLATE" || tag === "NOSCRIPT") return;
    if (el.hasAttribute("inert") || el.getAttribute("aria-hidden") === "true") return;
    const style = getComputedStyle(el);
    const display = style.display;
    if (display === "none") return;
    if (namesItsParent(el, tag)) return;
    noteRoot(el);
    const control = tag === "LABEL" ? el.control : null;
    if (control && visitLabel(el, control, parent, run, style)) return;
    if (style.visibility === "visible") {
      let role = run.quiet && !el.matches(ACTIVE) ? "" : roleOf(el);
      if (!role && isClickable(el, style, above, run)) role = "clickable";
      if (!role && !run.quiet && scrollOf(el, style)) role = "scrollarea";
      if (role) {
        flush(run, parent);
        emitElement(el, parent, role, boxOf(el), style);
        return;
      }
    }
    if (CHILDLESS.test(tag) && !(tag === "svg" && (holders.has(el) || el.querySelector("text,a")))) return;
    const joined = display === "inline" || display === "contents";
    if (!joined && !INLINE.test(tag)) {
      // Rendered itself, but not what is in it.
      if (style.contentVisibility !== "hidden") visitBlock(el, parent, run, style);
      return;
    }
    if (!joined) run.text += " ";
    visitChildren(el, parent, run, style);
    if (!joined) run.text += " ";
  }

  // A legend or caption is said as the name of what it stands in, unless it holds something to act on.
  function namesItsParent(el, tag) {
    return (
      ((tag === "LEGEND" && el.parentElement?.tagName === "FIELDSET") || tag === "CAPTION") && !el.querySelector(ACTIVE)
    );
  }

  // A label is the name of its control, and stands for one that is not to be seen itself. False: it is mere text.
  function visitLabel(label, control, parent, run, style) {
    if (!control.matches(ACTIVE)) return false;
    if (!control.checkVisibility({ visibilityProperty: true })) {
      if (control.tagName !== "INPUT" || !/^(checkbox|radio|file)$/.test(control.type)) return false;
      flush(run, parent);
      const first = labelsOf(control).find((other) => other.checkVisibility({ visibilityProperty: true }));
      if (first === label) emitElement(control, parent, roleOf(control), boxOf(label), style);
    }
    flush(run, parent);
    visitChildren(label, parent, newRun(true), style);
    return true;
  }

  // [offset, extent, whole] in px of an area that is scrolled by itself, down or else to the side; null if it is none.
  function scrollOf(el, style) {
    if (SCROLLS.test(style.overflowY) && el.clientHeight > 0 && el.scrollHeight > el.clientHeight + 1) {
      return [el.scrollTop, el.clientHeight, el.scrollHeight].map(Math.round);
    }
    if (SCROLLS.test(style.overflowX) && el.clientWidth > 0 && el.scrollWidth > el.clientWidth + 1) {
      return [el.scrollLeft, el.clientWidth, el.scrollWidth].map(Math.round);
    }
    return null;
  }

  // What takes the focus, such as the handle of a slider; a place that is scrolled by keys takes it too.
  function isFocusable(el) {
    if (!el.hasAttribute("tabindex") || el.tabIndex < 0) return false;
    return el.textContent.length <= SHORT && !el.querySelector(`${ACTIVE},${BLOCKS}`);
  }

  // Elements without semantics that are made to be clicked: a handler attribute, the focus, or the pointer cursor set on
  // itself.
  function isClickable(el, style, above, run) {
    if (el.hasAttribute("onclick") || isFocusable(el)) return true;
    if (holders.has(el)) return false; // what is in it is offered by itself
    if (hinted.has(el)) return true;
    if (run.quiet || el.childElementCount > 3 || above === null) return false;
    return style.cursor === "pointer" && above.cursor !== "pointer";
  }

  function emitElement(el, parent, role, box, style) {
    const [value, states, extra] = describe(el, role);
    const place = (role === "cell" || role === "definition") && el.querySelector(BLOCKS) !== null;
    const name = nameOf(el, place ? "" : role);
    if (!name && NAMELESS.has(role)) extra.description ||= lookOf(el, role);
    if (!CHILDLESS.test(el.tagName)) {
      const scroll = scrollOf(el, style);
      if (scroll) extra.scroll = scroll;
    }
    const index = emit(el, parent, role, name, value, states, box, el.tagName.toLowerCase(), extra);
    if (role === "clickable" || el.matches(ACTIVE)) targets.push(index);
    if ((LEAF.has(role) && !place) || role === "clickable") {
      if (el.querySelector(ACTIVE)) visitChildren(el, index, newRun(true), style);
    } else if (!CHILDLESS.test(el.tagName) && !SOLID.has(role)) {
      // A message that is named by its content has said it.
      const quiet = (role === "status" || role === "alert") && name !== "" && name === clean(contentText(el));
      const run = newRun(quiet);
      visitChildren(el, index, run, style);
      flush(run, index);
    }
  }

  // The dialog that makes everything else inert, null if there is none. What is inert is never hit.
  function topDialog() {
    const dialogs = [...document.querySelectorAll("dialog:modal")];
    if (dialogs.length < 2) return dialogs[0] ?? null;
    const onTop = (dialog) => {
      const rect = dialog.getBoundingClientRect();
      return dialog.contains(document.elementFromPoint(rect.x + rect.width / 2, rect.y + rect.height / 2));
    };
    return dialogs.findLast(onTop) ?? dialogs.at(-1);
  }

  let hinted = new Set(); // elements that the page's scripts listen to clicks on
  let holders = new Set(); // what such elements, or others to act on, stand in

  // `places`: the number of elements, then the places of those that are listened to, in document order from 1.
  function takeHints([total, ...places]) {
    hinted = new Set();
    holders = new Set();
    if (places.length === 0) return;
    const wanted = new Set(places);
    const elements = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
    let count = 0;
    const found = [];
    for (let el = elements.nextNode(); el; el = elements.nextNode()) {
      count += 1;
      if (wanted.has(count)) found.push(el);
    }
    if (count !== total) return; // the page has changed since
    for (const el of found) {
      if (el.querySelector(ACTIVE)) continue;
      hinted.add(el);
      for (let above = el.parentElement; above && !holders.has(above); above = above.parentElement) holders.add(above);
    }
  }

  function walk(hints) {
    takeHints(hints);
    suspects = [];
    [rows, targets, deeper] = [[], [], []];
    depth = 0;
    const dialog = topDialog();
    const top = newRun();
    if (dialog) visit(dialog, -1, top, null);
    else if (document.body) visitChildren(document.body, -1, top, getComputedStyle(document.body));
    flush(top, -1);
    while (deeper.length) goDeeper();
    for (const place of targets) {
      const state = reach(nodeOf(rows[place][0]));
      if (state) rows[place][5] = `${rows[place][5]} ${state}`.trim();
    }
    const scroller = document.scrollingElement ?? document.documentElement;
    return {
      url: location.href,
      title: clean(document.title),
      nodes: rows,
      suspects,
      scroll: [Math.round(scroller?.scrollTop ?? 0), innerHeight, scroller?.scrollHeight ?? 0],
    };
  }

  return { adopt, idOf, liveRoots, nodeOf, walk };
})();
