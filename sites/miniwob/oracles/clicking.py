"""Pages that want one thing clicked, or one after the other."""

from __future__ import annotations

from harness.page.action import Click, Press
from harness.page.snapshot import Snapshot
from harness.tasks.task import Oracle
from sites.miniwob.oracles.steps import LostWay, Play, one, ordinals, part, quoted, submit

WIDGETS = {"text": ("textbox", "input"), "textarea": ("textbox", "textarea")}


def click_test(page: Snapshot, goal: str) -> Oracle:
    """The only button."""
    yield Click(one(page, "button"))


def click_named_button(page: Snapshot, goal: str) -> Oracle:
    """The button in quotes."""
    yield Click(one(page, "button", quoted(goal)[0]))


def click_first_button(page: Snapshot, goal: str) -> Oracle:
    """The first of two buttons; where the other one lies over its middle, by keys."""
    page = yield Click(one(page, "button", "ONE"))
    page = yield Press("Tab")
    yield Press("Enter")


def click_button_sequence(page: Snapshot, goal: str) -> Oracle:
    """Two buttons in their order."""
    page = yield Click(one(page, "button", "ONE"))
    yield Click(one(page, "button", "TWO"))


def click_link(page: Snapshot, goal: str) -> Oracle:
    """A word in a text."""
    yield Click(one(page, "clickable", quoted(goal)[0]))


def close_dialog(page: Snapshot, goal: str) -> Oracle:
    """The cross of a dialog."""
    yield Click(one(page, "button", "Close"))


def click_dialog_button(page: Snapshot, goal: str) -> Oracle:
    """A button of a dialog; its cross is called Close."""
    (label,) = quoted(goal)
    yield Click(one(page, "button", "Close" if label == "x" else label))


def click_widget(page: Snapshot, goal: str) -> Oracle:
    """Any field or button of a kind."""
    (kind,) = quoted(goal)
    role, tag = WIDGETS.get(kind, (kind, ""))
    nodes = [node for node in page.find(role) if tag in ("", node.tag)]
    if not nodes:
        raise LostWay(f"there is no {kind}")
    yield Click(nodes[0].ref)


def click_tab(page: Snapshot, goal: str) -> Oracle:
    """A tab by its name."""
    yield Click(one(page, "tab", part(goal, r"Click on (.*)\.$")))


def click_in_tabs(page: Snapshot, goal: str) -> Oracle:
    """A word in one of several panels, which are opened in turn."""
    word = quoted(goal)[0]
    for tab in [node.name for node in page.find("tab")]:
        if page.find("clickable", word):
            break
        page = yield Click(one(page, "tab", tab))
    yield Click(one(page, "clickable", word))


def click_collapsible(page: Snapshot, goal: str) -> Oracle:
    """A section to be opened, and a button."""
    page = yield Click(one(page, "tab"))
    yield submit(page)


def find_greatest(page: Snapshot, goal: str) -> Oracle:
    """The card with the greatest number."""
    cards = [node for node in page.find("clickable") if node.name.isdecimal()]
    page = yield Click(max(cards, key=lambda card: int(card.name)).ref)
    yield submit(page)


def focus_text(page: Snapshot, goal: str) -> Oracle:
    """A text field, by its place if there are several."""
    place, *_ = [*ordinals(goal), 0]
    yield Click(one(page, "textbox", place=place))


ORACLES: dict[str, Play] = {
    "click-button": click_named_button,
    "click-button-sequence": click_button_sequence,
    "click-collapsible": click_collapsible,
    "click-collapsible-2": click_in_tabs,
    "click-collapsible-2-nodelay": click_in_tabs,
    "click-collapsible-nodelay": click_collapsible,
    "click-dialog": close_dialog,
    "click-dialog-2": click_dialog_button,
    "click-link": click_link,
    "click-tab": click_tab,
    "click-tab-2": click_in_tabs,
    "click-tab-2-easy": click_in_tabs,
    "click-tab-2-hard": click_in_tabs,
    "click-tab-2-medium": click_in_tabs,
    "click-test": click_test,
    "click-test-2": click_first_button,
    "click-test-transfer": click_first_button,
    "click-widget": click_widget,
    "find-greatest": find_greatest,
    "focus-text": focus_text,
    "focus-text-2": focus_text,
    "unicode-test": click_named_button,
}
