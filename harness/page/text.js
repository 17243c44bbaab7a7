// What a user reads in an element. Only reads; runs in an isolated world.
"use strict";

globalThis.harnessText = (() => {
  const MAX_TEXT = 2000; // characters of one name, value or run of text
  const MAX_DEPTH = 500; // elements in elements
  // What is inside these is no text of the page.
  const UNREAD = new Set(
    "SCRIPT STYLE TEMPLATE NOSCRIPT SELECT TEXTAREA INPUT DATALIST IFRAME FRAME OBJECT EMBED VIDEO AUDIO CANVAS".split(" "),
  );

  // One line of well-formed text: a lone half of a surrogate pair or a control character would break what reads it.
  function clean(text) {
    if (text === "") return text;
    const whole = text.includes("\u00ad") ? text.replaceAll("\u00ad", "") : text; // soft hyphens
    return clip(whole.replace(/[\s\u0000-\u001f\u007f-\u009f\u200b\ufeff]+/g, " ").trim(), MAX_TEXT).toWellFormed();
  }

  function clip(text, length) {
    return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  }

  // Closed shadow roots by their hosts, as far as they were handed in from outside.
  const closedRoots = new WeakMap();

  function shadowRootOf(el) {
    return el.shadowRoot ?? closedRoots.get(el) ?? null;
  }

  // What a browser shows in place of the children: those of the shadow root, what is slotted, what a disclosure opens.
  function childrenOf(el) {
    const root = shadowRootOf(el);
    if (root) return childList(root);
    if (el.tagName === "SLOT") {
      const assigned = el.assignedNodes({ flatten: true });
      if (assigned.length) return assigned;
    }
    if (el.tagName === "DETAILS" && !el.open) return el.querySelectorAll(":scope > summary:first-of-type");
    return childList(el);
  }

  // Several times as fast as to iterate over `childNodes`.
  function childList(node) {
    const children = [];
    for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
    return children;
  }

  function pictureName(el) {
    const alt = el.getAttribute("alt");
    const given = el.getAttribute("aria-label") || alt;
    if (given || alt === "") return clean(given ?? "");
    return clean((el.tagName === "svg" ? el.querySelector(":scope > title")?.textContent : el.title) ?? "");
  }

  // The text that a user reads in an element; `seen` false if the element's own text is hidden. Below what is too deep
  // for the stack, hidden text is not told apart.
  function contentText(el, seen = true, depth = 0) {
    if (depth >= MAX_DEPTH) return el.textContent;
    let text = "";
    for (const child of childrenOf(el)) {
      if (child.nodeType === 3) {
        if (seen) text += child.data;
      } else if (child.nodeType === 1) text += partText(child, depth + 1);
    }
    return text;
  }

  function partText(el, depth = 0) {
    const tag = el.tagName;
    if (tag === "BR") return " ";
    if (UNREAD.has(tag) || el.getAttribute("aria-hidden") === "true") return "";
    const style = getComputedStyle(el);
    const display = style.display;
    if (display === "none") return "";
    const seen = style.visibility === "visible";
    if (tag === "IMG" || tag === "svg") return seen ? ` ${pictureName(el)} ` : "";
    const text = (seen && el.getAttribute("aria-label")) || contentText(el, seen, depth);
    return display === "inline" || display === "contents" ? text : ` ${text} `;
  }

  return { childrenOf, clean, clip, closedRoots, contentText, partText, pictureName, shadowRootOf };
})();
