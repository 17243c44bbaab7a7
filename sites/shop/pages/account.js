/** Overview of the account. */

import { el } from "/_shared/widgets.js";
import { accountPage } from "../account-nav.js";
import { addressBlock } from "../address-form.js";
import { page } from "../frame.js";
import { ordersOf, ordersTable } from "../orders.js";

const RECENT = 3;

page(import.meta.url, {
  title: "My account",
  signedIn: true,
  render: (context) => {
    const { state } = context.store;
    const { account } = state;
    const address = Object.values(state.addresses).find((entry) => entry.default);
    return [
      el("h1", {}, "My account"),
      accountPage(
        context,
        "/account.html",
        el("p", {}, `Hello ${account.name}. You are signed in as ${account.email}.`),
        el(
          "div",
          { class: "columns" },
          el(
            "section",
            { class: "panel" },
            el("h2", {}, "Default address"),
            address ? addressBlock(address) : el("p", {}, "None yet."),
            el("p", {}, el("a", { href: "/addresses.html" }, "Manage addresses")),
          ),
          el(
            "section",
            { class: "panel" },
            el("h2", {}, "Profile"),
            el("p", {}, `Phone: ${account.phone}`),
            el("p", {}, `Newsletter: ${account.newsletter ? "subscribed" : "not subscribed"}`),
            el("p", {}, el("a", { href: "/profile.html" }, "Edit profile")),
          ),
        ),
        el("h2", {}, "Recent orders"),
        ordersTable(ordersOf(state).slice(0, RECENT)),
        el("p", {}, el("a", { href: "/orders.html" }, "All orders")),
      ),
    ];
  },
});
