"""Policies that are not learned: the oracle, a random one, and one that does nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence

from harness.context.observation import Element
from harness.page.action import Action, Answer, Back, Check, Click, GiveUp, Scroll, Select, Type
from harness.page.grammar import format_action
from harness.tasks.task import Oracle, Suite
from harness.trajectory import Decision
from policy.base import Request


class OraclePolicy:
    """Plays each task's own oracle. If the oracle loses its way it gives up, and the decision says why."""

    name = "oracle"
    reads_snapshot = True

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self._runs: dict[str, Oracle] = {}

    def act(self, requests: Sequence[Request], greedy: bool = True) -> list[Decision]:
        """The oracles' next actions."""
        return [self._next(request) for request in requests]

    def _next(self, request: Request) -> Decision:
        snapshot = request.observation.snapshot
        try:
            run = self._runs.get(request.episode)
            if run is None:
                run = self._runs[request.episode] = self.suite.oracle(request.task, snapshot)
                action: Action = next(run)
            else:
                action = run.send(snapshot)
        except StopIteration:
            return Decision(format_action(GiveUp()), note="the oracle ended without an answer")
        except Exception as error:
            # An oracle that does not find its way is a fault of the template: this episode fails, the batch goes on.
            return Decision(format_action(GiveUp()), note=f"{type(error).__name__}: {error}")
        return Decision(format_action(action))

    def forget(self, episode: str) -> None:
        """Drop the episode's oracle."""
        self._runs.pop(episode, None)


class NullPolicy:
    """Ends at once with an empty answer."""

    name = "null"
    reads_snapshot = False

    def act(self, requests: Sequence[Request], greedy: bool = True) -> list[Decision]:
        """An empty answer each."""
        return [Decision(format_action(Answer()))] * len(requests)

    def forget(self, episode: str) -> None:
        """Nothing is kept."""


class RandomPolicy:
    """Takes an action at random among those that the elements in the observation allow."""

    name = "random"
    reads_snapshot = False

    def act(self, requests: Sequence[Request], greedy: bool = False) -> list[Decision]:
        """One random action each, fixed by the request's seed."""
        return [Decision(format_action(self._choose(request))) for request in requests]

    def forget(self, episode: str) -> None:
        """Nothing is kept."""

    @staticmethod
    def _choose(request: Request) -> Action:
        rng = random.Random(request.seed)
        observation = request.observation
        words = observation.intent.split()
        start = rng.randrange(len(words))
        text = " ".join(words[start : start + rng.randint(1, 3)])
        if not observation.elements or rng.random() < 0.1:
            return rng.choice([Back(), Scroll("down"), Answer(""), Answer(text)])
        element = rng.choice(observation.elements)
        return _random_action(element, text, rng)


def _random_action(element: Element, text: str, rng: random.Random) -> Action:
    if element.tag in ("input", "textarea") and element.role in ("textbox", "searchbox", "spinbutton", "combobox"):
        return Type(element.ref, text, rng.random() < 0.5)
    if element.role == "combobox" and element.options:
        return Select(element.ref, rng.choice(element.options))
    if element.role in ("checkbox", "radio", "switch"):
        return Check(element.ref, element.role == "radio" or rng.random() < 0.8)
    if element.role in ("text", "heading", "cell", "status", "definition", "term") and element.name:
        return Answer(element.name) if rng.random() < 0.3 else Click(element.ref)
    return Click(element.ref)
