"""The shop's oracles in the browser: each earns 1, and each near miss of it earns 0."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.context.observation import Observation
from harness.env import EpisodeFailed
from harness.page.action import Action, Answer, Click, Goto, Select, Type
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Final, Verdict, evaluate
from harness.tasks.task import TEST_SEEDS, Draw, Oracle, Task, Template
from sites.shop.tasks import TEMPLATES
from sites.shop.tasks.steps import one
from sites.shop.world import world

SEED = 1
each_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)


@dataclass
class Run:
    """An episode as played: its actions, the page that each one was taken on, and the app state before each."""

    actions: list[Action] = field(default_factory=list)
    pages: list[Snapshot] = field(default_factory=list)
    states: list[Any] = field(default_factory=list)
    final: Final | None = None
    verdict: Verdict | None = None


@pytest.fixture
def play_oracle(env: Any) -> Callable[[Task, Callable[[Snapshot], Oracle]], Run]:
    """Plays a task by an oracle, once more after a failure of the infrastructure. Each action must succeed."""

    def play(task: Task, oracle: Callable[[Snapshot], Oracle]) -> Run:
        try:
            return attempt(task, oracle)
        except EpisodeFailed:
            return attempt(task, oracle)

    def attempt(task: Task, oracle: Callable[[Snapshot], Oracle]) -> Run:
        run = Run()
        page = page_of(env.reset(task))
        steps = oracle(page)
        action = next(steps)
        while True:
            run.actions.append(action)
            run.pages.append(page)
            run.states.append(env.finish()[0].state_after)
            step = env.step(action)
            assert step.error is None, f"{action}: {step.error}"
            if step.end is not None:
                assert step.end == "answered", run.actions
                run.final, run.verdict = env.finish()
                return run
            page = page_of(step.observation)
            action = steps.send(page)

    return play


def page_of(observation: Observation) -> Snapshot:
    assert observation.snapshot is not None
    return observation.snapshot


def own_draw(template: Template, seed: int) -> Draw:
    """What the suite draws for this task."""
    return template.draw(world(seed), random.Random(f"shop.{template.name}:{seed}:draw"))


def other_draw(template: Template, seed: int) -> Draw | None:
    """Another draw from the same world that has to end otherwise; None if there is none."""
    draw = own_draw(template, seed)
    for number in range(40):
        other = template.draw(world(seed), random.Random(number))
        if (other.changes, other.answer) != (draw.changes, draw.answer):
            return other
    return None


@each_template
@pytest.mark.parametrize("seed", [SEED, pytest.param(TEST_SEEDS + SEED, marks=pytest.mark.long)])
def test_the_oracle_earns_1_by_what_it_can_read(template: Template, seed: int, sites: Any, play_oracle: Any) -> None:
    task = sites.suite.draw(f"shop.{template.name}", seed)
    run = play_oracle(task, lambda page: sites.suite.oracle(task, page))
    assert run.verdict.passed, run.verdict.reason
    assert 1.4 * len(run.actions) <= task.max_turns
    for action in run.actions:
        if isinstance(action, Type):
            assert action.text in task.intent
        if isinstance(action, Select):
            assert action.option in task.intent or action.option.startswith("Price: ")
    answer = run.actions[-1].text
    assert any(answer in node.name for node in run.pages[-1].nodes)


@pytest.mark.long
@each_template
def test_a_task_is_failed_by_stopping_before_the_last_change(template: Template, sites: Any, play_oracle: Any) -> None:
    task = sites.suite.draw(f"shop.{template.name}", SEED)
    run = play_oracle(task, lambda page: sites.suite.oracle(task, page))
    after = [*run.states[1:], run.final.state_after]
    changing = [place for place, state in enumerate(after) if state != run.states[place]]
    assert bool(changing) == bool(own_draw(template, SEED).changes)
    if changing:
        early = Final(run.final.answer, run.states[0], run.states[changing[-1]])
        assert not evaluate(task.evaluators, early).passed


@each_template
def test_an_agent_that_does_nothing_earns_0(template: Template, sites: Any, play_oracle: Any) -> None:
    task = sites.suite.draw(f"shop.{template.name}", SEED)
    assert not play_oracle(task, lambda page: iter_of(Answer(""))).verdict.passed


@pytest.mark.long
@each_template
def test_the_way_to_another_task_of_the_template_earns_0(template: Template, sites: Any, play_oracle: Any) -> None:
    task = sites.suite.draw(f"shop.{template.name}", SEED)
    other = other_draw(template, SEED)
    if other is not None:
        run = play_oracle(task, lambda page: template.oracle(page, other))
    else:  # a world has one such task: what another world's would leave behind or answer is as wrong
        foreign = own_draw(template, SEED + 1)
        run = play_oracle(task, lambda page: iter_of(Answer(foreign.answer or "")))
    assert not run.verdict.passed


@pytest.mark.long
@each_template
def test_one_thing_more_than_was_asked_for_earns_0(template: Template, sites: Any, play_oracle: Any) -> None:
    task = sites.suite.draw(f"shop.{template.name}", SEED)
    taken = {
        *world(SEED)["state"]["wishlist"],
        *(change.path.rpartition("/")[2] for change in own_draw(template, SEED).changes),
    }
    spare = next(product["id"] for product in world(SEED)["products"] if product["id"] not in taken)

    def overdone(page: Snapshot) -> Oracle:
        steps = sites.suite.oracle(task, page)
        action = next(steps)
        while not isinstance(action, Answer):
            page = yield action
            action = steps.send(page)
        page = yield Goto(f"/product.html?id={spare}")
        page = yield Click(one(page, "button", "Add to wish list", "Buy"))
        yield action

    run = play_oracle(task, overdone)
    assert not run.verdict.passed
    assert f"/wishlist/{spare} is True, which no change declares" in run.verdict.reason


def iter_of(*actions: Action) -> Iterator[Action]:
    """A run of an oracle that looks at nothing."""
    yield from actions
