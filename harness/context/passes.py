"""From a snapshot to lines: small passes, one purpose each, run in the order of `PASSES`.

A line is a node that holds something to read or to act on. Containers become the context of the lines inside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from harness.context.words import content, spans, words
from harness.page.snapshot import Node, Snapshot

STRUCTURE = frozenset(
    "article listitem row dialog alertdialog form region group radiogroup main navigation list table banner "
    "contentinfo complementary search listbox menu tabpanel rowgroup figure toolbar menubar tablist tree grid iframe "
    "log feed document application scrollarea".split()
)
# Containers that are one item among like ones: what is inside belongs together and is named by its first heading.
ITEMS = frozenset(("article", "listitem", "row"))
HOLDERS = frozenset(("heading", "cell", "columnheader", "rowheader", "term", "definition"))
TABLES = frozenset(("table", "grid", "treegrid"))
CELLS = frozenset(("cell", "gridcell", "columnheader", "rowheader"))
LANDMARKS = frozenset(("navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"))
ACTIONABLE = frozenset(
    "button link textbox searchbox spinbutton combobox checkbox radio switch slider option tab menuitem "
    "menuitemcheckbox menuitemradio treeitem file date time color month week datetime-local clickable listbox".split()
)
PASSING = frozenset(("focused", "offscreen", "covered"))  # states that are no change of what they are said of
MAX_TEXT = 48  # tokens of one line; longer text is cut around the words of the task
MAX_OPTIONS = 12


@dataclass
class Line:
    """One line on its way to an Element; `index` is the place of its node in the snapshot."""

    index: int
    node: Node
    name: str
    value: str | None
    options: tuple[str, ...]
    description: str
    more_options: int = 0
    context: tuple[str, ...] = ()
    mark: str = ""
    dropped: bool = False


@dataclass
class Page:
    """What the passes work on: the lines of a snapshot, the one before it, and the task's words."""

    snapshot: Snapshot
    previous: Snapshot | None
    wanted: frozenset[str]
    lines: list[Line] = field(default_factory=list)


def take_lines(page: Page) -> None:
    """One line for each node that is no mere container."""
    for index, node in enumerate(page.snapshot.nodes):
        if node.role not in STRUCTURE or node.scroll or (node.role == "listbox" and node.tag == "select"):
            page.lines.append(Line(index, node, node.name, node.value, node.options, node.description))


def drop_empty(page: Page) -> None:
    """Nothing to read and nothing to act on: pictures without text, empty cells."""
    for line in page.lines:
        if not line.name and line.node.value is None and line.node.role not in ACTIONABLE and not line.node.scroll:
            line.dropped = True


def drop_holders(page: Page) -> None:
    """A heading around a single link, a cell of nothing but buttons: what it says is said by the lines inside it."""
    inside: dict[int, list[str]] = {}
    for line in page.lines:
        inside.setdefault(line.node.parent, []).append(line.name)
    for line in page.lines:
        if line.node.role in HOLDERS and line.index in inside:
            line.dropped = " ".join(inside[line.index]).split() == line.name.split()


def drop_repeated_text(page: Page) -> None:
    """Text that only repeats the name of what it stands in, or of the picture or link before it."""
    before = ""
    for line in page.lines:
        if line.dropped:
            continue
        if line.node.role in ("text", "img"):
            parent = line.node.parent
            if line.name == before or (parent >= 0 and page.snapshot.nodes[parent].name == line.name):
                line.dropped = True
                continue
        before = line.name if line.node.role != "text" else ""  # two texts may well be equal


def drop_descriptions(page: Page) -> None:
    """Text that describes a field stands on the field's own line."""
    descriptions = {line.node.description for line in page.lines if line.node.description}
    for line in page.lines:
        if line.node.role == "text" and line.name in descriptions:
            line.dropped = True


def set_context(page: Page) -> None:
    """The path of labels above each line: landmark, section heading, form or group, item of a list."""
    nodes = page.snapshot.nodes
    labels: list[str] = [""] * len(nodes)
    inside_item: list[bool] = [False] * len(nodes)
    for index, node in enumerate(nodes):
        inside_item[index] = node.role in ITEMS or (node.parent >= 0 and inside_item[node.parent])
        if node.role not in STRUCTURE:
            continue
        if node.name:
            labels[index] = node.name
        elif node.role in LANDMARKS:
            labels[index] = node.role
        elif node.role in ITEMS:
            labels[index] = _first_name(page.snapshot, index)
    paths: list[tuple[str, ...]] = [()] * len(nodes)
    headings: dict[int, str] = {}  # of a container, the one that was read last
    for index, node in enumerate(nodes):
        above = paths[node.parent] if node.parent >= 0 else ()
        paths[index] = (*above, labels[index]) if labels[index] and labels[index] not in above else above
        if node.role == "heading":
            if not inside_item[index] and node.level != 1:  # the title of the page holds for all of it
                headings[node.parent] = node.name
        elif node.role not in STRUCTURE:
            # The heading holds for what follows it in the container that it stands in.
            place = node.parent
            while place >= 0 and place not in headings:
                place = nodes[place].parent
            heading = headings.get(place, "")
            if heading and heading not in paths[index]:
                depth = len(paths[place]) if place >= 0 else 0
                paths[index] = (*paths[index][:depth], heading, *paths[index][depth:])
    for line in page.lines:
        path = paths[line.index]
        line.context = path[:-1] if path and path[-1] == line.name else path


