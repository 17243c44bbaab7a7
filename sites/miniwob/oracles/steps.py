"""Steps that the oracles share: how they find things on a page and in what it asks for.

An oracle is given the page and the instruction, and knows no more than an agent does. What it looks for is found by
role and name; on pages whose fields have no names, by place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator

from harness.page.action import Action, Click, Press, Ref, Type, Wait
from harness.page.snapshot import Node, Snapshot
from harness.tasks.task import Oracle

MOST_WAITS = 60

Play = Callable[[Snapshot, str], Oracle]
Steps = Generator[Action, Snapshot, Snapshot]
"""Actions that lead from one page to another: `page = yield from step(page, …)`."""


class LostWay(LookupError):
    """What an oracle looks for is not on the page; the message names it."""


def found(nodes: list[Node], what: str, place: int = 0) -> Ref:
    """The ref of the node at a place of a list. LostWay if the list is too short."""
    if place >= len(nodes):
        raise LostWay(f"there is no {what}" if not nodes else f"there are only {len(nodes)} of {what}")
    return nodes[place].ref


def one(page: Snapshot, role: str, name: str | None = None, place: int = 0) -> Ref:
    """The first element of a role and a name, or the one at a place counted from 0."""
    return found(page.find(role, name), f"{role} {name or ''}".strip(), place)


def following(page: Snapshot, text: str, role: str) -> Node:
    """The first element of a role after the text: the field whose label it is."""
    labels = [index for index, node in enumerate(page.nodes) if node.name.rstrip(":") == text]
    for node in page.nodes[labels[0] :] if labels else ():
        if node.role == role:
            return node
    raise LostWay(f"there is no {role} after {text!r}")


def submit(page: Snapshot) -> Click:
    """Click on the button that says Submit."""
    return Click(one(page, "button", "Submit"))


def quoted(goal: str) -> list[str]:
    """What the instruction has in double quotes."""
    return re.findall(r'"([^"]*)"', goal)


def ordinals(goal: str) -> list[int]:
    """The places that the instruction names, counted from 0: "the 2nd" is 1."""
    return [int(number) - 1 for number in re.findall(r"\b(\d+)(?:st|nd|rd|th)\b", goal)]


def part(goal: str, pattern: str) -> str:
    """The part of the instruction in the pattern's group. LostWay if it does not match."""
    match = re.search(pattern, goal)
    if match is None:
        raise LostWay(f"{goal!r} is not like {pattern!r}")
    return match.group(1)


def await_one(page: Snapshot, role: str, name: str | None = None) -> Steps:
    """Wait for what a timer of the page brings. One wait ends as soon as the page is quiet, so it may take many."""
    for _ in range(MOST_WAITS):
        if page.find(role, name):
            break
        page = yield Wait()
    return page


def fill(page: Snapshot, texts: list[str]) -> Steps:
    """Type each text into the text field at its place."""
    for place, text in enumerate(texts):
        page = yield Type(one(page, "textbox", place=place), text)
    return page


def complete(page: Snapshot, label: str, start: str, end: str = "") -> Steps:
    """Type a part of a text into the field of that name, and take the first with this end from the list that comes."""
    page = yield Type(one(page, "textbox", label), start)
    page = yield from await_one(page, "listitem")
    for _ in page.find("listitem"):
        page = yield Press("ArrowDown")
        value = page.find("textbox", label)[0].value or ""
        if start in value and value.endswith(end):
            break
    return (yield Press("Enter"))


def press(page: Snapshot, key: str, times: int = 1) -> Steps:
    """Press a key some times."""
    for _ in range(times):
        page = yield Press(key)
    return page
