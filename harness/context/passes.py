"""From a snapshot to lines: small passes, one purpose each, run in the order of `PASSES`.

A line is a node that holds something to read or to act on. Containers become the context of the lines inside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.context.words import content, spans, words
from harness.page.snapshot import Node, Snapshot

STRUCTURE = frozenset(
    "article listitem row dialog alertdialog form region group radiogroup main navigation list table banner contentinfo "
    "complementary search listbox menu tabpanel rowgroup figure toolbar menubar tablist tree grid iframe".split()
)
# Containers that are one item among like ones: what is inside belongs together and is named by its first heading.
ITEMS = frozenset(("article", "listitem", "row"))
LANDMARKS = frozenset(("navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"))
ACTIONABLE = frozenset(
    "button link textbox searchbox spinbutton combobox checkbox radio switch slider option tab menuitem menuitemcheckbox "
    "menuitemradio treeitem file date time color month week datetime-local clickable listbox".split()
)
MAX_TEXT = 48  # tokens of one line; longer text is cut around the words of the task
MAX_OPTIONS = 12


@dataclass
class Line:
    """One line on its way to an Element; `index` is the place of its node in the snapshot."""

    index: int
    node: Node
    name: str
    options: tuple[str, ...]
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
        if node.role not in STRUCTURE or node.role == "listbox" and node.tag == "select":
            page.lines.append(Line(index, node, node.name, node.options))


def drop_empty(page: Page) -> None:
    """Nothing to read and nothing to act on: pictures without text, empty cells."""
    for line in page.lines:
        if not line.name and line.node.value is None and line.node.role not in ACTIONABLE:
            line.dropped = True


def merge_heading_and_link(page: Page) -> None:
    """A heading around a single link says the same twice: the link stays."""
    by_index = {line.index: line for line in page.lines}
    for line in page.lines:
        parent = by_index.get(line.node.parent)
        if parent is not None and parent.node.role in ("heading", "cell", "term", "rowheader", "definition") and parent.name == line.name:
            parent.dropped = True


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
        before = line.name


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
    heading, heading_top = "", -1
    for index, node in enumerate(nodes):
        above = paths[node.parent] if node.parent >= 0 else ()
        paths[index] = (*above, labels[index]) if labels[index] and labels[index] not in above else above
        if node.role == "heading" and not inside_item[index]:
            heading, heading_top = node.name, node.parent
        elif node.role == "heading":
            continue
        if node.role not in STRUCTURE and heading and heading not in paths[index] and index > 0:
            # The heading holds for what follows it in the container that it stands in.
            place = node.parent
            while place > heading_top:
                place = nodes[place].parent
            if place == heading_top and node.role != "heading":
                paths[index] = (heading, *paths[index])
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
        elif (old.name, old.value, old.states - {"focused"}) != (
            line.node.name,
            line.node.value,
            line.node.states - {"focused"},
        ):
            line.mark = "changed"


def cut_long_text(page: Page) -> None:
    """Text over MAX_TEXT tokens keeps its beginning, or the stretch that has most of the task's words."""
    for line in page.lines:
        places = spans(line.name)
        if len(places) <= MAX_TEXT:
            continue
        hits = [bool(content(word) & page.wanted) for word in words(line.name)]
        counts = [sum(hits[start : start + MAX_TEXT]) for start in range(len(places) - MAX_TEXT + 1)]
        start = counts.index(max(counts))
        end = start + MAX_TEXT
        cut = line.name[places[start][0] : places[end - 1][1]]
        line.name = ("… " if start else "") + cut + (" …" if end < len(places) else "")


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
        line.options = tuple(line.options[k] for k in kept)


PASSES: tuple[Callable[[Page], None], ...] = (
    take_lines,
    drop_empty,
    merge_heading_and_link,
    drop_repeated_text,
    drop_descriptions,
    set_context,
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
