/** What a search found. */

import { el } from "/_shared/widgets.js";
import { search } from "../catalogue.js";
import { page, setTitle } from "../frame.js";
import { listing } from "../listing.js";

page(import.meta.url, {
  title: "Search",
  needs: ["products"],
  render: (context) => {
    const query = (context.params.get("q") ?? "").trim();
    setTitle(query ? `Search: ${query}` : "Search", context.shop);
    return [
      el("h1", {}, "Search results"),
      listing(context, search(context.products, query), { base: { q: query }, query }),
    ];
  },
});
