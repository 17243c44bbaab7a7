"""The compressor keeps within its budget, keeps what must survive, and says what it left out."""

from __future__ import annotations

import dataclasses
import json
import random
import re
from collections.abc import Sequence

import pytest

from harness.context.compress import Compressor, render
from harness.context.observation import Element, Observation, Past
from harness.context.words import count_tokens
from harness.page.snapshot import Snapshot
from tests.snapshots import Tree, node, page

INTENT = "Put the cheapest blue lamp in the cart"
BUDGETS = (8, 64, 96, 128, 256, 512, 1024)
WORDS = "lamp blue cart red price chair oak the a of order ship now 12 $5 4.5 ann@mail.org Größe 灯 — % e5".split()


def phrase(rng: random.Random, most: int) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(0, most)))


def tree(rng: random.Random, depth: int) -> Tree:
    """Any part of a page."""
    if depth and rng.random() < 0.6:
        role = rng.choice(["list", "listitem", "article", "row", "region", "form", "group", "navigation", "dialog"])
        name = phrase(rng, 60 if rng.random() < 0.05 else 4) if rng.random() < 0.4 else ""
        return node(role, name, *(tree(rng, depth - 1) for _ in range(rng.randint(1, 6))))
    role = rng.choice(["link", "button", "text", "text", "heading", "textbox", "combobox", "cell", "img", "checkbox"])
    return node(
        role,
        phrase(rng, 90 if rng.random() < 0.05 else 6),
        value=phrase(rng, 3) if role in ("textbox", "combobox") else None,
        options=tuple(phrase(rng, 2) or "x" for _ in range(rng.randint(0, 30))) if role == "combobox" else (),
        states=rng.choice(["", "", "", "disabled", "checked", "busy"]),
        description=phrase(rng, 5) if rng.random() < 0.1 else "",
        level=2 if role == "heading" else None,
    )


def any_page(seed: int) -> Snapshot:
    """A page of some hundred nodes, made from a seed."""
    rng = random.Random(seed)
    return page(*(tree(rng, 4) for _ in range(rng.randint(1, 12))))


def observe(
    snapshot: Snapshot, budget: int, previous: Snapshot | None = None, history: Sequence[Past] = ()
) -> Observation:
    return Compressor(budget).observe(snapshot, previous, INTENT, history, 10)


@pytest.mark.parametrize("seed", range(12))
def test_the_text_keeps_within_every_budget_and_accounts_for_what_is_left_out(seed: int) -> None:
    snapshot = any_page(seed)
    whole = observe(snapshot, 10**6)
    assert whole.omitted == 0
    for budget in BUDGETS:
        seen = observe(snapshot, budget)
        assert seen.tokens == count_tokens(seen.text) <= budget
        assert seen.omitted + len(seen.elements) == len(whole.elements)
        gaps = [int(count) for count in re.findall(r"^ *… (\d+) more$", seen.text, re.MULTILINE)]
        assert sum(gaps) == seen.omitted
        places = {element: place for place, element in enumerate(whole.elements)}
        kept = [places[element] for element in seen.elements]
        assert kept == sorted(kept)  # in the order of the page
        # The gaps are said where they are.
        runs = [b - a - 1 for a, b in zip([-1, *kept], [*kept, len(places)], strict=True) if b - a > 1]
        assert runs == gaps


@pytest.mark.parametrize("seed", range(6))
def test_an_element_is_listed_if_and_only_if_its_line_is_in_the_text(seed: int) -> None:
    snapshot = any_page(seed)
    for budget in BUDGETS:
        seen = observe(snapshot, budget)
        lines = [line.strip() for line in seen.text.splitlines()]
        mine = [
            next(line for line in lines if line.startswith(f"{element.ref} {element.role}"))
            for element in seen.elements
        ]
        labels = {label for element in seen.elements for label in element.context}
        rest = [line for line in lines if line not in mine]
        assert all(line in labels or re.fullmatch(r"… \d+ more", line) for line in rest)


def test_the_same_page_gives_the_same_observation() -> None:
    for seed in range(4):
        assert observe(any_page(seed), 200) == observe(any_page(seed), 200)


