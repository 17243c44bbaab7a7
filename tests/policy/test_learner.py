"""One update: who has a vote, whose advantage a turn has, and that nothing changes where something is not finite."""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

import policy.learner as module
from harness.context.observation import Element
from harness.page.action import Click
from harness.page.grammar import format_action
from harness.trajectory import Decision, Failure, Group, Trajectory, Turn
from policy.features import featurize
from policy.learner import (
    WORDING_RATE,
    CloneSettings,
    GrpoSettings,
    Learner,
    LearningFailed,
    rows_of_demonstrations,
    rows_of_groups,
    word_rates,
)
from policy.loss import ADVANTAGE_EPS
from policy.pointer import PointerPolicy
from policy.vocabulary import word_id
from tests.policy.pages import FIELDS, FORM, PAGES, SMALL, TABLE, TASK, group, page, played, request

ONE_STEP = {"epochs": 1, "minibatch": 1000}


def weights(policy: PointerPolicy) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in policy.network.state_dict().items()}


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    """Equal bit for bit; NaN equals NaN."""
    return all(torch.equal(value.nan_to_num(7.0), other[name].nan_to_num(7.0)) for name, value in one.items())


def failed(member: int) -> Trajectory:
    """A trajectory that the infrastructure ended after a turn."""
    lost = played(PointerPolicy(SMALL), [FORM], member, None)
    lost.failure, lost.end = Failure("browser_crashed", "gone"), None
    return lost


# Advantages


def test_all_turns_of_a_trajectory_share_its_advantage() -> None:
    rewards = [1, 0, 0, 1, 0]
    grouped, statistics = rows_of_groups([group(PointerPolicy(SMALL), rewards)])
    mean = sum(rewards) / 5
    std = (sum((reward - mean) ** 2 for reward in rewards) / 4) ** 0.5
    expected = [(reward - mean) / (std + ADVANTAGE_EPS) for reward in rewards]
    (rows,) = grouped
    by_trajectory: dict[int, list[float]] = {}
    for row in rows:
        by_trajectory.setdefault(row.trajectory, []).append(row.advantage)
    assert [len(found) for found in by_trajectory.values()] == [1, 2, 3, 4, 5]
    for found, advantage in zip(by_trajectory.values(), expected, strict=True):
        assert found == pytest.approx([advantage] * len(found), rel=1e-5)
    assert statistics["reward"] == pytest.approx(mean)
    assert statistics["reward_std"] == pytest.approx(std)
    assert statistics["frac_reward_zero_std"] == statistics["failed"] == 0.0


def test_a_failed_member_has_no_vote() -> None:
    policy = PointerPolicy(SMALL)
    whole = group(policy, [1, 0, 1])
    with_lost = Group(TASK.id, [whole.trajectories[0], failed(7), *whole.trajectories[1:], failed(8)])
    (expected,), statistics = rows_of_groups([whole])
    (rows,), counted = rows_of_groups([with_lost])
    assert [(row.advantage, row.choices) for row in rows] == [(row.advantage, row.choices) for row in expected]
    assert counted == {**statistics, "failed": 2.0}


@pytest.mark.parametrize("rewards", [[0, 0, 0], [1, 1], [1], []])
def test_a_group_without_a_difference_teaches_nothing(rewards: Sequence[int]) -> None:
    policy = PointerPolicy(SMALL)
    silent = Group(TASK.id, [*group(policy, rewards).trajectories, failed(9)])
    assert rows_of_groups([silent])[0] == []
    learner, before = Learner(policy, GrpoSettings()), weights(policy)
    metrics = learner.update([silent], seed=1).metrics
    assert metrics["frac_reward_zero_std"] == 1.0 and metrics["failed"] == 1.0 and "updates" not in metrics
    assert same(weights(policy), before)


def test_a_silent_group_takes_part_where_a_divergence_holds_the_policy() -> None:
    silent = group(PointerPolicy(SMALL), [1, 1])
    grouped, statistics = rows_of_groups([silent], silent_too=True)
    assert [row.advantage for row in grouped[0]] == [0.0] * 3 and statistics["frac_reward_zero_std"] == 1.0
    far = PointerPolicy(replace(SMALL, seed=8))
    policy = PointerPolicy(SMALL)
    metrics = Learner(policy, GrpoSettings(beta=0.1, **ONE_STEP), far).update([silent], seed=1).metrics
    assert metrics["kl"] > 0 and metrics["updates"] == 1


