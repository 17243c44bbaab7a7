/** One order: its items, where it goes, and what can be done with it. */

import { announce, announceNext, confirmDialog, el, longDate } from "/_shared/widgets.js";
import { accountPage } from "../account-nav.js";
import { addressBlock } from "../address-form.js";
import { MAX_QUANTITY } from "../cart.js";
import { breadcrumb, missing, page, redrawOn, setTitle } from "../frame.js";
import { linesTable, orderName, orderSubtotal, statusBadge, sums } from "../orders.js";

/** Put an order's lines into the cart, as far as they are in stock, and go there. */
function orderAgain({ store, byId }, order) {
  const wanted = Object.entries(order.items).filter(([, line]) => byId.get(line.product).stock > 0);
  if (!wanted.length) {
    announce("None of these products is in stock.");
    return;
  }
  store.update((draft) => {
    for (const [id, { product, size, colour, quantity }] of wanted) {
      const had = draft.cart.items[id]?.quantity ?? 0;
      const most = Math.min(byId.get(product).stock, MAX_QUANTITY);
      draft.cart.items[id] = { product, size, colour, quantity: Math.min(had + quantity, most) };
    }
  });
  announceNext("The items are in your cart.");
  location.assign("/cart.html");
}

async function cancel({ store }, id) {
  const sure = await confirmDialog({
    title: `Cancel order ${orderName(id)}?`,
    text: "This cannot be undone.",
    yes: "Yes, cancel it",
    no: "Keep order",
  });
  if (sure) {
    store.update((draft) => {
      draft.orders[id].status = "Cancelled";
    });
    announce(`Order ${orderName(id)} has been cancelled`);
  }
}

function content(context, id) {
  const { store, shop, byId } = context;
  const order = store.state.orders[id];
  const subtotal = orderSubtotal(order);
  const way = shop.delivery.find((option) => option.id === order.delivery);
  return [
    el("p", {}, `Placed on ${longDate(order.date)}. Status: `, statusBadge(order.status)),
    linesTable(order.items, byId, (line) => line.price),
    sums([
      ["Subtotal", subtotal],
      order.discount > 0 && [`Discount (${order.coupon})`, -order.discount],
      ["Delivery", order.total - subtotal + order.discount || "Free"],
      ["Total", order.total],
    ]),
    el(
      "div",
      { class: "columns" },
      el("section", { class: "panel" }, el("h2", {}, "Delivery address"), addressBlock(order.address)),
      el(
        "section",
        { class: "panel" },
        el("h2", {}, "Delivery and payment"),
        el("p", {}, `Delivery: ${way.name}`),
        el("p", {}, `Payment: ${order.payment}`),
      ),
    ),
    el(
      "div",
      { class: "row" },
      el("button", { type: "button", onclick: () => orderAgain(context, order) }, "Order again"),
      order.status === "Processing" &&
        el("button", { type: "button", class: "danger", onclick: () => cancel(context, id) }, "Cancel order"),
      el("a", { href: `/contact.html?order=${id.slice(1)}` }, "Ask about this order"),
    ),
  ];
}

page(import.meta.url, {
  title: "Order",
  signedIn: true,
  needs: ["products"],
  render: (context) => {
    const { store, shop, params } = context;
    const id = params.get("id");
    if (store.state.orders[id]?.email !== store.state.session.user) {
      return missing("Order");
    }
    setTitle(`Order ${orderName(id)}`, shop);
    const body = el("div");
    const draw = () => body.replaceChildren(...content(context, id).filter(Boolean));
    draw();
    redrawOn(store, (state) => state.orders[id], draw);
    return [
      breadcrumb(
        [
          ["/account.html", "My account"],
          ["/orders.html", "Orders"],
        ],
        `Order ${orderName(id)}`,
      ),
      el("h1", { tabindex: -1 }, `Order ${orderName(id)}`),
      accountPage(context, "/orders.html", body),
    ];
  },
});
