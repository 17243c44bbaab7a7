"""`python -m harness.train`: a small policy from nothing, warmed up by behaviour cloning, improved by M-GRPO.

The stages: demonstrations by the oracles, cloning, then iterations of (groups of trajectories in parallel browser
contexts, one update). Success on unseen tasks is measured before cloning, after it, and after M-GRPO.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from harness.chromium import find_chromium
from harness.command import CommandError, main_command
from harness.config import Record, load_config
from harness.report import write_report
from harness.rollout.collect import Episode
from harness.rollout.measure import Figures, evaluate_policy, figures
from harness.rollout.stage import Stage, open_stage
from harness.runs import Run
from harness.statistics import wilson_interval
from harness.tasks.task import Split, Task, load_suite
from harness.tracing import Tracing
from harness.trajectory import Group, Trajectory, mean
from policy.base import derive_seed
from policy.checkpoint import load_checkpoint, restore, save_checkpoint
from policy.learner import CloneSettings, GrpoSettings, Learner, LearningFailed, rows_of_demonstrations
from policy.network import PointerSettings
from policy.pointer import PointerPolicy
from policy.scripted import OraclePolicy

T = TypeVar("T")
FIRST_LEARNING_SEED = 10_000  # train tasks below it are demonstrated, from it on they are played by the policy


@dataclass
class TrainSettings:
    """Trains the small policy and writes runs/NAME with report.html."""

    name: str = "shop"
    """Name of the run; its folder is RUNS/NAME."""
    runs: Path = Path("runs")
    """Folder of all runs."""
    suite: str = "sites"
    """Import string of the suite of tasks."""
    seed: int = 0
    """Seed of everything random in the run."""
    demonstrations: int = 5
    """Oracle runs per template to clone from."""
    iterations: int = 5
    """Iterations of M-GRPO."""
    groups: int = 14
    """Groups (tasks) per iteration."""
    group_size: int = 8
    """Trajectories per group."""
    contexts: int = 6
    """Browser contexts in parallel."""
    budget: int = 512
    """Tokens of page text per observation."""
    eval_test: int = 3
    """Test tasks per template in the evaluations; one before cloning."""
    eval_heldout: int = 5
    """Held-out tasks per template in the evaluations; one before cloning."""
    eval_sampled: bool = False
    """Evaluate with sampled choices too, not only with the most probable ones."""
    threads: int = 2
    """Threads of an update; they change its time, not its result."""
    trace: Record | None = None
    """Write a Playwright trace per trajectory; by default as the configuration says."""
    config: Path | None = None
    """The configuration; by default playwright.config.json of the current folder."""
    policy: PointerSettings = field(default_factory=PointerSettings)
    clone: CloneSettings = field(default_factory=CloneSettings)
    grpo: GrpoSettings = field(default_factory=GrpoSettings)
    resume: bool = False
    """Go on with the run where it stopped."""
    overwrite: bool = False
    """Replace a run of the same name."""

    def stored(self) -> dict[str, Any]:
        """What a resumed run must agree on: all that changes results."""
        data = dataclasses.asdict(self)
        for name in ("resume", "overwrite", "runs", "config", "trace"):
            del data[name]
        return data


class Training:
    """The stages of one run. `state` is what a checkpoint keeps besides weights and optimizer."""

    def __init__(self, settings: TrainSettings, stage: Stage, run: Run, console: Console) -> None:
        self.settings = settings
        self.stage = stage
        self.run = run
        self.console = console
        self.policy = PointerPolicy(
            dataclasses.replace(settings.policy, seed=derive_seed(settings.seed, "weights") % 2**31)
        )
        reference = PointerPolicy(self.policy.settings) if settings.grpo.beta else None
        self.learner = Learner(self.policy, settings.grpo, reference, settings.threads)
        self.state: dict[str, Any] = {"cloned": False, "iteration": 0, "success": {}}
        self.cancelled = False

    async def all(self) -> None:
        """Run what has not been run yet."""
        last = self.run.checkpoint("last")
        if self.settings.resume and last.exists():
            self.state = restore(load_checkpoint(last), self.policy.network, self.learner.optimizer)["training"]
            self.run.forget_after("mgrpo", self.state["iteration"])
            self.anchor_again()
            self.console.print(f"resumed at iteration {self.state['iteration']}")
        if not self.state["cloned"]:
            await self.evaluate("before cloning", most=1)
            await self.clone()
            self.state["cloned"] = True
            self.save("last")
            self.save("clone")
        if self.state["iteration"] == 0:
            await self.evaluate("after cloning")
        if self.learner.reference is not None:
            restore(load_checkpoint(self.run.checkpoint("clone")), self.learner.reference.network)
        while self.state["iteration"] < self.settings.iterations:
            await self.iterate()
            self.save("last")
        await self.evaluate("after M-GRPO")

    def save(self, name: str) -> None:
        """Write a checkpoint."""
        state = {"policy": self.policy.settings_dict(), "training": self.state, "budget": self.settings.budget}
        save_checkpoint(self.run.checkpoint(name), self.policy.network, self.learner.optimizer, state)

    async def evaluate(self, stage: str, most: int | None = None) -> None:
        """Success on the test and held-out tasks, at most `most` per template; what is there is not played again."""
        iteration = self.state["iteration"]  # a run that goes on further is evaluated again at its new end
        done = {
            (line["stage"], line["split"], line["mode"])
            for line in self.run.evaluations()
            if line["iteration"] == iteration
        }
        splits: tuple[tuple[Split, int], ...] = (
            ("test", self.settings.eval_test),
            ("heldout", self.settings.eval_heldout),
        )
        for split, count in splits:
            tasks = self.stage.suite.tasks(split, min(count, most or count))
            for mode in ("greedy", "sampled") if self.settings.eval_sampled else ("greedy",):
                if (stage, split, mode) in done or not tasks:
                    continue
                with self.progress(f"{stage}: {split}, {mode}", len(tasks)):
                    trajectories = await evaluate_policy(
                        self.stage.collector, self.policy, tasks, self.settings.seed, mode == "greedy"
                    )
                found = figures(trajectories)
                self.run.trajectories(f"{stage.replace(' ', '-')}-{split}-{mode}", trajectories)
                self.run.evaluation(
                    {"stage": stage, "split": split, "mode": mode, "iteration": iteration, **dataclasses.asdict(found)}
                )
                self.console.print(f"  {stage}, {split}, {mode}: {shown(found)}")

    async def clone(self) -> None:
        """Demonstrations by the oracles, then behaviour cloning."""
        settings = self.settings
        suite = self.stage.suite
        tasks = suite.tasks("train", settings.demonstrations, offset=100 * settings.seed)
        tasks = [task for task in tasks if suite.has_oracle(task.template)]
        with self.progress("demonstrations", len(tasks)):
            oracle = OraclePolicy(self.stage.suite)
            episodes = [Episode(task, greedy=True) for task in tasks]
            trajectories = await self.stage.collector.collect(oracle, episodes)
        self.run.trajectories("demonstrations", trajectories)
        lost = [trajectory for trajectory in trajectories if trajectory.reward != 1]
        for trajectory in lost:
            self.console.print(
                f"  the oracle of {trajectory.task_id} failed: {trajectory.failure or trajectory.reason}"
            )
        rows, missing = rows_of_demonstrations(trajectories)
        self.console.print(
            f"  {len(trajectories) - len(lost)} demonstrations, {len(rows)} turns; "
            f"{missing} turns act on what the observation does not hold"
        )
        with Progress(
            *_columns(), console=self.console, transient=True, disable=not self.console.is_terminal
        ) as progress:
            bar = progress.add_task("cloning", total=settings.clone.epochs)

            def advance(epoch: int, metrics: dict[str, float]) -> None:
                if self.cancelled:
                    raise LearningFailed("cloning was stopped")
                progress.update(bar, completed=epoch + 1, description=f"cloning, loss {metrics['loss']:.3f}")
                self.run.metrics("clone", epoch, metrics)

            await self.learn(lambda: self.learner.clone(rows, settings.clone, settings.seed, advance))
        self.learner.anchor_to(rows, settings.clone)

    def anchor_again(self) -> None:
        """What an update is anchored to, from the trajectories that the run has stored."""
        if not self.state["cloned"] or not self.settings.grpo.anchor:
            return
        rows, _ = rows_of_demonstrations(self.run.stored_trajectories("demonstrations"))
        self.learner.anchor_to(rows, self.settings.clone)
        for iteration in range(1, self.state["iteration"] + 1):
            played = self.run.stored_trajectories(f"iteration-{iteration:04d}")
            size = self.settings.group_size
            parts = [played[begin : begin + size] for begin in range(0, len(played), size)]
            self.learner.remember([Group(part[0].task_id, part) for part in parts])

    async def learn(self, work: Callable[[], T]) -> T:
        """Work of the learner, in a thread so that Ctrl-C is heard."""
        try:
            return await asyncio.to_thread(work)
        except asyncio.CancelledError:
            self.cancelled = True  # a thread can't be cancelled: it is asked to stop
            raise

    def draw_tasks(self, iteration: int) -> list[Task]:
        """The tasks of an iteration: templates that are neither always nor never solved come up more often.

        Everything follows from (run seed, iteration) and the successes so far, which a checkpoint keeps.
        """
        names = self.stage.suite.templates("train")
        rng = random.Random(derive_seed(self.settings.seed, "tasks", iteration))
        weights = []
        for name in names:
            rate = self.state["success"].get(name, 0.5)
            weights.append(0.04 + rate * (1.0 - rate))
        chosen: list[str] = []
        while len(chosen) < self.settings.groups:
            left = [k for k, name in enumerate(names) if name not in chosen or len(names) <= len(chosen)]
            chosen.append(names[rng.choices(left, [weights[k] for k in left])[0]])
        first = FIRST_LEARNING_SEED + 1_000 * (self.settings.seed % 900)
        return [self.stage.suite.draw(name, first + rng.randrange(1_000_000 - first)) for name in chosen]

    async def iterate(self) -> None:
        """One iteration: groups from the present weights, one update."""
        iteration = self.state["iteration"] + 1
        tasks = self.draw_tasks(iteration)
        seed = derive_seed(self.settings.seed, "rollout", iteration)
        start = time.perf_counter()
        with self.progress(f"iteration {iteration}", len(tasks) * self.settings.group_size):
            groups = await self.stage.collector.groups(self.policy, tasks, self.settings.group_size, seed)
        played = time.perf_counter()
        report = await self.learn(lambda: self.learner.update(groups, derive_seed(self.settings.seed, iteration)))
        self.learner.remember(groups)
        trajectories = [trajectory for group in groups for trajectory in group.trajectories]
        found = figures(trajectories)
        for group in groups:
            name = group.task_id.rpartition(".")[0]
            if group.valid:
                rate = mean([float(trajectory.reward or 0) for trajectory in group.valid])
                self.state["success"][name] = 0.5 * self.state["success"].get(name, rate) + 0.5 * rate
        self.state["iteration"] = iteration
        turns = sum(len(trajectory.turns) for trajectory in trajectories)
        values = {
            **report.metrics,
            "num_turns": found.mean_turns,
            "invalid_action_rate": found.invalid_action_rate,
            "tokens_per_turn": found.tokens_per_turn,
            "turns_per_second": turns / (played - start),
            "step_time/rollout": played - start,
            "step_time/update": time.perf_counter() - played,
        }
        self.run.metrics("mgrpo", iteration, values)
        self.run.trajectories(f"iteration-{iteration:04d}", trajectories)
        self.console.print(
            f"  iteration {iteration}/{self.settings.iterations}: reward {values['reward']:.2f}, "
            f"{values['num_turns']:.1f} turns, no signal in {values['frac_reward_zero_std']:.0%} of groups, "
            f"{values['turns_per_second']:.0f} turns/s, {values['step_time/rollout']:.1f} s + "
            f"{values['step_time/update']:.1f} s"
        )

    def progress(self, text: str, total: int) -> _Bar:
        """A bar that counts finished episodes."""
        return _Bar(self, text, total)


class _Bar:
    def __init__(self, training: Training, text: str, total: int) -> None:
        self._training = training
        self._progress = Progress(
            *_columns(), console=training.console, transient=True, disable=not training.console.is_terminal
        )
        self._bar = self._progress.add_task(text, total=total)

    def __enter__(self) -> None:
        self._progress.start()
        self._training.stage.collector.progress = self._advance

    def _advance(self, trajectory: Trajectory) -> None:
        self._progress.advance(self._bar)

    def __exit__(self, *error: object) -> None:
        self._training.stage.collector.progress = None
        self._progress.stop()


def _columns() -> tuple[TextColumn | BarColumn | MofNCompleteColumn | TimeElapsedColumn, ...]:
    return TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()


def shown(found: Figures) -> str:
    """Success with its interval, in words."""
    low, high = wilson_interval(found.successes, found.episodes)
    failed = f", {found.failed} failed" if found.failed else ""
    return (
        f"{found.success:.1%} of {found.episodes} (95% interval {low:.1%} to {high:.1%}), "
        f"{found.mean_turns:.1f} turns{failed}"
    )


async def train(settings: TrainSettings, console: Console) -> Path:
    """Run or resume a training; returns the path of its report."""
    if settings.resume and settings.overwrite:
        raise CommandError("--resume and --overwrite exclude each other")
    if not settings.policy.temperature > 0:
        raise CommandError(f"--policy.temperature must be above 0, not {settings.policy.temperature:g}")
    if not 0 <= settings.clone.dropout < 1:
        raise CommandError(f"--clone.dropout must be at least 0 and below 1, not {settings.clone.dropout:g}")
    if not settings.clone.word_dropout >= 0:
        raise CommandError(f"--clone.word-dropout must be at least 0, not {settings.clone.word_dropout:g}")
    config = load_config(settings.config)
    load_suite(settings.suite)  # what would stop the run at once must not leave a folder behind
    find_chromium(config)
    run = Run(settings.runs / settings.name, settings.stored(), settings.resume, settings.overwrite)
    try:
        tracing = Tracing(settings.trace or config.trace, run.folder / "traces", config.video)
        async with open_stage(settings.suite, config, settings.contexts, settings.budget, tracing) as stage:
            await Training(settings, stage, run, console).all()
    finally:
        run.close()
        report = write_report(run.folder)
    return report


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    settings = tyro.cli(TrainSettings, args=arguments, prog="python -m harness.train")
    console = Console(highlight=False)
    start = time.time()

    def work() -> None:
        report = asyncio.run(train(settings, console))
        console.print(f"done in {(time.time() - start) / 60:.1f} minutes; the report: {report}")

    return main_command(work, f"stopped; go on with: python -m harness.train --name {settings.name} --resume")


if __name__ == "__main__":
    raise SystemExit(main())
