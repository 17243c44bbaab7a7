/** All products of one category. */

import { el } from "/_shared/widgets.js";
import { breadcrumb, missing, page, setTitle } from "../frame.js";
import { listing } from "../listing.js";

page(import.meta.url, {
  title: "Category",
  needs: ["products"],
  render: (context) => {
    const category = context.shop.categories.find(({ id }) => id === context.params.get("c"));
    if (!category) {
      return missing("Category");
    }
    setTitle(category.name, context.shop);
    const products = context.products.filter((product) => product.category === category.id);
    return [
      breadcrumb([["/", "Home"]], category.name),
      el("h1", {}, category.name),
      listing(context, products, { base: { c: category.id } }),
    ];
  },
});
