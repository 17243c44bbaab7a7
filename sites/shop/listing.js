/** A list of products with filters, sorting and pages: the body of the category and the search page. */

import { checkbox, el, field, freshId, pager, radioGroup, select, validate } from "/_shared/widgets.js";
import { card, countText } from "./cards.js";
import { PAGE_SIZE, SORTS, applyView, parsePrice, readView, writeView } from "./catalogue.js";

/** How often each value occurs, in alphabetical order. */
function tally(values) {
  const counts = new Map();
  values.forEach((value) => counts.set(value, (counts.get(value) ?? 0) + 1));
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function checkGroup(legend, name, counted, chosen, onchange) {
  return el(
    "fieldset",
    { class: "choices", onchange: (event) => onchange(event.target.value, event.target.checked) },
    el("legend", {}, legend),
    counted.map(([value, count]) =>
      checkbox(`${value} (${count})`, { name, value, checked: chosen.includes(value) }),
    ),
  );
}

function without(list, value, add) {
  const rest = list.filter((item) => item !== value);
  return add ? [...rest, value] : rest;
}

function priceFilter(view, change) {
  const min = field("Minimum price", el("input", { name: "min", inputmode: "decimal", value: view.min }));
  const max = field("Maximum price", el("input", { name: "max", inputmode: "decimal", value: view.max }));
  const problem = (text) => (text.trim() && parsePrice(text) === null ? "Enter a price such as 25." : null);
  const apply = (event) => {
    event.preventDefault();
    const [low, high] = [min.control.value.trim(), max.control.value.trim()];
    const crossed = low && high && parsePrice(low) > parsePrice(high);
    const checks = [
      [min, problem(low)],
      [max, problem(high) ?? (crossed ? "The maximum is below the minimum." : null)],
    ];
    if (validate(checks)) {
      change({ min: low, max: high });
    }
  };
  return el(
    "form",
    { onsubmit: apply, novalidate: true },
    el(
      "fieldset",
      { class: "choices" },
      el("legend", {}, "Price in £"),
      el("div", { class: "pair" }, min, max),
      el("button", { class: "quiet" }, "Apply"),
    ),
  );
}

/**
 * Build a listing.
 * @param {import("./frame.js").Context} context
 * @param {any[]} products All products of the category or search, in featured order.
 * @param {{base: Record<string, string>, query?: string}} options The address parameters that say what is listed.
 * @returns {HTMLElement}
 */
export function listing(context, products, { base, query }) {
  let view = readView(context.params);
  const filters = el("aside", { class: "filters", "aria-label": "Filters" });
  const count = el("p", { class: "count", role: "status" });
  const grid = el("div", { class: "results" });
  const sort = el("div", { class: "field inline" });
  const href = (next) => `${location.pathname}?${writeView(next, base)}`;

  const drawResults = () => {
    const found = applyView(products, view);
    const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
    const page = Math.min(view.page, pages);
    const shown = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    count.textContent = countText(found.length, query) + (pages > 1 ? `, page ${page} of ${pages}` : "");
    grid.replaceChildren(
      shown.length
        ? el(
            "ul",
            { class: "grid" },
            shown.map((product) => el("li", {}, card(context, product, { compare: true }))),
          )
        : el("p", { class: "empty" }, "Nothing matches. Try fewer filters or another word."),
      pager({ label: "Pages", page, pages, href: (number) => href({ ...view, page: number }) }) ?? "",
    );
  };

  const change = (part) => {
    view = { ...view, page: 1, ...part };
    history.pushState(null, "", href(view));
    drawResults();
  };

  const drawFilters = () => {
    const ratings = [
      { value: "0", label: "Any rating" },
      { value: "4", label: "4 stars & up" },
      { value: "3", label: "3 stars & up" },
    ];
    filters.replaceChildren(
      el("h2", {}, "Filters"),
      checkGroup("Brand", "brand", tally(products.map(({ brand }) => brand)), view.brands, (value, on) =>
        change({ brands: without(view.brands, value, on) }),
      ),
      priceFilter(view, change),
      radioGroup("Customer rating", "rating", ratings, {
        value: String(view.rating),
        onchange: (event) => change({ rating: Number(event.target.value) }),
      }),
      checkGroup(
        "Colour",
        "colour",
        tally(products.flatMap(({ colours }) => colours)),
        view.colours,
        (value, on) => change({ colours: without(view.colours, value, on) }),
      ),
      el(
        "fieldset",
        { class: "choices", onchange: (event) => change({ stock: event.target.checked }) },
        el("legend", {}, "Availability"),
        checkbox("In stock", { name: "stock", checked: view.stock }),
      ),
      el("a", { href: `${location.pathname}?${new URLSearchParams(base)}` }, "Clear all filters"),
    );
    const id = freshId("sort");
    sort.replaceChildren(
      el("label", { for: id }, "Sort by"),
      select(SORTS, { id, value: view.sort, onchange: (event) => change({ sort: event.target.value }) }),
    );
  };

  drawFilters();
  drawResults();
  return el(
    "div",
    { class: "listing" },
    filters,
    el("section", { "aria-label": "Products" }, el("div", { class: "toolbar" }, count, sort), grid),
  );
}
