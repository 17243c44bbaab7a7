/** What the order pages share. */

import { el, longDate, money, plural } from "/_shared/widgets.js";
import { optionText } from "./cart.js";
import { productHref } from "./frame.js";

const number = (id) => Number(id.slice(1));

/** The customer's orders as [id, order], newest first. */
export function ordersOf(state) {
  return Object.entries(state.orders)
    .filter(([, order]) => order.email === state.session.user)
    .sort(([a], [b]) => number(b) - number(a));
}

/** The id that the next order gets. */
export function nextOrderId(state) {
  return `o${Math.max(1000, ...Object.keys(state.orders).map(number)) + 1}`;
}

/** "#1042". */
export function orderName(id) {
  return `#${id.slice(1)}`;
}

/** Sum of an order's lines in cents. */
export function orderSubtotal(order) {
  return Object.values(order.items).reduce((sum, line) => sum + line.price * line.quantity, 0);
}

/** A status as a coloured word. */
export function statusBadge(status) {
  return el("span", { class: `badge ${status.toLowerCase()}` }, status);
}

/** An element that scrolls sideways where it is too wide for the screen. */
function scrolling(...parts) {
  return el("div", { class: "scroll" }, el(...parts));
}

/** A table of orders. */
export function ordersTable(orders) {
  const heads = ["Order", "Date", "Items", "Total", "Status"];
  return scrolling(
    "table",
    {},
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head) => el("th", { scope: "col" }, head)),
      ),
    ),
    el(
      "tbody",
      {},
      orders.map(([id, order]) => {
        const count = Object.values(order.items).reduce((sum, line) => sum + line.quantity, 0);
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, el("a", { href: `/order.html?id=${id}` }, `Order ${orderName(id)}`)),
          el("td", {}, longDate(order.date)),
          el("td", {}, plural(count, "item")),
          el("td", { class: "number" }, money(order.total)),
          el("td", {}, statusBadge(order.status)),
        );
      }),
    ),
  );
}

/** A table of the lines of an order or a draft of one; `priceOf` gives the price of one piece in cents. */
export function linesTable(items, byId, priceOf) {
  return scrolling(
    "table",
    {},
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ["Product", "Options", "Quantity", "Price"].map((head) => el("th", { scope: "col" }, head)),
      ),
    ),
    el(
      "tbody",
      {},
      Object.values(items).map((line) => {
        const product = byId.get(line.product);
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, el("a", { href: productHref(product.id) }, product.title)),
          el("td", {}, optionText(line)),
          el("td", {}, String(line.quantity)),
          el("td", { class: "number" }, money(priceOf(line) * line.quantity)),
        );
      }),
    ),
  );
}

/** The sums of a cart or an order. @param {[string, number | string][]} rows Name and cents, or text. */
export function sums(rows) {
  return el(
    "dl",
    { class: "sums" },
    rows
      .filter(Boolean)
      .map(([name, value]) =>
        el("div", {}, el("dt", {}, name), el("dd", {}, typeof value === "number" ? money(value) : value)),
      ),
  );
}