def _first_name(snapshot: Snapshot, index: int) -> str:
    """What names an item: its first heading or row header, else its first link; "" if it has neither."""
    first_link = ""
    for place in snapshot.subtree(index):
        node = snapshot.nodes[place]
        if node.role in ("heading", "rowheader") and node.name:
            return node.name
        if node.role in ("link", "cell") and node.name and not first_link:
            first_link = node.name
    return first_link


def set_columns(page: Page) -> None:
    """The header of its column is the description of a cell and of what stands in it: "£4.50" alone is no price.

    Cells are counted, not measured: a cell that spans several columns shifts those after it (HTML's own algorithm,
    "forming a table", would need the spans, which the walk does not take).
    """
    nodes = page.snapshot.nodes
    place: dict[int, int] = {}  # of a cell in its row
    cells: dict[int, int] = {}  # of a row, how many so far
    headers: dict[int, dict[int, str]] = {}  # of a table, by column
    tables: dict[int, int] = {}
    column: dict[int, str] = {}
    for index, node in enumerate(nodes):
        if node.role in TABLES:
            tables[index] = index
        elif node.parent in tables:
            tables[index] = tables[node.parent]
        if node.role in CELLS and node.parent >= 0 and nodes[node.parent].role == "row" and index in tables:
            place[index] = cells.get(node.parent, 0)
            cells[node.parent] = place[index] + 1
            known = headers.setdefault(tables[index], {})
            if node.role == "columnheader":
                known[place[index]] = node.name
            elif node.role != "rowheader":
                column[index] = known.get(place[index], "")
        elif node.parent in column:
            column[index] = column[node.parent]
    for line in page.lines:
        line.description = line.description or column.get(line.index, "")


def tell_scrolling(page: Page) -> None:
    """An area that is scrolled by itself says where it stands: there is more of it than what has been drawn so far."""
    for line in page.lines:
        if line.node.scroll:
            offset, extent, whole = line.node.scroll
            place = f"screen {math.floor(offset / extent + 0.5) + 1} of {math.ceil(whole / extent)}"
            line.description = f"{line.description}, {place}" if line.description else place


def mark_changes(page: Page) -> None:
    """What is new or changed since the turn before, unless the whole page is another one."""
    if page.previous is None:
        return
    before = {node.ref: node for node in page.previous.nodes}
    if not any(line.node.ref in before for line in page.lines):
        return
    for line in page.lines:
        old = before.get(line.node.ref)
        if old is None:
            line.mark = "new"
        elif (old.name, old.value, old.states - PASSING) != (
            line.node.name,
            line.node.value,
            line.node.states - PASSING,
        ):
            line.mark = "changed"


def cut_long_text(page: Page) -> None:
    """Names, values, descriptions and labels over MAX_TEXT tokens keep their beginning, or the first stretch that has
    most of the task's words."""
    paths: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in page.lines:
        line.name = _cut(line.name, page.wanted)
        if line.value:
            line.value = _cut(line.value, page.wanted)
        if line.description:
            line.description = _cut(line.description, page.wanted)
        if line.context:
            if line.context not in paths:
                paths[line.context] = tuple(_cut(label, page.wanted) for label in line.context)
            line.context = paths[line.context]


def _cut(text: str, wanted: frozenset[str]) -> str:
    if len(text) <= MAX_TEXT:  # a token has one character at least
        return text
    places = spans(text)
    if len(places) <= MAX_TEXT:
        return text
    hits = [(place, content(word)) for place, word in enumerate(words(text)) if content(word) & wanted]
    start, most = 0, 0
    for last, _ in hits:
        near = [(place, stems) for place, stems in hits if last - MAX_TEXT < place <= last]
        found = len(frozenset().union(*(stems for _, stems in near)))
        if found > most:  # with as much before as behind
            first, most = near[0][0], found
            start = min(max(0, (first + last + 1 - MAX_TEXT) // 2), len(places) - MAX_TEXT)
    end = start + MAX_TEXT
    cut = text[places[start][0] : places[end - 1][1]]
    return ("… " if start else "") + cut + (" …" if end < len(places) else "")


def fold_options(page: Page) -> None:
    """Long option lists keep the chosen option, those with words of the task, and the first ones."""
    for line in page.lines:
        if len(line.options) <= MAX_OPTIONS:
            continue
        order = sorted(
            range(len(line.options)),
            key=lambda k: (
                line.options[k] != line.node.value,
                -len(content(line.options[k]) & page.wanted),
                k,
            ),
        )
        kept = sorted(order[:MAX_OPTIONS])
        line.more_options = len(line.options) - len(kept)
        line.options = tuple(line.options[k] for k in kept)


PASSES: tuple[Callable[[Page], None], ...] = (
    take_lines,
    drop_empty,
    drop_holders,
    drop_repeated_text,
    drop_descriptions,
    set_context,
    set_columns,
    tell_scrolling,
    mark_changes,
    cut_long_text,
    fold_options,
)


def lines_of(snapshot: Snapshot, previous: Snapshot | None, intent: str) -> list[Line]:
    """All passes over one snapshot: the lines that are left, in document order."""
    page = Page(snapshot, previous, content(intent))
    for run in PASSES:
        run(page)
        page.lines = [line for line in page.lines if not line.dropped]
    return page.lines
