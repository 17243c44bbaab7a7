"""The walk over a saved page: its nodes in document order; the counterpart of walk.js.

Each step that goes further down is a generator which yields that step: the walk keeps them on a stack of its own, so
that a page may be nested as deeply as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from harness.page.saved.document import Document, is_active
from harness.page.saved.looks import look_of
from harness.page.saved.names import Description, describe, name_of
from harness.page.saved.roles import LEAF, role_of
from harness.page.saved.style import Style
from harness.page.saved.text import children_of, clean
from harness.page.saved.tree import Element
from harness.page.snapshot import Node

# Text flows through these from what is before to what is after them, whatever their style makes of them.
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u "
    "var wbr".split()
)
# Replaced by something else than their children, or told by their value.
_CHILDLESS = frozenset("input select textarea img progress meter iframe frame object embed video audio canvas".split())
_SOLID = frozenset({"img", "textbox", "searchbox", "spinbutton", "slider"})
_NAMELESS = frozenset({"button", "clickable", "link"})  # what has no name here is known by its looks
_TAB_INDEX = re.compile(r"\s*\+?\d+.*", re.DOTALL)  # as HTML reads an integer
_SHORT = 80  # characters of what can have the focus and is no place
_UNREAD = ("script", "style", "template", "noscript")
_TEXT = Description(None, frozenset())

Steps: TypeAlias = Generator["Steps", None, None]


@dataclass(slots=True)
class _Run:
    """A run of text and inline elements is one node. In a quiet one text is passed over: it is the name of what it
    stands in, and only what can be acted on is listed.
    """

    quiet: bool = False
    pieces: list[str] = field(default_factory=list)


class Walk:
    """One walk; `nodes` is what it has found."""

    def __init__(self, page: Document) -> None:
        self.page = page
        self.nodes: list[Node] = []

    def run(self) -> tuple[Node, ...]:
        """All nodes of the page."""
        if self.page.body is not None:
            top = _Run()
            waiting = [self._children(self.page.body, -1, top)]
            while waiting:
                further = next(waiting[-1], None)
                if further is None:
                    waiting.pop()
                else:
                    waiting.append(further)
            self._flush(top, -1)
        return tuple(self.nodes)

    def _emit(self, parent: int, role: str, name: str, said: Description, tag: str) -> int:
        self.nodes.append(
            Node(
                f"e{len(self.nodes) + 1}",
                parent,
                role,
                name,
                said.value,
                said.states,
                said.level,
                said.options,
                tag=tag,
                description=said.description,
            )
        )
        return len(self.nodes) - 1

    def _flush(self, run: _Run, parent: int) -> None:
        text = clean("".join(run.pieces))
        if text:
            self._emit(parent, "text", text, _TEXT, "#text")
        run.pieces.clear()

    def _children(self, el: Element, parent: int, run: _Run) -> Steps:
        silent = run.quiet or not self.page.style(el).visible
        for child in children_of(el):
            if isinstance(child, Element):
                yield self._visit(child, parent, run)
            elif not silent:
                run.pieces.append(child)

    def _block(self, el: Element, parent: int, run: _Run) -> Steps:
        self._flush(run, parent)
        inner = _Run(run.quiet)
        yield self._children(el, parent, inner)
        self._flush(inner, parent)

    def _visit(self, el: Element, parent: int, run: _Run) -> Steps:
        if el.is_html("br"):
            run.pieces.append(" ")
            return
        if el.is_html(*_UNREAD) or el.has("inert") or el.get("aria-hidden") == "true":
            return
        style = self.page.style(el)
        if style.display == "none" or self._names_its_parent(el):
            return
        control = self.page.control(el) if el.is_html("label") else None
        if control is not None and is_active(control) and self._stands_for(el, control, parent, run):
            self._flush(run, parent)
            yield self._children(el, parent, _Run(quiet=True))
            return
        if style.visible:
            role = "" if run.quiet and not is_active(el) else role_of(self.page, el)
            if role or self._is_clickable(el, style, run):
                self._flush(run, parent)
                yield self._element(el, parent, role or "clickable")
                return
        if _is_childless(el) and not (el.name == "svg" and self.page.holds_drawn_text(el)):
            return
        if not style.joined and not el.is_html(*_INLINE):
            if not style.shut:  # rendered itself, but not what is in it
                yield self._block(el, parent, run)
            return
        gap = "" if style.joined else " "
        run.pieces.append(gap)
        yield self._children(el, parent, run)
        run.pieces.append(gap)

    def _names_its_parent(self, el: Element) -> bool:
        """A legend or caption is said as the name of what it stands in, unless it holds something to act on."""
        legend = el.is_html("legend") and el.parent is not None and el.parent.is_html("fieldset")
        return (legend or el.is_html("caption")) and not self.page.holds_active(el)

    def _stands_for(self, label: Element, control: Element, parent: int, run: _Run) -> bool:
        """A label is the name of its control, and stands for one that is not to be seen. False: it is mere text."""
        if self.page.style(control).seen:
            return True
        if not (control.is_html("input") and control.get("type").lower() in ("checkbox", "radio", "file")):
            return False
        first = next((other for other in self.page.labels(control) if self.page.style(other).seen), None)
        if first is label:
            self._flush(run, parent)
            self._add(control, parent, role_of(self.page, control))
        return True

    def _is_clickable(self, el: Element, style: Style, run: _Run) -> bool:
        """Elements without semantics that are made to be clicked: a handler attribute, or the pointer set on itself."""
        if el.has("onclick") or self._is_focusable(el):
            return True
        if run.quiet or style.cursor != "pointer" or el.parent is None or len(list(el.elements())) > 3:
            return False
        return self.page.style(el.parent).cursor != "pointer"

    def _is_focusable(self, el: Element) -> bool:
        """What takes the focus, such as the handle of a slider; a place that is scrolled by keys takes it too."""
        if not _TAB_INDEX.fullmatch(el.get("tabindex")) or len(el.text()) > _SHORT:
            return False
        return not self.page.holds_active(el) and not self.page.holds_blocks(el)

    def _add(self, el: Element, parent: int, role: str) -> int:
        named = "" if self._is_place(el, role) else role
        name, said = name_of(self.page, el, named), describe(self.page, el, role)
        if not name and role in _NAMELESS and not said.description:
            said = replace(said, description=look_of(self.page, el, role))
        return self._emit(parent, role, name, said, el.name)

    def _is_place(self, el: Element, role: str) -> bool:
        return role in ("cell", "definition") and self.page.holds_blocks(el)

    def _element(self, el: Element, parent: int, role: str) -> Steps:
        index = self._add(el, parent, role)
        if (role in LEAF and not self._is_place(el, role)) or role == "clickable":
            if self.page.holds_active(el):
                yield self._children(el, index, _Run(quiet=True))
        elif not _is_childless(el) and role not in _SOLID:
            name = self.nodes[index].name
            # A message that is named by its content has said it.
            message = role in ("status", "alert") and name != ""
            run = _Run(message and name == clean(self.page.texts.content(el)))
            yield self._children(el, index, run)
            self._flush(run, index)


def _is_childless(el: Element) -> bool:
    return el.name == "svg" or el.is_html(*_CHILDLESS)