def test_trajectories_of_different_groups_are_not_mixed_up() -> None:
    policy = PointerPolicy(SMALL)
    grouped, _ = rows_of_groups([group(policy, [1, 0]), group(policy, [0, 0]), group(policy, [0, 1, 0])])
    numbers = [{row.trajectory for row in rows} for rows in grouped]
    assert [len(found) for found in numbers] == [2, 3]
    assert not numbers[0] & numbers[1]


# The update


def updated(
    micro_batch: int, monkeypatch: pytest.MonkeyPatch, **settings: Any
) -> tuple[dict[str, Tensor], dict[str, float]]:
    """The gradient of an update of the whole batch, and its metrics."""
    monkeypatch.setattr(module, "MICRO_BATCH", micro_batch)
    policy = PointerPolicy(SMALL)
    learner = Learner(policy, GrpoSettings(**ONE_STEP, **settings), PointerPolicy(SMALL))
    metrics = learner.update([group(policy, [1, 0, 0, 1]), group(policy, [0, 1])], seed=1).metrics
    return {
        name: value.grad.clone() for name, value in policy.network.named_parameters() if value.grad is not None
    }, metrics


@pytest.mark.parametrize("reduction", ["nested", "flat_turn", "token"])
def test_the_gradient_is_the_same_however_the_batch_is_split(monkeypatch: pytest.MonkeyPatch, reduction: str) -> None:
    settings = {"reduction": reduction, "beta": 0.1, "entropy": 0.01, "max_norm": 1e9}
    one, metrics_one = updated(1, monkeypatch, **settings)
    for micro_batch in (4, 1000):
        other, metrics_other = updated(micro_batch, monkeypatch, **settings)
        assert one.keys() == other.keys()
        largest = max(float(value.abs().max()) for value in one.values())
        for name, value in one.items():
            assert (value - other[name]).abs().max() < 1e-5 * largest, name
        for name, value in metrics_one.items():
            assert metrics_other[name] == pytest.approx(value, abs=1e-5), name


def test_on_policy_the_ratio_is_1_and_the_divergence_0(monkeypatch: pytest.MonkeyPatch) -> None:
    _, metrics = updated(96, monkeypatch, beta=0.1)
    assert metrics["ratio_deviation_first"] == 0.0
    assert metrics["logp_deviation"] < 1e-5
    assert metrics["kl"] == pytest.approx(0.0, abs=1e-6)
    assert metrics["clip_ratio/low_mean"] == metrics["clip_ratio/high_mean"] == 0.0
    assert metrics["updates"] == 1


def test_the_same_update_leads_to_the_same_weights() -> None:
    results = []
    for _ in range(2):
        policy = PointerPolicy(SMALL)
        learner = Learner(policy, GrpoSettings(minibatch=1))
        for step in range(2):
            learner.update([group(policy, [1, 0, 0]), group(policy, [0, 1])], seed=step)
        results.append(weights(policy))
    assert same(*results)


def test_updates_make_what_was_rewarded_more_probable() -> None:
    policy = PointerPolicy(SMALL)
    learner = Learner(policy, GrpoSettings(lr=1e-3))
    batch = group(policy, [1, 0, 0, 1])

    def probability(reward: int) -> float:
        turns = [turn for trajectory in batch.trajectories if trajectory.reward == reward for turn in trajectory.turns]
        with torch.no_grad():
            return float(policy.evaluate(turns)[0].sum(1).mean())

    before = probability(1), probability(0)
    learner.update([batch], seed=1)
    assert probability(1) > before[0] and probability(0) < before[1]


