"""One update of the policy: behaviour cloning on demonstrations, or M-GRPO on groups of trajectories.

Every turn is its own row, with exactly the observation that was read. Rows are processed in micro-batches whose
gradients add up to the gradient of the whole batch (policy/loss.py). On the first pass over a batch the ratio is
computed against the log-probabilities recomputed at unchanged weights, so that it is 1 up to rounding whatever the
batching of the rollout was; how far the stored ones are from these is reported as `logp_deviation`.

A small policy that was cloned from few demonstrations forgets them within some updates, since each update sees a few
tasks only. So each step also takes the cloning loss on a sample of what is known to be right: the demonstrations, as in
DAPG (Rajeswaran et al. 2018, arXiv 1709.10087), and of each earlier group with a signal one success, as in
self-imitation learning (Oh et al. 2018, arXiv 1806.05635). This is no part of the paper's M-GRPO; `anchor` 0 leaves it
out.

Micro-batches are computed side by side, one thread each, which on few cores is faster than several threads within each
operation. Their gradients are added in order: the result does not depend on the number of threads.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import operator
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from harness.page.grammar import parse_action
from harness.trajectory import Group, Trajectory, mean
from policy.base import derive_seed
from policy.choices import MAX_CHOICES, from_action
from policy.features import Features, featurize
from policy.loss import PolicyLoss, Reduction, cloning_loss, group_advantages, policy_loss, token_weights
from policy.network import Noise
from policy.pointer import PointerPolicy
from policy.vocabulary import VOCABULARY

R = TypeVar("R")


class LearningFailed(RuntimeError):
    """The loss or a gradient is not finite: the weights were left as they were before the step."""


@dataclass
class CloneSettings:
    """Behaviour cloning."""

    epochs: int = 30
    """Passes over the demonstrations."""
    batch: int = 32
    """Turns per optimizer step."""
    lr: float = 2e-3
    """Largest learning rate; it falls to a tenth along a cosine."""
    warmup: float = 0.05
    """Share of the steps in which the learning rate rises from 0."""
    word_dropout: float = 32.0
    """A word that n demonstrations have is unknown in a step with probability word_dropout / (word_dropout + n): what
    few demonstrations have is mostly names, which must not be learnt by heart."""
    dropout: float = 0.1
    """Share of the hidden values that are 0 in each step."""


@dataclass
class GrpoSettings:
    """M-GRPO."""

    lr: float = 3e-4
    """Learning rate."""
    epochs: int = 8
    """Passes over each batch of groups; from the second one on the ratio is clipped."""
    minibatch: int = 64
    """Groups with a signal per optimizer step."""
    clip_low: float = 0.2
    """Lower clip range of the ratio."""
    clip_high: float = 1.0
    """Upper clip range of the ratio; with a small one, what is rare but right could hardly be learnt from a batch."""
    anchor: float = 1.0
    """Coefficient of the cloning loss on demonstrations and on own successes; 0 for the paper's loss alone."""
    anchor_batch: int = 96
    """Turns of the anchor per optimizer step."""
    beta: float = 0.0
    """Coefficient of the KL divergence to the policy after cloning (k3)."""
    entropy: float = 0.0
    """Coefficient of the entropy bonus."""
    reduction: Reduction = "nested"
    """How tokens are weighed; nested is the paper's."""
    max_norm: float = 1.0
    """Gradient norm above which gradients are scaled down."""


MICRO_BATCH = 32  # rows computed at once
CLONE_PARTS = 2  # micro-batches of a batch of cloning
KNOWN_LOSS = 0.02  # a turn whose loss was below this is known: it is seen again only in one of
KNOWN_EVERY = 3  # so many epochs
WORDING_RATE = 0.1  # how often the words of an instruction are dropped that name nothing


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

    @property
    def length(self) -> int:
        """Lines of the page. Rows of like length are computed together, as they are padded to one; the longest first,
        so that the last parts are short and no thread waits for long."""
        return len(self.features.role)


