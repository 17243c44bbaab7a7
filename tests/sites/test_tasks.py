"""The shop's tasks as data: they draw from every world, say what they want in words, and change what they declare."""

from __future__ import annotations

import functools
import random
import string
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.context.words import count_tokens
from harness.tasks.evaluate import AnswerIs, Final, StateChanges, apply_changes, evaluate
from harness.tasks.task import TEST_SEEDS, Draw, Suite, Template
from policy.features import MAX_INTENT
from sites import suite
from sites.shop.tasks import TEMPLATES, draws
from sites.shop.world import world

PROJECT = Path(__file__).parents[2]
SEEDS = (*range(30), *range(TEST_SEEDS, TEST_SEEDS + 30))
HELD_OUT = 6
LONGEST = 25

each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)


@pytest.fixture(scope="module")
def shop() -> Suite:
    return suite()


world_of = functools.cache(world)


@functools.cache
def draw_of(template: Template, seed: int) -> tuple[dict[str, Any], Draw]:
    """A world and what a template draws from it."""
    return world_of(seed), template.draw(world_of(seed), random.Random(seed))


def fields_of(phrasing: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(phrasing) if name is not None}


def test_there_are_enough_templates_and_six_are_held_out() -> None:
    assert len(TEMPLATES) >= 24
    assert sum(template.heldout for template in TEMPLATES) == HELD_OUT


@each_template
def test_a_template_has_several_phrasings_that_name_the_same_parameters(template: Template) -> None:
    assert 3 <= len(set(template.phrasings)) == len(template.phrasings) <= 5
    _, draw = draw_of(template, 0)
    for phrasing in template.phrasings:
        assert fields_of(phrasing) == set(draw.params)
        assert phrasing[-1] in ".?”}"


@each_template
def test_a_template_gives_time_to_err_but_not_for_ever(template: Template) -> None:
    assert 2 <= template.max_turns <= LONGEST


@each_template
def test_an_intent_is_complete_and_fits_what_the_small_policy_reads(template: Template) -> None:
    for seed in SEEDS:
        _, draw = draw_of(template, seed)
        for phrasing in template.phrasings:
            intent = phrasing.format(**draw.params)
            assert "{" not in intent and "}" not in intent
            assert count_tokens(intent) <= MAX_INTENT
            for value in draw.params.values():
                assert value and value in intent


@each_template
def test_declared_changes_fit_the_state_and_an_idle_agent_fails(template: Template) -> None:
    for seed in SEEDS:
        data, draw = draw_of(template, seed)
        state = data["state"]
        if draw.guest:
            state = {**state, "session": {"user": None}}
        after = apply_changes(state, draw.changes)
        assert (after != state) == bool(draw.changes)
        assert draw.changes or draw.answer
        checks = (StateChanges(draw.changes), *([AnswerIs(draw.answer)] if draw.answer is not None else []))
        assert evaluate(checks, Final(draw.answer or "", state, after)).passed
        assert not evaluate(checks, Final("", state, state)).passed


@each_template
def test_a_draw_depends_on_the_seed_alone(template: Template) -> None:
    for seed in SEEDS[:5]:
        assert template.draw(world_of(seed), random.Random(seed)) == draw_of(template, seed)[1]


@each_template
def test_draws_differ_between_seeds(template: Template, shop: Suite) -> None:
    intents = {shop.draw(f"shop.{template.name}", seed).intent for seed in SEEDS[:12]}
    assert len(intents) >= 2


def test_a_task_is_found_by_its_id_in_a_fresh_process(shop: Suite) -> None:
    tasks = [task for split in ("train", "test", "heldout") for task in shop.tasks(split, 2)]
    script = "import sys; from sites import suite; s = suite()\nfor line in sys.stdin: print(s.task(line.strip()))"
    result = subprocess.run(
        [sys.executable, "-c", script],
        input="\n".join(task.id for task in tasks),
        capture_output=True,
        text=True,
        cwd=PROJECT,
        timeout=120,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"},
    )
    assert result.stdout.splitlines() == [str(task) for task in tasks]


def test_a_title_that_is_picked_is_on_the_first_page_of_its_search() -> None:
    data = world_of(3)
    for seed in range(20):
        product = draws.pick_product(data, random.Random(seed))
        assert product in draws.search(data["products"], product["title"])[: draws.PAGE_SIZE]


def test_no_title_is_part_of_another() -> None:
    for seed in SEEDS[:10]:
        titles = [product["title"] for product in world_of(seed)["products"]]
        text = "\n".join(titles)
        assert all(text.count(title) == 1 for title in titles)


def test_a_world_that_lacks_what_a_template_needs_is_an_error_that_says_so() -> None:
    with pytest.raises(LookupError, match="this world has no unicorn"):
        draws.pick(random.Random(0), [1, 2, 3], lambda number: number > 3, "unicorn")