def test_weights_and_optimizer_stay_as_they_were_where_the_loss_is_not_finite() -> None:
    policy = PointerPolicy(SMALL)
    learner = Learner(policy, GrpoSettings())
    learner.update([group(policy, [1, 0])], seed=1)
    batch = group(policy, [1, 0])
    with torch.no_grad():
        policy.network.target_global[0].weight[0, 0] = float("nan")
    before, optimizer = weights(policy), copy.deepcopy(learner.optimizer.state_dict())
    with pytest.raises(LearningFailed):
        learner.update([batch], seed=2)
    assert same(weights(policy), before)
    after = learner.optimizer.state_dict()
    assert after["param_groups"] == optimizer["param_groups"]
    for number, entry in optimizer["state"].items():
        assert all(torch.equal(value, after["state"][number][name]) for name, value in entry.items())
    assert all(parameter.grad is None for parameter in policy.network.parameters())


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_weights_stay_as_they_were_where_an_advantage_is_not_finite(
    monkeypatch: pytest.MonkeyPatch, bad: float
) -> None:
    monkeypatch.setattr(module, "group_advantages", lambda rewards: torch.full_like(rewards, bad))
    policy = PointerPolicy(SMALL)
    before = weights(policy)
    with pytest.raises(LearningFailed):
        Learner(policy, GrpoSettings()).update([group(policy, [1, 0])], seed=1)
    assert same(weights(policy), before)


# Cloning


def demonstration(reward: int, *turns: tuple[Any, str]) -> Trajectory:
    made = [Turn(observation, Decision(action)) for observation, action in turns]
    return Trajectory(TASK.id, TASK.intent, made, end="answered", reward=reward)


DEMONSTRATIONS = (
    demonstration(1, (FORM, 'select(e3, "M")'), (FORM, "check(e4)"), (TABLE, 'answer("$1,249.90")')),
    demonstration(1, (FIELDS, 'type(e2, "Oslo", submit=true)'), (FORM, "click(e77)"), (TABLE, "answer()")),
    demonstration(0, (FORM, "click(e9)")),
)


def test_only_what_succeeded_and_can_be_said_is_cloned() -> None:
    rows, missing = rows_of_demonstrations(DEMONSTRATIONS)
    assert len(rows) == 5 and missing == 1
    assert [row.trajectory for row in rows] == [0, 0, 0, 1, 1]


def test_what_was_demonstrated_is_what_the_policy_then_does() -> None:
    policy = PointerPolicy(SMALL)
    learner = Learner(policy, GrpoSettings())
    rows, _ = rows_of_demonstrations([demonstration(1, (TABLE, "answer()"), (FIELDS, 'type(e2, "Oslo")'))])
    losses: list[float] = []
    learner.clone(rows, CloneSettings(epochs=60, lr=1e-2), 1, lambda _, metrics: losses.append(metrics["loss"]))
    assert losses[-1] < 0.1 * losses[0] and len(losses) == 60
    assert [played_greedy(policy, page) for page in (TABLE, FIELDS)] == ["answer()", 'type(e2, "Oslo")']


def played_greedy(policy: PointerPolicy, observation: Any) -> str:
    return policy.act([request(observation, 1)], greedy=True)[0].action


def test_cloning_twice_leads_to_the_same_weights() -> None:
    results = []
    for _ in range(2):
        policy = PointerPolicy(SMALL)
        Learner(policy, GrpoSettings()).clone(
            rows_of_demonstrations(DEMONSTRATIONS)[0], CloneSettings(epochs=3), seed=5
        )
        results.append(weights(policy))
    assert same(*results)


def test_cloning_nothing_and_cloning_to_nan_are_failures() -> None:
    policy = PointerPolicy(SMALL)
    learner = Learner(policy, GrpoSettings())
    with pytest.raises(LearningFailed, match="no demonstration"):
        learner.clone([], CloneSettings(), seed=1)
    with torch.no_grad():
        policy.network.verb[0].weight[0, 0] = float("nan")
    before = weights(policy)
    with pytest.raises(LearningFailed):
        learner.clone(rows_of_demonstrations(DEMONSTRATIONS)[0], CloneSettings(epochs=1), seed=1)
    assert same(weights(policy), before)


def test_pages_of_every_shape_can_be_cloned_from() -> None:
    turns = [(page, format_action(Click(page.elements[0].ref))) for page in PAGES if page.elements]
    rows, missing = rows_of_demonstrations([demonstration(1, *turns)])
    assert len(rows) + missing == len(turns)
    Learner(PointerPolicy(SMALL), GrpoSettings()).clone(rows, CloneSettings(epochs=1), seed=1)


def test_the_number_of_threads_changes_nothing() -> None:
    results = []
    for threads in (1, 3):
        policy = PointerPolicy(SMALL)
        learner = Learner(policy, GrpoSettings(minibatch=1), threads=threads)
        learner.clone(rows_of_demonstrations(DEMONSTRATIONS)[0], CloneSettings(epochs=3), seed=5)
        learner.update([group(policy, [1, 0, 0]), group(policy, [0, 1])], seed=1)
        results.append(weights(policy))
    assert same(*results)


