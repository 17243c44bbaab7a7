// What an element without a name looks like: its colour, the shape that is drawn, the words of its class. Only reads;
// runs in an isolated world.
"use strict";

globalThis.harnessLooks = (() => {
  const SHAPES = { circle: "circle", ellipse: "ellipse", line: "line", path: "path", polyline: "line", rect: "rectangle" };
  const POLYGONS = { 3: "triangle", 4: "quadrilateral", 5: "pentagon", 6: "hexagon" };
  const MAX_HINT = 40; // characters of a class
  // The keywords of CSS that people use for colours.
  const NAMED = {
    "0,0,0": "black",
    "128,128,128": "gray",
    "192,192,192": "silver",
    "255,255,255": "white",
    "128,0,0": "maroon",
    "255,0,0": "red",
    "128,0,128": "purple",
    "255,0,255": "magenta",
    "0,128,0": "green",
    "0,255,0": "lime",
    "128,128,0": "olive",
    "255,255,0": "yellow",
    "0,0,128": "navy",
    "0,0,255": "blue",
    "0,128,128": "teal",
    "0,255,255": "cyan",
    "255,165,0": "orange",
    "255,192,203": "pink",
    "165,42,42": "brown",
  };
  // Degrees up to which a hue is called so.
  const HUES = [[15, "red"], [45, "orange"], [70, "yellow"], [165, "green"], [200, "cyan"], [260, "blue"], [290, "purple"], [345, "pink"], [360, "red"]];

  // The name of a computed colour, "" if nothing of it is to be seen.
  function colorName(computed) {
    const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(computed);
    if (!parts || parts[4] === "0") return "";
    const [red, green, blue] = parts.slice(1, 4).map(Number);
    const named = NAMED[`${red},${green},${blue}`];
    if (named) return named;
    const most = Math.max(red, green, blue);
    const least = Math.min(red, green, blue);
    const lightness = (most + least) / 510;
    const spread = most - least;
    const shade = lightness < 0.3 ? "dark " : lightness > 0.7 ? "light " : "";
    if (spread < 26) return `${shade}gray`;
    let hue;
    if (most === red) hue = ((green - blue) / spread + 6) % 6;
    else if (most === green) hue = (blue - red) / spread + 2;
    else hue = (red - green) / spread + 4;
    return shade + HUES.find(([limit]) => hue * 60 <= limit)[1];
  }

  function shapeOf(el) {
    if (el.tagName !== "polygon") return SHAPES[el.tagName] ?? "";
    return POLYGONS[el.getAttribute("points")?.trim().split(/\s+/).length] ?? "polygon";
  }

  function hintOf(el) {
    const part = [el, ...el.querySelectorAll("[class]")].find((one) => one.getAttribute("class")?.trim());
    return part ? part.getAttribute("class").trim().split(/\s+/).join(" ").slice(0, MAX_HINT) : "";
  }

  // A button has a colour of the browser's own, which says nothing.
  function lookOf(el, role) {
    if (role !== "clickable") return hintOf(el);
    const style = getComputedStyle(el);
    const shape = shapeOf(el);
    const color = colorName(shape ? (style.fill === "none" ? style.stroke : style.fill) : style.backgroundColor);
    return [color, shape, hintOf(el)].filter((part) => part !== "").join(" ");
  }

  return { lookOf };
})();
