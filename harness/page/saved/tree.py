"""The tree of a saved page: elements and text, the same whichever library has read the HTML.

Both libraries run the same parser (libxml2) and tell a `TreeBuilder` the same events in the same order. A parent comes
before its children in `Tree.elements`, and what is in an element are the elements from its `start` to its `end`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString
from lxml import etree

Parser = Literal["lxml", "bs4"]

# Their children are no part of the page while scripts run: a template's are in a document of their own.
_APART = frozenset({"template", "noscript"})
_FOREIGN = frozenset({"svg", "math"})
_BACK_TO_HTML = frozenset({"foreignobject", "desc", "title"})  # what is in these parts of a drawing is HTML again
# The parser leaves these open where a browser ends them: what begins, and what it ends unless a barrier is between.
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_ENDS = {
    "li": frozenset({"li"}),
    "dd": frozenset({"dd", "dt"}),
    "dt": frozenset({"dd", "dt"}),
    "button": frozenset({"button"}),
    **dict.fromkeys(_HEADINGS, _HEADINGS),
}
_SCOPES = frozenset("applet body caption html marquee object table td th".split())
_ITEM_BARRIERS = _SCOPES | frozenset(
    "article aside blockquote button center details dir dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "header hgroup iframe listing main menu nav ol pre search section select summary tbody tfoot thead tr ul".split()
)


@dataclass(eq=False, slots=True)
class Element:
    """One element; `children` are elements and pieces of text. `foreign`: of a drawing or a formula, no HTML."""

    name: str
    attributes: dict[str, str]
    parent: Element | None
    foreign: bool
    start: int
    end: int = 0
    children: list[Element | str] = field(default_factory=list)

    def get(self, attribute: str) -> str:
        """The value of an attribute, "" if there is none."""
        return self.attributes.get(attribute, "")

    def has(self, attribute: str) -> bool:
        """Whether there is such an attribute."""
        return attribute in self.attributes

    def is_html(self, *names: str) -> bool:
        """Whether this is one of these elements of HTML."""
        return self.name in names and not self.foreign

    def elements(self) -> Iterator[Element]:
        """The child elements."""
        return (child for child in self.children if isinstance(child, Element))

    def ancestors(self) -> Iterator[Element]:
        """The parent, its parent and so on."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def contains(self, other: Element) -> bool:
        """Whether the other is this element or in it."""
        return self.start <= other.start < self.end

    def text(self) -> str:
        """All text in it, hidden or not."""
        pieces: list[str] = []
        waiting: list[Element | str] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Element):
                waiting.extend(reversed(item.children))
            else:
                pieces.append(item)
        return "".join(pieces)


class TreeBuilder:
    """Takes the events of a parser; `elements` are those begun, in document order."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self._begun: list[Element] = []  # those whose end the parser has not told, though they may have been ended
        self._apart = 0  # open elements that are no part of the page

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if self._apart or (self._open and self._open[-1].name in _APART):
            self._apart += 1
            return
        if name in _ENDS:
            self._end_before(name)
        parent = self._open[-1] if self._open else None
        inherited = parent is not None and parent.foreign and parent.name not in _BACK_TO_HTML
        element = Element(name, dict(attributes), parent, inherited or name in _FOREIGN, len(self.elements))
        if parent is not None:
            parent.children.append(element)
        self.elements.append(element)
        self._open.append(element)
        self._begun.append(element)

    def _end_before(self, name: str) -> None:
        barriers = _SCOPES if name == "button" else _ITEM_BARRIERS
        for element in reversed(self._open):
            if element.name in _ENDS[name]:
                self._end(element)
                return
            if name in _HEADINGS or element.name in barriers:
                return  # a heading ends only the one that it stands in directly

    def _end(self, element: Element) -> None:
        while not element.end:
            self._open.pop().end = len(self.elements)

    def data(self, text: str) -> None:
        """A piece of text."""
        if self._open and not self._apart and self._open[-1].name not in _APART:
            self._open[-1].children.append(text)

    def end(self, name: str) -> None:
        """The innermost open element ends; parsers name it, and they do so in the right order."""
        if self._apart:
            self._apart -= 1
        elif self._begun:
            self._end(self._begun.pop())

    def close(self) -> list[Element]:
        """The document ends."""
        return self.elements


def parse(html: str, parser: Parser) -> list[Element]:
    """The elements of a document in document order; none if there is nothing in it."""
    return _read_with_bs4(html) if parser == "bs4" else _read_with_lxml(html)


def _read_with_lxml(html: str) -> list[Element]:
    # A parser that builds lxml's own tree ends at some depth, 2,048 levels at most; one that only tells does not.
    reader = etree.HTMLParser(target=TreeBuilder())
    reader.feed(html)
    elements: list[Element] = reader.close()
    return elements


def _read_with_bs4(html: str) -> list[Element]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it looks like XML, or like the name of a file
        soup = BeautifulSoup(html, "lxml", multi_valued_attributes=None)
    builder = TreeBuilder()
    inside: list[tuple[str, Iterator[object]]] = [("", iter(soup.contents))]
    while inside:
        name, children = inside[-1]
        child = next(children, None)
        if isinstance(child, Tag):
            builder.start(child.name, {key: str(value) for key, value in child.attrs.items()})
            inside.append((child.name, iter(child.contents)))
        elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
            builder.data(str(child))  # the others are comments, declarations and the like
        elif child is None:
            builder.end(name)
            inside.pop()
    return builder.close()
