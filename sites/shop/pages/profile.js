/** Name, phone, newsletter; and the password. */

import { announce, checkbox, el, field, validate } from "/_shared/widgets.js";
import { accountPage } from "../account-nav.js";
import { page } from "../frame.js";

const SHORTEST_PASSWORD = 8;

function profileForm(store) {
  const { account } = store.state;
  const name = field("Name", el("input", { name: "name", autocomplete: "name", value: account.name }));
  const phone = field(
    "Phone",
    el("input", { type: "tel", name: "phone", autocomplete: "tel", value: account.phone }),
  );
  const newsletter = checkbox("Send me the newsletter", { name: "newsletter", checked: account.newsletter });
  const submit = (event) => {
    event.preventDefault();
    const values = { name: name.control.value.trim(), phone: phone.control.value.trim() };
    const good = validate([
      [name, values.name ? null : "Enter your name."],
      [phone, /^\+?[\d ()-]{6,20}$/.test(values.phone) ? null : "Enter a phone number: digits and spaces."],
    ]);
    if (good) {
      store.update((draft) => {
        Object.assign(draft.account, values, { newsletter: newsletter.querySelector("input").checked });
      });
      announce("Your profile has been saved");
    }
  };
  return el(
    "form",
    { class: "panel", onsubmit: submit, novalidate: true, "aria-label": "Profile" },
    el("p", {}, `Email: ${account.email}`),
    name,
    phone,
    newsletter,
    el("button", {}, "Save"),
  );
}

function passwordForm(store) {
  const secret = (label, name, complete, hint) =>
    field(label, el("input", { type: "password", name, autocomplete: complete }), { hint });
  const current = secret("Current password", "current", "current-password");
  const fresh = secret("New password", "new", "new-password", `At least ${SHORTEST_PASSWORD} characters`);
  const again = secret("Repeat new password", "again", "new-password");
  const submit = (event) => {
    event.preventDefault();
    const wanted = fresh.control.value;
    const good = validate([
      [
        current,
        current.control.value === store.state.account.password ? null : "This is not your current password.",
      ],
      [fresh, wanted.length >= SHORTEST_PASSWORD ? null : `Use at least ${SHORTEST_PASSWORD} characters.`],
      [again, again.control.value === wanted ? null : "The two new passwords differ."],
    ]);
    if (good) {
      store.update((draft) => {
        draft.account.password = wanted;
      });
      event.target.reset();
      announce("Your password has been changed");
    }
  };
  return el(
    "form",
    { class: "panel", onsubmit: submit, novalidate: true, "aria-label": "Password" },
    el("h2", {}, "Change password"),
    current,
    fresh,
    again,
    el("button", { class: "quiet" }, "Change password"),
  );
}

page(import.meta.url, {
  title: "Profile",
  signedIn: true,
  render: (context) => [
    el("h1", {}, "Profile"),
    accountPage(context, "/profile.html", profileForm(context.store), passwordForm(context.store)),
  ],
});
