/** Small pieces of interface that all sites share. Data only ever becomes text nodes and attributes. */

const SVG = "http://www.w3.org/2000/svg";
let nextId = 1;

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * Build an element: `el("a", { href: "/" }, "Home")`.
 * @param {string} tag
 * @param {Record<string, any>} [props] Attributes; `onclick` and the like are listeners; null and false are left out.
 * @param {...any} children Nodes, texts, lists of them; null and false are left out.
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** Build an SVG element, as `el` does for HTML. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** @returns {string} An id that is new in this document. */
export function freshId(prefix = "id") {
  return `${prefix}-${nextId++}`;
}

/**
 * Say something to the user in the page's status line, which assistive technology reads out.
 * @param {string} text
 */
export function announce(text) {
  const line = document.getElementById("status");
  if (line) {
    line.textContent = text;
  }
}

/** Say something on the next page, once it is shown: for acts that lead to another page. */
export function announceNext(text) {
  sessionStorage.setItem("announce", text);
}

/** Show what the page before left to be said. */
export function announcePending() {
  const text = sessionStorage.getItem("announce");
  if (text !== null) {
    sessionStorage.removeItem("announce");
    announce(text);
  }
}

/** The empty status line; a page has one. */
export function statusLine() {
  return el("p", { id: "status", class: "status", role: "status" });
}

/**
 * Ask for confirmation in a modal dialog.
 * @param {{title: string, text: string, yes: string, no: string}} words
 * @returns {Promise<boolean>} True if the user chose `yes`; Escape is a no.
 */
export function confirmDialog({ title, text, yes, no }) {
  const heading = freshId("dialog");
  const body = freshId("dialog");
  const dialog = el(
    "dialog",
    { "aria-labelledby": heading, "aria-describedby": body },
    el("h2", { id: heading }, title),
    el("p", { id: body }, text),
    el(
      "form",
      { method: "dialog", class: "row" },
      el("button", { class: "quiet", value: "no" }, no),
      el("button", { class: "danger", value: "yes" }, yes),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

function describe(control, hint, error) {
  const ids = [hint?.id, error.textContent ? error.id : null].filter(Boolean);
  if (ids.length) {
    control.setAttribute("aria-describedby", ids.join(" "));
  } else {
    control.removeAttribute("aria-describedby");
  }
}

/**
 * A labelled form control with room for a hint and an error.
 * @param {string} label
 * @param {HTMLElement} control An input, select or textarea.
 * @param {{hint?: string}} [options]
 * @returns {HTMLElement & {control: HTMLElement, setError: (text: string | null) => void}}
 */
export function field(label, control, { hint } = {}) {
  control.id ||= freshId("field");
  const hintLine = hint ? el("p", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  const error = el("p", { class: "error", id: `${control.id}-error`, hidden: true });
  const root = el(
    "div",
    { class: "field" },
    el("label", { for: control.id }, label),
    hintLine,
    control,
    error,
  );
  root.control = control;
  root.setError = (text) => {
    error.textContent = text ?? "";
    error.hidden = !text;
    control.removeAttribute("aria-invalid");
    if (text) {
      control.setAttribute("aria-invalid", "true");
    }
    describe(control, hintLine, error);
  };
  describe(control, hintLine, error);
  return root;
}

/**
 * A group of radio buttons under a legend.
 * @param {string} legend
 * @param {string} name
 * @param {{value: string, label: string | Node, note?: string}[]} choices
 * @param {{value?: string, class?: string, onchange?: (event: Event) => void}} [options]
 * @returns {HTMLFieldSetElement & {value: string | null, setError: (text: string | null) => void}}
 */
export function radioGroup(legend, name, choices, { value, class: style, onchange } = {}) {
  const error = el("p", { class: "error", id: freshId("error"), hidden: true });
  const root = el(
    "fieldset",
    { class: style ?? "choices", role: "radiogroup", onchange },
    el("legend", {}, legend),
    choices.map((choice) =>
      el(
        "label",
        { class: "choice" },
        el("input", { type: "radio", name, value: choice.value, checked: choice.value === value }),
        el("span", {}, choice.label, choice.note && " ", choice.note && el("small", {}, choice.note)),
      ),
    ),
    error,
  );
  Object.defineProperty(root, "value", { get: () => root.querySelector("input:checked")?.value ?? null });
  root.setError = (text) => {
    error.textContent = text ?? "";
    error.hidden = !text;
    root.removeAttribute("aria-invalid");
    root.removeAttribute("aria-describedby");
    if (text) {
      root.setAttribute("aria-invalid", "true");
      root.setAttribute("aria-describedby", error.id);
    }
  };
  return root;
}

/** A checkbox inside its label. */
export function checkbox(label, props = {}) {
  return el("label", { class: "choice" }, el("input", { type: "checkbox", ...props }), el("span", {}, label));
}

/**
 * A native select.
 * @param {{value: string, label: string}[]} choices
 * @param {Record<string, any>} [props] As for `el`; `value` is the choice selected at first.
 */
export function select(choices, { value, ...props } = {}) {
  return el(
    "select",
    props,
    choices.map((choice) =>
      el("option", { value: choice.value, selected: choice.value === value }, choice.label),
    ),
  );
}

/**
 * Show the errors of a form and move focus to the first of them.
 * @param {[{setError: (text: string | null) => void}, string | null][]} checks A field and what is wrong with it.
 * @returns {boolean} True if nothing is wrong.
 */
export function validate(checks) {
  checks.forEach(([part, problem]) => part.setError(problem));
  const first = checks.find(([, problem]) => problem)?.[0];
  (first?.control ?? first?.querySelector("input"))?.focus();
  return !first;
}

/**
 * Links to the pages of a list, with the current one marked.
 * @param {{label: string, page: number, pages: number, href: (page: number) => string}} options
 * @returns {HTMLElement | null} Nothing if there is one page only.
 */
export function pager({ label, page, pages, href }) {
  if (pages < 2) {
    return null;
  }
  const numbers = Array.from({ length: pages }, (_, index) => index + 1);
  return el(
    "nav",
    { class: "pager", "aria-label": label },
    page > 1 && el("a", { href: href(page - 1), rel: "prev" }, "Previous page"),
    numbers.map((number) =>
      el("a", { href: href(number), "aria-current": number === page ? "page" : null }, String(number)),
    ),
    page < pages && el("a", { href: href(page + 1), rel: "next" }, "Next page"),
  );
}

/** @param {number} cents @returns {string} Such as "£1,234.50". */
export function money(cents) {
  const whole = Math.floor(Math.abs(cents) / 100)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "−" : ""}£${whole}.${String(Math.abs(cents) % 100).padStart(2, "0")}`;
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** @param {string} iso Such as "2025-03-09". @returns {string} Such as "9 March 2025". */
export function longDate(iso) {
  const [year, month, day] = iso.split("-").map(Number);
  return `${day} ${MONTHS[month - 1]} ${year}`;
}

/** @returns {string} "1 item", "2 items". */
export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
