"""A Snapshot: what one page holds at one moment, as a tree of nodes in document order.

Refs live as long as their node and are never given to another one, across navigations too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

CONTAINER_ROLES = frozenset(
    "article listitem row dialog alertdialog form region group radiogroup main navigation list table banner "
    "contentinfo complementary search listbox menu tabpanel".split()
)


@dataclass(frozen=True)
class Node:
    """One thing on the page.

    `parent` is the index of the parent in `Snapshot.nodes` (-1 at the top). `box` is (x, y, width, height) in CSS
    pixels of the viewport. `scroll` is (offset, extent, whole) in CSS pixels of an area that is scrolled by itself.
    `states` holds words such as "checked", "mixed", "selected", "expanded", "collapsed",
    "disabled", "required", "invalid", "readonly", "focused", "current", "pressed", "busy"; "offscreen" is what must be
    scrolled to, which actions do by themselves, "covered" what lies under something else. A text run has role "text".
    """

    ref: str
    parent: int
    role: str
    name: str
    value: str | None = None
    states: frozenset[str] = frozenset()
    level: int | None = None
    options: tuple[str, ...] = ()
    box: tuple[int, int, int, int] = (0, 0, 0, 0)
    tag: str = ""
    description: str = ""
    scroll: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Dialog:
    """An open dialog of the browser's own: `kind` is alert, confirm, prompt or beforeunload; `default` the text that a
    prompt begins with."""

    kind: str
    message: str
    default: str = ""


@dataclass(frozen=True)
class TabInfo:
    """One tab of the browser: its number, from 1, and the title that it had when it was last seen."""

    number: int
    title: str
    active: bool


@dataclass(frozen=True)
class Snapshot:
    """The page as walked: `nodes` in document order, parents before children.

    `scroll` is (offset, viewport height, page height) in CSS pixels; `settled` is False if the page was still busy
    when the wait's cap was reached. While a `dialog` is open the page can't be read: its only node is the dialog's.
    `refused` is an address outside the sites that the page has just wanted to go to. `tabs` is empty where there is
    only one.
    """

    url: str
    title: str
    nodes: tuple[Node, ...]
    scroll: tuple[int, int, int] = (0, 0, 0)
    settled: bool = True
    refused: str = ""
    dialog: Dialog | None = None
    tabs: tuple[TabInfo, ...] = ()
    _by_ref: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._by_ref.update({node.ref: index for index, node in enumerate(self.nodes)})

    def index(self, ref: str) -> int | None:
        """The place of a ref in `nodes`, None if the page does not hold it."""
        return self._by_ref.get(ref)

    def get(self, ref: str) -> Node | None:
        """The node of a ref, None if the page does not hold it."""
        place = self._by_ref.get(ref)
        return None if place is None else self.nodes[place]

    def ancestors(self, index: int) -> Iterator[int]:
        """Places of the ancestors, nearest first."""
        index = self.nodes[index].parent
        while index >= 0:
            yield index
            index = self.nodes[index].parent

    def subtree(self, index: int) -> range:
        """Places of a node and all below it (they are contiguous)."""
        end = index + 1
        while end < len(self.nodes) and self.nodes[end].parent >= index:
            end += 1
        return range(index, end)

    def find(self, role: str | Sequence[str], name: str | None = None, within: str | None = None) -> list[Node]:
        """Nodes of a role (or one of several) with exactly this name, in document order.

        `within` keeps those that have an ancestor article, list item, row, dialog, form, group, region … which
        itself or somewhere inside has exactly this name; the innermost such ancestors win.
        """
        roles = (role,) if isinstance(role, str) else tuple(role)
        found = [
            index for index, node in enumerate(self.nodes) if node.role in roles and (name is None or node.name == name)
        ]
        if within is None:
            return [self.nodes[index] for index in found]
        distances = {}
        for index in found:
            for distance, place in enumerate(self.ancestors(index)):
                if self.nodes[place].role in CONTAINER_ROLES and any(
                    self.nodes[inner].name == within for inner in self.subtree(place)
                ):
                    distances[index] = (distance, len(self.subtree(place)))
                    break
        if not distances:
            return []
        size = min(extent for _, extent in distances.values())
        return [self.nodes[index] for index, (_, extent) in distances.items() if extent == size]