def test_turns_that_are_known_come_less_often() -> None:
    policy = PointerPolicy(SMALL)
    rows, _ = rows_of_demonstrations([demonstration(1, (TABLE, "answer()"), (FIELDS, 'type(e2, "Oslo")'))])
    shares: list[float] = []
    Learner(policy, GrpoSettings()).clone(
        rows, CloneSettings(epochs=80, lr=1e-2), 1, lambda _, metrics: shares.append(metrics["share"])
    )
    assert shares[0] == 1.0
    assert 0 < sum(shares[-30:]) < 0.6 * 30


def named_links(number: int) -> tuple[Any, str]:
    """A page of links with made-up names, and the action that opens the one that the instruction names."""
    rng = random.Random(number)
    names = ["".join(rng.choice(pair) for pair in ("bdfg", "aeio", "lmnr", "aeio", "stvz")) for _ in range(5)]
    elements = [Element(f"e{k}", "link", name, tag="a") for k, name in enumerate(names, 1)]
    wanted = rng.randrange(5)
    return page(f"Open {names[wanted]}.", elements), f"click(e{wanted + 1})"


def test_what_is_learnt_of_some_names_holds_for_others() -> None:
    policy = PointerPolicy(SMALL)
    rows, _ = rows_of_demonstrations([demonstration(1, named_links(number)) for number in range(24)])
    Learner(policy, GrpoSettings()).clone(rows, CloneSettings(epochs=40, lr=5e-3), 1)
    right = [played_greedy(policy, observation) == action for observation, action in map(named_links, range(100, 150))]
    assert sum(right) >= 48


def test_names_are_hidden_more_often_than_words_that_many_use_or_that_name_nothing() -> None:
    turns = [named_links(number) for number in range(24)]
    rows, _ = rows_of_demonstrations([demonstration(1, turn) for turn in turns])
    rates = word_rates(rows, alpha=8.0)
    name = turns[0][0].elements[0].name
    assert float(rates[word_id(name)]) == pytest.approx(8 / 9)  # one demonstration has it
    assert float(rates[word_id("list")]) == pytest.approx(8 / 32)  # in the title of all of them
    assert float(rates[word_id("open")]) == pytest.approx(WORDING_RATE)  # no page says it
    assert word_rates(rows, alpha=0.0).sum() == 0


# The anchor


def test_an_anchor_keeps_what_was_demonstrated() -> None:
    rows, _ = rows_of_demonstrations([demonstration(1, (TABLE, "answer()"), (FIELDS, 'type(e2, "Oslo")'))])
    losses = {}
    for anchor in (0.0, 1.0):
        policy = PointerPolicy(SMALL)
        learner = Learner(policy, GrpoSettings(lr=1e-2, epochs=4, anchor=anchor))
        learner.clone(rows, CloneSettings(epochs=60, lr=1e-2), 1)
        learner.anchor_to(rows, CloneSettings())
        learner.update([group(policy, [1, 0, 0, 1]), group(policy, [0, 1])], seed=3)
        logp, mask, _ = policy.evaluate_choices([row.features for row in rows], [row.choices for row in rows])
        losses[anchor] = float(-(logp * mask).sum().detach())
    assert losses[1.0] < losses[0.0]


def test_only_successes_of_groups_with_a_signal_are_remembered() -> None:
    policy = PointerPolicy(SMALL)
    learner = Learner(policy, GrpoSettings())
    mixed = group(policy, [0, 1, 1])
    learner.remember([group(policy, [0, 0]), mixed, group(policy, [1, 1]), Group(TASK.id, [failed(0)])])
    assert [row.features for row in learner.anchor] == [
        featurize(turn.observation) for turn in mixed.trajectories[1].turns
    ]


def test_an_anchor_changes_no_update_that_does_without_it() -> None:
    results = []
    for rows in ([], rows_of_demonstrations(DEMONSTRATIONS)[0]):
        policy = PointerPolicy(SMALL)
        learner = Learner(policy, GrpoSettings(anchor=0.0))
        learner.anchor_to(rows, CloneSettings())
        learner.update([group(policy, [1, 0])], seed=1)
        results.append(weights(policy))
    assert same(*results)
