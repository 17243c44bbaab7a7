"""One update of the policy: behaviour cloning on demonstrations, or M-GRPO on groups of trajectories.

Every turn is its own row, with exactly the observation that was read. Rows are processed in micro-batches whose
gradients add up to the gradient of the whole batch (policy/loss.py). On the first pass over a batch the ratio is
computed against the log-probabilities recomputed at unchanged weights, so that it is exactly 1 whatever the batching of
the rollout was; how far the stored ones are from these is reported as `logp_deviation`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from harness.page.action import parse_action
from harness.trajectory import Group, Trajectory
from policy.base import derive_seed
from policy.choices import MAX_CHOICES, from_action
from policy.features import VOCABULARY, Features, featurize
from policy.loss import PolicyLoss, Reduction, cloning_loss, group_advantages, policy_loss, token_weights
from policy.pointer import PointerPolicy


class LearningFailed(RuntimeError):
    """The loss or a gradient is not finite: the weights were left as they were before the step."""


@dataclass
class CloneSettings:
    """Behaviour cloning."""

    epochs: int = 16
    """Passes over the demonstrations."""
    batch: int = 32
    """Turns per optimizer step."""
    lr: float = 2e-3
    """Largest learning rate; it falls to a tenth along a cosine."""
    warmup: float = 0.05
    """Share of the steps in which the learning rate rises from 0."""
    word_dropout: float = 0.3
    """Share of the vocabulary that is unknown in each step: few demonstrations must not be learnt by their names."""


@dataclass
class GrpoSettings:
    """M-GRPO."""

    lr: float = 5e-4
    """Learning rate."""
    epochs: int = 2
    """Passes over each batch of groups; from the second one on the ratio is clipped."""
    minibatch: int = 4
    """Groups with a signal per optimizer step."""
    clip_low: float = 0.2
    """Lower clip range of the ratio."""
    clip_high: float = 0.2
    """Upper clip range of the ratio."""
    beta: float = 0.0
    """Coefficient of the KL divergence to the policy after cloning (k3)."""
    entropy: float = 0.0
    """Coefficient of the entropy bonus."""
    reduction: Literal["nested", "flat_turn", "token"] = "nested"
    """How tokens are weighed; nested is the paper's."""
    max_norm: float = 1.0
    """Gradient norm above which gradients are scaled down."""


MICRO_BATCH = 96  # rows computed at once


@dataclass
class Row:
    """One turn to learn from: what was read, what was chosen, and whose turn it is."""

    features: Features
    choices: list[tuple[str, int]]
    trajectory: int
    advantage: float = 0.0
    stored: tuple[float, ...] = ()
    old: Tensor | None = None
    reference: Tensor | None = None


@dataclass
class UpdateReport:
    """What an update did, under the names it is logged by."""

    metrics: dict[str, float] = field(default_factory=dict)


