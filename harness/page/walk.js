// The in-page walk: reads the page as a list of nodes with roles, names, states and refs. Runs in an isolated world
// and never changes the page: no attribute, style, scroll position or focus is written.
"use strict";

globalThis.harnessWalk = (() => {
  const INLINE = new Set(
    "A ABBR B BDI BDO CITE CODE DATA DEL DFN EM FONT I INS KBD MARK Q S SAMP SMALL SPAN STRONG SUB SUP TIME U VAR WBR".split(" "),
  );
  const SKIP = new Set("SCRIPT STYLE TEMPLATE NOSCRIPT HEAD META LINK TITLE BASE LEGEND CAPTION FIGCAPTION".split(" "));
  // Roles whose name is their content; what is inside is not listed again unless it can be acted on.
  const LEAF = new Set(
    "button link heading option tab menuitem menuitemcheckbox menuitemradio cell columnheader rowheader term definition switch checkbox radio treeitem".split(" "),
  );
  const ACTIVE =
    "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=option],[role=tab],[role=menuitem],[role=switch],[contenteditable],[tabindex]";
  const INPUT_ROLES = {
    button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
    range: "slider", number: "spinbutton", search: "searchbox", file: "file", hidden: "",
    date: "date", time: "time", color: "color", month: "month", week: "week", "datetime-local": "datetime-local",
  };
  const TAG_ROLES = {
    BUTTON: "button", TEXTAREA: "textbox", NAV: "navigation", MAIN: "main", ASIDE: "complementary", ARTICLE: "article",
    FORM: "form", UL: "list", OL: "list", LI: "listitem", TABLE: "table", TR: "row", TD: "cell", DIALOG: "dialog",
    FIELDSET: "group", DETAILS: "group", SUMMARY: "button", OPTION: "option", OUTPUT: "status", PROGRESS: "progressbar",
    METER: "meter", DT: "term", DD: "definition", SEARCH: "search", HR: "", IFRAME: "iframe",
  };

  let nextId = 0; // set by the first walk of a document, so that refs never repeat across documents
  const ids = new WeakMap();
  const nodesById = new Map();

  function refOf(node) {
    let id = ids.get(node);
    if (id === undefined) {
      id = nextId++;
      ids.set(node, id);
      nodesById.set(id, new WeakRef(node));
    }
    return id;
  }

  function clean(text) {
    return text.toWellFormed().replace(/[\s\u0000-\u001f\u007f\u200b\ufeff]+/g, " ").trim().slice(0, 2000);
  }

  function roleOf(el) {
    const given = el.getAttribute("role");
    if (given) {
      const first = given.trim().split(/\s+/)[0];
      if (first && first !== "none" && first !== "presentation") return first;
    }
    const tag = el.tagName;
    if (tag === "A" || tag === "AREA") return el.hasAttribute("href") ? "link" : "";
    if (tag === "INPUT") return INPUT_ROLES[el.type] ?? "textbox";
    if (tag === "SELECT") return el.multiple || el.size > 1 ? "listbox" : "combobox";
    if (tag === "IMG" || tag === "svg") return clean(el.getAttribute("alt") ?? el.getAttribute("aria-label") ?? "") ? "img" : "";
    if (/^H[1-6]$/.test(tag)) return "heading";
    if (tag === "TH") return el.scope === "row" ? "rowheader" : "columnheader";
    if (tag === "SECTION") return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") ? "region" : "";
    if (tag === "HEADER" || tag === "FOOTER") {
      if (el.closest("article,aside,main,nav,section")) return "";
      return tag === "HEADER" ? "banner" : "contentinfo";
    }
    if (el.isContentEditable && !el.parentElement?.isContentEditable) return "textbox";
    return TAG_ROLES[tag] ?? "";
  }

  function childrenOf(el) {
    if (el.shadowRoot) return el.shadowRoot.childNodes;
    if (el.tagName === "SLOT") {
      const assigned = el.assignedNodes({ flatten: true });
      if (assigned.length) return assigned;
    }
    return el.childNodes;
  }

  function contentText(el) {
    let text = "";
    for (const child of childrenOf(el)) {
      if (child.nodeType === 3) text += child.data;
      else if (child.nodeType === 1 && !SKIP.has(child.tagName) && child.getAttribute("aria-hidden") !== "true") {
        if (child.tagName === "IMG" || child.tagName === "svg") text += " " + (child.getAttribute("alt") ?? child.getAttribute("aria-label") ?? "") + " ";
        else if (child.tagName === "BR") text += " ";
        else if (child.checkVisibility()) {
          const label = child.getAttribute("aria-label");
          const inner = label ?? contentText(child);
          const inline = INLINE.has(child.tagName) && getComputedStyle(child).display === "inline";
          text += inline ? inner : ` ${inner} `;
        }
      }
    }
    return text;
  }

  function byIds(el, attribute) {
    const value = el.getAttribute(attribute);
    if (!value) return "";
    const root = el.getRootNode();
    return clean(value.split(/\s+/).map((id) => {
      const other = root.getElementById?.(id);
      return other ? other.getAttribute("aria-label") ?? contentText(other) : "";
    }).join(" "));
  }

  // Accessible name in the order of the W3C computation, as far as users meet it: aria-labelledby, aria-label, the
  // host language's label, content (for roles named by it), title, placeholder.
  function nameOf(el, role) {
    let name = byIds(el, "aria-labelledby") || clean(el.getAttribute("aria-label") ?? "");
    if (name) return name;
    const tag = el.tagName;
    if (el.labels?.length) name = clean([...el.labels].map((label) => labelText(label, el)).join(" "));
    else if (tag === "INPUT" && /^(submit|reset|button)$/.test(el.type)) name = clean(el.value) || { submit: "Submit", reset: "Reset" }[el.type] || "";
    else if (tag === "IMG" || (tag === "INPUT" && el.type === "image") || tag === "AREA") name = clean(el.alt ?? "");
    else if (tag === "FIELDSET") name = clean(el.querySelector(":scope > legend")?.textContent ?? "");
    else if (tag === "TABLE") name = clean(el.caption?.textContent ?? "");
    else if (tag === "FIGURE") name = clean(el.querySelector(":scope > figcaption")?.textContent ?? "");
    else if (LEAF.has(role) || role === "status" || role === "alert") name = clean(contentText(el));
    return name || clean(el.getAttribute("title") ?? "") || clean(el.getAttribute("placeholder") ?? "");
  }

  function labelText(label, control) {
    let text = "";
    for (const child of label.childNodes) {
      if (child === control) continue;
      if (child.nodeType === 3) text += child.data;
      else if (child.nodeType === 1 && !child.matches("input,select,textarea,button") && child.getAttribute("aria-hidden") !== "true") {
        text += child.contains(control) ? labelText(child, control) : contentText(child);
      }
    }
    return text;
  }

  function optionLabel(option) {
    return clean(option.label || option.textContent);
  }

  function describe(el, role) {
    const states = [];
    const extra = {};
    let value = null;
    const tag = el.tagName;
    const aria = (name) => el.getAttribute("aria-" + name);
    if (tag === "INPUT" || tag === "TEXTAREA") {
      if (el.type === "checkbox" || el.type === "radio") {
        if (el.checked) states.push("checked");
        if (el.indeterminate) states.push("mixed");
      } else if (el.type === "password") value = "•".repeat(el.value.length);
      else if (el.type === "file") value = [...el.files].map((file) => file.name).join(", ");
      else if (role !== "button") value = clean(el.value);
      if (el.readOnly) states.push("readonly");
      if (el.required) states.push("required");
      if (el.validity && !el.validity.valid && el.matches(":user-invalid")) states.push("invalid");
    } else if (tag === "SELECT") {
      value = clean([...el.selectedOptions].map(optionLabel).join(", "));
      extra.options = [...el.options].filter((option) => !option.disabled).map(optionLabel);
      if (el.required) states.push("required");
    } else if (el.isContentEditable) value = clean(el.textContent);
    else if (tag === "PROGRESS" || tag === "METER") value = String(el.value);
    else if (aria("valuenow")) value = aria("valuetext") ?? aria("valuenow");
    if (el.disabled || aria("disabled") === "true" || el.matches(":disabled")) states.push("disabled");
    for (const [name, word] of [["checked", "checked"], ["selected", "selected"], ["pressed", "pressed"], ["busy", "busy"], ["required", "required"]]) {
      if (aria(name) === "true" && !states.includes(word)) states.push(word);
    }
    if (aria("invalid") && aria("invalid") !== "false" && !states.includes("invalid")) states.push("invalid");
    if (aria("current") && aria("current") !== "false") states.push("current");
    const expanded = tag === "SUMMARY" ? String(Boolean(el.parentElement?.open)) : aria("expanded");
    if (expanded === "true") states.push("expanded");
    if (expanded === "false") states.push("collapsed");
    if (el === el.getRootNode().activeElement) states.push("focused");
    if (role === "heading") extra.level = Number(aria("level") ?? tag.slice(1)) || 2;
    const description = byIds(el, "aria-describedby");
    if (description) extra.description = description;
    return [value, states.join(" "), extra];
  }

  function isClickable(el) {
    // Elements without semantics that are made to be clicked: a handler attribute, or the pointer cursor set on itself.
    if (el.hasAttribute("onclick")) return true;
    if (el.childElementCount > 3) return false;
    return getComputedStyle(el).cursor === "pointer" && (!el.parentElement || getComputedStyle(el.parentElement).cursor !== "pointer");
  }

  function boxOf(el) {
    const rect = el.getBoundingClientRect();
    return [Math.round(rect.x), Math.round(rect.y), Math.round(rect.width), Math.round(rect.height)];
  }

  function walk(base) {
    if (nextId === 0) nextId = base;
    const rows = [];

    function emit(node, parent, role, name, value, states, box, tag, extra) {
      rows.push([refOf(node), parent, role, name, value, states, box, tag, extra]);
      return rows.length - 1;
    }

    // A run of text and inline elements is one node; it belongs to its first text node.
    function newRun() {
      return { text: "", node: null };
    }

    function flush(run, parent) {
      const text = run.node ? clean(run.text) : "";
      if (text) emit(run.node, parent, "text", text, null, "", boxOf(run.node.parentElement ?? document.body), "#text", {});
      run.text = "";
      run.node = null;
    }

    function visitChildren(el, parent, run) {
      for (const child of childrenOf(el)) {
        if (child.nodeType === 3) {
          if (!run.node && child.data.trim()) run.node = child;
          run.text += child.data;
        } else if (child.nodeType === 1) visit(child, parent, run);
      }
    }

    function visit(el, parent, run) {
      const tag = el.tagName;
      if (SKIP.has(tag)) return;
      if (tag === "BR") {
        run.text += " ";
        return;
      }
      if (el.inert || el.getAttribute("aria-hidden") === "true") return;
      const control = tag === "LABEL" ? el.control : null;
      if (!el.checkVisibility()) {
        return; // display: none, or content not rendered
      }
      if (control) {
        flush(run, parent);
        // The label is the name of its control; it stands for a control that is not rendered itself.
        if (control.checkVisibility()) {
          for (const inner of el.querySelectorAll(ACTIVE)) if (inner === control || !control.contains(inner)) visit(inner, parent, run);
        } else emitElement(control, parent, roleOf(control), boxOf(el));
        return;
      }
      let role = roleOf(el);
      const seen = el.checkVisibility({ visibilityProperty: true });
      if (seen && !role && tag !== "BODY" && tag !== "HTML" && isClickable(el)) role = "clickable";
      if (tag === "INPUT" && el.type === "hidden") return;
      if (!role || !seen) {
        if (INLINE.has(tag)) visitChildren(el, parent, run);
        else {
          flush(run, parent);
          const inner = newRun();
          visitChildren(el, parent, inner);
          flush(inner, parent);
        }
        return;
      }
      flush(run, parent);
      emitElement(el, parent, role, boxOf(el));
    }

    function emitElement(el, parent, role, box) {
      const [value, states, extra] = describe(el, role);
      const named = role === "clickable" ? clean(contentText(el)) : nameOf(el, role);
      const leaf = LEAF.has(role) || role === "clickable";
      const inner = leaf && el.querySelector(ACTIVE);
      // A cell, term or heading that holds something to act on lists it below; its own text is not repeated as children.
      const place = emit(el, parent, role, named, value, states, box, el.tagName.toLowerCase(), extra);
      if (leaf) {
        if (inner) for (const active of el.querySelectorAll(ACTIVE)) if (!active.parentElement.closest(ACTIVE) || !el.contains(active.parentElement.closest(ACTIVE)) || active.parentElement.closest(ACTIVE) === el) visit(active, place, newRun());
        return;
      }
      if (/^(INPUT|SELECT|TEXTAREA|IMG|svg|PROGRESS|METER|IFRAME)$/.test(el.tagName) || role === "img") return;
      if ((role === "status" || role === "alert") && !el.querySelector(ACTIVE)) return;
      const run = newRun();
      visitChildren(el, place, run);
      flush(run, place);
    }

    const modal = [...document.querySelectorAll("dialog:modal")].pop();
    const top = newRun();
    if (modal) visit(modal, -1, top);
    else if (document.body) {
      visitChildren(document.body, -1, top);
      flush(top, -1);
    }
    const scroller = document.scrollingElement ?? document.documentElement;
    return {
      url: location.href,
      title: clean(document.title),
      nodes: rows,
      scroll: [Math.round(scroller?.scrollTop ?? 0), innerHeight, scroller?.scrollHeight ?? 0],
      next: nextId,
    };
  }

  function nodeOf(id) {
    return nodesById.get(id)?.deref();
  }

  return { walk, nodeOf, nameOf, roleOf, optionLabel, clean };
})();
