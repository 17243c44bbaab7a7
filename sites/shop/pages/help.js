/** Opening hours, delivery, returns and other facts. */

import { el, money } from "/_shared/widgets.js";
import { page } from "../frame.js";

function table(heads, rows) {
  return el(
    "table",
    { class: "narrow" },
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
      rows.map(([name, ...cells]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          cells.map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
}

page(import.meta.url, {
  title: "Help and delivery",
  render: ({ shop }) => {
    const { help } = shop;
    const questions = [
      [
        "How long do I have to return something?",
        `You can return anything unused within ${help.returnDays} days. We refund you within ${help.refundDays} working days of its arrival.`,
      ],
      [
        "Until when must I order for express delivery?",
        `Orders placed before ${help.cutOff} leave our store the same day.`,
      ],
      ["Do you wrap gifts?", `Yes, for ${money(help.giftWrap)} a piece. Ask for it with the contact form.`],
      [
        "How long is a gift card valid?",
        `${help.giftCardYears === 1 ? "One year" : `${help.giftCardYears} years`} from the day it was bought.`,
      ],
      ["Can I cancel an order?", "Yes, while its status is Processing: open the order in your account."],
    ];
    return [
      el("h1", {}, "Help and delivery"),
      el(
        "div",
        { class: "columns" },
        el(
          "section",
          {},
          el("h2", {}, "Opening hours"),
          table(
            ["Day", "Hours"],
            shop.hours.map(({ day, hours }) => [day, hours]),
          ),
        ),
        el(
          "section",
          {},
          el("h2", {}, "Delivery"),
          table(
            ["Way of delivery", "Time", "Price"],
            shop.delivery.map(({ name, time, price }) => [name, time, price ? money(price) : "Free"]),
          ),
          el("p", {}, `Standard delivery is free from ${money(shop.freeDeliveryFrom)}.`),
          el("h2", {}, "Our store"),
          el("p", {}, help.store),
          el("p", {}, `Phone: ${help.phone}`),
          el("p", {}, `Email: ${help.email}`),
          el("p", {}, el("a", { href: "/contact.html" }, "Contact us")),
        ),
      ),
      el("h2", {}, "Questions and answers"),
      questions.map(([question, answer]) =>
        el("details", {}, el("summary", {}, question), el("p", {}, answer)),
      ),
    ];
  },
});
