/** The home page: deal of the day, categories, featured products. */

import { el } from "/_shared/widgets.js";
import { card, price, stars } from "../cards.js";
import { categoryHref, page, productHref } from "../frame.js";
import { picture } from "../picture.js";

const FEATURED = 8;

function deal(product) {
  return el(
    "section",
    { class: "deal", "aria-labelledby": "deal" },
    picture(product.category, product.colours[0]),
    el(
      "div",
      {},
      el("h2", { id: "deal" }, "Deal of the day"),
      el("h3", {}, el("a", { href: productHref(product.id) }, product.title)),
      el("p", { class: "brand" }, product.brand),
      stars(product.rating, product.reviews),
      price(product),
      el("a", { class: "button", href: productHref(product.id) }, "See the deal"),
    ),
  );
}

page(import.meta.url, {
  title: "Home",
  needs: ["products"],
  render: (context) => {
    const { shop, products, byId } = context;
    return [
      el("h1", {}, `Welcome to ${shop.name}`),
      deal(byId.get(shop.deal)),
      el("h2", {}, "Shop by category"),
      el(
        "ul",
        { class: "tiles" },
        shop.categories.map(({ id, name }) => {
          const sample = products.find((product) => product.category === id);
          return el("li", {}, el("a", { href: categoryHref(id) }, picture(id, sample.colours[0]), name));
        }),
      ),
      el("h2", {}, "Featured products"),
      el(
        "ul",
        { class: "grid" },
        products.slice(0, FEATURED).map((product) => el("li", {}, card(context, product))),
      ),
    ];
  },
});
