"""Observations made by hand: pages of many shapes, and what the small policy does on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.context.observation import Element, Observation, Past
from harness.tasks.task import Task
from harness.trajectory import Decision, Group, Trajectory, Turn
from policy.base import Request, derive_seed
from policy.network import PointerSettings
from policy.pointer import PointerPolicy

TASK = Task("demo.any.1", "demo", "demo", "any", "train", 1, "any", "/", (), 10)
SMALL = PointerSettings(width=32, layers=1, heads=2, word_width=16, seed=7)


def page(intent: str, elements: Sequence[Element], **more: object) -> Observation:
    """An observation of these elements."""
    text = "\n".join(f"{element.ref} {element.role} {element.name}" for element in elements)
    made = Observation(intent, "/list.html?q=1", "A list", 0, 10, tuple(elements), text, len(text.split()), 0)
    return replace(made, **more)  # type: ignore[arg-type]


FORM = page(
    "Order 3 blue lamps to Oslo, size M, express",
    [
        Element("e1", "link", "Home", tag="a", context=("navigation",)),
        Element("e2", "textbox", "Quantity", value="1", tag="input", context=("Order",)),
        Element("e3", "combobox", "Size", value="S", options=("S", "M", "L"), tag="select", context=("Order",)),
        Element("e4", "checkbox", "Express", tag="input", context=("Order",)),
        Element("e5", "radio", "Oslo", tag="input", context=("Order", "City")),
        Element("e6", "radio", "Bergen", states=("checked",), tag="input", context=("Order", "City")),
        Element("e7", "switch", "Gift wrap", tag="button", context=("Order",)),
        Element("e8", "searchbox", "", tag="input"),
        Element("e9", "button", "Buy now", tag="button", context=("Order",)),
        Element("e10", "button", "Remove", states=("disabled",), tag="button"),
    ],
)
TABLE = page(
    "What does the “Møbel No. 5” cost?",
    [
        Element("e20", "columnheader", "Price", tag="th"),
        Element("e21", "cell", "Møbel No. 5", tag="td", context=("Møbel No. 5",)),
        Element("e22", "cell", "$1,249.90", tag="td", context=("Møbel No. 5",), mark="new"),
        Element("e23", "heading", "", tag="h2"),
        Element("e24", "text", "two words", tag="#text", mark="changed"),
    ],
    turn=3,
    history=(
        Past("click(e1)", "click", "e1", "link", "Home", ("navigation",), "", "", "/list.html", True),
        Past('type(e8, "No. 5", submit=true)', "type", "e8", "searchbox", "", (), "No. 5", "STALE_REF", "/", False),
        Past("what?", "", error="PARSE_ERROR"),
    ),
    error="STALE_REF: e8 is no longer on the page (choose another)",
)
EMPTY = page("Do it.", [])
LONG = page(
    "Find the cheapest of all two hundred rows and " + " and ".join(f"the row number {k}" for k in range(40)),
    [
        Element(f"e{k}", "button" if k % 3 else "text", f"Row {k} of the list", context=(f"Group {k // 10}", f"{k}"))
        for k in range(1, 190)
    ],
    omitted=11,
)
MANY_OPTIONS = page(
    "Choose option 7",
    [Element("e1", "combobox", "Which", options=tuple(f"option {k}" for k in range(40)), more_options=3, tag="select")],
)
FIELDS = page(
    "Search for old maps of Oslo",
    [Element(f"e{k}", "textbox", name, value=name.lower(), tag="input") for k, name in enumerate(("Map", "City"), 1)],
)
PAGES = (FORM, TABLE, EMPTY, LONG, MANY_OPTIONS, FIELDS)


def request(observation: Observation, *names: object) -> Request:
    """A request whose seed derives from names."""
    return Request(observation, derive_seed(*names), "episode", TASK)


def played(policy: PointerPolicy, observations: Sequence[Observation], member: int, reward: int | None) -> Trajectory:
    """A trajectory that the policy sampled on these observations."""
    decisions: list[Decision] = []
    for place, observation in enumerate(observations):
        decisions += policy.act([request(observation, member, place)], greedy=False)
    turns = [Turn(seen, decision) for seen, decision in zip(observations, decisions, strict=True)]
    return Trajectory(TASK.id, TASK.intent, turns, end="answered", reward=reward, member=member)


def group(policy: PointerPolicy, rewards: Sequence[int | None], pages: Sequence[Observation] = PAGES) -> Group:
    """A group with a member per reward; member k has k + 1 turns, so that they differ in length."""
    members = [
        played(policy, [pages[(k + j) % len(pages)] for j in range(k + 1)], k, reward)
        for k, reward in enumerate(rewards)
    ]
    return Group(TASK.id, members)