class Learner:
    """Holds the policy, its optimizer and, for a KL term, the reference weights."""

    def __init__(self, policy: PointerPolicy, grpo: GrpoSettings, reference: PointerPolicy | None = None) -> None:
        self.policy = policy
        self.settings = grpo
        self.reference = reference
        self.optimizer = torch.optim.AdamW(policy.network.parameters(), lr=grpo.lr, weight_decay=0.0)

    # Behaviour cloning

    def clone(
        self,
        rows: Sequence[Row],
        settings: CloneSettings,
        seed: int,
        progress: Callable[[int, dict[str, float]], None] | None = None,
    ) -> None:
        """Behaviour cloning with its own optimizer; the order of each epoch derives from (seed, epoch)."""
        if not rows:
            raise LearningFailed("there is no demonstration to learn from")
        optimizer = torch.optim.AdamW(self.policy.network.parameters(), lr=settings.lr, weight_decay=0.01)
        per_epoch = -(-len(rows) // settings.batch)
        total = per_epoch * settings.epochs
        warm = max(1, int(settings.warmup * total))

        def rate(step: int) -> float:
            if step < warm:
                return (step + 1) / warm
            done = torch.tensor((step - warm) / max(1, total - warm))
            return float(0.1 + 0.9 * 0.5 * (1 + torch.cos(torch.pi * done)))

        generator = torch.Generator().manual_seed(derive_seed(seed, "words"))
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        for epoch in range(settings.epochs):
            order = list(range(len(rows)))
            random.Random(derive_seed(seed, "clone", epoch)).shuffle(order)
            losses = []
            for begin in range(0, len(order), settings.batch):
                part = [rows[k] for k in order[begin : begin + settings.batch]]
                known = torch.rand(VOCABULARY, generator=generator) >= settings.word_dropout
                self.policy.network.known = known.long()
                logp, mask, _ = self.policy.evaluate_choices(
                    [row.features for row in part], [row.choices for row in part]
                )
                loss = cloning_loss(logp, mask)
                self._step(optimizer, loss.backward, float(loss.detach()))
                schedule.step()
                losses.append(float(loss.detach()))
            self.policy.network.known = None
            if progress is not None:
                progress(epoch, {"loss": sum(losses) / len(losses), "lr": float(schedule.get_last_lr()[0])})

    # M-GRPO

    def update(self, groups: Sequence[Group], seed: int) -> UpdateReport:
        """One M-GRPO update on groups sampled from the present weights. Groups without a signal take no part."""
        grouped, statistics = rows_of_groups(groups)
        report = UpdateReport(statistics)
        if not grouped:
            return report
        rows = [row for group in grouped for row in group]
        self._store_old(rows)
        report.metrics["logp_deviation"] = max(
            float((row.old[: len(row.stored)] - torch.tensor(row.stored)).abs().max())  # type: ignore[index]
            for row in rows
        )
        totals: list[PolicyLoss] = []
        norms: list[float] = []
        for epoch in range(self.settings.epochs):
            order = list(range(len(grouped)))
            random.Random(derive_seed(seed, "update", epoch)).shuffle(order)
            for begin in range(0, len(order), self.settings.minibatch):
                part = [row for k in order[begin : begin + self.settings.minibatch] for row in grouped[k]]
                loss, norm = self._grpo_step(part)
                totals.append(loss)
                norms.append(norm)
        names = totals[0].metrics()
        report.metrics |= {name: sum(total.metrics()[name] for total in totals) / len(totals) for name in names}
        report.metrics["ratio_deviation_first"] = totals[0].ratio_deviation
        report.metrics["grad_norm"] = sum(norms) / len(norms)
        report.metrics["updates"] = len(totals)
        return report

    def _grpo_step(self, rows: Sequence[Row]) -> tuple[PolicyLoss, float]:
        settings = self.settings
        width = torch.arange(MAX_CHOICES)[None]
        mask = width < torch.tensor([len(row.choices) for row in rows])[:, None]
        weights = token_weights(mask, torch.tensor([row.trajectory for row in rows]), _reduction(settings))
        total: PolicyLoss | None = None

        def backward() -> None:
            nonlocal total
            for begin in range(0, len(rows), MICRO_BATCH):
                part = rows[begin : begin + MICRO_BATCH]
                logp, real, entropy = self.policy.evaluate_choices(
                    [row.features for row in part], [row.choices for row in part]
                )
                loss = policy_loss(
                    logp,
                    torch.stack([row.old for row in part]),  # type: ignore[misc]
                    real,
                    torch.tensor([row.advantage for row in part]),
                    weights[begin : begin + MICRO_BATCH],
                    clip_low=settings.clip_low,
                    clip_high=settings.clip_high,
                    reference_logp=torch.stack([row.reference for row in part])  # type: ignore[misc]
                    if self.reference is not None
                    else None,
                    beta=settings.beta if self.reference is not None else 0.0,
                    entropy=entropy,
                    entropy_coefficient=settings.entropy,
                )
                loss.loss.backward()
                loss = PolicyLoss(
                    loss.loss.detach(),
                    loss.clip_low,
                    loss.clip_high,
                    loss.kl,
                    loss.entropy,
                    loss.ratio_deviation,
                )
                total = loss if total is None else total + loss

        norm = self._step(self.optimizer, backward)
        assert total is not None
        if not bool(total.loss.isfinite()):
            raise LearningFailed("the loss is not finite")
        return total, norm

    @torch.no_grad()
    def _store_old(self, rows: Sequence[Row]) -> None:
        for begin in range(0, len(rows), MICRO_BATCH):
            part = rows[begin : begin + MICRO_BATCH]
            features, choices = [row.features for row in part], [row.choices for row in part]
            old, _, _ = self.policy.evaluate_choices(features, choices)
            reference = self.reference.evaluate_choices(features, choices)[0] if self.reference else None
            for k, row in enumerate(part):
                row.old = old[k]
                row.reference = reference[k] if reference is not None else None

    def _step(self, optimizer: torch.optim.Optimizer, backward: Callable[[], None], loss: float = 0.0) -> float:
        """One optimizer step; the norm of the gradient. Nothing is changed if anything is not finite."""
        optimizer.zero_grad(set_to_none=True)
        backward()
        norm = torch.nn.utils.clip_grad_norm_(self.policy.network.parameters(), self.settings.max_norm)
        if not bool(norm.isfinite()) or loss != loss:
            optimizer.zero_grad(set_to_none=True)
            raise LearningFailed(f"the gradient's norm is {float(norm)}, the loss {loss}")
        optimizer.step()
        return float(norm)


def _reduction(settings: GrpoSettings) -> Reduction:
    return settings.reduction


def rows_of_groups(groups: Sequence[Group]) -> tuple[list[list[Row]], dict[str, float]]:
    """The rows of each group that has a signal, and statistics over all groups.

    A failed trajectory has no vote. All turns of a trajectory share its advantage; a group whose rewards are all equal
    or that has one valid member teaches nothing and is left out.
    """
    grouped: list[list[Row]] = []
    rewards: list[float] = []
    spreads: list[float] = []
    number = silent = failed = 0
    for group in groups:
        valid = group.valid
        failed += len(group.trajectories) - len(valid)
        mine = torch.tensor([float(trajectory.reward or 0) for trajectory in valid])
        rewards += mine.tolist()
        spreads.append(float(mine.std()) if len(mine) > 1 else 0.0)
        advantages = group_advantages(mine)
        rows = []
        for trajectory, advantage in zip(valid, advantages.tolist(), strict=True):
            number += 1
            rows += [
                Row(
                    featurize(turn.observation),
                    [(choice.kind, choice.index) for choice in turn.decision.choices],
                    number,
                    advantage,
                    tuple(choice.logp for choice in turn.decision.choices),
                )
                for turn in trajectory.turns
                if advantage != 0.0
            ]
        if rows:
            grouped.append(rows)
        else:
            silent += 1
    return grouped, {
        "reward": sum(rewards) / max(1, len(rewards)),
        "reward_std": sum(spreads) / max(1, len(spreads)),
        "frac_reward_zero_std": silent / max(1, len(groups)),
        "failed": float(failed),
    }


def rows_of_demonstrations(trajectories: Sequence[Trajectory]) -> tuple[list[Row], int]:
    """Rows for cloning from successful trajectories, and how many of their turns can't be said in the policy's choices
    (what they act on is not in the observation)."""
    rows: list[Row] = []
    missing = 0
    for number, trajectory in enumerate(trajectories):
        if trajectory.reward != 1:
            continue
        for turn in trajectory.turns:
            features = featurize(turn.observation)
            choices = from_action(features, parse_action(turn.decision.action))
            if choices is None:
                missing += 1
            else:
                rows.append(Row(features, choices, number))
    return rows, missing
