/** Add an address, or edit one: ?id=a1. */

import { announceNext, checkbox, el, field, validate } from "/_shared/widgets.js";
import { accountPage } from "../account-nav.js";
import { addressFields, nextAddressId, setDefault } from "../address-form.js";
import { missing, page, setTitle } from "../frame.js";

page(import.meta.url, {
  title: "New address",
  signedIn: true,
  render: (context) => {
    const { store, shop, params } = context;
    const id = params.get("id");
    const address = store.state.addresses[id];
    if (id && !address) {
      return missing("Address");
    }
    const title = address ? "Edit address" : "New address";
    setTitle(title, shop);
    const label = field("Label", el("input", { name: "label", value: address?.label ?? "" }), {
      hint: "Such as Home or Work",
    });
    const fields = addressFields(shop, address);
    const preferred = checkbox("Use as my default address", {
      name: "default",
      checked: address?.default ?? false,
      disabled: address?.default ?? false,
    });
    const submit = (event) => {
      event.preventDefault();
      const name = label.control.value.trim();
      const values = fields.read();
      if (!validate([[label, name ? null : "Enter a label."]]) || !values) {
        return;
      }
      store.update((draft) => {
        const key = id ?? nextAddressId(draft);
        const isDefault = draft.addresses[key]?.default ?? false;
        draft.addresses[key] = { label: name, ...values, default: isDefault };
        if (preferred.querySelector("input").checked || Object.keys(draft.addresses).length === 1) {
          setDefault(draft, key);
        }
      });
      announceNext(`Address “${name}” saved`);
      location.assign("/addresses.html");
    };
    return [
      el("h1", {}, title),
      accountPage(
        context,
        "/addresses.html",
        el(
          "form",
          { class: "panel", onsubmit: submit, novalidate: true },
          label,
          fields.nodes,
          preferred,
          el(
            "div",
            { class: "row" },
            el("a", { href: "/addresses.html" }, "Back to addresses"),
            el("button", {}, "Save address"),
          ),
        ),
      ),
    ];
  },
});
