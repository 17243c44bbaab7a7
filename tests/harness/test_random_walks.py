"""Random walks over pages of every kind: whatever is done in whatever order, each action ends in an observation, an
error that the grammar knows, or the end of the episode; never in a failure of the harness, and never in a wait without
end."""

from __future__ import annotations

import random
import time
from dataclasses import fields, replace

import pytest

from harness.env import WebEnv
from harness.page.action import ACTIONS, DIRECTIONS, Action, Answer, GiveUp
from harness.page.errors import HINTS
from harness.page.grammar import format_action, parse_action
from harness.page.snapshot import Snapshot
from harness.tasks.task import Task, load_suite
from tests.harness.support import environment, shared

SHORT = 25  # actions of a walk in every run
LONG = 100
SHARE = 0.7  # of actions that are meant for an element that is there
KEYS = (
    "Enter",
    "Escape",
    "Tab",
    "ArrowDown",
    "Space",
    "a",
    "ß",
    "Control+a",
    "Shift+Tab",
    "Backspace",
    "PageDown",
    "No",
)
TEXTS = ("", "lamp", "12", "2026-02-03", 'a "quoted" #1 \\ text', "日本語\nzwei", "x" * 300)
URLS = ("/", "/nowhere", "http://example.com/", "about:blank", "javascript:alert(1)", "//", "\\", "#top")
VERBS = tuple(kind for kind in ACTIONS if kind not in (Answer, GiveUp))


def any_action(rng: random.Random, page: Snapshot) -> Action:
    """An action of any kind; refs are mostly those of the page, and mostly of what can be acted on."""
    refs = [node.ref for node in page.nodes if node.role not in ("text", "heading", "img")] or ["e1"]
    kind = rng.choice(VERBS if rng.random() < SHARE else VERBS[:8])

    def value(name: str) -> object:
        match name:
            case "ref" | "onto":
                return rng.choice(refs) if rng.random() < 0.9 else f"e{rng.randint(1, 200)}"
            case "option":
                return rng.choice([option for node in page.nodes for option in node.options] or ["None"])
            case "key":
                return rng.choice(KEYS)
            case "direction":
                return rng.choice(DIRECTIONS)
            case "url":
                return rng.choice(URLS)
            case "tab":
                return rng.randint(1, 4)
            case "text" | "file":
                return rng.choice(TEXTS)
            case "on" | "submit" | "accept":
                return rng.random() < 0.5
        raise AssertionError(f"{kind.verb} has a field {name} that no walk fills")

    return kind(**{field.name: value(field.name) for field in fields(kind)})


async def walk(env: WebEnv, tasks: list[Task], rng: random.Random, actions: int) -> set[str]:
    """Do so many actions, in one episode after the other; returns the codes of the errors."""
    codes = set()
    step = None
    cap = env.config.navigation_timeout + env.config.settle_timeout + env.config.action_timeout
    for _ in range(actions):
        if step is None or step.observation is None:
            if step is not None:
                await env.finish()
                await env.release()
            observation = await env.reset(replace(rng.choice(tasks), max_turns=LONG))
        else:
            observation = step.observation
        assert observation.snapshot is not None
        action = any_action(rng, observation.snapshot)
        assert parse_action(format_action(action)) == action
        start = time.monotonic()
        step = await env.step(format_action(action))
        assert time.monotonic() - start < cap, action
        if step.error is not None:
            codes.add(step.error.code)
    await env.finish()
    await env.release()
    return codes


def walks(suite_name: str, seeds: range, actions: int) -> set[str]:
    """Walks one after another; the codes of all errors."""
    suite = load_suite(suite_name)
    tasks = suite.tasks("train", 1)
    codes: set[str] = set()
    with shared(suite=suite_name) as here:
        env = environment(here.stage)
        for seed in seeds:
            codes |= here.run(walk(env, tasks, random.Random(f"{suite_name} {seed}"), actions))
        here.run(env.close())
    return codes


@pytest.mark.parametrize("suite", ["sites", "miniwob"])
def test_a_few_walks_of_any_actions(suite: str) -> None:
    codes = walks(suite, range(4), SHORT)
    assert codes <= HINTS.keys()
    assert len(codes) > 3  # they did meet what goes wrong


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("suite", ["sites", "miniwob"])
def test_a_hundred_walks_of_a_hundred_actions(suite: str) -> None:
    codes = walks(suite, range(50), LONG)
    assert codes <= HINTS.keys()
    assert len(codes) > 15


def test_walks_are_of_every_action() -> None:
    rng = random.Random(0)
    page = Snapshot("", "", ())
    assert {type(any_action(rng, page)) for _ in range(2000)} == set(VERBS)
