"""What the tests of rollouts share: a stage on the fixture suite, and a policy that is meddled with."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.config import CONFIG_FILE, load_config
from harness.context.compress import Compressor
from harness.context.observation import Observation
from harness.env import WebEnv
from harness.rollout.collect import Collector, Episode
from harness.rollout.stage import Stage, open_stage
from harness.tasks.task import Task
from harness.tracing import Tracing
from harness.trajectory import Decision
from policy.base import Policy, Request
from policy.scripted import OraclePolicy
from tests.processes import Process

PROJECT = Path(__file__).parents[2]
SUITE = "tests.fixture_suite"
CONFIG_PATH = PROJECT / CONFIG_FILE
CONFIG = load_config(CONFIG_PATH)


def stage(
    contexts: int = 1, tracing: Tracing | None = None, suite: str = SUITE, **config: Any
) -> AbstractAsyncContextManager[Stage]:
    """A stage on the fixture suite; `config` changes fields of the project's configuration."""
    return open_stage(suite, replace(CONFIG, **config), contexts, 512, tracing)


def environment(stage: Stage) -> WebEnv:
    """An environment on a stage."""
    return WebEnv(stage.browser, stage.collector.origin, Compressor(512))


def collector(stage: Stage, contexts: int = 1) -> Collector:
    """A collector on a stage, with counts of its own."""
    return Collector(stage.browser, stage.collector.origin, Compressor(512), contexts)


@contextmanager
def configured(stage: Stage, **changes: Any) -> Iterator[None]:
    """A stage whose browser is run otherwise for a while."""
    before = stage.browser.config
    stage.browser.config = replace(before, **changes)
    try:
        yield
    finally:
        stage.browser.config = before


class Shared:
    """One stage for the tests of a file: `run` gives the result of a coroutine in its event loop."""

    def __init__(self, runner: asyncio.Runner, stage: Stage) -> None:
        self.run = runner.run
        self.stage = stage


@contextmanager
def shared(contexts: int = 1, tracing: Tracing | None = None, suite: str = SUITE, **config: Any) -> Iterator[Shared]:
    """A stage that is opened and closed outside a coroutine."""
    with asyncio.Runner() as runner:
        here = stage(contexts, tracing, suite, **config)
        opened = runner.run(here.__aenter__())
        try:
            yield Shared(runner, opened)
        finally:
            runner.run(here.__aexit__(None, None, None))


def episodes(tasks: Iterable[Task]) -> list[Episode]:
    """One greedy episode per task."""
    return [Episode(task, greedy=True) for task in tasks]


def ref(observation: Observation, role: str, name: str) -> str:
    """The ref of the only element of a role and a name."""
    (found,) = [element.ref for element in observation.elements if (element.role, element.name) == (role, name)]
    return found


def kill(processes: Iterable[Process], number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to processes, some of which may be gone already."""
    for process in processes:
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            continue


class Meddled:
    """Another policy, with something done before each of its decisions. `decisions` counts them."""

    def __init__(self, inner: Policy | Stage, meddle: Callable[[Request, int], None]) -> None:
        self.inner = OraclePolicy(inner.suite) if isinstance(inner, Stage) else inner
        self.meddle = meddle
        self.decisions = 0
        self.name = f"meddled {self.inner.name}"
        self.reads_snapshot = self.inner.reads_snapshot

    def act(self, requests: Sequence[Request], greedy: bool) -> list[Decision]:
        """The inner policy's decisions."""
        for request in requests:
            self.decisions += 1
            self.meddle(request, self.decisions)
        return self.inner.act(requests, greedy)

    def forget(self, episode: str) -> None:
        """As the inner policy."""
        self.inner.forget(episode)
