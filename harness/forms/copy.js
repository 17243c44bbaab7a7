// The page as HTML, and as HTML that shows the same without its scripts: what only the document's objects know (values,
// checks, choices, open dialogs, focus) is written into attributes. Works on an inert twin: the page stays as it is.
// `nodes` are elements or texts; each twin is marked with its place in `nodes`. Limit: shadow roots are not in HTML.
"use strict";

globalThis.harnessCopy = (nodes) => {
  const MARK = "harness-copy";

  function pairs(live, twin) {
    const [a, b] = [live, twin].map((root) => root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT));
    const found = [[live, twin]];
    while (a.nextNode() && b.nextNode()) found.push([a.currentNode, b.currentNode]);
    return found;
  }

  function mark(twin, word) {
    twin.setAttribute(MARK, [twin.getAttribute(MARK), word].filter(Boolean).join(" "));
  }

  function innerDocument(frame) {
    try {
      return frame.contentDocument;
    } catch {
      return null; // of another origin
    }
  }

  function reflect(live, twin) {
    const tag = live.localName;
    if (tag === "input" && /^(checkbox|radio)$/.test(live.type)) {
      twin.toggleAttribute("checked", live.checked);
      if (live.indeterminate) mark(twin, "indeterminate");
    } else if (tag === "input" && live.type !== "file") twin.setAttribute("value", live.value);
    else if (tag === "textarea") twin.textContent = `\n${live.value}`; // the parser drops the first line break
    else if (tag === "option") twin.toggleAttribute("selected", live.selected);
    else if (tag === "iframe") {
      const inner = innerDocument(live);
      if (inner?.documentElement) twin.setAttribute("srcdoc", copyOf(inner));
    }
    if (live.matches("dialog:modal")) mark(twin, "modal");
    if (live.matches("[popover]:popover-open")) mark(twin, "popover");
    if (live === live.ownerDocument.activeElement && live !== live.ownerDocument.body) mark(twin, "focus");
  }

  function twinOf(page) {
    return document.implementation.createHTMLDocument("").importNode(page.documentElement, true);
  }

  function typed(page, twin) {
    return (page.doctype ? new XMLSerializer().serializeToString(page.doctype) : "") + twin.outerHTML;
  }

  function copyOf(page, prepare = () => {}) {
    const twin = twinOf(page);
    const all = pairs(page.documentElement, twin);
    prepare(all, twin);
    for (const [live, other] of all) reflect(live, other);
    return typed(page, twin);
  }

  const elements = nodes.map((node) => (node?.nodeType === 1 ? node : node?.parentElement));
  let html = "";
  const copy = copyOf(document, (all, twin) => {
    for (const [live, other] of all)
      for (const [place, element] of elements.entries()) if (element === live) mark(other, `target-${place}`);
    html = typed(document, twin);
  });
  return { html, copy };
};
