// What a click would meet: the points of an element, and what lies over them. Only reads; runs in an isolated world.
"use strict";

globalThis.harnessHit = (() => {
  const { shadowRootOf } = globalThis.harnessText;
  const { labelsOf } = globalThis.harnessNames;
  const GRID = [0.5, 0.05, 0.2, 0.35, 0.65, 0.8, 0.95]; // of a box's sides, where it is tried

  function hitAt(x, y) {
    let hit = document.elementFromPoint(x, y);
    for (let root = hit && shadowRootOf(hit); root; root = shadowRootOf(hit)) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  }

  function includes(el, hit) {
    for (let node = hit; node; node = node.assignedSlot ?? node.parentNode ?? node.host) {
      if (node === el) return true;
    }
    return false;
  }

  // The boxes that an element is drawn in, those of its content if it has none itself.
  function boxesOf(el) {
    if (!el.checkVisibility({ visibilityProperty: true }) && getComputedStyle(el).display !== "contents") return [];
    let boxes = [...el.getClientRects()];
    if (boxes.length === 0) {
      const range = document.createRange();
      range.selectNodeContents(el);
      boxes = [...range.getClientRects()];
    }
    return boxes.filter(({ width, height }) => width > 0 && height > 0);
  }

  // A control that is drawn by its label is clicked there.
  function faces(el) {
    return [el, ...labelsOf(el)].filter((face) => boxesOf(face).length > 0);
  }

  function inViewport({ x, y }) {
    return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  }

  // The middle of the first box alone, or a grid over all of them: what is round, or lies under something in part, is
  // met elsewhere.
  function spots(face, everywhere) {
    const boxes = boxesOf(face);
    if (!everywhere) return [spot(boxes[0], 0.5, 0.5)];
    return boxes.flatMap((box) => GRID.flatMap((down) => GRID.map((along) => spot(box, along, down))));
  }

  function spot({ x, y, width, height }, along, down) {
    return { x: x + width * along, y: y + height * down };
  }

  // What a click on a face of an element would meet, and whether that is the element.
  function aim(el, face, everywhere) {
    let blocked = null;
    for (const place of spots(face, everywhere)) {
      if (!inViewport(place)) continue;
      const hit = hitAt(place.x, place.y);
      const label = hit?.closest("label");
      if (hit && (includes(face, hit) || includes(el, hit) || (label && label.control === el))) {
        return { ...place, good: true };
      }
      blocked ??= { hit, good: false };
    }
    return blocked;
  }

  // "" if a click can get at an element, "offscreen" if it must be scrolled to first, "covered" if something lies over it
  // that no scrolling takes away.
  function reach(el) {
    const drawn = faces(el);
    if (drawn.length === 0) return "";
    let blocker = null;
    for (const face of drawn) {
      const aimed = aim(el, face, false) ?? aim(el, face, true);
      if (!aimed) continue;
      if (aimed.good || aim(el, face, true).good) return "";
      blocker = aimed.hit;
    }
    if (!blocker || isClipped(el)) return "offscreen";
    const bar = barOf(blocker);
    return bar && comesOut(el, bar) ? "" : "covered";
  }

  // Whether a scroll area around an element shows nothing of it.
  function isClipped(el) {
    const box = el.getBoundingClientRect();
    for (let area = el.parentElement; area; area = area.parentElement) {
      if (getComputedStyle(area).overflow === "visible") continue;
      const { bottom, left, right, top } = area.getBoundingClientRect();
      if (box.bottom <= top || box.top >= bottom || box.right <= left || box.left >= right) return true;
    }
    return false;
  }

  // What stays where it is while the page scrolls, such as a bar at its top.
  function barOf(el) {
    for (let bar = el; bar; bar = bar.parentElement) {
      if (/fixed|sticky/.test(getComputedStyle(bar).position)) return bar;
    }
    return null;
  }

  // Whether the middle of an element can be scrolled out from under a bar at the rim.
  function comesOut(el, bar) {
    const { bottom, left, right, top } = bar.getBoundingClientRect();
    const [x, y] = [innerWidth / 2, innerHeight / 2];
    if (left <= x && right >= x && top <= y && bottom >= y) return false; // it lies over the middle of all, too
    const box = el.getBoundingClientRect();
    const middle = box.top + box.height / 2;
    const page = document.scrollingElement;
    if (top + bottom < innerHeight) return middle + page.scrollTop > bottom;
    return middle - (page.scrollHeight - page.scrollTop - innerHeight) < top;
  }

  return { aim, faces, hitAt, inViewport, reach };
})();
