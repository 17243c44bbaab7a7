// What an action needs to know and do inside the page: the point to click after a hit test, focus and selection before
// typing, options, and reading back. Each function returns {error: [CODE, message]} or its result.
"use strict";

globalThis.harnessTouch = (() => {
  const { nodeOf, nameOf, roleOf, optionLabel, clean } = globalThis.harnessWalk;
  const TEXT_TYPES = /^(text|search|email|password|tel|url|number|date|time|month|week|datetime-local|color|range)$/;

  function fail(code, message) {
    return { error: [code, message] };
  }

  function title(el) {
    const role = roleOf(el) || el.tagName.toLowerCase();
    const name = nameOf(el, roleOf(el)) || clean(el.textContent ?? "").slice(0, 40);
    return name ? `${role} "${name}"` : role;
  }

  function elementOf(id) {
    const node = nodeOf(id);
    if (!node || !node.isConnected) return null;
    return node.nodeType === 1 ? node : node.parentElement;
  }

  function hitAt(x, y) {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  }

  function includes(el, hit) {
    for (let node = hit; node; node = node.parentNode ?? node.host) {
      if (node === el) return true;
    }
    return false;
  }

  // Where to click: the middle of the first box of the element, else of one of its labels.
  function spot(el) {
    for (const candidate of [el, ...(el.labels ?? [])]) {
      const rect = [...candidate.getClientRects()].find((box) => box.width > 0 && box.height > 0);
      if (rect && candidate.checkVisibility({ visibilityProperty: true })) return { candidate, rect };
    }
    return null;
  }

  function point(id) {
    const el = elementOf(id);
    if (!el) return fail("STALE_REF", `e${id} is no longer on the page`);
    if (el.matches(":disabled") || el.getAttribute("aria-disabled") === "true") return fail("DISABLED", `${title(el)} is disabled`);
    let place = spot(el);
    if (!place) return fail("NOT_VISIBLE", `${title(el)} has no visible box`);
    const outside = ({ rect }) => {
      const x = rect.x + rect.width / 2;
      const y = rect.y + rect.height / 2;
      return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight;
    };
    const tryHit = () => {
      const x = place.rect.x + place.rect.width / 2;
      const y = place.rect.y + place.rect.height / 2;
      const hit = hitAt(x, y);
      const label = hit?.closest?.("label");
      const good = hit && (includes(place.candidate, hit) || includes(el, hit) || (label && label.control === el));
      return { x, y, hit, good };
    };
    let tried = outside(place) ? null : tryHit();
    if (!tried?.good) {
      // Off-screen, or under something sticky: bring it to the middle, as a person would, and look again.
      place.candidate.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      place = spot(el);
      if (!place || outside(place)) return fail("NOT_VISIBLE", `${title(el)} can't be scrolled into view`);
      tried = tryHit();
    }
    if (!tried.good) return fail("CLICK_INTERCEPTED", `${tried.hit ? title(tried.hit) : "nothing"} lies over ${title(el)}`);
    return { x: tried.x, y: tried.y, focused: el === el.getRootNode().activeElement };
  }

  function editable(id) {
    const el = elementOf(id);
    if (!el) return fail("STALE_REF", `e${id} is no longer on the page`);
    const text = el.tagName === "TEXTAREA" || (el.tagName === "INPUT" && TEXT_TYPES.test(el.type)) || el.isContentEditable;
    if (!text) return fail("NOT_EDITABLE", `${title(el)} is no text field`);
    if (el.readOnly || el.getAttribute("aria-readonly") === "true") return fail("READONLY", `${title(el)} is read-only`);
    return point(id);
  }

  // Selects all text of the field that now has the focus, so that typing replaces it.
  function selectAll(id) {
    const el = elementOf(id);
    if (!el) return fail("STALE_REF", `e${id} went away when it was clicked`);
    if (el !== el.getRootNode().activeElement) el.focus({ preventScroll: true });
    if (el.isContentEditable && el.tagName !== "INPUT") getSelection().selectAllChildren(el);
    else el.select?.();
    return { empty: (el.value ?? el.textContent) === "" };
  }

  // Date, colour and range inputs take no typed text of that form: the value is set as their own pickers do.
  function setValue(id, text) {
    const el = elementOf(id);
    if (!el || el.tagName !== "INPUT" || !/^(date|time|month|week|datetime-local|color|range)$/.test(el.type)) return { typed: true };
    const before = el.value;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(el, text);
    if (el.value !== text.toLowerCase() && el.value !== text) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(el, before);
      return fail("INVALID_VALUE", `${JSON.stringify(text)} is no value of a ${el.type} field`);
    }
    el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return { typed: false };
  }

  function typed(id, text) {
    const el = elementOf(id);
    if (!el) return {}; // the page took the field away on input: nothing to compare with
    const value = el.value ?? el.textContent;
    if (value === text) return {};
    if (el.type === "number" && value === "" && text !== "") return fail("INVALID_VALUE", `${JSON.stringify(text)} is no number`);
    if (el.maxLength > 0 && text.startsWith(value)) return fail("INVALID_VALUE", `the field takes ${el.maxLength} characters at most`);
    return fail("NOT_APPLIED", `the field holds ${JSON.stringify(value.slice(0, 60))} after typing`);
  }

  function select(id, label) {
    const el = elementOf(id);
    if (!el) return fail("STALE_REF", `e${id} is no longer on the page`);
    if (el.tagName !== "SELECT") return fail("NOT_A_SELECT", `${title(el)} is no select box`);
    if (el.matches(":disabled")) return fail("DISABLED", `${title(el)} is disabled`);
    if (!spot(el)) return fail("NOT_VISIBLE", `${title(el)} has no visible box`);
    const options = [...el.options].filter((option) => !option.disabled);
    const wanted = options.find((option) => optionLabel(option) === clean(label)) ?? options.find((option) => option.value === label);
    if (!wanted) {
      return fail("OPTION_NOT_FOUND", `no option ${JSON.stringify(label)}; options: ${options.slice(0, 20).map((option) => JSON.stringify(optionLabel(option))).join(", ")}`);
    }
    el.focus({ preventScroll: true });
    if (!wanted.selected) {
      wanted.selected = true;
      el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      el.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return wanted.selected || !el.isConnected ? {} : fail("NOT_APPLIED", "the page put the selection back");
  }

  function checkable(id) {
    const el = elementOf(id);
    if (!el) return fail("STALE_REF", `e${id} is no longer on the page`);
    const native = el.tagName === "INPUT" && (el.type === "checkbox" || el.type === "radio");
    const role = roleOf(el);
    if (!native && !/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) return fail("NOT_CHECKABLE", `${title(el)} has no checked state`);
    const checked = native ? el.checked : el.getAttribute("aria-checked") === "true";
    return { checked, radio: role === "radio" || role === "menuitemradio", title: title(el) };
  }

  function scroll(direction) {
    const scroller = document.scrollingElement ?? document.documentElement;
    return { x: innerWidth / 2, y: innerHeight / 2, by: Math.round(innerHeight * 0.9) * (direction === "up" ? -1 : 1), top: scroller.scrollTop };
  }

  // Storage is shared with the page, but this world's way to it is not: the page can't put anything in between.
  function appState() {
    return localStorage.getItem("state");
  }

  return { appState, point, editable, selectAll, setValue, typed, select, checkable, scroll };
})();
