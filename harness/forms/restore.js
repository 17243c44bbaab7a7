// What a copy by copy.js only says in its marks is done to the page that shows it, and the marks are taken off.
// `harnessTargets` then holds the marked elements by their numbers.
"use strict";

globalThis.harnessTargets = {};
for (const element of document.querySelectorAll("[harness-copy]")) {
  const words = element.getAttribute("harness-copy").split(" ");
  element.removeAttribute("harness-copy");
  if (words.includes("modal")) {
    element.close();
    element.showModal();
  }
  if (words.includes("popover")) element.showPopover();
  if (words.includes("indeterminate")) element.indeterminate = true;
  if (words.includes("focus")) element.focus();
  for (const word of words) if (word.startsWith("target-")) globalThis.harnessTargets[word.slice(7)] = element;
}
