/** Products as cards, with the buttons that belong to them. */

import { announce, checkbox, el, money, plural } from "/_shared/widgets.js";
import { addToCart, toggleCompare, toggleWish } from "./cart.js";
import { productHref } from "./frame.js";
import { picture } from "./picture.js";

/** Whether one has to choose a size or a colour before buying. */
export function hasOptions(product) {
  return product.sizes.length > 0 || product.colours.length > 1;
}

/** Text of a rating in tenths: "4.3 out of 5". */
export function ratingText(tenths) {
  return `${Math.floor(tenths / 10)}.${tenths % 10} out of 5`;
}

/** Stars drawn for the eye, with the rating as text. */
export function stars(tenths, reviews) {
  const full = Math.round(tenths / 10);
  return el(
    "p",
    { class: "rating" },
    el("span", { class: "stars", "aria-hidden": "true" }, "★".repeat(full) + "☆".repeat(5 - full)),
    ` ${ratingText(tenths)}`,
    reviews === undefined ? null : ` (${reviews})`,
  );
}

/** The price, with the one it was before if it is reduced. */
export function price(product) {
  return el(
    "p",
    { class: "price" },
    product.was > 0 && el("span", { class: "visually-hidden" }, "Now "),
    el("strong", {}, money(product.price)),
    product.was > 0 && el("span", { class: "was" }, " was ", el("s", {}, money(product.was))),
  );
}

/** "In stock", "Only 3 left" or "Out of stock". */
export function stockText(product) {
  if (product.stock === 0) {
    return "Out of stock";
  }
  return product.stock <= 5 ? `Only ${product.stock} left` : "In stock";
}

/** The same as a line of its own. */
export function stock(product) {
  const style = product.stock === 0 ? "none" : product.stock <= 5 ? "few" : "plenty";
  return el("p", { class: `stock ${style}` }, stockText(product));
}

/** The button that puts a product on the wish list or takes it off. */
export function wishButton(store, product, style = "quiet") {
  const listed = (state) => Boolean(state.wishlist[product.id]);
  const label = (on) => (on ? "Remove from wish list" : "Add to wish list");
  const button = el(
    "button",
    {
      type: "button",
      class: style,
      onclick: () => announce(toggleWish(store, product) ? "Added to wish list" : "Removed from wish list"),
    },
    label(listed(store.state)),
  );
  store.subscribe((state) => (button.textContent = label(listed(state))));
  return button;
}

/** The checkbox that puts a product into the comparison. */
export function compareBox(store, product) {
  const box = checkbox("Compare", { checked: Boolean(store.state.compare[product.id]) });
  const input = box.querySelector("input");
  input.addEventListener("change", () => {
    const problem = toggleCompare(store, product);
    input.checked = Boolean(store.state.compare[product.id]);
    announce(problem ?? (input.checked ? "Added to compare" : "Removed from compare"));
  });
  return box;
}

function buyControl(store, product) {
  if (product.stock === 0) {
    return el("button", { type: "button", disabled: true }, "Add to cart");
  }
  if (hasOptions(product)) {
    return el("a", { class: "button", href: productHref(product.id) }, "Choose options");
  }
  const buy = () => {
    const problem = addToCart(store, product, { size: "", colour: product.colours[0] });
    announce(problem ?? "Added to cart");
  };
  return el("button", { type: "button", onclick: buy }, "Add to cart");
}

/**
 * A product in a listing.
 * @param {import("./frame.js").Context} context
 * @param {any} product
 * @param {{heading?: string, compare?: boolean}} [options] The heading's tag; whether it can be compared from here.
 * @returns {HTMLElement}
 */
export function card({ store }, product, { heading = "h3", compare = false } = {}) {
  return el(
    "article",
    { class: "card" },
    picture(product.category, product.colours[0]),
    el(heading, {}, el("a", { href: productHref(product.id) }, product.title)),
    el("p", { class: "brand" }, product.brand),
    stars(product.rating, product.reviews),
    price(product),
    stock(product),
    el(
      "div",
      { class: "actions" },
      buyControl(store, product),
      wishButton(store, product),
      compare && compareBox(store, product),
    ),
  );
}

/** "24 results" and the like. */
export function countText(count, query) {
  return query === undefined ? plural(count, "product") : `${plural(count, "result")} for “${query}”`;
}
