/**
 * What surrounds every page: header, search box, navigation, status line and footer.
 *
 * A page's module calls `page(...)` once. While the main element is busy nothing in it is ready; when the page is
 * drawn, in one pass, `aria-busy` is gone. Links to other pages of the shop draw them in the same document.
 */

import { followLinks } from "/_shared/router.js";
import { openStore } from "/_shared/store.js";
import { announcePending, el, statusLine, svg } from "/_shared/widgets.js";
import { cartCount } from "./cart.js";
import { searchForm } from "./searchbox.js";

/**
 * @typedef {object} Context What a page has to work with.
 * @property {import("/_shared/store.js").Store} store
 * @property {any} shop The facts of the shop.
 * @property {any[]} products All products, if the page needs them.
 * @property {Map<string, any>} byId The same, by id.
 * @property {any} reviews Reviews by product id, if the page needs them.
 * @property {URLSearchParams} params The address's parameters.
 */

/** What the modules of pages/ draw, by their address. */
const definitions = new Map();
let opened = null; // the store, once the first page has opened it
let turn = 0;

/**
 * Define a page; the first one is the document's own and is drawn at once.
 * @param {string} module The address of the page's module: `import.meta.url`.
 * @param {object} definition
 * @param {string} definition.title The document's title, without the shop's name.
 * @param {boolean} [definition.signedIn] Whether guests are sent to sign in first.
 * @param {string[]} [definition.needs] Parts of the world besides the shop's facts: "products", "reviews".
 * @param {(context: Context) => any} definition.render Gives the content of main.
 */
export async function page(module, definition) {
  definitions.set(module, definition);
  if (definitions.size === 1) {
    followLinks(moduleOf, show);
    await drawPage(definition);
  }
}

/** The module of an address of this shop; one that chooses a world is opened as a new document. */
function moduleOf(url) {
  const name = url.pathname === "/" ? "index" : url.pathname.match(/^\/([a-z]+)\.html$/)?.[1];
  const choosesWorld = ["seed", "as", "reset"].some((key) => url.searchParams.has(key));
  return name && !choosesWorld ? new URL(`/pages/${name}.js`, location.origin).href : null;
}

/** Draw the page of a module in place of the one that is shown. */
async function show(module) {
  const mine = ++turn;
  document.querySelector("main").setAttribute("aria-busy", "true");
  if (!definitions.has(module)) {
    await import(module);
  }
  if (mine === turn) {
    await drawPage(definitions.get(module), () => mine === turn);
  }
}

async function drawPage({ title, signedIn = false, needs = [], render }, wanted = () => true) {
  const main = document.querySelector("main");
  try {
    const keys = ["shop", ...needs];
    opened ??= await openStore(keys);
    const store = opened;
    if (signedIn && !store.state.session.user) {
      location.replace(`/signin.html?next=${encodeURIComponent(location.pathname + location.search)}`);
      return;
    }
    const [shop, ...parts] = await Promise.all(keys.map((key) => store.world(key)));
    if (!wanted()) {
      return; // another page was asked for meanwhile
    }
    store.unsubscribeAll(); // the page that is left follows the state no longer
    const context = { store, shop, params: new URLSearchParams(location.search) };
    needs.forEach((key, index) => (context[key] = parts[index]));
    context.byId = new Map((context.products ?? []).map((product) => [product.id, product]));
    document.title = `${title} – ${shop.name}`;
    const content = [render(context)].flat(Infinity);
    main.replaceChildren(...content.filter(Boolean));
    document.body.replaceChildren(
      el("a", { class: "skip", href: "#main" }, "Skip to content"),
      header(context),
      main,
      statusLine(),
      footer(shop),
    );
    announcePending();
  } catch (error) {
    main.replaceChildren(
      el("h1", {}, "Something went wrong"),
      el("p", { role: "alert" }, "This page could not be loaded. Please reload it."),
    );
    console.error(error);
  }
  main.removeAttribute("aria-busy");
}

/** Change the title once a page knows what it shows. */
export function setTitle(title, shop) {
  document.title = `${title} – ${shop.name}`;
}

