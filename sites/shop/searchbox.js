/** The search box in the header: a combobox that suggests categories and products while one types. */

import { el } from "/_shared/widgets.js";
import { search } from "./catalogue.js";

const PAUSE_MS = 80;
const MOST_PRODUCTS = 6;

/**
 * @param {import("/_shared/store.js").Store} store
 * @param {any} shop
 * @param {string} query What the box shows at first.
 * @returns {HTMLFormElement} While it works on suggestions the form is `aria-busy`.
 */
export function searchForm(store, shop, query) {
  const list = el("ul", { id: "suggestions", role: "listbox", "aria-label": "Suggestions", hidden: true });
  const input = el("input", {
    type: "search",
    name: "q",
    id: "search",
    value: query,
    placeholder: "Search products",
    autocomplete: "off",
    role: "combobox",
    "aria-label": "Search products",
    "aria-autocomplete": "list",
    "aria-controls": "suggestions",
    "aria-expanded": "false",
  });
  const form = el(
    "form",
    { action: "/search.html", role: "search", class: "search" },
    el("div", { class: "combo" }, input, list),
    el("button", {}, "Search"),
  );
  let timer = null;
  let active = -1;

  const close = () => {
    clearTimeout(timer);
    form.removeAttribute("aria-busy");
    list.hidden = true;
    list.replaceChildren();
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const show = async (text) => {
    const products = await store.world("products");
    if (input.value !== text || document.activeElement !== input) {
      return;
    }
    const start = text.trim().toLowerCase();
    const categories = shop.categories
      .filter(({ name }) => start && name.toLowerCase().startsWith(start))
      .map(({ id, name }) => ({ label: `${name} (category)`, href: `/category.html?c=${id}` }));
    const titles = search(products, text)
      .slice(0, MOST_PRODUCTS)
      .map(({ id, title }) => ({ label: title, href: `/product.html?id=${id}` }));
    const options = [...categories, ...titles];
    close();
    list.replaceChildren(
      ...options.map(({ label, href }, index) =>
        el(
          "li",
          { role: "option", id: `suggestion-${index}`, "aria-selected": "false", "data-href": href },
          label,
        ),
      ),
    );
    list.hidden = !options.length;
    input.setAttribute("aria-expanded", String(options.length > 0));
  };

  const mark = (index) => {
    const options = [...list.children];
    active = (index + options.length) % options.length;
    options.forEach((option, position) => option.setAttribute("aria-selected", String(position === active)));
    input.setAttribute("aria-activedescendant", options[active].id);
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    if (!input.value.trim()) {
      close();
      return;
    }
    form.setAttribute("aria-busy", "true");
    timer = setTimeout(() => show(input.value).catch(close), PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close();
    } else if (list.hidden) {
      return;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(event.key === "ArrowDown" ? active + 1 : active < 0 ? -1 : active - 1);
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      location.assign(list.children[active].dataset.href);
    }
  });
  // Focus must stay in the box while an option is pressed, or the list would close before the click.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) {
      location.assign(option.dataset.href);
    }
  });
  input.addEventListener("blur", close);
  form.addEventListener("submit", (event) => {
    close();
    if (!input.value.trim()) {
      event.preventDefault();
      input.focus();
    }
  });
  return form;
}
