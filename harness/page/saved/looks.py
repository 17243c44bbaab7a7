"""What an element without a name looks like, as far as attributes tell it; the counterpart of looks.js."""

from __future__ import annotations

from PIL import ImageColor

from harness.page.saved.document import Document
from harness.page.saved.style import COMMENT, DECLARATION
from harness.page.saved.text import split
from harness.page.saved.tree import Element

_SHAPES = {
    "circle": "circle",
    "ellipse": "ellipse",
    "line": "line",
    "path": "path",
    "polyline": "line",
    "rect": "rectangle",
}
_POLYGONS = {3: "triangle", 4: "quadrilateral", 5: "pentagon", 6: "hexagon"}
_MAX_HINT = 40  # characters of a class
# The keywords of CSS that people use for colours.
_NAMED = {
    (0, 0, 0): "black",
    (128, 128, 128): "gray",
    (192, 192, 192): "silver",
    (255, 255, 255): "white",
    (128, 0, 0): "maroon",
    (255, 0, 0): "red",
    (128, 0, 128): "purple",
    (255, 0, 255): "magenta",
    (0, 128, 0): "green",
    (0, 255, 0): "lime",
    (128, 128, 0): "olive",
    (255, 255, 0): "yellow",
    (0, 0, 128): "navy",
    (0, 0, 255): "blue",
    (0, 128, 128): "teal",
    (0, 255, 255): "cyan",
    (255, 165, 0): "orange",
    (255, 192, 203): "pink",
    (165, 42, 42): "brown",
}
# Degrees up to which a hue is called so.
_HUES = (
    (15, "red"),
    (45, "orange"),
    (70, "yellow"),
    (165, "green"),
    (200, "cyan"),
    (260, "blue"),
    (290, "purple"),
    (345, "pink"),
    (360, "red"),
)


def color_name(value: str) -> str:
    """The name of a colour of CSS, "" for one that is none, or is not to be seen."""
    try:
        red, green, blue, *alpha = ImageColor.getrgb(value)
    except ValueError:
        return ""
    if alpha == [0]:
        return ""
    if (red, green, blue) in _NAMED:
        return _NAMED[red, green, blue]
    most, least = max(red, green, blue), min(red, green, blue)
    lightness, spread = (most + least) / 510, most - least
    shade = "dark " if lightness < 0.3 else "light " if lightness > 0.7 else ""
    if spread < 26:
        return f"{shade}gray"
    if most == red:
        hue = ((green - blue) / spread + 6) % 6
    elif most == green:
        hue = (blue - red) / spread + 2
    else:
        hue = (red - green) / spread + 4
    return shade + next(name for limit, name in _HUES if hue * 60 <= limit)


def _shape(el: Element) -> str:
    if el.name != "polygon":
        return _SHAPES.get(el.name, "")
    return _POLYGONS.get(len(el.get("points").split()), "polygon")


def _given(el: Element, name: str) -> str:
    """What the style or the attribute of an element says of a colour."""
    inline = dict(DECLARATION.findall(COMMENT.sub(" ", el.get("style").lower())))
    return (inline.get(name) or (el.get(name).lower() if el.foreign else "")).strip()


def _color(el: Element, shape: str) -> str:
    if not shape:
        return color_name(_given(el, "background-color") or _given(el, "background"))
    drawn = {
        name: next((given for one in (el, *el.ancestors()) if (given := _given(one, name))), default)
        for name, default in (("fill", "black"), ("stroke", "none"))
    }
    return color_name(drawn["stroke" if drawn["fill"] == "none" else "fill"])


def _hint(page: Document, el: Element) -> str:
    for one in page.elements[el.start : el.end]:
        words = split(one.get("class"))
        if words:
            return " ".join(words)[:_MAX_HINT]
    return ""


def look_of(page: Document, el: Element, role: str) -> str:
    """Its colour, the shape that is drawn, and the words of its class; a button's colour is the browser's own."""
    if role != "clickable":
        return _hint(page, el)
    shape = _shape(el)
    return " ".join(filter(None, (_color(el, shape), shape, _hint(page, el))))