function header({ store, shop, params }) {
  const links = el("ul", { class: "tools" });
  const draw = () => {
    const { state } = store;
    const count = (label, number) => (number ? `${label} (${number})` : label);
    const items = [
      [state.session.user ? "/account.html" : "/signin.html", state.session.user ? "My account" : "Sign in"],
      ["/wishlist.html", count("Wish list", Object.keys(state.wishlist).length)],
      ["/compare.html", count("Compare", Object.keys(state.compare).length)],
      ["/cart.html", count("Cart", cartCount(state))],
    ];
    links.replaceChildren(
      ...items.map(([href, label]) =>
        el("li", {}, el("a", { href, "aria-current": href === location.pathname ? "page" : null }, label)),
      ),
    );
  };
  draw();
  store.subscribe(draw);
  const here = location.pathname === "/category.html" ? params.get("c") : null;
  return el(
    "header",
    { class: "site" },
    el(
      "div",
      { class: "bar" },
      el("a", { href: "/", class: "logo", "aria-label": `${shop.name} home` }, logo(), shop.name),
      searchForm(store, shop, location.pathname === "/search.html" ? (params.get("q") ?? "") : ""),
      el("nav", { "aria-label": "Your shop" }, links),
    ),
    el(
      "nav",
      { class: "categories", "aria-label": "Categories" },
      el(
        "ul",
        {},
        shop.categories.map(({ id, name }) =>
          el(
            "li",
            {},
            el("a", { href: categoryHref(id), "aria-current": id === here ? "page" : null }, name),
          ),
        ),
      ),
    ),
  );
}

function logo() {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", width: 26, height: 26, "aria-hidden": "true" },
    svg("circle", { cx: 12, cy: 12, r: 12, fill: "#5b4bb7" }),
    svg("path", {
      d: "M12 4 Q17 9 12 13 Q7 9 12 4 Z M12 12 V20 M12 17 Q8 17 7 13",
      fill: "#fff",
      stroke: "#fff",
    }),
  );
}

function footer(shop) {
  const links = [
    ["/help.html", "Help and delivery"],
    ["/contact.html", "Contact us"],
    ["/orders.html", "Your orders"],
    ["/wishlist.html", "Your wish list"],
  ];
  return el(
    "footer",
    { class: "site" },
    el(
      "nav",
      { "aria-label": "Footer" },
      el(
        "ul",
        {},
        links.map(([href, label]) => el("li", {}, el("a", { href }, label))),
      ),
    ),
    el("p", {}, `${shop.name} · ${shop.help.store} · ${shop.help.phone}`),
  );
}

/** The address of a category's page. */
export function categoryHref(id) {
  return `/category.html?c=${id}`;
}

/** The address of a product's page. */
export function productHref(id) {
  return `/product.html?id=${id}`;
}

/** Links to the pages above this one. @param {[string, string][]} parts Address and name of each. */
export function breadcrumb(parts, current) {
  return el(
    "nav",
    { class: "breadcrumb", "aria-label": "Breadcrumb" },
    el(
      "ol",
      {},
      parts.map(([href, label]) => el("li", {}, el("a", { href }, label))),
      el("li", { "aria-current": "page" }, current),
    ),
  );
}

/**
 * Draw a region anew whenever the part of the state that it shows has changed. Focus that was in it and is lost by
 * that goes to the page's heading, so that the keyboard is not sent back to the top.
 * @param {import("/_shared/store.js").Store} store
 * @param {(state: any) => any} pick The part of the state that the region shows.
 * @param {() => void} draw
 */
export function redrawOn(store, pick, draw) {
  let shown = JSON.stringify(pick(store.state));
  store.subscribe((state) => {
    const next = JSON.stringify(pick(state));
    if (next === shown) {
      return;
    }
    shown = next;
    const focused = document.activeElement;
    draw();
    if (focused && !focused.isConnected) {
      document.querySelector("h1").focus();
    }
  });
}

/** What a page says when it is asked for something that is not there. */
export function missing(what) {
  return [
    el("h1", {}, `${what} not found`),
    el("p", {}, "It may have been removed. ", el("a", { href: "/" }, "Go to the home page")),
  ];
}
