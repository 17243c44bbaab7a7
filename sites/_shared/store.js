/**
 * The one place where a site keeps what its user changes.
 *
 * The whole app state is one JSON document in localStorage under "state"; the seed of its world is under "seed".
 * Reading never writes. Every write is one synchronous setItem of the whole document, made by `update`, so that
 * whoever reads localStorage sees the state before an act or after it, never between.
 */

const STATE = "state";
const SEED = "seed";
const DEFAULT_SEED = "1";

/** @param {unknown} value A JSON value; it and all it holds become read-only. @returns {any} The same value. */
function deepFreeze(value) {
  if (value !== null && typeof value === "object") {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

async function fetchWorld(key, seed) {
  const response = await fetch(`/world/${key}.json?seed=${seed}`);
  if (!response.ok) {
    throw new Error(`The world's "${key}" could not be loaded (status ${response.status}).`);
  }
  return response.json();
}

/** The state of this site, its changes, and the read-only world behind it. */
export class Store {
  #seed;
  #text = null;
  #state = null;
  #subscribers = new Set();
  #world;

  /**
   * @param {string} seed The seed of the world that is shown.
   * @param {Map<string, Promise<any>>} [world] Parts of the world that are under way already.
   */
  constructor(seed, world = new Map()) {
    this.#seed = seed;
    this.#world = world;
    this.#read();
    addEventListener("storage", (event) => {
      if (event.key === SEED || event.key === null) {
        location.reload();
      } else if (event.key === STATE) {
        this.#follow();
      }
    });
    addEventListener("pageshow", (event) => event.persisted && this.#follow());
  }

  /** The current state, deeply frozen. */
  get state() {
    return this.#state;
  }

  /** The seed of the world, as text. */
  get seed() {
    return this.#seed;
  }

  /**
   * Change the state: `change` gets a copy to mutate, which is then written at once and announced.
   * @param {(draft: any) => void} change
   */
  update(change) {
    this.#read();
    const draft = structuredClone(this.#state);
    change(draft);
    localStorage.setItem(STATE, JSON.stringify(draft));
    this.#follow();
  }

  /**
   * Call `listener` with the new state after each change, from this tab or another.
   * @param {(state: any) => void} listener
   * @returns {() => void} A function that ends the subscription.
   */
  subscribe(listener) {
    this.#subscribers.add(listener);
    return () => this.#subscribers.delete(listener);
  }

  /** End all subscriptions: what showed the state is gone. */
  unsubscribeAll() {
    this.#subscribers.clear();
  }

  /**
   * Fetch one part of the world, once.
   * @param {string} key Such as "products".
   * @returns {Promise<any>} The part, to be treated as read-only.
   */
  world(key) {
    if (!this.#world.has(key)) {
      this.#world.set(key, fetchWorld(key, this.#seed));
    }
    return this.#world.get(key);
  }

  /** Take the stored document over; true if it differs from the one held. */
  #read() {
    const text = localStorage.getItem(STATE);
    if (text === null || text === this.#text) {
      return false;
    }
    this.#text = text;
    this.#state = deepFreeze(JSON.parse(text));
    return true;
  }

  #follow() {
    if (this.#read()) {
      this.#subscribers.forEach((listener) => listener(this.#state));
    }
  }
}

/** Install the initial state of `seed`, signed out if `guest`. */
async function install(seed, guest) {
  const state = await fetchWorld("state", seed);
  if (guest) {
    state.session = { user: null };
  }
  localStorage.setItem(SEED, seed);
  localStorage.setItem(STATE, JSON.stringify(state));
}

/**
 * Open this site's store, installing the initial state if there is none.
 *
 * The address may carry `seed=N` (which world), `as=guest` (start signed out) and `reset` (start anew even if the
 * seed is the one in use); they are taken out of the address once heeded.
 * @param {string[]} [parts] Parts of the world to fetch meanwhile.
 * @returns {Promise<Store>}
 */
export async function openStore(parts = []) {
  const url = new URL(location.href);
  const asked = url.searchParams.get("seed");
  const wanted = asked !== null && /^\d+$/.test(asked) ? asked : null;
  const stored = localStorage.getItem(SEED);
  const seed = wanted ?? stored ?? DEFAULT_SEED;
  const world = new Map(parts.map((key) => [key, fetchWorld(key, seed)]));
  if (localStorage.getItem(STATE) === null || stored !== seed || url.searchParams.has("reset")) {
    await install(seed, url.searchParams.get("as") === "guest");
  }
  const before = url.searchParams.size;
  ["seed", "as", "reset"].forEach((name) => url.searchParams.delete(name));
  if (url.searchParams.size !== before) {
    history.replaceState(history.state, "", url);
  }
  return new Store(seed, world);
}
