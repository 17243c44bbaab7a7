/** The fields of a postal address, as used for saved addresses and at checkout. */

import { el, field, select, validate } from "/_shared/widgets.js";

/** The parts of an address that an order keeps. */
export const ADDRESS_PARTS = ["name", "street", "city", "postcode", "country"];

/** Only those parts of a saved address that an order keeps. */
export function postalPart(address) {
  return Object.fromEntries(ADDRESS_PARTS.map((part) => [part, address[part]]));
}

/**
 * @param {any} shop
 * @param {any} [address] What the fields show at first.
 * @returns {{nodes: HTMLElement[], read: () => any}} `read` gives the address, or null after showing the errors.
 */
export function addressFields(shop, address = {}) {
  const text = (label, name, complete) =>
    field(label, el("input", { name, autocomplete: complete, value: address[name] ?? "" }));
  const fields = {
    name: text("Full name", "name", "name"),
    street: text("Street and number", "street", "street-address"),
    city: text("City", "city", "address-level2"),
    postcode: text("Postcode", "postcode", "postal-code"),
    country: field(
      "Country",
      select(
        [
          { value: "", label: "Choose a country" },
          ...shop.countries.map((name) => ({ value: name, label: name })),
        ],
        { name: "country", autocomplete: "country-name", value: address.country ?? "" },
      ),
    ),
  };
  const problems = {
    name: "Enter a full name.",
    street: "Enter a street and number.",
    city: "Enter a city.",
    postcode: "Enter a postcode.",
    country: "Choose a country.",
  };
  const read = () => {
    const values = Object.fromEntries(ADDRESS_PARTS.map((part) => [part, fields[part].control.value.trim()]));
    const problem = (part) => {
      if (!values[part]) {
        return problems[part];
      }
      const odd = part === "postcode" && !/^[A-Za-z0-9][A-Za-z0-9 -]{2,9}$/.test(values.postcode);
      return odd ? "Enter a postcode such as B12 3CD." : null;
    };
    return validate(ADDRESS_PARTS.map((part) => [fields[part], problem(part)])) ? values : null;
  };
  return { nodes: ADDRESS_PARTS.map((part) => fields[part]), read };
}

/** An address as lines of text. */
export function addressBlock(address) {
  const lines = [address.name, address.street, `${address.city} ${address.postcode}`, address.country];
  return el("address", {}, ...lines.flatMap((line, index) => (index ? [el("br"), line] : [line])));
}

/** The id that the next saved address gets. */
export function nextAddressId(state) {
  return `a${Math.max(0, ...Object.keys(state.addresses).map((id) => Number(id.slice(1)))) + 1}`;
}

/** Make one saved address the default, and no other. */
export function setDefault(draft, chosen) {
  for (const [id, address] of Object.entries(draft.addresses)) {
    address.default = id === chosen;
  }
}