def test_a_budget_holds_for_a_tokenizer_that_counts_in_its_own_way() -> None:
    def pieces(text: str) -> int:  # of three characters, across words and lines
        return -(-len(text) // 3)

    for seed in range(6):
        for budget in (64, 300):
            seen = Compressor(budget, pieces).observe(any_page(seed), None, INTENT, (), 10)
            assert seen.tokens == pieces(seen.text) <= budget


def filler(count: int) -> list[Tree]:
    return [node("listitem", "", node("link", f"Blue lamp {k}"), node("button", "Add to cart")) for k in range(count)]


def test_what_is_certain_survives_the_smallest_budget() -> None:
    before = page(node("main", "", *filler(150)))
    snapshot = page(
        node(
            "main",
            "",
            *filler(150),
            node("heading", "Accounting", level=1, ref="e900"),
            node("alert", "Payment refused", ref="e901"),
            node("textbox", "Phone", value="12", states="invalid", ref="e902"),
            node("textbox", "Name", value="Ann", states="focused", ref="e903"),
            node("status", "Saved", ref="e904"),
            node("link", "Imprint", ref="e905"),
            node("text", "Now open", ref="e906"),
        )
    )
    history = [Past("click(e905)", "click", ref="e905", role="link", name="Imprint")]
    for budget in (64, 128):
        seen = observe(snapshot, budget, before, history)
        assert {f"e{900 + k}" for k in range(7)} <= {element.ref for element in seen.elements}
        assert next(element.mark for element in seen.elements if element.ref == "e906") == "new"
        assert seen.tokens <= budget


def test_what_shares_words_with_the_task_is_kept_before_other_lines() -> None:
    others = [node("link", f"Oak chair {k}") for k in range(200)]
    snapshot = page(*others[:150], node("link", "Blue lamps on sale", ref="e900"), *others[150:])
    assert "e900" in {element.ref for element in observe(snapshot, 64).elements}


def test_labels_stand_once_above_what_they_hold_for() -> None:
    snapshot = page(
        node(
            "region",
            "Results",
            node(
                "article", "", node("heading", "Oslo", node("link", "Oslo")), node("text", "$5"), node("button", "Add")
            ),
            node("article", "", node("heading", "Bergen", node("link", "Bergen")), node("button", "Add")),
        ),
        node("combobox", "Sort", value="Price", options=("Name", "Price")),
        node("checkbox", "New", states="checked focused busy"),
        node("textbox", "Zip", value="", description="Four digits"),
    )
    assert observe(snapshot, 500).text.splitlines() == [
        "Results",
        "  e4 link Oslo",
        "    e5 text $5",
        "    e6 button Add",
        "  e9 link Bergen",
        "    e10 button Add",
        "e11 combobox Sort = Price [Name | Price]",
        "e12 checkbox New (checked focused)",
        "e13 textbox Zip - Four digits",
    ]
    element = Element("e1", "combobox", "C", options=("a", "b"), more_options=7, mark="new")
    assert render([None, element, None, None]) == "… 1 more\ne1 combobox C [a | b | … 7 more] *new\n… 2 more"


@pytest.mark.parametrize("seed", range(4))
def test_an_observation_comes_back_from_json_as_it_was(seed: int) -> None:
    history = [
        Past('type(e3, "ü\\n")', "type", "e3", "textbox", "Näme", ("Form", "Group"), "ü\n", "", "/a?b", True),
        Past("click(e9)", "click", error="STALE_REF", changed=False),
    ]
    seen = observe(any_page(seed), 300, any_page(seed + 1), history)
    seen = dataclasses.replace(seen, error="STALE_REF: gone", settled=False)
    text = json.dumps(seen.to_json())
    assert Observation.from_json(json.loads(text)) == seen
    assert Observation.from_json(json.loads(text)).public() == seen.public()
    assert seen.snapshot is not None and seen.public().snapshot is None


def test_an_empty_page_has_an_empty_text() -> None:
    seen = observe(page(), 64)
    assert (seen.text, seen.elements, seen.tokens, seen.omitted) == ("", (), 0, 0)
