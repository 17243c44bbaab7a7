/** What a cart holds and costs. `pricing.py` does the same sums in Python. */

export const MAX_QUANTITY = 20;
export const MAX_COMPARED = 4;

/** The key of a cart line, such as "p12|M|blue". */
export function lineId(product, size, colour) {
  return `${product}|${size}|${colour}`;
}

/** How many things are in the cart. */
export function cartCount(state) {
  return Object.values(state.cart.items).reduce((sum, line) => sum + line.quantity, 0);
}

/** "navy, size M" or "navy". */
export function optionText(line) {
  return line.size ? `${line.colour}, size ${line.size}` : line.colour;
}

/** Why this many of a product cannot be had; null if they can. */
export function quantityProblem(product, text) {
  const quantity = Number(text);
  const limit = Math.min(product.stock, MAX_QUANTITY);
  if (!/^\d+$/.test(String(text).trim()) || quantity < 1) {
    return "Enter a whole number from 1.";
  }
  return quantity > limit ? `You can have at most ${limit} of this product.` : null;
}

/**
 * Add to the cart.
 * @returns {string | null} Why it was not done.
 */
export function addToCart(store, product, { size, colour, quantity = 1 }) {
  const id = lineId(product.id, size, colour);
  const had = store.state.cart.items[id]?.quantity ?? 0;
  const problem = quantityProblem(product, had + quantity);
  if (problem) {
    return had ? `${problem} There are ${had} in your cart.` : problem;
  }
  store.update((draft) => {
    draft.cart.items[id] = { product: product.id, size, colour, quantity: had + quantity };
  });
  return null;
}

/** Put a product on the wish list, or take it off. @returns {boolean} Whether it is on the list now. */
export function toggleWish(store, product) {
  store.update((draft) => {
    if (draft.wishlist[product.id]) {
      delete draft.wishlist[product.id];
    } else {
      draft.wishlist[product.id] = true;
    }
  });
  return Boolean(store.state.wishlist[product.id]);
}

/** Put a product into the comparison, or take it out. @returns {string | null} Why it was not done. */
export function toggleCompare(store, product) {
  const { compare } = store.state;
  if (!compare[product.id] && Object.keys(compare).length >= MAX_COMPARED) {
    return `You can compare up to ${MAX_COMPARED} products. Remove one first.`;
  }
  store.update((draft) => {
    if (draft.compare[product.id]) {
      delete draft.compare[product.id];
    } else {
      draft.compare[product.id] = true;
    }
  });
  return null;
}

/** The discount in cents that a coupon gives on a subtotal. */
function discountOf(coupon, subtotal) {
  if (!coupon || subtotal < coupon.minimum) {
    return 0;
  }
  const cents = coupon.kind === "percent" ? Math.floor((subtotal * coupon.value + 50) / 100) : coupon.value;
  return Math.min(cents, subtotal);
}

/** What a way of delivery costs for a subtotal, in cents. */
export function deliveryPrice(shop, id, subtotal) {
  if (subtotal === 0 || (id === "standard" && subtotal >= shop.freeDeliveryFrom)) {
    return 0;
  }
  return shop.delivery.find((option) => option.id === id).price;
}

/** The sums at the foot of the cart, in cents. */
export function totals(shop, productsById, cart, delivery = "standard") {
  const subtotal = Object.values(cart.items).reduce(
    (sum, line) => sum + productsById.get(line.product).price * line.quantity,
    0,
  );
  const discount = discountOf(shop.coupons[cart.coupon], subtotal);
  const price = deliveryPrice(shop, delivery, subtotal);
  return { subtotal, discount, delivery: price, total: subtotal - discount + price };
}
