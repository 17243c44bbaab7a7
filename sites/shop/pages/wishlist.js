/** The wish list. */

import { announce, el } from "/_shared/widgets.js";
import { hasOptions, price, stock } from "../cards.js";
import { addToCart } from "../cart.js";
import { page, productHref, redrawOn } from "../frame.js";
import { picture } from "../picture.js";

function entry({ store }, product) {
  const drop = () =>
    store.update((draft) => {
      delete draft.wishlist[product.id];
    });
  const remove = () => {
    drop();
    announce(`Removed ${product.title} from the wish list`);
  };
  const move = () => {
    const problem = addToCart(store, product, { size: product.sizes[0] ?? "", colour: product.colours[0] });
    if (!problem) {
      drop();
    }
    announce(problem ?? `Moved ${product.title} to the cart`);
  };
  return el(
    "li",
    {},
    el(
      "article",
      { class: "card" },
      picture(product.category, product.colours[0]),
      el("h2", {}, el("a", { href: productHref(product.id) }, product.title)),
      el("p", { class: "brand" }, product.brand),
      price(product),
      stock(product),
      hasOptions(product) &&
        el(
          "p",
          { class: "hint" },
          `Moves as ${[product.colours[0], product.sizes[0]].filter(Boolean).join(", ")}`,
        ),
      el(
        "div",
        { class: "actions" },
        el("button", { type: "button", disabled: product.stock === 0, onclick: move }, "Move to cart"),
        el("button", { type: "button", class: "quiet", onclick: remove }, "Remove"),
      ),
    ),
  );
}

page(import.meta.url, {
  title: "Wish list",
  needs: ["products"],
  render: (context) => {
    const body = el("div");
    const draw = () => {
      const ids = Object.keys(context.store.state.wishlist);
      body.replaceChildren(
        ids.length
          ? el(
              "ul",
              { class: "grid" },
              ids.map((id) => entry(context, context.byId.get(id))),
            )
          : el("p", { class: "empty" }, "Your wish list is empty."),
      );
    };
    draw();
    redrawOn(context.store, (state) => state.wishlist, draw);
    return [el("h1", { tabindex: -1 }, "Your wish list"), body];
  },
});
