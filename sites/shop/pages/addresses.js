/** The saved addresses. */

import { announce, confirmDialog, el } from "/_shared/widgets.js";
import { accountPage } from "../account-nav.js";
import { addressBlock, setDefault } from "../address-form.js";
import { page, redrawOn } from "../frame.js";

async function remove(store, id) {
  const { label, street } = store.state.addresses[id];
  const sure = await confirmDialog({
    title: "Delete address?",
    text: `“${label}”, ${street}, will be removed from your account.`,
    yes: "Delete",
    no: "Keep",
  });
  if (!sure) {
    return;
  }
  store.update((draft) => {
    const wasDefault = draft.addresses[id].default;
    delete draft.addresses[id];
    const [first] = Object.keys(draft.addresses);
    if (wasDefault && first) {
      setDefault(draft, first);
    }
  });
  announce(`Address “${label}” deleted`);
}

function entry(store, id, address) {
  const makeDefault = () => {
    store.update((draft) => setDefault(draft, id));
    announce(`“${address.label}” is now your default address`);
  };
  return el(
    "li",
    { class: "panel" },
    el("h2", {}, address.label, address.default && " ", address.default && el("span", { class: "badge" }, "Default")),
    addressBlock(address),
    el(
      "div",
      { class: "row" },
      el("a", { class: "button quiet", href: `/address.html?id=${id}` }, "Edit"),
      el("button", { type: "button", class: "quiet", onclick: () => remove(store, id) }, "Delete"),
      !address.default &&
        el("button", { type: "button", class: "quiet", onclick: makeDefault }, "Set as default"),
    ),
  );
}

page(import.meta.url, {
  title: "Addresses",
  signedIn: true,
  render: (context) => {
    const { store } = context;
    const body = el("div");
    const draw = () => {
      const entries = Object.entries(store.state.addresses);
      body.replaceChildren(
        entries.length
          ? el(
              "ul",
              { class: "addresses" },
              entries.map(([id, address]) => entry(store, id, address)),
            )
          : el("p", { class: "empty" }, "You have no saved addresses."),
      );
    };
    draw();
    redrawOn(store, (state) => state.addresses, draw);
    return [
      el("h1", { tabindex: -1 }, "Addresses"),
      accountPage(
        context,
        "/addresses.html",
        body,
        el("p", {}, el("a", { class: "button", href: "/address.html" }, "Add a new address")),
      ),
    ];
  },
});
