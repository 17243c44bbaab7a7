/** All orders, newest first, some at a time. */

import { el, plural } from "/_shared/widgets.js";
import { accountPage } from "../account-nav.js";
import { page } from "../frame.js";
import { ordersOf, ordersTable } from "../orders.js";

const PER_PAGE = 5;

page(import.meta.url, {
  title: "Orders",
  signedIn: true,
  render: (context) => {
    const orders = ordersOf(context.store.state);
    const pages = Math.max(1, Math.ceil(orders.length / PER_PAGE));
    const current = Math.min(pages, Math.max(1, Math.floor(Number(context.params.get("page"))) || 1));
    const link = (label, to) => el("a", { href: `/orders.html?page=${to}` }, label);
    return [
      el("h1", {}, "Orders"),
      accountPage(
        context,
        "/orders.html",
        el("p", { class: "count" }, `${plural(orders.length, "order")}, page ${current} of ${pages}`),
        ordersTable(orders.slice((current - 1) * PER_PAGE, current * PER_PAGE)),
        el(
          "nav",
          { class: "pager", "aria-label": "Pages of orders" },
          current > 1 && link("Newer orders", current - 1),
          current < pages && link("Older orders", current + 1),
        ),
      ),
    ];
  },
});
