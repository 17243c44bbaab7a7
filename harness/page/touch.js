// What an action needs to know and do inside the page: the point to click after a hit test, focus and selection before
// typing, options, and reading back. Each function returns {error: [CODE, message]} or its result.
"use strict";

globalThis.harnessTouch = (() => {
  const { aim, faces, hitAt, inViewport } = globalThis.harnessHit;
  const { clean, clip } = globalThis.harnessText;
  const { roleOf } = globalThis.harnessRoles;
  const { choices, innerOrigin, nameOf, optionLabel } = globalThis.harnessNames;
  const { nodeOf } = globalThis.harnessWalk;
  const TYPED = /^(text|search|email|password|tel|url|number)$/;
  const PICKED = /^(date|time|month|week|datetime-local|color|range)$/;
  const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
  const CHECKED_ROLES = /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/;
  const SCREEN = 0.9; // of what is to be seen, scrolled at a time
  const SHOWN_NAME = 40; // characters of a name in a message
  const SHOWN_VALUE = 60;
  const SHOWN_OPTIONS = 20;

  function fail(code, message) {
    return { error: [code, message] };
  }

  function stale() {
    return fail("STALE_REF", "is no longer on the page");
  }

  function title(el) {
    const role = roleOf(el) || el.tagName.toLowerCase();
    const name = nameOf(el, roleOf(el)) || clip(clean(el.textContent), SHOWN_NAME);
    return name ? `${role} "${name}"` : role;
  }

  function elementOf(id) {
    const node = nodeOf(id);
    if (!node?.isConnected) return null;
    return node.nodeType === 1 ? node : (node.parentElement ?? node.parentNode.host);
  }

  function isDisabled(el) {
    return el.matches(":disabled") || el.getAttribute("aria-disabled") === "true";
  }

  function isFocused(el) {
    return el === el.getRootNode().activeElement;
  }

  // Where to click, with a hit test just before. What is off-screen or under something sticky is brought to the middle.
  // `stay`: as it is, without scrolling.
  function point(id, stay = false) {
    const el = elementOf(id);
    if (!el) return stale();
    if (isDisabled(el)) return fail("DISABLED", `${title(el)} is disabled`);
    const candidates = faces(el);
    if (candidates.length === 0) return fail("NOT_VISIBLE", `${title(el)} has no visible box`);
    let blocked = null;
    for (const effort of stay ? ["middle", "everywhere"] : ["middle", "scrolled", "everywhere"]) {
      for (const face of candidates) {
        if (effort !== "middle" && !stay) {
          face.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
        }
        const aimed = aim(el, face, effort === "everywhere");
        if (aimed?.good) return { x: aimed.x, y: aimed.y, focused: isFocused(el) };
        blocked = aimed ?? blocked;
      }
    }
    if (!blocked) return fail("NOT_VISIBLE", `${title(el)} can't be scrolled into view`);
    const over = blocked.hit ? title(blocked.hit) : "nothing";
    return fail("CLICK_INTERCEPTED", `${over} lies over ${title(el)}`);
  }

  // Where a point inside a frame, given in the frame's own viewport, is in this one, after a hit test.
  function through(id, x, y) {
    const frame = elementOf(id);
    if (!frame) return stale();
    const [left, top] = innerOrigin(frame);
    const place = { x: left + x, y: top + y };
    if (!inViewport(place)) return fail("NOT_VISIBLE", `it is outside what is to be seen of ${title(frame)}`);
    const hit = hitAt(place.x, place.y);
    if (hit === frame) return place;
    return fail("CLICK_INTERCEPTED", `${hit ? title(hit) : "nothing"} lies over ${title(frame)}`);
  }

  // Brings an element to the middle, in the frames around this one too.
  function reveal(id) {
    elementOf(id)?.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  }

  function editable(id) {
    const el = elementOf(id);
    if (!el) return stale();
    const input = el.tagName === "INPUT" && (TYPED.test(el.type) || PICKED.test(el.type));
    if (!input && el.tagName !== "TEXTAREA" && !el.isContentEditable) {
      return fail("NOT_EDITABLE", `${title(el)} is no text field`);
    }
    if (el.readOnly || el.getAttribute("aria-readonly") === "true") {
      return fail("READONLY", `${title(el)} is read-only`);
    }
    const place = point(id);
    return place.error ? place : { ...place, picked: input && PICKED.test(el.type) };
  }

  // The text that a field holds.
  function textOf(el) {
    if (el.isContentEditable) return el.innerText.replace(/\u00a0/g, " ").replace(/\n$/, "");
    return el.value;
  }

  // Gives the field the focus and selects all its text, so that typing replaces it.
  function selectAll(id) {
    const el = elementOf(id);
    if (!el) return fail("STALE_REF", "went away when it was clicked");
    if (!isFocused(el)) el.focus({ preventScroll: true });
    if (!isFocused(el)) return fail("NOT_APPLIED", `${title(el)} does not take the focus`);
    if (el.isContentEditable) getSelection().selectAllChildren(el);
    else el.select();
    return { empty: textOf(el) === "" };
  }

  function notify(el) {
    el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Date, colour and range inputs take no typed text of that form: the value is set as their own pickers do.
  function setValue(id, text) {
    const el = elementOf(id);
    if (!el) return stale();
    const before = el.value;
    const wanted = el.type === "color" ? text.toLowerCase() : text;
    el.value = text;
    if (el.value !== wanted) {
      el.value = before;
      return fail("INVALID_VALUE", `${JSON.stringify(text)} is no value of a ${el.type} field`);
    }
    el.focus({ preventScroll: true });
    if (el.value !== before) notify(el);
    if (el.isConnected && el.value !== wanted) return fail("NOT_APPLIED", "the page put the value back");
    return {};
  }

  function typed(id, text) {
    // A page may draw the field anew on input: then the text is in the one that has the focus now.
    const el = elementOf(id) ?? document.activeElement;
    if (!el?.matches("input,textarea,[contenteditable]")) return fail("NOT_APPLIED", "the field went away while typing");
    const value = textOf(el);
    // What is drawn of rich text has its spaces collapsed.
    const shown = el.isContentEditable ? clean : (string) => string.replace(/\r\n?/g, "\n");
    if (shown(value) === shown(text)) return {};
    if (el.type === "number" && (el.validity.badInput || !NUMBER.test(text))) {
      return fail("INVALID_VALUE", `${JSON.stringify(text)} is no number`);
    }
    if (el.maxLength > 0 && text.startsWith(value)) {
      return fail("INVALID_VALUE", `the field takes ${el.maxLength} characters at most`);
    }
    return fail("NOT_APPLIED", `the field holds ${JSON.stringify(clip(value, SHOWN_VALUE))} after typing`);
  }

  function select(id, label) {
    const el = elementOf(id);
    if (!el) return stale();
    if (el.tagName !== "SELECT") return fail("NOT_A_SELECT", `${title(el)} is no select box`);
    if (isDisabled(el)) return fail("DISABLED", `${title(el)} is disabled`);
    if (faces(el).length === 0) return fail("NOT_VISIBLE", `${title(el)} has no visible box`);
    const options = choices(el);
    const wanted =
      options.find((option) => optionLabel(option) === clean(label)) ??
      options.find((option) => option.value === label);
    if (!wanted) {
      const labels = options.map((option) => JSON.stringify(optionLabel(option)));
      const shown = labels.slice(0, SHOWN_OPTIONS).join(", ");
      const more = labels.length > SHOWN_OPTIONS ? `, … ${labels.length - SHOWN_OPTIONS} more` : "";
      return fail("OPTION_NOT_FOUND", `no option ${JSON.stringify(label)}; options: ${shown}${more}`);
    }
    el.focus({ preventScroll: true });
    if (!wanted.selected) {
      wanted.selected = true;
      notify(el);
    }
    return wanted.selected || !el.isConnected ? {} : fail("NOT_APPLIED", "the page put the selection back");
  }

  // Takes back all choices of a list in which several can be chosen.
  function deselect(id) {
    const el = elementOf(id);
    if (!el) return stale();
    if (!el.multiple || el.tagName !== "SELECT") return fail("NOT_EDITABLE", `${title(el)} is nothing to be emptied`);
    if (isDisabled(el)) return fail("DISABLED", `${title(el)} is disabled`);
    el.focus({ preventScroll: true });
    const chosen = [...el.selectedOptions];
    for (const option of chosen) option.selected = false;
    if (chosen.length > 0) notify(el);
    return el.selectedOptions.length === 0 || !el.isConnected ? {} : fail("NOT_APPLIED", "the page put the selection back");
  }

  function checkable(id) {
    const el = elementOf(id);
    if (!el) return stale();
    const role = roleOf(el);
    const native = el.tagName === "INPUT" && (el.type === "checkbox" || el.type === "radio");
    if (!native && !CHECKED_ROLES.test(role)) return fail("NOT_CHECKABLE", `${title(el)} has no checked state`);
    const checked = native ? el.checked : el.getAttribute("aria-checked") === "true";
    return { checked, radio: role === "radio" || role === "menuitemradio", title: title(el) };
  }

  // How far an area can still be scrolled in a direction.
  function room(area, [dx, dy]) {
    if (dx) return dx < 0 ? area.scrollLeft : area.scrollWidth - area.clientWidth - area.scrollLeft;
    return dy < 0 ? area.scrollTop : area.scrollHeight - area.clientHeight - area.scrollTop;
  }

  function scrolls(el, [dx]) {
    if (el === document.scrollingElement) return true;
    const style = getComputedStyle(el);
    return /auto|scroll/.test(dx ? style.overflowX : style.overflowY);
  }

  let wheel = null; // the area that is about to be scrolled, and where it was

  // Where the mouse wheel scrolls the page, or the area around an element, by one screen less a little that is seen
  // twice. `id` null: the page, or the largest area on it where the page itself has nothing to scroll.
  function scroll(id, direction) {
    const step = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] }[direction];
    const page = document.scrollingElement ?? document.documentElement;
    let area = page;
    if (id !== null) {
      area = elementOf(id);
      if (!area) return stale();
      while (area && !(scrolls(area, step) && room(area, step) >= 1)) area = area.parentElement ?? area.getRootNode().host;
    } else if (room(page, step) < 1) {
      area = null;
      for (const el of document.body?.querySelectorAll("*") ?? []) {
        if (el.clientHeight * el.clientWidth <= (area ? area.clientHeight * area.clientWidth : 0)) continue;
        if (room(el, step) >= 1 && scrolls(el, step) && el.checkVisibility()) area = el;
      }
    }
    if (!area) return fail("NOT_SCROLLABLE", `there is nothing more ${direction === "up" ? "above" : direction === "down" ? "below" : `to the ${direction}`}`);
    let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
    if (area !== page) {
      area.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      const rect = area.getBoundingClientRect();
      left = Math.max(left, rect.left);
      top = Math.max(top, rect.top);
      right = Math.min(right, rect.right);
      bottom = Math.min(bottom, rect.bottom);
    }
    wheel = { area, step, room: room(area, step) };
    return {
      x: (left + right) / 2,
      y: (top + bottom) / 2,
      dx: Math.round((right - left) * SCREEN) * step[0],
      dy: Math.round((bottom - top) * SCREEN) * step[1],
    };
  }

  // Resolves when the area has moved, with an error after `cap` ms.
  async function scrolled(cap) {
    const { area, step, room: before } = wheel;
    const end = performance.now() + cap;
    while (area.isConnected && Math.abs(room(area, step) - before) < 1) {
      if (performance.now() > end) return fail("NOT_APPLIED", "the page did not scroll");
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    return {};
  }

  // The file field itself, for the protocol.
  function fileField(id) {
    const el = elementOf(id);
    return el?.tagName === "INPUT" && el.type === "file" ? el : null;
  }

  function fileNames(id) {
    const el = elementOf(id);
    return el ? [...el.files].map((file) => file.name) : null;
  }

  // Storage is shared with the page, but this world's way to it is not: the page can't put anything in between.
  function appState() {
    return localStorage.getItem("state");
  }

  return { appState, checkable, deselect, editable, fileField, fileNames, point, reveal, scroll, scrolled, select, selectAll, setValue, through, typed };
})();
