/** Thanks for an order. */

import { el, money } from "/_shared/widgets.js";
import { missing, page } from "../frame.js";
import { orderName } from "../orders.js";

page(import.meta.url, {
  title: "Order placed",
  render: ({ store, params, shop }) => {
    const id = params.get("order");
    const order = store.state.orders[id];
    if (!order) {
      return missing("Order");
    }
    const way = shop.delivery.find((option) => option.id === order.delivery);
    return [
      el("h1", {}, "Thank you for your order"),
      el(
        "div",
        { class: "panel" },
        el("p", {}, "Your order number is ", el("strong", {}, orderName(id)), "."),
        el("p", {}, `Total: ${money(order.total)}. Delivery: ${way.name}, ${way.time}.`),
        el("p", {}, `We have sent a confirmation to ${order.email}.`),
      ),
      el(
        "p",
        { class: "row" },
        store.state.session.user && el("a", { class: "button", href: `/order.html?id=${id}` }, "View order"),
        el("a", { href: "/" }, "Continue shopping"),
      ),
    ];
  },
});
