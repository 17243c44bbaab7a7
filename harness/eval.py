"""`python -m harness.eval`: plays a policy on unseen tasks and prints success, cost, context and parallelism."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from harness.command import CommandError, main_command
from harness.config import Record, load_config
from harness.rollout.measure import Figures, evaluate_policy, figures
from harness.rollout.stage import Stage, open_stage
from harness.runs import write_trajectories
from harness.statistics import wilson_interval
from harness.tasks.task import Split, Suite, Task, load_suite
from harness.tracing import Tracing
from policy.base import Policy
from policy.checkpoint import CheckpointError, load_checkpoint, restore
from policy.network import PointerSettings
from policy.pointer import PointerPolicy
from policy.scripted import NullPolicy, OraclePolicy, RandomPolicy

TOKENS = 512  # of page text per observation, where neither the command line nor a checkpoint says


@dataclass
class EvalSettings:
    """Evaluates a policy."""

    policy: str
    """oracle, random, null, or the folder of a checkpoint."""
    episodes: int = 120
    """Number of tasks, spread evenly over the templates of the split."""
    seed: int = 42
    """Chooses the tasks and everything random about the play."""
    split: Split = "test"
    """train, test (unseen worlds) or heldout (unseen templates). An oracle plays the templates that have one."""
    task: str | None = None
    """Play only the task of this id, such as shop.add_to_cart.1000042."""
    suite: str = "sites"
    """Import string of the suite of tasks; a name alone is one of the project's own, such as miniwob."""
    contexts: int = 8
    """Browser contexts in parallel."""
    budget: int | None = None
    """Tokens of page text per observation; by default 512, or what the checkpoint was trained with."""
    trace: Record | None = None
    """Write a Playwright trace per trajectory; by default as the configuration says."""
    out: Path | None = None
    """Folder for the trajectories, the figures as JSON, and the traces."""
    config: Path | None = None
    """The configuration; by default playwright.config.json of the current folder."""


def load_policy(name: str, suite: Suite) -> tuple[Policy, int | None]:
    """The policy of a name or checkpoint folder, and the token budget that it was trained with, if any."""
    if name == "oracle":
        return OraclePolicy(suite), None
    if name == "random":
        return RandomPolicy(), None
    if name == "null":
        return NullPolicy(), None
    path = Path(name)
    if not path.exists():
        raise CommandError(f"unknown policy {name!r}: neither oracle, random nor null, nor a checkpoint's folder")
    checkpoint = load_checkpoint(path)
    try:
        policy = PointerPolicy(PointerSettings(**checkpoint.state["policy"]))
        budget = int(checkpoint.state["budget"])
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path}: is no checkpoint of the small policy ({error})") from error
    restore(checkpoint, policy.network)
    return policy, budget


def choose_tasks(settings: EvalSettings, suite: Suite) -> list[Task]:
    """The tasks to play: the templates take turns; the seed says where in the split they begin."""
    if settings.task is not None:
        return [suite.task(settings.task)]
    names = suite.templates(settings.split)
    if settings.policy == "oracle":
        names = tuple(name for name in names if suite.has_oracle(name))
    if not names:
        raise CommandError(f"suite {settings.suite!r} has no templates in the split {settings.split}")
    per_template = -(-settings.episodes // len(names))
    tasks = [
        task
        for task in suite.tasks(settings.split, per_template, offset=1_000 * settings.seed)
        if task.template in names
    ]
    return [tasks[k * per_template + j] for j in range(per_template) for k in range(len(names))][: settings.episodes]


async def play(
    settings: EvalSettings, policy: Policy, tasks: Sequence[Task], stage: Stage, console: Console
) -> dict[str, Figures]:
    """The figures by mode; scripted policies have one mode, learned ones are played greedy and sampled."""
    modes = ("greedy", "sampled") if isinstance(policy, PointerPolicy) else ("scripted",)
    results: dict[str, Figures] = {}
    for mode in modes:
        with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
            bar = progress.add_task(f"{policy.name}, {mode}", total=len(tasks))
            stage.collector.progress = lambda _, progress=progress, bar=bar: progress.advance(bar)
            trajectories = await evaluate_policy(stage.collector, policy, tasks, settings.seed, greedy=mode == "greedy")
        results[mode] = figures(trajectories)
        if settings.out is not None:
            write_trajectories(settings.out / f"{mode}.jsonl.gz", trajectories)
        for trajectory in trajectories:
            if trajectory.failure is not None or (policy.name == "oracle" and trajectory.reward != 1):
                console.print(f"{trajectory.task_id}: {trajectory.failure or trajectory.reason}")
    return results


def table(policy: str, settings: EvalSettings, results: dict[str, Figures]) -> Table:
    """The figures for a person."""
    rows = Table(
        title=f"{policy} on {settings.split}, {len(results)} mode(s), seed {settings.seed}", title_justify="left"
    )
    rows.add_column("")
    for mode in results:
        rows.add_column(mode, justify="right")

    def add(name: str, values: list[str]) -> None:
        rows.add_row(name, *values)

    found = list(results.values())
    add("joint success", [f"{f.success:.1%} ({f.successes} of {f.episodes})" for f in found])
    if any(f.above_zero is not None for f in found):
        add("page's score above 0", [f"{f.above_zero or 0} of {f.episodes}" for f in found])
    bounds = [wilson_interval(f.successes, f.episodes) for f in found]
    add("95% interval", [f"{low:.1%} to {high:.1%}" for low, high in bounds])
    add("average cost (turns)", [f"{f.mean_turns:.2f}" for f in found])
    add("context tokens per turn", [f"{f.tokens_per_turn:.0f}" for f in found])
    add("parallel groups", [str(min(settings.contexts, f.episodes + f.failed)) for f in found])
    add("invalid actions", [f"{f.invalid_action_rate:.1%}" for f in found])
    add("truncated", [str(f.truncated) for f in found])
    add("failed (no reward)", [str(f.failed) for f in found])
    return rows


async def evaluate(settings: EvalSettings, console: Console) -> dict[str, Figures]:
    """Play and print; the figures by mode."""
    if settings.episodes < 1 or settings.contexts < 1 or settings.seed < 0:
        raise CommandError("--episodes and --contexts must be at least 1, and --seed at least 0")
    config = load_config(settings.config)
    suite = load_suite(settings.suite)
    policy, budget = load_policy(settings.policy, suite)
    tasks = choose_tasks(settings, suite)
    out = settings.out
    if out is not None:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out} is not empty: choose another --out")
        out.mkdir(parents=True, exist_ok=True)
    tracing = Tracing(settings.trace or config.trace, (out or config.output_dir) / "traces", config.video)
    size = settings.budget or budget or TOKENS
    async with open_stage(settings.suite, config, settings.contexts, size, tracing) as stage:
        results = await play(settings, policy, tasks, stage, console)
    console.print(table(policy.name, settings, results))
    if tracing.on:
        console.print(f"traces: {tracing.folder} (open one with: playwright show-trace FILE)")
    if out is not None:
        data: dict[str, Any] = {mode: dataclasses.asdict(found) for mode, found in results.items()}
        (out / "figures.json").write_text(json.dumps(data, indent=2) + "\n", "utf-8")
    return results


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    settings = tyro.cli(EvalSettings, args=arguments, prog="python -m harness.eval")
    console = Console(highlight=False)

    def work() -> None:
        asyncio.run(evaluate(settings, console))

    return main_command(work)


if __name__ == "__main__":
    raise SystemExit(main())
