/** Sign in with email and password. */

import { announceNext, el, field, validate } from "/_shared/widgets.js";
import { page } from "../frame.js";

/** Only addresses of this site are gone on to. */
function nextPage(params) {
  const next = params.get("next") ?? "";
  return /^\/[a-z0-9-]+\.html/.test(next) ? next : "/account.html";
}

page(import.meta.url, {
  title: "Sign in",
  render: ({ store, params }) => {
    if (store.state.session.user) {
      return [
        el("h1", {}, "Sign in"),
        el("p", {}, `You are signed in as ${store.state.session.user}.`),
        el("p", {}, el("a", { href: "/account.html" }, "Go to your account")),
      ];
    }
    const email = field("Email", el("input", { type: "email", name: "email", autocomplete: "username" }));
    const password = field(
      "Password",
      el("input", { type: "password", name: "password", autocomplete: "current-password" }),
    );
    const failure = el("p", { class: "error", role: "alert" });
    const submit = (event) => {
      event.preventDefault();
      failure.textContent = "";
      const given = { email: email.control.value.trim().toLowerCase(), password: password.control.value };
      const complete = validate([
        [email, given.email ? null : "Enter your email."],
        [password, given.password ? null : "Enter your password."],
      ]);
      if (!complete) {
        return;
      }
      const { account } = store.state;
      if (given.email !== account.email || given.password !== account.password) {
        failure.textContent = "The email or the password is wrong.";
        password.control.focus();
        return;
      }
      store.update((draft) => {
        draft.session.user = account.email;
      });
      announceNext(`Welcome back, ${account.name}.`);
      location.replace(nextPage(params));
    };
    return [
      el("h1", {}, "Sign in"),
      el(
        "form",
        { class: "panel slim", onsubmit: submit, novalidate: true },
        failure,
        email,
        password,
        el("button", {}, "Sign in"),
        el("p", {}, el("a", { href: "/contact.html" }, "Forgot your password?")),
      ),
    ];
  },
});
