/** Write to the shop. */

import { announce, el, field, select, validate } from "/_shared/widgets.js";
import { page } from "../frame.js";

const TOPICS = [
  "Delivery",
  "Return or refund",
  "Product question",
  "Payment",
  "My account",
  "Something else",
];
const SHORTEST = 10;

/** The id that the next message gets. */
function nextMessageId(state) {
  return `m${Math.max(0, ...Object.keys(state.messages).map((id) => Number(id.slice(1)))) + 1}`;
}

/** The id of the order with this number; null if it is not one of the customer's, "" if none is given. */
function orderIdOf(text, state) {
  const number = /^[#oO]?(\d+)$/.exec(text.trim())?.[1];
  if (!text.trim()) {
    return "";
  }
  const id = `o${number}`;
  const known = !state.session.user || state.orders[id]?.email === state.session.user;
  return number && known ? id : null;
}

page(import.meta.url, {
  title: "Contact us",
  render: ({ store, shop, params }) => {
    const { user } = store.state.session;
    const choices = [
      { value: "", label: "Choose a topic" },
      ...TOPICS.map((topic) => ({ value: topic, label: topic })),
    ];
    const topic = field("Topic", select(choices, { name: "topic" }));
    const email =
      !user && field("Email", el("input", { type: "email", name: "email", autocomplete: "email" }));
    const order = field(
      "Order number (optional)",
      el("input", { name: "order", autocomplete: "off", value: params.get("order") ?? "" }),
      { hint: "Such as 1042" },
    );
    const text = field("Message", el("textarea", { name: "message", rows: 6 }));
    const body = el("div");
    const submit = (event) => {
      event.preventDefault();
      const words = text.control.value.trim();
      const orderId = orderIdOf(order.control.value, store.state);
      const sender = email ? email.control.value.trim() : user;
      const good = validate(
        [
          [topic, topic.control.value ? null : "Choose a topic."],
          email && [email, sender && email.control.validity.valid ? null : "Enter an email address."],
          [order, orderId === null ? "You have no order with this number." : null],
          [text, words.length >= SHORTEST ? null : `Write at least ${SHORTEST} characters.`],
        ].filter(Boolean),
      );
      if (!good) {
        return;
      }
      const id = nextMessageId(store.state);
      store.update((draft) => {
        draft.messages[id] = { topic: topic.control.value, order: orderId, text: words, email: sender };
      });
      body.replaceChildren(
        el(
          "div",
          { class: "panel" },
          el("h2", { tabindex: -1 }, "Thank you"),
          el(
            "p",
            {},
            `Your message has been sent. Its number is ${id.toUpperCase()}. We answer within two days.`,
          ),
          el("p", {}, el("a", { href: "/" }, "Continue shopping")),
        ),
      );
      body.querySelector("h2").focus();
      announce("Your message has been sent");
    };
    body.append(
      el(
        "form",
        { class: "panel", onsubmit: submit, novalidate: true },
        topic,
        email || "",
        order,
        text,
        el("button", {}, "Send message"),
      ),
    );
    return [
      el("h1", {}, "Contact us"),
      el(
        "p",
        {},
        `Or call ${shop.help.phone}. `,
        el("a", { href: "/help.html" }, "See help and opening hours"),
      ),
      body,
    ];
  },
});
