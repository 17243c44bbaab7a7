/**
 * Checkout in four steps, one address each: ?step=address, delivery, payment, review.
 *
 * What has been chosen so far is the state's `checkout` draft: {address, email, delivery, payment}. It is written by
 * "Continue" only, and is null again once the order is placed.
 */

import { announceNext, checkbox, el, field, money, radioGroup, validate } from "/_shared/widgets.js";
import { addressBlock, addressFields, nextAddressId, postalPart } from "../address-form.js";
import { deliveryPrice, totals } from "../cart.js";
import { page, setTitle } from "../frame.js";
import { linesTable, nextOrderId, sums } from "../orders.js";
import { paymentForm } from "../payment-form.js";

const STEPS = [
  ["address", "Address"],
  ["delivery", "Delivery"],
  ["payment", "Payment"],
  ["review", "Review"],
];

const stepHref = (step) => `/checkout.html?step=${step}`;

/** The step that may be shown: the one asked for, unless an earlier one has not been done. */
function reachable(asked, draft) {
  const done = { address: draft?.address, delivery: draft?.delivery, payment: draft?.payment };
  for (const [step] of STEPS) {
    if (step === asked || !done[step]) {
      return step;
    }
  }
  return "review";
}

/** Write a part of the draft and go on. */
function proceed(store, part, next, change = () => {}) {
  store.update((draft) => {
    draft.checkout = {
      address: null,
      email: null,
      delivery: null,
      payment: null,
      ...draft.checkout,
      ...part,
    };
    change(draft);
  });
  location.assign(stepHref(next));
}

function stepForm(onsubmit, back, label, ...content) {
  return el(
    "form",
    {
      class: "panel",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        onsubmit();
      },
    },
    ...content,
    el("div", { class: "row" }, el("a", { href: back }, "Back"), el("button", {}, label)),
  );
}

function addressStep({ store, shop }) {
  const { state } = store;
  const guest = !state.session.user;
  const saved = guest ? [] : Object.entries(state.addresses);
  const email = guest && field("Email", el("input", { type: "email", name: "email", autocomplete: "email" }));
  const fields = addressFields(shop);
  const save = !guest && checkbox("Save this address to my account", { name: "save" });
  const fresh = el(
    "fieldset",
    { class: "choices", hidden: saved.length > 0 },
    el("legend", {}, "New address"),
  );
  fresh.append(...fields.nodes, ...(save ? [save] : []));
  const preset = saved.find(([, address]) => address.default)?.[0];
  const choice =
    saved.length > 0 &&
    radioGroup(
      "Deliver to",
      "address",
      [
        ...saved.map(([id, address]) => ({
          value: id,
          label: address.label,
          note: `${address.name}, ${address.street}, ${address.city} ${address.postcode}, ${address.country}`,
        })),
        { value: "new", label: "A new address" },
      ],
      { value: preset, onchange: (event) => (fresh.hidden = event.target.value !== "new") },
    );
  const submit = () => {
    if (choice && !validate([[choice, choice.value ? null : "Choose an address."]])) {
      return;
    }
    if (choice && choice.value !== "new") {
      proceed(
        store,
        { address: postalPart(state.addresses[choice.value]), email: state.session.user },
        "delivery",
      );
      return;
    }
    if (
      email &&
      !validate([
        [email, email.control.validity.valid && email.control.value ? null : "Enter an email address."],
      ])
    ) {
      return;
    }
    const address = fields.read();
    if (address) {
      const keep = Boolean(save && save.querySelector("input").checked);
      proceed(
        store,
        { address, email: email ? email.control.value.trim() : state.session.user },
        "delivery",
        (draft) => {
          if (keep) {
            const first = Object.keys(draft.addresses).length === 0;
            draft.addresses[nextAddressId(draft)] = { label: address.street, ...address, default: first };
          }
        },
      );
    }
  };
  return stepForm(submit, "/cart.html", "Continue", choice, email, fresh);
}

function deliveryStep({ store, shop, byId }) {
  const { cart, checkout } = store.state;
  const { subtotal } = totals(shop, byId, cart);
  const cost = (id) => deliveryPrice(shop, id, subtotal);
  const choice = radioGroup(
    "Way of delivery",
    "delivery",
    shop.delivery.map(({ id, name, time }) => ({
      value: id,
      label: name,
      note: `${time}, ${cost(id) ? money(cost(id)) : "free"}`,
    })),
    { value: checkout.delivery ?? "standard" },
  );
  return stepForm(
    () => proceed(store, { delivery: choice.value }, "payment"),
    stepHref("address"),
    "Continue",
    choice,
  );
}