@dataclass
class UpdateReport:
    """What an update did, under the names it is logged by."""

    metrics: dict[str, float] = field(default_factory=dict)


class Learner:
    """Holds the policy, its optimizer and, for a KL term, the reference weights."""

    def __init__(
        self, policy: PointerPolicy, grpo: GrpoSettings, reference: PointerPolicy | None = None, threads: int = 2
    ) -> None:
        self.policy = policy
        self.threads = threads
        self.settings = grpo
        self.reference = reference
        self.anchor: list[Row] = []  # turns that are known to be right
        self.anchor_noise = (torch.zeros(VOCABULARY), 0.0)  # rates of dropped words and hidden values
        self.optimizer = torch.optim.AdamW(policy.network.parameters(), lr=grpo.lr, weight_decay=0.0)

    # Behaviour cloning

    def clone(
        self,
        rows: Sequence[Row],
        settings: CloneSettings,
        seed: int,
        progress: Callable[[int, dict[str, float]], None] | None = None,
    ) -> None:
        """Behaviour cloning with its own optimizer; the order of each epoch derives from (seed, epoch).

        Turns that are known by now come less often: time goes where there is something to learn, as in selective
        backpropagation (Jiang et al. 2019, arXiv 1910.00762), but by a threshold.
        """
        if not rows:
            raise LearningFailed("there is no demonstration to learn from")
        optimizer = torch.optim.AdamW(self.policy.network.parameters(), lr=settings.lr, weight_decay=0.01)
        latest = [math.inf] * len(rows)  # each row's loss when it was seen last
        noise = word_rates(rows, settings.word_dropout), settings.dropout
        for epoch in range(settings.epochs):
            order = [k for k in range(len(rows)) if latest[k] >= KNOWN_LOSS or (k + epoch) % KNOWN_EVERY == 0]
            random.Random(derive_seed(seed, "clone", epoch)).shuffle(order)
            for begin in range(0, len(order), settings.batch):
                _set_rate(optimizer, settings, (epoch + begin / len(order)) / settings.epochs)
                places = sorted(order[begin : begin + settings.batch], key=lambda k: -rows[k].length)
                losses = self._clone_step(
                    optimizer, [rows[k] for k in places], noise, derive_seed(seed, "noise", epoch, begin)
                )
                for k, loss in zip(places, losses, strict=True):
                    latest[k] = loss
            if progress is not None:
                values = {"loss": mean(latest), "lr": optimizer.param_groups[0]["lr"], "share": len(order) / len(rows)}
                progress(epoch, values)

    def _clone_step(
        self, optimizer: torch.optim.Optimizer, rows: Sequence[Row], noise: tuple[Tensor, float], seed: int
    ) -> list[float]:
        """One step on a batch; returns the rows' losses."""
        parts, _ = self._step(optimizer, self._cloning_losses(rows, -(-len(rows) // CLONE_PARTS), seed, noise))
        return list(itertools.chain(*parts))

    def _cloning_losses(
        self, rows: Sequence[Row], size: int, seed: int, rates: tuple[Tensor, float], coefficient: float = 1.0
    ) -> list[Callable[[], tuple[Tensor, list[float]]]]:
        """The cloning loss of a batch in micro-batches of `size` rows, each with its rows' losses."""

        def loss(begin: int) -> tuple[Tensor, list[float]]:
            part = rows[begin : begin + size]
            noise = Noise.draw(derive_seed(seed, begin), *rates)
            features, choices = [row.features for row in part], [row.choices for row in part]
            logp, mask, _ = self.policy.evaluate_choices(features, choices, noise)
            each = -(logp.detach() * mask).sum(-1) / mask.sum(-1)
            return coefficient * cloning_loss(logp, mask) * (len(part) / len(rows)), each.tolist()

        return [partial(loss, begin) for begin in range(0, len(rows), size)]

    # M-GRPO

    def anchor_to(self, rows: Sequence[Row], settings: CloneSettings) -> None:
        """Make demonstrations the anchor of the updates to come, with the noise of the cloning."""
        self.anchor = list(rows)
        self.anchor_noise = (word_rates(rows, settings.word_dropout), settings.dropout)

    def remember(self, groups: Sequence[Group]) -> None:
        """Add to the anchor one success of each group that has failures too; a group that has none teaches nothing."""
        for group in groups:
            successes = [trajectory for trajectory in group.valid if trajectory.reward == 1]
            if 0 < len(successes) < len(group.valid):
                self.anchor += _rows(successes[0], 0, 0.0)

    def update(self, groups: Sequence[Group], seed: int) -> UpdateReport:
        """One M-GRPO update on groups sampled from the present weights.

        Groups without a signal take no part, unless there is a KL term: it holds the policy on them too.
        """
        grouped, statistics = rows_of_groups(groups, silent_too=self.reference is not None)
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
                loss, norm = self._grpo_step(part, derive_seed(seed, "anchor", epoch, begin))
                totals.append(loss)
                norms.append(norm)
        names = totals[0].metrics()
        report.metrics |= {name: sum(total.metrics()[name] for total in totals) / len(totals) for name in names}
        report.metrics["ratio_deviation_first"] = totals[0].ratio_deviation
        report.metrics["grad_norm"] = sum(norms) / len(norms)
        report.metrics["updates"] = len(totals)
        return report

    def _grpo_step(self, rows: Sequence[Row], seed: int) -> tuple[PolicyLoss, float]:
        settings = self.settings
        rows = sorted(rows, key=lambda row: -row.length)
        width = torch.arange(MAX_CHOICES)[None]
        mask = width < torch.tensor([len(row.choices) for row in rows])[:, None]
        weights = token_weights(mask, torch.tensor([row.trajectory for row in rows]), settings.reduction)

        def loss(begin: int) -> tuple[Tensor, PolicyLoss | list[float]]:
            part = rows[begin : begin + MICRO_BATCH]
            logp, real, entropy = self.policy.evaluate_choices(
                [row.features for row in part], [row.choices for row in part]
            )
            found = policy_loss(
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
            return found.loss, dataclasses.replace(found, loss=found.loss.detach())

        works: list[Callable[[], tuple[Tensor, PolicyLoss | list[float]]]] = [
            *(partial(loss, begin) for begin in range(0, len(rows), MICRO_BATCH)),
            *self._anchor_losses(seed),
        ]
        parts, norm = self._step(self.optimizer, works)
        return functools.reduce(operator.add, [part for part in parts if isinstance(part, PolicyLoss)]), norm

    def _anchor_losses(self, seed: int) -> list[Callable[[], tuple[Tensor, list[float]]]]:
        """The cloning loss on a sample of the anchor."""
        if self.settings.anchor == 0.0:
            return []
        sample = random.Random(seed).sample(self.anchor, min(self.settings.anchor_batch, len(self.anchor)))
        sample.sort(key=lambda row: -row.length)
        return self._cloning_losses(sample, MICRO_BATCH, seed, self.anchor_noise, self.settings.anchor)

    @torch.no_grad()
    def _store_old(self, rows: Sequence[Row]) -> None:
        rows = sorted(rows, key=lambda row: -row.length)
        for begin in range(0, len(rows), MICRO_BATCH):
            part = rows[begin : begin + MICRO_BATCH]
            features, choices = [row.features for row in part], [row.choices for row in part]
            old, _, _ = self.policy.evaluate_choices(features, choices)
            reference = self.reference.evaluate_choices(features, choices)[0] if self.reference else None
            for k, row in enumerate(part):
                row.old = old[k]
                row.reference = reference[k] if reference is not None else None

    def _step(
        self, optimizer: torch.optim.Optimizer, losses: Sequence[Callable[[], tuple[Tensor, R]]]
    ) -> tuple[list[R], float]:
        """One optimizer step on the sum of the losses; their results and the norm of the gradient.

        Nothing is changed if the loss or a gradient is not finite.
        """
        parameters = list(self.policy.network.parameters())

        def work(loss: Callable[[], tuple[Tensor, R]]) -> tuple[float, R, tuple[Tensor | None, ...]]:
            value, result = loss()
            return float(value.detach()), result, torch.autograd.grad(value, parameters, allow_unused=True)

        with ThreadPoolExecutor(self.threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            found = list(pool.map(work, losses))
        for place, parameter in enumerate(parameters):
            gradients = [gradient for _, _, all_of_it in found if (gradient := all_of_it[place]) is not None]
            parameter.grad = functools.reduce(operator.add, gradients) if gradients else None
        norm = torch.nn.utils.clip_grad_norm_(parameters, self.settings.max_norm)
        total = sum(value for value, _, _ in found)
        if not bool(norm.isfinite()) or not math.isfinite(total):
            optimizer.zero_grad(set_to_none=True)
            raise LearningFailed(f"the gradient's norm is {float(norm)}, the loss {total}")
        optimizer.step()
        return [result for _, result, _ in found], float(norm)


def word_rates(rows: Sequence[Row], alpha: float) -> Tensor:
    """How often each word is dropped [VOCABULARY]: alpha / (alpha + the number of demonstrations that have it), as for
    rare words in parsers (Kiperwasser and Goldberg 2016, arXiv 1603.04351).

    A word of an instruction that stands on none of the pages is no name of anything, but what says what to do with it:
    such words are dropped as seldom as hidden values.
    """
    seen = torch.zeros(VOCABULARY)
    wording = torch.zeros(VOCABULARY, dtype=torch.bool)
    for _, group in itertools.groupby(rows, key=lambda row: row.trajectory):
        told, shown = (torch.zeros(VOCABULARY, dtype=torch.bool) for _ in range(2))
        for row in group:
            f = row.features
            told[torch.from_numpy(f.intent_ids)] = True
            for ids in (f.own_ids, f.context_ids, f.value_ids, f.past_ids, f.title_ids):
                shown[torch.from_numpy(ids).flatten()] = True
        seen += told | shown
        wording |= told & ~shown
    rates = torch.nan_to_num(alpha / (alpha + seen))
    return torch.where(wording, rates.clamp_max(WORDING_RATE), rates)


def _set_rate(optimizer: torch.optim.Optimizer, settings: CloneSettings, done: float) -> None:
    """The learning rate when this share of the cloning is done: a rise, then a cosine down to a tenth."""
    if done < settings.warmup:
        share = done / settings.warmup
    else:
        share = 0.1 + 0.45 * (1 + math.cos(math.pi * (done - settings.warmup) / (1 - settings.warmup)))
    for group in optimizer.param_groups:
        group["lr"] = settings.lr * share


def rows_of_groups(groups: Sequence[Group], silent_too: bool = False) -> tuple[list[list[Row]], dict[str, float]]:
    """The rows of each group that has a signal, and statistics over all groups.

    A failed trajectory has no vote. All turns of a trajectory share its advantage; a group whose rewards are all equal
    or that has one valid member has no signal: its advantages are 0. It is left out unless `silent_too`.
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
            rows += _rows(trajectory, number, advantage)
        signal = bool((advantages != 0).any())
        silent += not signal
        if rows and (signal or silent_too):
            grouped.append(rows)
    return grouped, {
        "reward": sum(rewards) / max(1, len(rewards)),
        "reward_std": sum(spreads) / max(1, len(spreads)),
        "frac_reward_zero_std": silent / max(1, len(groups)),
        "failed": float(failed),
    }


def _rows(trajectory: Trajectory, number: int, advantage: float) -> list[Row]:
    """The rows of a trajectory that the policy has played."""
    return [
        Row(
            featurize(turn.observation),
            [(choice.kind, choice.index) for choice in turn.decision.choices],
            number,
            advantage,
            tuple(choice.logp for choice in turn.decision.choices),
        )
        for turn in trajectory.turns
    ]


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
            ways = from_action(features, parse_action(turn.decision.action))
            if ways:
                rows.append(Row(features, ways[0], number))
            else:
                missing += 1
    return rows, missing
