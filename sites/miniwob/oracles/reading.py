"""Pages that want something read: a word, a sum, a ticket, and mostly typed again."""

from __future__ import annotations

import re

from harness.page.action import Click, Type
from harness.page.snapshot import Node, Snapshot
from harness.tasks.task import Oracle
from sites.miniwob.oracles.steps import LostWay, Play, one, ordinals, press, submit


def find_word(page: Snapshot, goal: str) -> Oracle:
    """A word of a paragraph by its place."""
    texts = [node.name for node in page.find("text") if node.name != goal]
    (place,) = ordinals(goal)
    page = yield Type(one(page, "textbox"), texts[0].split()[place].strip(".,"))
    yield submit(page)


def last_word(page: Snapshot, goal: str) -> Oracle:
    """The last word of a long text area."""
    (area,) = [node for node in page.find("textbox") if node.tag == "textarea"]
    page = yield Type(_field(page).ref, (area.value or "").split()[-1].rstrip("."))
    yield submit(page)


def _field(page: Snapshot) -> Node:
    for node in page.find("textbox"):
        if node.tag == "input":
            return node
    raise LostWay("there is no text field")


def scroll_text(page: Snapshot, goal: str) -> Oracle:
    """A text area, scrolled to an end by keys."""
    page = yield Click(one(page, "textbox"))
    page = yield from press(page, "PageDown" if "bottom" in goal else "PageUp", 40)
    yield submit(page)


def simple_algebra(page: Snapshot, goal: str) -> Oracle:
    """An equation with one operation, solved for x."""
    pattern = r"(x|-?\d+) ([-+]) (x|-?\d+) = (-?\d+)"
    left, sign, right, total = _match(page, pattern).groups()
    if left == "x":
        value = int(total) - int(right) if sign == "+" else int(total) + int(right)
    else:
        value = int(total) - int(left) if sign == "+" else int(left) - int(total)
    page = yield Type(one(page, "textbox"), str(value))
    yield submit(page)


def simple_arithmetic(page: Snapshot, goal: str) -> Oracle:
    """One operation on two numbers."""
    left, sign, right = _match(page, r"(-?\d+) ([-+x×*]) (-?\d+) =").groups()
    a, b = int(left), int(right)
    value = a + b if sign == "+" else a - b if sign == "-" else a * b
    page = yield Type(one(page, "textbox"), str(value))
    yield submit(page)


def _match(page: Snapshot, pattern: str) -> re.Match[str]:
    for node in page.find("text"):
        match = re.search(pattern, node.name)
        if match is not None:
            return match
    raise LostWay(f"nothing on the page is like {pattern!r}")


def text_transform(page: Snapshot, goal: str) -> Oracle:
    """Letters that stand askew, typed without the gaps between them."""
    (letters,) = [node.name for node in page.find("text") if node.name != goal]
    page = yield Type(one(page, "textbox"), letters.replace(" ", ""))
    yield submit(page)


def buy_ticket(page: Snapshot, goal: str) -> Oracle:
    """The ticket with the least or most of its price or duration."""
    tickets = []
    minutes = 0
    for node in page.nodes:
        duration = re.fullmatch(r"(\d+)h (\d+)m", node.name)
        if duration is not None:
            minutes = 60 * int(duration[1]) + int(duration[2])
        elif node.role == "button" and "$" in node.name:
            price = int(node.name.rpartition("$")[2])
            tickets.append((minutes if "duration" in goal else price, node.ref))
    least = "cheapest" in goal or "shortest" in goal
    yield Click((min if least else max)(tickets)[1])


ORACLES: dict[str, Play] = {
    "buy-ticket": buy_ticket,
    "find-word": find_word,
    "scroll-text": last_word,
    "scroll-text-2": scroll_text,
    "simple-algebra": simple_algebra,
    "simple-arithmetic": simple_arithmetic,
    "text-transform": text_transform,
}