function paymentStep({ store, shop, byId }) {
  const { cart, checkout } = store.state;
  const { total } = totals(shop, byId, cart, checkout.delivery);
  const form = paymentForm(shop, total);
  const submit = () => {
    const payment = form.read();
    if (payment) {
      proceed(store, { payment }, "review");
    }
  };
  return stepForm(submit, stepHref("delivery"), "Continue", ...form.nodes);
}

function placeOrder({ store, shop, byId }) {
  const { state } = store;
  const id = nextOrderId(state);
  store.update((draft) => {
    const { cart, checkout } = draft;
    const sum = totals(shop, byId, cart, checkout.delivery);
    const lines = Object.entries(cart.items).map(([key, line]) => [
      key,
      { ...line, price: byId.get(line.product).price },
    ]);
    draft.orders[id] = {
      date: shop.today,
      status: "Processing",
      email: checkout.email,
      items: Object.fromEntries(lines),
      address: checkout.address,
      delivery: checkout.delivery,
      payment: checkout.payment,
      coupon: cart.coupon,
      discount: sum.discount,
      total: sum.total,
    };
    draft.cart = { items: {}, coupon: null };
    draft.checkout = null;
  });
  announceNext("Your order has been placed.");
  location.assign(`/confirmation.html?order=${id}`);
}

function reviewStep(context) {
  const { store, shop, byId } = context;
  const { cart, checkout } = store.state;
  const sum = totals(shop, byId, cart, checkout.delivery);
  const way = shop.delivery.find(({ id }) => id === checkout.delivery);
  const part = (title, step, content) =>
    el(
      "section",
      {},
      el("h2", {}, title),
      content,
      el("a", { href: stepHref(step), "aria-label": `Change ${title.toLowerCase()}` }, "Change"),
    );
  return stepForm(
    () => placeOrder(context),
    stepHref("payment"),
    "Place order",
    el(
      "div",
      { class: "columns three" },
      part("Delivery address", "address", addressBlock(checkout.address)),
      part("Way of delivery", "delivery", el("p", {}, `${way.name}, ${way.time}`)),
      part("Payment", "payment", el("p", {}, checkout.payment)),
    ),
    el("h2", {}, "Items"),
    linesTable(cart.items, byId, (line) => byId.get(line.product).price),
    sums([
      ["Subtotal", sum.subtotal],
      sum.discount > 0 && [`Discount (${cart.coupon})`, -sum.discount],
      ["Delivery", sum.delivery || "Free"],
      ["Total", sum.total],
    ]),
  );
}

function progress(step) {
  const position = STEPS.findIndex(([name]) => name === step);
  return el(
    "ol",
    { class: "steps", "aria-label": "Checkout steps" },
    STEPS.map(([name, label], index) =>
      el(
        "li",
        { "aria-current": name === step ? "step" : null, class: index < position ? "done" : null },
        index < position ? el("a", { href: stepHref(name) }, label) : label,
      ),
    ),
  );
}

const RENDER = { address: addressStep, delivery: deliveryStep, payment: paymentStep, review: reviewStep };

page(import.meta.url, {
  title: "Checkout",
  needs: ["products"],
  render: (context) => {
    const { store, shop, params } = context;
    if (!Object.keys(store.state.cart.items).length) {
      return [
        el("h1", {}, "Checkout"),
        el("p", { class: "empty" }, "Your cart is empty."),
        el("p", {}, el("a", { href: "/" }, "Continue shopping")),
      ];
    }
    const step = reachable(params.get("step") ?? "address", store.state.checkout);
    setTitle(`Checkout: ${step}`, shop);
    return [
      el("h1", {}, `Checkout: ${step}`),
      progress(step),
      !store.state.session.user &&
        step === "address" &&
        el(
          "p",
          {},
          "You are checking out as a guest. ",
          el("a", { href: "/signin.html?next=%2Fcheckout.html" }, "Sign in to use your saved addresses"),
        ),
      RENDER[step](context),
    ];
  },
});
