// Which elements the page's scripts listen to clicks on, as places in document order. Runs in the page's own world with
// the inspector's command line, since no other world is told of listeners; it only reads, and what it finds is a hint:
// a page that lies about its elements deceives only itself.
(() => {
  const LIMIT = 20000; // elements looked at
  const KNOWN = /^(A|BUTTON|INPUT|SELECT|TEXTAREA|SUMMARY|LABEL|OPTION|HTML|BODY|SCRIPT|STYLE|HEAD|META|LINK|IFRAME)$/;
  const found = [];
  let count = 0;
  try {
    const elements = document.createTreeWalker(document, 1);
    for (let el = elements.nextNode(); el; el = elements.nextNode()) {
      count += 1;
      if (count > LIMIT || KNOWN.test(el.tagName)) continue;
      const heard = getEventListeners(el);
      if (heard.click || heard.mousedown || heard.pointerdown || heard.mouseup || heard.dblclick) found.push(count);
    }
  } catch {
    return [0];
  }
  return [count, ...found];
})();
