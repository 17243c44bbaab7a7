/** Product pictures: a few SVG shapes from the category and the colour. */

import { svg } from "/_shared/widgets.js";

const COLOURS = {
  black: "#2b2d33",
  white: "#ffffff",
  brass: "#c19a4b",
  grey: "#8d949e",
  green: "#4f7d5c",
  navy: "#26406b",
  oak: "#c79d68",
  walnut: "#6f4a33",
  red: "#b8433f",
  blue: "#3f78b5",
  sand: "#d8c3a0",
  pink: "#d98aa3",
  yellow: "#e2b93b",
};

const path = (d, fill) => svg("path", { d, fill });
const line = (d, stroke, width = 4) =>
  svg("path", { d, stroke, fill: "none", "stroke-width": width, "stroke-linecap": "round" });
const circle = (cx, cy, r, fill) => svg("circle", { cx, cy, r, fill });
const rect = (x, y, width, height, fill, rx = 4) => svg("rect", { x, y, width, height, rx, fill });
const DARK = "#3b3f46";

const SHAPES = {
  lighting: (c) => [
    circle(80, 52, 30, "#fff3cf"),
    path("M58 56 L68 22 H92 L102 56 Z", c),
    line("M80 56 V104", DARK),
    line("M60 106 H100", DARK, 6),
  ],
  furniture: (c) => [
    rect(50, 24, 60, 44, c, 10),
    rect(44, 62, 72, 18, c, 8),
    line("M52 82 V106 M108 82 V106", DARK, 5),
    line("M54 62 H106", "#00000033", 2),
  ],
  kitchen: (c) => [
    path("M44 52 H112 V84 Q112 102 94 102 H62 Q44 102 44 84 Z", c),
    rect(40, 44, 76, 10, DARK, 5),
    circle(78, 37, 6, DARK),
    line("M116 62 H132", DARK, 6),
  ],
  garden: (c) => [
    path("M54 66 H106 L98 108 H62 Z", c),
    rect(50, 58, 60, 12, c, 4),
    line("M80 58 V30", "#3f7d4e"),
    path("M80 44 Q58 42 56 22 Q78 24 80 44 Z M80 38 Q84 18 104 18 Q102 38 80 38 Z", "#5b9b6a"),
  ],
  clothing: (c) => [
    path("M62 24 L36 40 L46 60 L56 54 V106 H104 V54 L114 60 L124 40 L98 24 Q80 40 62 24 Z", c),
    line("M80 38 V104", "#00000022", 2),
  ],
  audio: (c) => [
    line("M46 74 V66 Q46 30 80 30 Q114 30 114 66 V74", c, 8),
    rect(38, 66, 22, 38, c, 10),
    rect(100, 66, 22, 38, c, 10),
    circle(49, 85, 5, DARK),
    circle(111, 85, 5, DARK),
  ],
  bags: (c) => [
    line("M62 44 Q62 22 80 22 Q98 22 98 44", DARK, 5),
    rect(46, 42, 68, 64, c, 12),
    rect(56, 70, 48, 26, "#00000022", 6),
    line("M46 58 H114", "#00000033", 2),
  ],
  sports: (c) => [
    circle(80, 66, 38, c),
    line("M42 66 H118 M80 28 V104", "#00000033", 3),
    line("M54 38 Q78 66 54 94 M106 38 Q82 66 106 94", "#00000033", 3),
  ],
};

/**
 * Draw a product.
 * @param {string} category
 * @param {string} colour
 * @returns {SVGElement} Decoration only: it is hidden from assistive technology.
 */
export function picture(category, colour) {
  const fill = COLOURS[colour] ?? "#999999";
  return svg(
    "svg",
    { viewBox: "0 0 160 130", class: "picture", "aria-hidden": "true" },
    (SHAPES[category] ?? SHAPES.sports)(fill),
  );
}
