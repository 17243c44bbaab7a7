"""Figures of a set of trajectories: success, cost, context tokens; the same for training and evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.rollout.collect import Collector, Episode
from harness.tasks.task import Task
from harness.trajectory import Trajectory, mean
from policy.base import Policy, derive_seed


@dataclass(frozen=True)
class Figures:
    """Counts and means over episodes that have a reward; `failed` counts those that have none.

    `above_zero` counts those that the page itself gave a score above 0, a laxer success; None where no page scores.
    """

    episodes: int
    successes: int
    failed: int
    mean_turns: float
    tokens_per_turn: float
    invalid_action_rate: float
    truncated: int
    by_template: dict[str, tuple[int, int]]
    above_zero: int | None = None

    @property
    def success(self) -> float:
        """Share of successes."""
        return self.successes / self.episodes if self.episodes else 0.0


def figures(trajectories: Sequence[Trajectory]) -> Figures:
    """The figures of some trajectories; template names are the ids without the seed."""
    valid = [trajectory for trajectory in trajectories if trajectory.reward is not None]
    turns = [turn for trajectory in valid for turn in trajectory.turns]
    by_template: dict[str, tuple[int, int]] = {}
    for trajectory in valid:
        name = trajectory.task_id.rpartition(".")[0]
        won, played = by_template.get(name, (0, 0))
        by_template[name] = (won + (trajectory.reward or 0), played + 1)
    scores = [t.final.score for t in valid if t.final is not None and t.final.score is not None]
    return Figures(
        episodes=len(valid),
        successes=sum(trajectory.reward or 0 for trajectory in valid),
        failed=len(trajectories) - len(valid),
        mean_turns=mean([len(trajectory.turns) for trajectory in valid]),
        tokens_per_turn=mean([turn.observation.tokens for turn in turns]),
        invalid_action_rate=mean([float(turn.error != "") for turn in turns]),
        truncated=sum(trajectory.end == "truncated" for trajectory in valid),
        by_template=dict(sorted(by_template.items())),
        above_zero=sum(score > 0 for score in scores) if scores else None,
    )


async def evaluate_policy(
    collector: Collector, policy: Policy, tasks: Sequence[Task], seed: int, greedy: bool
) -> list[Trajectory]:
    """One episode per task. Seeds derive from (seed, task, "evaluate")."""
    episodes = [Episode(task, 0, derive_seed(seed, task.id, "evaluate"), greedy) for task in tasks]
    return await collector.collect(policy, episodes)
