"""What a user reads in an element of a saved page; the counterpart of text.js.

Every text that it makes is one line, well-formed and of at most MAX_TEXT units of UTF-16.
"""

from __future__ import annotations

import re

from harness.page.saved.style import Style, summary_of
from harness.page.saved.tree import Element

MAX_TEXT = 2000  # of one name, value or run of text
_KEPT = MAX_TEXT + 2  # of a part of one: what is beyond cannot be in the whole, whatever stands before it
SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # JavaScript's
_IN_LINES = ("inline", "contents", "ruby")  # displays that begin no line of their own
_GAPS = re.compile(f"[{SPACE}\u0000-\u001f\u007f-\u009f\u200b]+")
_SPACES = re.compile(f"[{SPACE}]+")
# What is inside these is no text of the page.
UNREAD = frozenset(
    "script style template noscript select textarea input datalist iframe frame object embed video audio canvas".split()
)


def collapse(text: str) -> str:
    """The text with each gap as one space."""
    return _GAPS.sub(" ", text.replace("\u00ad", ""))  # without soft hyphens


def clean(text: str) -> str:
    """One line of well-formed text."""
    return clip(collapse(text).strip(" "), MAX_TEXT) if text else text


def clip(text: str, length: int) -> str:
    """At most so many units of UTF-16, and no half of a character."""
    if len(text) <= length and (text.isascii() or len(text.encode("utf-16-le")) <= 2 * length):
        return text
    return text.encode("utf-16-le")[: 2 * length].decode("utf-16-le", "ignore")


def split(text: str) -> list[str]:
    """The words of an attribute."""
    return [word for word in _SPACES.split(text) if word]


def children_of(el: Element) -> list[Element | str]:
    """What a browser shows of the children."""
    if el.is_html("details") and not el.has("open"):
        summary = summary_of(el)
        return [] if summary is None else [summary]
    return el.children


def picture_name(el: Element) -> str:
    """What a picture is called, "" if it only decorates."""
    given = el.get("aria-label") or el.get("alt")
    if given or el.attributes.get("alt") == "":
        return clean(given)
    if el.name != "svg":
        return clean(el.get("title"))
    title = next((child for child in el.elements() if child.name == "title"), None)
    return "" if title is None else clean(title.text())


class Texts:
    """The text of every element of a document, each read once: names of nested elements share their parts."""

    def __init__(self, elements: list[Element], styles: list[Style]) -> None:
        self._styles = styles
        self._parts = [""] * len(elements)
        for el in reversed(elements):  # children before their parents
            self._parts[el.start] = self._read(el)

    def part(self, el: Element) -> str:
        """The text that an element adds to the one around it."""
        return self._parts[el.start]

    def content(self, el: Element, seen: bool = True) -> str:
        """The text that a user reads in an element; `seen` False if the element's own text is hidden."""
        pieces = []
        for child in children_of(el):
            if isinstance(child, Element):
                pieces.append(self._parts[child.start])
            elif seen:
                pieces.append(child)
        return "".join(pieces)

    def _read(self, el: Element) -> str:
        if el.is_html("br"):
            return " "
        if (el.name in UNREAD and not el.foreign) or el.get("aria-hidden") == "true":
            return ""
        style = self._styles[el.start]
        if style.display == "none":
            return ""
        if el.is_html("img") or el.name == "svg":
            return f" {picture_name(el)} " if style.visible else ""
        text = (el.get("aria-label") if style.visible else "") or self.content(el, style.visible)
        return collapse(text if style.joined else f" {text} ")[:_KEPT]

    def inner(self, el: Element) -> str:
        """The text as a browser lays it out (`innerText`), for what the user edits."""
        pieces: list[str] = []
        waiting: list[Element | str] = [el]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            style = self._styles[item.start]
            if style.display == "none" or item.is_html(*(UNREAD - {"select"})):
                continue
            gap = " " if item.is_html("br") or not style.display.startswith(_IN_LINES) else ""
            waiting.append(gap)
            if not style.shut:
                shown = reversed(children_of(item))
                waiting += [child for child in shown if style.visible or isinstance(child, Element)]
            pieces.append(gap)
        return "".join(pieces)
