/** One product: options, specification, reviews, related products. */

import {
  announce,
  el,
  field,
  freshId,
  longDate,
  plural,
  radioGroup,
  select,
  validate,
} from "/_shared/widgets.js";
import { card, compareBox, price, stars, stock, wishButton } from "../cards.js";
import { addToCart, quantityProblem } from "../cart.js";
import { breadcrumb, categoryHref, missing, page, setTitle } from "../frame.js";
import { picture } from "../picture.js";

const REVIEWS_PER_PAGE = 3;
const RELATED = 4;

/** A control for one option: a select or radio buttons, as the category has it. */
function option(kind, label, name, values, first, onchange) {
  const choices = values.map((value) => ({ value, label: value }));
  if (kind === "radio") {
    return radioGroup(label, name, choices, { value: first, class: "choices pills", onchange });
  }
  const list = first ? choices : [{ value: "", label: `Choose a ${label.toLowerCase()}` }, ...choices];
  const root = field(label, select(list, { name, value: first ?? "", onchange }));
  Object.defineProperty(root, "value", { get: () => root.control.value || null });
  return root;
}

function buyForm({ store, shop }, product, onColour) {
  const { options } = shop.categories.find(({ id }) => id === product.category);
  const colour =
    product.colours.length > 1 &&
    option(options.colour, "Colour", "colour", product.colours, product.colours[0], (event) =>
      onColour(event.target.value),
    );
  const size = product.sizes.length > 0 && option(options.size, "Size", "size", product.sizes, null);
  const quantity = field(
    "Quantity",
    el("input", { type: "number", name: "quantity", min: 1, max: Math.max(1, product.stock), value: "1" }),
  );
  const submit = (event) => {
    event.preventDefault();
    const checks = [[quantity, quantityProblem(product, quantity.control.value)]];
    if (size) {
      checks.unshift([size, size.value ? null : "Choose a size."]);
    }
    if (!validate(checks)) {
      return;
    }
    const problem = addToCart(store, product, {
      size: size ? size.value : "",
      colour: colour ? colour.value : product.colours[0],
      quantity: Number(quantity.control.value),
    });
    quantity.setError(problem);
    announce(problem ?? "Added to cart");
  };
  return el(
    "form",
    { onsubmit: submit, novalidate: true, "aria-label": "Buy" },
    colour || el("p", {}, `Colour: ${product.colours[0]}`),
    size,
    quantity,
    el(
      "div",
      { class: "row" },
      el("button", { disabled: product.stock === 0 }, "Add to cart"),
      wishButton(store, product),
      compareBox(store, product),
    ),
  );
}

function specification(product) {
  const id = freshId("specification");
  return el(
    "section",
    { "aria-labelledby": id },
    el("h2", { id }, "Specification"),
    el(
      "table",
      { class: "narrow" },
      el(
        "tbody",
        {},
        [["Brand", product.brand], ...Object.entries(product.specs)].map(([name, value]) =>
          el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value)),
        ),
      ),
    ),
  );
}

function reviewsSection(product, reviews) {
  const id = freshId("reviews");
  const list = el("ul", { class: "reviews" });
  const buttons = el("div", { class: "row" });
  const position = el("p", { class: "count", role: "status" });
  const draw = (first) => {
    const last = Math.min(first + REVIEWS_PER_PAGE, reviews.length);
    position.textContent = `Reviews ${first + 1} to ${last} of ${reviews.length}`;
    list.replaceChildren(
      ...reviews
        .slice(first, last)
        .map((review) =>
          el(
            "li",
            {},
            el("h3", {}, review.title),
            stars(review.stars * 10),
            el("p", {}, review.text),
            el("p", { class: "by" }, `${review.author}, ${longDate(review.date)}`),
          ),
        ),
    );
    const step = (label, to) =>
      el("button", { type: "button", class: "quiet", onclick: () => draw(to) }, label);
    buttons.replaceChildren(
      first > 0 ? step("Previous reviews", first - REVIEWS_PER_PAGE) : "",
      last < reviews.length ? step("Next reviews", last) : "",
    );
  };
  draw(0);
  return el(
    "section",
    { "aria-labelledby": id },
    el("h2", { id }, `Reviews (${reviews.length})`),
    position,
    list,
    buttons,
  );
}

/** The next products of the same category, going round. */
function related(products, product) {
  const same = products.filter(({ category }) => category === product.category);
  const start = same.indexOf(product) + 1;
  return Array.from({ length: RELATED }, (_, index) => same[(start + index) % same.length]);
}

page(import.meta.url, {
  title: "Product",
  needs: ["products", "reviews"],
  render: (context) => {
    const { byId, products, reviews, shop, params } = context;
    const product = byId.get(params.get("id"));
    if (!product) {
      return missing("Product");
    }
    setTitle(product.title, shop);
    const category = shop.categories.find(({ id }) => id === product.category);
    const frame = el("div", { class: "frame" }, picture(product.category, product.colours[0]));
    const onColour = (colour) => frame.replaceChildren(picture(product.category, colour));
    return [
      breadcrumb(
        [
          ["/", "Home"],
          [categoryHref(category.id), category.name],
        ],
        product.title,
      ),
      el(
        "div",
        { class: "product" },
        frame,
        el(
          "div",
          {},
          el("h1", {}, product.title),
          el("p", { class: "brand" }, `by ${product.brand}`),
          stars(product.rating, plural(product.reviews, "review")),
          price(product),
          stock(product),
          buyForm(context, product, onColour),
        ),
      ),
      el("div", { class: "columns" }, specification(product), reviewsSection(product, reviews[product.id])),
      el("h2", {}, "Related products"),
      el(
        "ul",
        { class: "grid" },
        related(products, product).map((other) => el("li", {}, card(context, other))),
      ),
    ];
  },
});
