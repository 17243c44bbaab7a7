"""`python -m harness.bench`: what a reset and a turn cost, turns per second, and what the compressor keeps.

Speed is measured on the oracles' own runs, without a policy's time, beside what bare Playwright takes on the same
pages in the same run (harness/floor.py). Recall says how often the element that the oracle
is about to act on (or the text that it answers) is in the observation at several token budgets.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.table import Table

from harness.command import CommandError, main_command
from harness.config import load_config
from harness.context.compress import Compressor
from harness.floor import LOOP, floor_rate, floor_times, python_loop
from harness.forms.target import holds, targets_of
from harness.page.snapshot import Snapshot
from harness.rollout.collect import Collector, Episode
from harness.rollout.stage import Stage, open_stage
from harness.tasks.task import Split, Suite, Task
from harness.trajectory import Decision, Trajectory
from policy.base import Request
from policy.scripted import OraclePolicy

FLOOR_REPEATS = 40
FLOOR_TURNS = 160


@dataclass
class BenchSettings:
    """Measures speed and recall over oracle runs."""

    suite: str = "sites"
    """Import string of the suite of tasks."""
    split: Split = "test"
    """Whose tasks are played."""
    per_template: int = 2
    """Tasks per template for the speed, and for the recall."""
    contexts: tuple[int, ...] = (1, 2, 4, 8, 12, 16)
    """Numbers of contexts at which turns per second are measured."""
    budgets: tuple[int, ...] = (128, 256, 512, 1024)
    """Token budgets at which recall is measured."""
    out: Path | None = None
    """File for the figures as JSON."""
    config: Path | None = None
    """The configuration; by default playwright.config.json of the current folder."""


class RecallOracle(OraclePolicy):
    """An oracle that notes, before each of its actions, at which budgets its target was in the observation."""

    def __init__(self, suite: Suite, budgets: Sequence[int]) -> None:
        super().__init__(suite)
        self.compressors = [Compressor(budget) for budget in budgets]
        self.held: Counter[int] = Counter()
        self.turns = 0
        self.missed: list[str] = []
        self._previous: dict[str, Snapshot] = {}

    def act(self, requests: Sequence[Request], greedy: bool = True) -> list[Decision]:
        """As the oracle, with notes."""
        decisions = super().act(requests, greedy)
        for request, decision in zip(requests, decisions, strict=True):
            self._note(request, decision)
        return decisions

    def _note(self, request: Request, decision: Decision) -> None:
        seen = request.observation
        assert seen.snapshot is not None
        previous = self._previous.get(request.episode)
        self._previous[request.episode] = seen.snapshot
        self.turns += 1
        targets = targets_of(decision.action, seen.snapshot)
        for compressor in self.compressors:
            observation = compressor.observe(
                seen.snapshot, previous, seen.intent, seen.history, seen.max_turns, seen.error
            )
            if all(holds(observation, target) for target in targets):
                self.held[compressor.budget] += 1
            else:
                self.missed.append(f"{compressor.budget} tokens: {request.task.id} turn {seen.turn}: {decision.action}")

    def forget(self, episode: str) -> None:
        """Drop what is kept for the episode."""
        super().forget(episode)
        self._previous.pop(episode, None)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, mean and 95th percentile of seconds, as milliseconds."""
    ordered = sorted(values)
    return {
        "median_ms": round(1000 * statistics.median(ordered), 2),
        "mean_ms": round(1000 * statistics.fmean(ordered), 2),
        "p95_ms": round(1000 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2),
        "count": len(ordered),
    }


def parts(trajectories: Sequence[Trajectory]) -> dict[str, dict[str, float]]:
    """The time of a reset and of a turn, part by part. An episode's last action touches no page: it is left out."""
    turns = [turn.timings for trajectory in trajectories for turn in trajectory.turns if "observe" in turn.timings]
    found = {"reset": spread([trajectory.timings["reset"] for trajectory in trajectories])}
    found["turn"] = spread([t["act"] + t["observe"] + t["compress"] for t in turns])
    for name in ("act", "observe", "settle", "walk", "compress"):
        found[name] = spread([t[name] for t in turns])
    return found


async def speed(stage: Stage, tasks: Sequence[Task], contexts: int) -> tuple[float, list[Trajectory]]:
    """Turns per second in all (resets included) with this many contexts, and the trajectories."""
    collector: Collector = dataclasses.replace(stage.collector, contexts=contexts)
    episodes = [Episode(task, greedy=True) for task in tasks]
    start = time.perf_counter()
    trajectories = await collector.collect(OraclePolicy(stage.suite), episodes)
    seconds = time.perf_counter() - start
    return sum(len(trajectory.turns) for trajectory in trajectories) / seconds, trajectories


async def bench(settings: BenchSettings, console: Console) -> dict[str, Any]:
    """Measure and print."""
    if settings.per_template < 1 or not settings.contexts or not settings.budgets:
        raise CommandError("--per-template, --contexts and --budgets must not be empty")
    results: dict[str, Any] = {}
    async with open_stage(settings.suite, load_config(settings.config), 1, max(settings.budgets)) as stage:
        tasks = stage.suite.tasks(settings.split, settings.per_template)
        stage.collector.compressor = Compressor(512)
        home = stage.collector.origin(tasks[0].site) + tasks[0].start_url
        results["python_loop_ms"] = round(1000 * min(python_loop() for _ in range(3)), 1)
        console.print(f"a Python loop of {LOOP:,} additions: {results['python_loop_ms']} ms")
        await speed(stage, tasks[:8], 1)  # the first runs fill caches
        _, trajectories = await speed(stage, tasks, 1)
        bare = await floor_times(stage.browser, home, FLOOR_REPEATS)
        results["one_context"] = parts(trajectories) | {name: spread(times) for name, times in bare.items()}
        table = Table(title=f"one context, {len(trajectories)} oracle runs", title_justify="left")
        for column in ("", "median ms", "mean ms", "95% below ms", "count"):
            table.add_column(column, justify="right" if column else "left")
        for name, row in results["one_context"].items():
            table.add_row(name, *(str(value) for value in row.values()))
        console.print(table)
        results["turns_per_second"] = {}
        for contexts in settings.contexts:
            rate, _ = await speed(stage, tasks, contexts)
            floor = await floor_rate(stage.browser, home, contexts, FLOOR_TURNS)
            results["turns_per_second"][contexts] = {"turns": round(rate, 1), "bare_turns": round(floor, 1)}
            console.print(
                f"{contexts:3d} contexts: {rate:5.1f} turns per second, resets included; "
                f"{floor:5.1f} bare turns per second, without resets"
            )
        oracle = RecallOracle(stage.suite, settings.budgets)
        stage.collector.contexts = 4
        await stage.collector.collect(oracle, [Episode(task, greedy=True) for task in tasks])
        results["recall"] = {budget: oracle.held[budget] / oracle.turns for budget in settings.budgets}
        results["recall_turns"] = oracle.turns
        for budget, share in results["recall"].items():
            console.print(f"{budget:5d} tokens: what the oracle needs is there in {share:.2%} of {oracle.turns} turns")
        for line in [line for line in oracle.missed if line.startswith("512")][:10]:
            console.print(f"  missed at {line}")
    if settings.out is not None:
        settings.out.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    return results


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    settings = tyro.cli(BenchSettings, args=arguments, prog="python -m harness.bench")

    def work() -> None:
        asyncio.run(bench(settings, Console(highlight=False)))

    return main_command(work)


if __name__ == "__main__":
    raise SystemExit(main())
