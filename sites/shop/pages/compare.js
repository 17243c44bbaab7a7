/** Up to four products side by side. */

import { announce, el, money } from "/_shared/widgets.js";
import { hasOptions, ratingText, stockText } from "../cards.js";
import { addToCart } from "../cart.js";
import { page, productHref, redrawOn } from "../frame.js";
import { picture } from "../picture.js";

/** The rows of the table: name and what a product has there. */
function rows(products, shop) {
  const category = (product) => shop.categories.find(({ id }) => id === product.category).name;
  const fixed = [
    ["Price", (product) => money(product.price)],
    ["Customer rating", (product) => ratingText(product.rating)],
    ["Brand", (product) => product.brand],
    ["Category", category],
    ["Colours", (product) => product.colours.join(", ")],
    ["Sizes", (product) => product.sizes.join(", ") || "One size"],
    ["Stock", stockText],
  ];
  const names = [...new Set(products.flatMap((product) => Object.keys(product.specs)))];
  return [...fixed, ...names.map((name) => [name, (product) => product.specs[name] ?? "–"])];
}

function actions({ store }, product) {
  const remove = () => {
    store.update((draft) => {
      delete draft.compare[product.id];
    });
    announce(`Removed ${product.title} from compare`);
  };
  const buy = () => {
    const problem = addToCart(store, product, { size: "", colour: product.colours[0] });
    announce(problem ?? "Added to cart");
  };
  return el(
    "div",
    { class: "actions" },
    hasOptions(product)
      ? el("a", { class: "button", href: productHref(product.id) }, "Choose options")
      : el("button", { type: "button", disabled: product.stock === 0, onclick: buy }, "Add to cart"),
    el("button", { type: "button", class: "quiet", onclick: remove }, "Remove"),
  );
}

function table(context, products) {
  const cells = (tag, make) => products.map((product) => el(tag, {}, make(product)));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "compare" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "Product"),
          products.map((product) =>
            el(
              "th",
              { scope: "col" },
              picture(product.category, product.colours[0]),
              el("a", { href: productHref(product.id) }, product.title),
            ),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        rows(products, context.shop).map(([name, read]) =>
          el("tr", {}, el("th", { scope: "row" }, name), cells("td", read)),
        ),
        el(
          "tr",
          {},
          el("th", { scope: "row" }, "Actions"),
          cells("td", (product) => actions(context, product)),
        ),
      ),
    ),
  );
}

page(import.meta.url, {
  title: "Compare",
  needs: ["products"],
  render: (context) => {
    const body = el("div");
    const draw = () => {
      const products = Object.keys(context.store.state.compare).map((id) => context.byId.get(id));
      body.replaceChildren(
        products.length
          ? table(context, products)
          : el("p", { class: "empty" }, "Nothing to compare yet. Tick “Compare” on products you like."),
      );
    };
    draw();
    redrawOn(context.store, (state) => state.compare, draw);
    return [el("h1", { tabindex: -1 }, "Compare products"), body];
  },
});
