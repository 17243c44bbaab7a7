"""The style of elements as far as HTML alone tells it: a browser's own style sheet, attributes, and inline styles.

What the style sheets of a page say is not known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from harness.page.saved.tree import Element


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCK = _words(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend listing main menu nav ol optgroup option p "
    "plaintext pre search section summary ul xmp"
)
_NONE = _words(
    "area base basefont datalist head link meta noembed noframes noscript param rp script style template title"
)
_OTHER = {
    **dict.fromkeys(_words("button select input textarea marquee meter progress"), "inline-block"),
    "caption": "table-caption",
    "col": "table-column",
    "colgroup": "table-column-group",
    "li": "list-item",
    "ruby": "ruby",
    "slot": "contents",
    "table": "table",
    "tbody": "table-row-group",
    "td": "table-cell",
    "tfoot": "table-footer-group",
    "th": "table-cell",
    "thead": "table-header-group",
    "tr": "table-row",
}
# What the browser draws in place of these has no children: without a box of their own there is nothing.
_REPLACED = _words(
    "audio br canvas embed frame frameset iframe img input meter object progress select svg textarea video wbr"
)
# What is in these is only for browsers that do not know them.
_FALLBACK = _words("audio canvas iframe object video")
_DISPLAYS = _words(
    "none contents inline block flow-root inline-block flex inline-flex grid inline-grid table inline-table "
    "table-row-group table-header-group table-footer-group table-row table-cell table-column-group table-column "
    "table-caption list-item ruby ruby-text math -webkit-box -webkit-inline-box"
)
_OF_ITEMS = _words("flex inline-flex grid inline-grid -webkit-box -webkit-inline-box")
_AS_BLOCK = {
    "inline": "block",
    "inline-block": "block",
    "inline-flex": "flex",
    "inline-grid": "grid",
    "inline-table": "table",
    "ruby": "block",
    "ruby-text": "block",
    "table-cell": "block",
}
_WIDE = _words("inherit initial revert revert-layer unset")
_CURSORS = _words(
    "auto default none context-menu help pointer progress wait cell crosshair text vertical-text alias copy move "
    "no-drop not-allowed grab grabbing e-resize n-resize ne-resize nw-resize s-resize se-resize sw-resize w-resize "
    "ew-resize ns-resize nesw-resize nwse-resize col-resize row-resize all-scroll zoom-in zoom-out"
)
_VALUES = {
    "display": _DISPLAYS | _WIDE,
    "visibility": _words("visible hidden collapse") | _WIDE,
    "cursor": _CURSORS | _WIDE,
    "content-visibility": _words("visible auto hidden") | _WIDE,
    "float": _words("none left right inline-start inline-end") | _WIDE,
    "position": _words("static relative absolute fixed sticky") | _WIDE,
}
DECLARATION = re.compile(r"([\w-]+)\s*:((?:[^;\"'(]|\"[^\"]*\"|'[^']*'|\([^)]*\))*)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_IMPORTANT = re.compile(r"\s*!\s*important$")


@dataclass(frozen=True, slots=True)
class Style:
    """Computed values. `drawn`: no ancestor keeps it from being rendered, nor does it itself."""

    display: str = "block"
    visible: bool = True
    cursor: str = "auto"
    shut: bool = False  # what is in it is not rendered
    of_items: bool = False  # its children are laid out as boxes in their own right
    drawn: bool = True

    @property
    def joined(self) -> bool:
        """Whether text flows on from before it through it to behind it."""
        return self.display in ("inline", "contents")

    @property
    def seen(self) -> bool:
        """Whether it has a box that is not hidden."""
        return self.drawn and self.visible and self.display != "contents"


@lru_cache(maxsize=4096)
def inline_style(text: str) -> dict[str, str]:
    """The valid declarations of a `style` attribute that matter here."""
    found: dict[str, str] = {}
    strong: set[str] = set()
    for name, value in DECLARATION.findall(COMMENT.sub(" ", text.lower())):
        value, important = _IMPORTANT.subn("", value.strip())
        value = " ".join(value.split())
        if name == "cursor" and "url(" in value:
            value = "auto"  # a picture
        if value not in _VALUES.get(name, ()) or (name in strong and not important):
            continue
        found[name] = value
        if important:
            strong.add(name)
    return found


def style_of(el: Element, above: Style) -> Style:
    """The style of an element, given that of its parent."""
    inline = inline_style(el.get("style")) if el.has("style") else {}
    if el.foreign:  # attributes of the same names
        named = {name: el.get(name) for name in ("display", "visibility", "cursor") if el.get(name) in _VALUES[name]}
        inline = named | inline
    display = _display(el, inline, above)
    shut = inline.get("content-visibility") == "hidden" or el.get("hidden").lower() == "until-found"
    return Style(
        display,
        _visible(inline.get("visibility", "inherit"), above),
        _cursor(el, inline.get("cursor", "revert"), above),
        shut or el.is_html(*_FALLBACK),
        display in _OF_ITEMS or (display == "contents" and above.of_items),
        above.drawn and not above.shut and display != "none" and not _is_disclosed(el),
    )


def _is_disclosed(el: Element) -> bool:
    """Whether a closed disclosure holds it back."""
    parent = el.parent
    return parent is not None and parent.is_html("details") and not parent.has("open") and summary_of(parent) is not el


def summary_of(details: Element) -> Element | None:
    """What opens and closes a disclosure."""
    return next((child for child in details.elements() if child.is_html("summary")), None)


def _display(el: Element, inline: dict[str, str], above: Style) -> str:
    never = (el.name == "input" and el.get("type").lower() == "hidden") or (
        el.name == "audio" and not el.has("controls")
    )
    if never and not el.foreign:
        return "none"
    display = inline.get("display", "revert")
    if display == "inherit":
        display = above.display
    elif display in ("initial", "unset"):
        display = "inline"
    elif display in ("revert", "revert-layer"):
        display = _own_display(el)
    if display == "contents" and el.name in _REPLACED:
        return "none"
    if el.is_html("legend") and display == "inline":
        return "block"
    apart = inline.get("float", "none") not in ("none", *_WIDE) or inline.get("position") in ("absolute", "fixed")
    apart = apart or (el.has("popover") and not el.foreign)  # the browser's own style sheet takes it out of the flow
    return _AS_BLOCK.get(display, display) if apart or above.of_items else display


def _own_display(el: Element) -> str:
    """What the browser's own style sheet says."""
    if el.foreign:
        if el.parent is not None and el.parent.foreign and _is_formula(el):
            return "block math"
        return {"foreignobject": "block", "text": "block", "math": "math"}.get(el.name, "inline")
    hidden = el.has("hidden") and el.get("hidden").lower() != "until-found"
    closed = el.name == "dialog" and not el.has("open")
    popover = el.has("popover") and not (el.name == "dialog" and el.has("open"))
    if hidden or closed or popover or el.name in _NONE:
        return "none"
    if el.name in _BLOCK:
        return "block"
    if el.name == "rt" and el.parent is not None and el.parent.name == "ruby":
        return "ruby-text"
    return _OTHER.get(el.name, "inline")


def _is_formula(el: Element) -> bool:
    return next((above.name for above in el.ancestors() if above.name in ("svg", "math")), "") == "math"


def _visible(value: str, above: Style) -> bool:
    if value in ("visible", "initial"):
        return True
    return False if value in ("hidden", "collapse") else above.visible


def _cursor(el: Element, value: str, above: Style) -> str:
    if value in ("inherit", "unset"):
        return above.cursor
    if value == "initial":
        return "auto"
    if value not in ("revert", "revert-layer"):
        return value
    if el.name in ("a", "area") and el.has("href"):
        return "pointer"
    if el.is_html("label", "button", "select", "input", "textarea"):
        return "default"  # or that of text
    return above.cursor
