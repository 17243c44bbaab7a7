/** The cart: quantities, coupon, sums. */

import { announce, el, field, money, validate } from "/_shared/widgets.js";
import { optionText, quantityProblem, totals } from "../cart.js";
import { page, productHref, redrawOn } from "../frame.js";
import { sums } from "../orders.js";
import { picture } from "../picture.js";

function lineItem({ store, byId }, id, line) {
  const product = byId.get(line.product);
  const quantity = field(
    "Quantity",
    el("input", {
      type: "number",
      min: 1,
      max: product.stock,
      name: "quantity",
      value: String(line.quantity),
    }),
  );
  const update = (event) => {
    event.preventDefault();
    if (!validate([[quantity, quantityProblem(product, quantity.control.value)]])) {
      return;
    }
    store.update((draft) => {
      draft.cart.items[id].quantity = Number(quantity.control.value);
    });
    announce("Cart updated");
  };
  const remove = () => {
    store.update((draft) => {
      delete draft.cart.items[id];
    });
    announce(`Removed ${product.title} from the cart`);
  };
  return el(
    "li",
    { class: "line" },
    picture(product.category, line.colour),
    el(
      "div",
      {},
      el("h2", {}, el("a", { href: productHref(product.id) }, product.title)),
      el("p", {}, `${optionText(line)} · ${money(product.price)} each`),
    ),
    el(
      "form",
      { class: "row", onsubmit: update, novalidate: true },
      quantity,
      el("button", { class: "quiet" }, "Update"),
      el("button", { type: "button", class: "quiet", onclick: remove }, "Remove"),
    ),
    el("p", { class: "price" }, el("strong", {}, money(product.price * line.quantity))),
  );
}

function couponForm({ store, shop, byId }) {
  const { cart } = store.state;
  if (cart.coupon) {
    const drop = () => {
      store.update((draft) => {
        draft.cart.coupon = null;
      });
      announce("Coupon removed");
    };
    return el(
      "p",
      { class: "row" },
      `Coupon ${cart.coupon} applied`,
      el("button", { type: "button", class: "quiet", onclick: drop }, "Remove coupon"),
    );
  }
  const code = field("Coupon code", el("input", { name: "coupon", autocomplete: "off" }));
  const apply = (event) => {
    event.preventDefault();
    const wanted = code.control.value.trim().toUpperCase();
    const coupon = shop.coupons[wanted];
    const { subtotal } = totals(shop, byId, cart);
    let problem = null;
    if (!wanted) {
      problem = "Enter a coupon code.";
    } else if (!coupon) {
      problem = `We do not know the code “${wanted}”.`;
    } else if (subtotal < coupon.minimum) {
      problem = `This coupon is for orders from ${money(coupon.minimum)}.`;
    }
    if (!validate([[code, problem]])) {
      return;
    }
    store.update((draft) => {
      draft.cart.coupon = wanted;
    });
    announce(`Coupon ${wanted} applied`);
  };
  return el(
    "form",
    { class: "row", onsubmit: apply, novalidate: true },
    code,
    el("button", { class: "quiet" }, "Apply"),
  );
}

function content(context) {
  const { store, shop, byId } = context;
  const { cart } = store.state;
  const lines = Object.entries(cart.items);
  if (!lines.length) {
    return [
      el("p", { class: "empty" }, "Your cart is empty."),
      el("p", {}, el("a", { href: "/" }, "Continue shopping")),
    ];
  }
  const sum = totals(shop, byId, cart);
  return [
    el(
      "ul",
      { class: "lines" },
      lines.map(([id, line]) => lineItem(context, id, line)),
    ),
    el(
      "section",
      { class: "summary", "aria-label": "Summary" },
      el("h2", {}, "Summary"),
      couponForm(context),
      sums([
        ["Subtotal", sum.subtotal],
        sum.discount > 0 && [`Discount (${cart.coupon})`, -sum.discount],
        ["Standard delivery", sum.delivery || "Free"],
        ["Total", sum.total],
      ]),
      sum.delivery > 0 &&
        el("p", { class: "hint" }, `Free standard delivery from ${money(shop.freeDeliveryFrom)}.`),
      el("a", { class: "button", href: "/checkout.html" }, "Go to checkout"),
      el("p", {}, el("a", { href: "/" }, "Continue shopping")),
    ),
  ];
}

page(import.meta.url, {
  title: "Cart",
  needs: ["products"],
  render: (context) => {
    const body = el("div", { class: "cart" });
    const draw = () => body.replaceChildren(...content(context));
    draw();
    redrawOn(context.store, (state) => state.cart, draw);
    return [el("h1", { tabindex: -1 }, "Your cart"), body];
  },
});
