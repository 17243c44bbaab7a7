/** Which products a listing shows, and in which order: pure functions of the products and the address. */

export const PAGE_SIZE = 12;

/** Ways to sort a listing; the first is the default. */
export const SORTS = [
  { value: "featured", label: "Featured" },
  { value: "price-asc", label: "Price: low to high" },
  { value: "price-desc", label: "Price: high to low" },
  { value: "rating", label: "Customer rating" },
  { value: "newest", label: "Newest" },
];

const ORDER = {
  "price-asc": (a, b) => a.price - b.price,
  "price-desc": (a, b) => b.price - a.price,
  rating: (a, b) => b.rating - a.rating || b.reviews - a.reviews,
  newest: (a, b) => (a.added < b.added ? 1 : a.added > b.added ? -1 : 0),
};

function words(text) {
  return text
    .toLowerCase()
    .split(/[^a-z0-9&]+/)
    .filter(Boolean);
}

/**
 * Products that match every word of a query, best first. A query word matches the start of a word of the title,
 * brand, category, colours or material; a plural "s" is ignored. Matches in the title come first.
 */
export function search(products, query) {
  const wanted = words(query).map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
  if (!wanted.length) {
    return [];
  }
  const hits = (text) => {
    const parts = words(text);
    return wanted.map((word) => parts.some((part) => part.startsWith(word)));
  };
  const inTitle = [];
  const elsewhere = [];
  for (const product of products) {
    const title = hits(product.title);
    if (title.every(Boolean)) {
      inTitle.push(product);
      continue;
    }
    const rest = hits(
      [product.brand, product.category, ...product.colours, product.specs.Material].join(" "),
    );
    if (wanted.every((_, index) => title[index] || rest[index])) {
      elsewhere.push(product);
    }
  }
  return [...inTitle, ...elsewhere];
}

/** "12" or "12.50" as cents; null if it is neither. */
export function parsePrice(text) {
  const match = /^£?\s*(\d{1,6})(?:[.,](\d{1,2}))?$/.exec((text ?? "").trim());
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : null;
}

/** The filters, order and page that an address asks for. */
export function readView(params) {
  const sort = params.get("sort");
  return {
    brands: params.getAll("brand"),
    colours: params.getAll("colour"),
    min: params.get("min") ?? "",
    max: params.get("max") ?? "",
    rating: Number(params.get("rating")) || 0,
    stock: params.get("stock") === "1",
    sort: SORTS.some((choice) => choice.value === sort) ? sort : "featured",
    page: Math.max(1, Math.floor(Number(params.get("page"))) || 1),
  };
}

/** The address parameters of a view, on top of `base` such as {c: "lighting"}; defaults are left out. */
export function writeView(view, base) {
  const params = new URLSearchParams(base);
  view.brands.forEach((brand) => params.append("brand", brand));
  view.colours.forEach((colour) => params.append("colour", colour));
  if (view.min) params.set("min", view.min);
  if (view.max) params.set("max", view.max);
  if (view.rating) params.set("rating", String(view.rating));
  if (view.stock) params.set("stock", "1");
  if (view.sort !== "featured") params.set("sort", view.sort);
  if (view.page > 1) params.set("page", String(view.page));
  return params.toString();
}

/** The products that pass the filters of a view, in its order. */
export function applyView(products, view) {
  const min = parsePrice(view.min) ?? 0;
  const max = parsePrice(view.max) ?? Infinity;
  const passing = products.filter(
    (product) =>
      (!view.brands.length || view.brands.includes(product.brand)) &&
      (!view.colours.length || product.colours.some((colour) => view.colours.includes(colour))) &&
      product.price >= min &&
      product.price <= max &&
      product.rating >= view.rating * 10 &&
      (!view.stock || product.stock > 0),
  );
  return view.sort === "featured" ? passing : passing.sort(ORDER[view.sort]);
}
