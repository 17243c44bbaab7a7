// Waits until the page is quiet: loaded, nothing marked busy, no navigation begun, no animation about to end, an
// animation frame drawn, and no DOM change for a few milliseconds. A navigation destroys this world; the caller then waits in the next document.
"use strict";

globalThis.harnessSettle = (() => {
  const FRAME_MS = 100; // a page that is not drawn gets no frames

  const PASSING_MS = 1000; // that an animation which is waited for has still to go

  let leaving = false;
  let refused = ""; // where the page wanted to go and was not let

  // Addresses that can be visited are on one of the sites; `harnessOrigins` is set before this runs, empty for no limit.
  function isForbidden(url) {
    const { origin, protocol } = new URL(url);
    const origins = globalThis.harnessOrigins ?? [];
    return origins.length > 0 && /^https?:$/.test(protocol) && !origins.includes(origin);
  }

  // Returned once.
  function takeRefused() {
    const url = refused;
    refused = "";
    return url;
  }

  // The navigation that was begun leads to no other document: a router of the page's own, an empty response, a
  // download.
  function stay() {
    leaving = false;
  }

  const navigation = globalThis.navigation;
  // Listeners in an isolated world are invisible to the page.
  navigation?.addEventListener("navigate", (event) => {
    if (event.cancelable && isForbidden(event.destination.url)) {
      event.preventDefault();
      refused = event.destination.url;
      return;
    }
    if (event.destination.sameDocument || event.downloadRequest !== null) return;
    leaving = true;
    setTimeout(() => {
      if (event.defaultPrevented || navigation.transition) stay();
    }, 0);
  });
  navigation?.addEventListener("navigateerror", stay);
  navigation?.addEventListener("currententrychange", (event) => {
    // What only replaces the entry may be a page that notes its state before it is left, but for a router's own.
    if (event.navigationType !== "replace" || navigation.transition) stay();
  });

  // An animation that ends soon; others are part of how the page looks at rest.
  function isPassing(animation) {
    if (animation.playState !== "running" || !animation.effect) return false;
    const { endTime, localTime } = animation.effect.getComputedTiming();
    return (endTime - localTime) / animation.playbackRate <= PASSING_MS;
  }

  function busy() {
    if (window.closed || leaving || navigation?.transition || document.readyState !== "complete") return true;
    if (document.getAnimations().some(isPassing)) return true;
    return [...document.querySelectorAll('[aria-busy="true"]')].some((el) => el.checkVisibility());
  }

  function frame() {
    return new Promise((resolve) => {
      const fallback = setTimeout(resolve, FRAME_MS);
      requestAnimationFrame(() => {
        clearTimeout(fallback);
        resolve();
      });
    });
  }

  function watch(observer) {
    for (const root of [document, ...globalThis.harnessWalk.liveRoots()]) {
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
  }

  // Resolves to true when quiet for `quiet` ms, false when `cap` ms have passed first.
  function settle(quiet, cap) {
    return new Promise((resolve) => {
      let timer;
      const observer = new MutationObserver(restart);
      // A page that never stops changing restarts the other timer for ever.
      const limit = setTimeout(() => done(false), cap);
      function done(settled) {
        clearTimeout(timer);
        clearTimeout(limit);
        observer.disconnect();
        resolve(settled);
      }
      function restart() {
        clearTimeout(timer);
        timer = setTimeout(() => (busy() ? restart() : done(true)), quiet);
      }
      watch(observer);
      frame().then(restart);
    });
  }

  // Resolves at the first change of the page, or after `cap` ms.
  function change(cap) {
    return new Promise((resolve) => {
      const observer = new MutationObserver(done);
      const limit = setTimeout(done, cap);
      function done() {
        clearTimeout(limit);
        observer.disconnect();
        resolve();
      }
      watch(observer);
    });
  }

  return { change, settle, stay, takeRefused };
})();

globalThis.harnessObserve = async (quiet, cap, hints) => {
  const start = performance.now();
  const settled = await globalThis.harnessSettle.settle(quiet, cap);
  const quietAt = performance.now();
  const walked = globalThis.harnessWalk.walk(hints);
  const ms = { settle: quietAt - start, walk: performance.now() - quietAt };
  return JSON.stringify({ ...walked, settled, ms, refused: globalThis.harnessSettle.takeRefused() });
};
