/**
 * Follows links within a site without loading a new document: the pages stay documents of their own, which any
 * address opens, but going from one to the next only draws the next one. Back and forward work as ever.
 */

/**
 * @param {(url: URL) => string | null} moduleOf The module that draws the page at an address; null for an address
 *   that is no page of this kind and is loaded as a new document.
 * @param {(module: string) => Promise<void>} show Draws the page of a module at the present address.
 */
export function followLinks(moduleOf, show) {
  globalThis.navigation?.addEventListener("navigate", (event) => {
    const ownEntry = event.destination.sameDocument && event.navigationType !== "traverse";
    const other = event.hashChange || event.downloadRequest !== null || event.formData !== null;
    if (!event.canIntercept || ownEntry || other || event.navigationType === "reload") {
      return;
    }
    const module = moduleOf(new URL(event.destination.url));
    if (module !== null) {
      event.intercept({ handler: () => show(module) });
    }
  });
}
