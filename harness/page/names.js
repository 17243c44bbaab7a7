// What an element is called and how it stands: its accessible name, value and states. Only reads; runs in an isolated
// world.
"use strict";

globalThis.harnessNames = (() => {
  const { clean, contentText, partText, pictureName } = globalThis.harnessText;
  const { LEAF } = globalThis.harnessRoles;
  // A form answers to the names of its fields, so `form.labels` may be a field: only these have labels of their own.
  const LABELABLE = new Set("BUTTON INPUT METER OUTPUT PROGRESS SELECT TEXTAREA".split(" "));
  const STATES = ["checked", "selected", "pressed", "busy", "required"];

  function byIds(el, attribute) {
    const value = el.getAttribute(attribute);
    if (!value) return "";
    const root = el.getRootNode();
    const texts = value.split(/\s+/).map((id) => {
      const other = root.getElementById?.(id);
      if (!other) return "";
      const given = other.getAttribute("aria-label");
      return given || (other.checkVisibility({ visibilityProperty: true }) ? contentText(other) : other.textContent);
    });
    return clean(texts.join(" "));
  }

  function labelsOf(el) {
    return LABELABLE.has(el.tagName) ? [...(el.labels ?? [])] : [];
  }

  function labelText(label, control) {
    let text = "";
    for (const child of label.childNodes) {
      if (child === control) continue;
      if (child.nodeType === 3) text += child.data;
      else if (child.nodeType !== 1 || child.matches("input,select,textarea,button")) continue;
      else text += child.contains(control) ? labelText(child, control) : partText(child);
    }
    return text;
  }

  // The name that the author gave otherwise than by content, in the order of the W3C computation: aria-labelledby,
  // aria-label, the host language's label.
  function givenName(el) {
    const aria = byIds(el, "aria-labelledby") || clean(el.getAttribute("aria-label") ?? "");
    if (aria) return aria;
    const labels = clean(
      labelsOf(el)
        .map((label) => labelText(label, el))
        .join(" "),
    );
    if (labels) return labels;
    switch (el.tagName) {
      case "INPUT":
        if (el.type === "image") return clean(el.alt);
        if (el.type === "submit") return clean(el.value) || "Submit";
        if (el.type === "reset") return clean(el.value) || "Reset";
        return el.type === "button" ? clean(el.value) : "";
      case "IMG":
      case "AREA":
      case "svg":
        return pictureName(el);
      case "FIELDSET":
        return partOf(el, ":scope > legend");
      case "TABLE":
        return partOf(el, ":scope > caption");
      default:
        return "";
    }
  }

  function partOf(el, selector) {
    const part = el.querySelector(selector);
    return part ? clean(contentText(part)) : "";
  }

  // Then content, for roles named by it, and what is shown for want of a name.
  function nameOf(el, role) {
    const byContent = LEAF.has(role) || role === "status" || role === "alert" || role === "clickable";
    return (
      givenName(el) ||
      (byContent ? clean(contentText(el)) : "") ||
      clean(el.getAttribute("title") ?? "") ||
      clean(el.getAttribute("placeholder") ?? "")
    );
  }

  function optionLabel(option) {
    return clean(option.label || option.textContent);
  }

  // The options that a user can choose.
  function choices(select) {
    return [...select.options].filter((option) => !option.matches(":disabled") && !option.hidden);
  }

  function inputValue(el, role) {
    if (el.type === "checkbox" || el.type === "radio" || role === "button") return null;
    if (el.type === "password") return "•".repeat(el.value.length);
    if (el.type === "file") return clean([...el.files].map((file) => file.name).join(", "));
    return clean(el.value);
  }

  function valueOf(el, role) {
    switch (el.tagName) {
      case "INPUT":
      case "TEXTAREA":
        return inputValue(el, role);
      case "SELECT":
        return clean([...el.selectedOptions].map(optionLabel).join(", "));
      case "PROGRESS":
      case "METER":
        return String(el.value);
      default:
        if (role === "textbox" && el.isContentEditable) return clean(el.innerText);
        if (!el.hasAttribute("aria-valuenow")) return null;
        return clean(el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow"));
    }
  }

  function nativeStates(el, states) {
    if (el.tagName !== "SELECT") {
      if (el.checked) states.push("checked");
      if (el.indeterminate) states.push("mixed");
      if (el.readOnly) states.push("readonly");
    }
    if (el.required) states.push("required");
    if (!el.validity.valid && el.matches(":user-invalid")) states.push("invalid");
  }

  function ariaStates(el, states) {
    for (const state of STATES) {
      const value = el.getAttribute(`aria-${state}`);
      if (value === "true") states.push(state);
      else if (value === "mixed") states.push("mixed");
    }
    for (const state of ["invalid", "current"]) {
      const value = el.getAttribute(`aria-${state}`);
      if (value && value !== "false") states.push(state);
    }
    if (el.getAttribute("aria-disabled") === "true") states.push("disabled");
    if (el.getAttribute("aria-readonly") === "true") states.push("readonly");
    const expanded = el.getAttribute("aria-expanded");
    if (expanded === "true") states.push("expanded");
    if (expanded === "false") states.push("collapsed");
  }

  // Where the content of a frame begins, in this document's viewport.
  function innerOrigin(el) {
    const rect = el.getBoundingClientRect();
    const style = getComputedStyle(el);
    return [
      rect.x + el.clientLeft + Number.parseFloat(style.paddingLeft),
      rect.y + el.clientTop + Number.parseFloat(style.paddingTop),
    ];
  }

  // [value, states as words, what else there is to say]
  function describe(el, role) {
    const states = [];
    const extra = {};
    const tag = el.tagName;
    if (tag === "INPUT" || tag === "TEXTAREA" || tag === "SELECT") nativeStates(el, states);
    if (tag === "SELECT") extra.options = choices(el).map(optionLabel);
    if (tag === "SUMMARY") states.push(el.parentElement?.open ? "expanded" : "collapsed");
    if (el.matches(":disabled")) states.push("disabled");
    if (el.getAttributeNames().some((name) => name.startsWith("aria-"))) {
      ariaStates(el, states);
      const description = byIds(el, "aria-describedby") || clean(el.getAttribute("aria-description") ?? "");
      if (description) extra.description = description;
    }
    if (el === el.getRootNode().activeElement) states.push("focused");
    if (tag === "IFRAME" || tag === "FRAME") extra.inner = innerOrigin(el);
    if (role === "heading") extra.level = Number(el.getAttribute("aria-level") ?? tag.slice(1)) || 2;
    return [valueOf(el, role), states.join(" "), extra];
  }

  return { choices, describe, innerOrigin, labelsOf, nameOf, optionLabel };
})();
