/** The menu beside all account pages. */

import { announceNext, el } from "/_shared/widgets.js";

const LINKS = [
  ["/account.html", "Overview"],
  ["/profile.html", "Profile"],
  ["/orders.html", "Orders"],
  ["/addresses.html", "Addresses"],
];

/** Sign the user out and go home. */
function signOut(store) {
  store.update((draft) => {
    draft.session.user = null;
  });
  announceNext("You are signed out.");
  location.assign("/");
}

/**
 * Put the account menu beside some content.
 * @param {import("./frame.js").Context} context
 * @param {string} current The address, without parameters, of the entry to mark.
 * @param {...any} content
 */
export function accountPage({ store }, current, ...content) {
  return el(
    "div",
    { class: "account" },
    el(
      "nav",
      { "aria-label": "Account" },
      el(
        "ul",
        {},
        LINKS.map(([href, label]) =>
          el("li", {}, el("a", { href, "aria-current": href === current ? "page" : null }, label)),
        ),
      ),
      el("button", { type: "button", class: "quiet", onclick: () => signOut(store) }, "Sign out"),
    ),
    el("div", {}, ...content),
  );
}
