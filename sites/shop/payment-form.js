/** How an order is paid: card, gift card, or on delivery. A card's number never leaves this form. */

import { el, field, money, radioGroup, validate } from "/_shared/widgets.js";

const METHODS = [
  { value: "card", label: "Card" },
  { value: "gift", label: "Gift card" },
  { value: "delivery", label: "Pay on delivery" },
];

const digits = (text) => text.replace(/[\s-]/g, "");

function input(label, name, props, hint) {
  return field(label, el("input", { name, ...props }), { hint });
}

function expiryProblem(text, today) {
  const match = /^(0[1-9]|1[0-2])\s*\/\s*(?:20)?(\d{2})$/.exec(text.trim());
  if (!match) {
    return "Enter the date as MM/YY.";
  }
  return `20${match[2]}-${match[1]}` < today.slice(0, 7) ? "This card has expired." : null;
}

/**
 * @param {any} shop
 * @param {number} total What is to be paid, in cents.
 * @returns {{nodes: HTMLElement[], read: () => string | null}} `read` gives what the order shall say about the payment, or
 *   null after showing the errors.
 */
export function paymentForm(shop, total) {
  const number = input("Card number", "card", { inputmode: "numeric", autocomplete: "cc-number" });
  const expiry = input(
    "Expiry date",
    "expiry",
    { autocomplete: "cc-exp", placeholder: "MM/YY" },
    "Month and year",
  );
  const code = input(
    "Security code",
    "cvc",
    { inputmode: "numeric", autocomplete: "cc-csc" },
    "3 digits on the back",
  );
  const gift = input("Gift card code", "gift", { autocomplete: "off" }, "Such as GIFT-1234-5678");
  const panels = {
    card: el("div", { class: "fields" }, number, expiry, code),
    gift: el("div", { class: "fields", hidden: true }, gift),
    delivery: el("p", { hidden: true }, "You pay in cash or by card when your order arrives."),
  };
  const show = (method) => {
    for (const [name, panel] of Object.entries(panels)) {
      panel.hidden = name !== method;
    }
  };
  const method = radioGroup("Pay by", "payment", METHODS, {
    value: "card",
    onchange: (event) => show(event.target.value),
  });

  const readCard = () => {
    const card = digits(number.control.value);
    const good = validate([
      [number, /^\d{16}$/.test(card) ? null : "Enter the 16 digits of the card."],
      [expiry, expiryProblem(expiry.control.value, shop.today)],
      [code, /^\d{3}$/.test(code.control.value.trim()) ? null : "Enter 3 digits."],
    ]);
    return good ? `Card ending ${card.slice(-4)}` : null;
  };
  const readGift = () => {
    const balance = shop.giftCards[gift.control.value.trim().toUpperCase()];
    let problem = null;
    if (balance === undefined) {
      problem = "We do not know this gift card.";
    } else if (balance < total) {
      problem = `This gift card holds ${money(balance)}, which is less than ${money(total)}.`;
    }
    return validate([[gift, problem]]) ? "Gift card" : null;
  };
  const read = { card: readCard, gift: readGift, delivery: () => "Pay on delivery" };
  return { nodes: [method, ...Object.values(panels)], read: () => read[method.value]() };
}
