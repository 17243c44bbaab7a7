// Waits until the page is quiet: loaded, nothing marked busy, no navigation begun, an animation frame drawn, and no DOM
// change for a few milliseconds. A navigation destroys this world; the caller then waits in the next document.
"use strict";

globalThis.harnessSettle = (() => {
  let leaving = false;
  // Listeners in an isolated world are invisible to the page.
  globalThis.navigation?.addEventListener("navigate", (event) => {
    if (event.destination.sameDocument || event.downloadRequest !== null) return;
    leaving = true;
    setTimeout(() => {
      if (event.defaultPrevented) leaving = false;
    }, 0);
  });
  globalThis.navigation?.addEventListener("navigateerror", () => {
    leaving = false;
  });

  function busy() {
    return leaving || document.readyState !== "complete" || document.querySelector('[aria-busy="true"]') !== null;
  }

  function frame() {
    return new Promise((resolve) => {
      const fallback = setTimeout(resolve, 100); // a page that is not drawn gets no frames
      requestAnimationFrame(() => {
        clearTimeout(fallback);
        resolve();
      });
    });
  }

  // Resolves to true when quiet for `quiet` ms, false when `cap` ms have passed first.
  function settle(quiet, cap) {
    return new Promise((resolve) => {
      const start = performance.now();
      let timer;
      const observer = new MutationObserver(() => restart());
      function done(settled) {
        clearTimeout(timer);
        observer.disconnect();
        resolve(settled);
      }
      function restart() {
        clearTimeout(timer);
        timer = setTimeout(check, quiet);
      }
      function check() {
        if (!busy()) done(true);
        else if (performance.now() - start > cap) done(false);
        else restart();
      }
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      frame().then(restart);
      // A page that never stops changing restarts the timer for ever: the cap has a timer of its own.
      setTimeout(() => done(false), cap);
    });
  }

  return { settle };
})();

globalThis.harnessObserve = async (base, quiet, cap) => {
  const start = performance.now();
  const settled = await globalThis.harnessSettle.settle(quiet, cap);
  const quietAt = performance.now();
  const walked = globalThis.harnessWalk.walk(base);
  const ms = { settle: quietAt - start, walk: performance.now() - quietAt };
  return JSON.stringify({ ...walked, settled, ms });
};
