"""Pages that are worked by keys: sliders, menus that open below each other, a terminal."""

from __future__ import annotations

import json
import re

from harness.page.action import Check, Click, Press
from harness.page.snapshot import Snapshot
from harness.tasks.task import Oracle
from sites.miniwob.oracles.steps import LostWay, Play, Steps, await_one, one, ordinals, part, press, quoted, submit

ICONS = {
    "ui-icon-disk": "Save",
    "ui-icon-seek-start": "Prev",
    "ui-icon-stop": "Stop",
    "ui-icon-play": "Play",
    "ui-icon-seek-end": "Next",
    "ui-icon-zoomin": "Zoom In",
    "ui-icon-zoomout": "Zoom Out",
}


def _number(page: Snapshot, place: int) -> int:
    numbers = [int(node.name) for node in page.find("text") if re.fullmatch(r"-?\d+", node.name)]
    if place >= len(numbers):
        raise LostWay("the slider shows no number")
    return numbers[place]


def _slide(page: Snapshot, wanted: int, place: int = 0) -> Steps:
    """Move the slider that has the focus to a number: by large strides first, by ones at the end."""
    page = yield Press("Home")
    stride = 0
    while stride == 0 or wanted - _number(page, place) > stride // 2:
        before = _number(page, place)
        if before == wanted:
            return page
        page = yield Press("PageUp")
        stride = max(stride, _number(page, place) - before)
    off = wanted - _number(page, place)
    return (yield from press(page, "ArrowRight" if off > 0 else "ArrowLeft", abs(off)))


def use_slider(page: Snapshot, goal: str) -> Oracle:
    """One slider, which the Tab key enters first."""
    page = yield Press("Tab")
    page = yield from _slide(page, int(part(goal, r"Select (-?\d+) with the slider")))
    yield submit(page)


def use_sliders(page: Snapshot, goal: str) -> Oracle:
    """Three sliders one after the other."""
    for place, wanted in enumerate(json.loads(part(goal, r"combination (\[.*\])"))):
        page = yield Press("Tab")
        page = yield from _slide(page, wanted, place)
    yield submit(page)


def form_sequence(page: Snapshot, goal: str) -> Oracle:
    """A slider and a check box by its place."""
    page = yield Press("Tab")
    page = yield from _slide(page, int(part(goal, r"Select (-?\d+) with the slider")))
    page = yield Check(one(page, "checkbox", place=ordinals(goal)[0]))
    yield submit(page)


def click_menu(page: Snapshot, goal: str) -> Oracle:
    """An item of a menu, below others: "a>b>c". A click on one that holds others would select it, a key opens it."""
    *above, last = part(goal, r"Select (.*)$").split(">")
    page = yield Press("Tab")
    for item in above:
        page = yield from press(page, "ArrowDown", _place(page, item))
        page = yield Press("ArrowRight")
    page = yield from press(page, "ArrowDown", _place(page, last))
    yield Press("Enter")


def _place(page: Snapshot, item: str) -> int:
    """The place of an item among those of its menu."""
    parents = {}
    for index, node in enumerate(page.nodes):
        if node.role == "menuitem":
            entry = node.parent
            parents[index] = page.nodes[entry].parent
            if node.name == item:
                return sum(menu == parents[index] for menu in parents.values()) - 1
    raise LostWay(f"there is no item {item!r}")


def click_menu_2(page: Snapshot, goal: str) -> Oracle:
    """An item of a menu by its name or icon; some are below another one, which opens after a while."""
    label = quoted(goal)[1]
    label = ICONS.get(label, label)
    page = yield Click(one(page, "button", "Menu"))
    if not page.find("menuitem", label):
        page = yield Click(one(page, "menuitem", "Playback"))
        page = yield from await_one(page, "menuitem", label)
    yield Click(one(page, "menuitem", label))


def terminal(page: Snapshot, goal: str) -> Oracle:
    """A file with some ending or none, listed and removed. The terminal reads keys, not what its field holds."""
    page = yield Click(one(page, "textbox"))
    page = yield from press_all(page, "ls")
    files = part(page.find("clickable")[0].name, r"\$ ls (.*?) \S+\$").split()
    ending = goal.rpartition(" ")[2] if "ending with" in goal else ""
    chosen = next(name for name in files if (name.endswith(ending) if ending else "." not in name))
    yield from press_all(page, f"rm {chosen}")


def press_all(page: Snapshot, text: str) -> Steps:
    """Press the keys of a text, and Enter."""
    for character in text:
        yield Press(character)
    return (yield Press("Enter"))


ORACLES: dict[str, Play] = {
    "click-menu": click_menu,
    "click-menu-2": click_menu_2,
    "form-sequence": form_sequence,
    "terminal": terminal,
    "use-slider": use_slider,
    "use-slider-2": use_sliders,
}
