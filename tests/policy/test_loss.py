"""The advantages and losses: golden numbers, and the properties that hold for any batch."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from policy.loss import PolicyLoss, Reduction, cloning_loss, group_advantages, policy_loss, token_weights

FIXTURE = Path(__file__).parents[1] / "fixtures" / "loss_fixture.json"
REDUCTIONS: tuple[Reduction, ...] = ("nested", "flat_turn", "token")


@dataclass
class Batch:
    """Turns as rows, in float64."""

    logp: Tensor
    old: Tensor
    ref: Tensor
    mask: Tensor
    trajectory: Tensor
    advantages: Tensor

    def weights(self, reduction: Reduction = "nested") -> Tensor:
        return token_weights(self.mask, self.trajectory, reduction)

    def loss(self, weights: Tensor | None = None, rows: slice = slice(None), **settings: Any) -> PolicyLoss:
        """The loss of some rows; with `beta`, the KL term too."""
        if settings.get("beta"):
            settings["reference_logp"] = self.ref[rows]
        weights = self.weights() if weights is None else weights
        return policy_loss(
            self.logp[rows], self.old[rows], self.mask[rows], self.advantages[rows], weights[rows], **settings
        )


def golden() -> tuple[Batch, dict[str, Any]]:
    """The fixture with each turn's positions as a row of their own, and what is expected of it."""
    data = json.loads(FIXTURE.read_text())
    rows = [(i, turn) for i, turns in enumerate(data["turns"]) for turn in turns]
    width = max(len(turn) for _, turn in rows)

    def as_rows(name: str) -> Tensor:
        padded = [[data[name][i][t] for t in turn] + [math.nan] * (width - len(turn)) for i, turn in rows]
        return torch.tensor(padded, dtype=torch.float64)

    trajectory = torch.tensor([i for i, _ in rows])
    advantages = group_advantages(torch.tensor(data["rewards"], dtype=torch.float64))[trajectory]
    mask = torch.tensor([[t < len(turn) for t in range(width)] for _, turn in rows])
    batch = Batch(as_rows("logp"), as_rows("old"), as_rows("ref"), mask, trajectory, advantages)
    return batch, data["expected"]


def random_batch(seed: int = 0) -> Batch:
    """12 turns of up to 5 tokens, in 4 trajectories of unequal length; log-ratios beyond both clip bounds."""
    generator = torch.Generator().manual_seed(seed)

    def draw(scale: float) -> Tensor:
        return scale * torch.randn(12, 5, generator=generator, dtype=torch.float64)

    logp = -draw(1).abs() - 0.1
    mask = torch.rand(12, 5, generator=generator) < 0.7
    mask[:, 0] = True
    trajectory = torch.tensor([7, 7, 7, 7, 7, 7, 2, 2, 2, 5, 5, 0])
    rewards = {7: 1.0, 2: 0.0, 5: 0.0, 0: 1.0}
    values = group_advantages(torch.tensor(list(rewards.values()), dtype=torch.float64))
    of = dict(zip(rewards, values, strict=True))
    advantages = torch.stack([of[int(t)] for t in trajectory])
    return Batch(logp, logp + draw(0.3), logp + draw(0.3), mask, trajectory, advantages)


def gradient(batch: Batch, **settings: Any) -> tuple[PolicyLoss, Tensor]:
    """The loss and its gradient with respect to logp."""
    batch.logp = batch.logp.detach().requires_grad_()
    result = batch.loss(**settings)
    result.loss.backward()
    assert batch.logp.grad is not None
    return result, batch.logp.grad


@pytest.mark.parametrize(
    ("name", "reduction", "beta"),
    [
        ("nested_mean", "nested", 0.0),
        ("nested_mean_beta_0.04", "nested", 0.04),
        ("flat_turn_mean", "flat_turn", 0.0),
        ("token_mean", "token", 0.0),
    ],
)
def test_the_loss_gives_the_golden_numbers(name: str, reduction: Reduction, beta: float) -> None:
    batch, expected = golden()
    loss = batch.loss(batch.weights(reduction), beta=beta).loss
    assert loss.item() == pytest.approx(expected[name], abs=1e-6)


def test_the_advantages_give_the_golden_numbers() -> None:
    data = json.loads(FIXTURE.read_text())
    advantages = group_advantages(torch.tensor(data["rewards"]))
    assert advantages.tolist() == pytest.approx(data["expected"]["advantages"], abs=1e-6)


@pytest.mark.parametrize("rewards", [[1.0], [0.0], [1.0, 1.0], [0.0] * 8, [0.1, 0.1, 0.1], []])
def test_a_group_without_difference_has_no_advantage(rewards: list[float]) -> None:
    assert group_advantages(torch.tensor(rewards)).tolist() == [0.0] * len(rewards)


@pytest.mark.parametrize("rewards", [torch.tensor([1.0, math.nan]), torch.zeros(2, 2)])
def test_rewards_that_are_no_group_are_an_error(rewards: Tensor) -> None:
    with pytest.raises(ValueError, match="rewards"):
        group_advantages(rewards)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_weights_sum_to_one_and_are_zero_where_masked(reduction: Reduction) -> None:
    batch = random_batch()
    weights = batch.weights(reduction)
    assert weights.sum().item() == pytest.approx(1, abs=1e-6)
    assert not weights[~batch.mask].any()


def test_nested_weights_are_equal_per_trajectory_then_per_turn_then_per_token() -> None:
    mask = torch.tensor([[True, True], [True, False], [True, True]])
    trajectory = torch.tensor([9, 9, 4])
    expected = [[1 / 8, 1 / 8], [1 / 4, 0], [1 / 4, 1 / 4]]
    assert torch.allclose(token_weights(mask, trajectory), torch.tensor(expected))
    assert torch.allclose(token_weights(mask, None, "flat_turn").sum(1), torch.full((3,), 1 / 3))
    assert torch.allclose(token_weights(mask, None, "token"), mask / 5)


def test_all_turns_of_a_trajectory_pull_with_its_advantage() -> None:
    batch = random_batch()
    batch.old = batch.logp
    _, grad = gradient(batch)
    by_turn = torch.where(batch.mask, grad, 0).sum(1)
    for number in batch.trajectory.unique():
        turns = batch.trajectory == number
        each = -batch.advantages[turns] / (4 * turns.sum())
        assert torch.allclose(by_turn[turns], each, atol=1e-6)


@pytest.mark.parametrize("junk", [math.nan, -1e4, -math.inf, math.inf])
def test_masked_positions_get_no_gradient_whatever_they_hold(junk: float) -> None:
    clean, dirty = random_batch(), random_batch()
    for tensor in (dirty.logp, dirty.old, dirty.ref):
        tensor[~dirty.mask] = junk
    entropy = torch.ones_like(dirty.logp).masked_fill(~dirty.mask, junk)
    expected, expected_grad = gradient(clean, beta=0.1)
    result, grad = gradient(dirty, beta=0.1, entropy=entropy)
    assert result.loss.item() == expected.loss.item()
    assert torch.equal(grad, expected_grad)
    assert not grad[~dirty.mask].any()
    assert result.entropy == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("size", [1, 5, 12])
def test_micro_batches_add_up_to_the_batch(reduction: Reduction, size: int) -> None:
    whole, parts = random_batch(), random_batch()
    weights = whole.weights(reduction)
    expected, expected_grad = gradient(whole, weights=weights, beta=0.1)
    parts.logp.requires_grad_()
    results = [parts.loss(weights, slice(i, i + size), beta=0.1) for i in range(0, 12, size)]
    for result in results:
        result.loss.backward()
    total = results[0]
    for result in results[1:]:
        total = total + result
    assert total.metrics() == pytest.approx(expected.metrics(), abs=1e-9)
    assert parts.logp.grad is not None and torch.allclose(parts.logp.grad, expected_grad, atol=1e-12)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("number", [-1, 7, 99])
def test_padding_rows_and_columns_change_nothing(reduction: Reduction, number: int) -> None:
    batch, padded = random_batch(), random_batch()
    for field in fields(Batch)[:4]:
        fill = False if field.name == "mask" else math.nan
        value = torch.nn.functional.pad(getattr(padded, field.name), (0, 2, 3, 1), value=fill)
        setattr(padded, field.name, value)
    padded.trajectory = torch.nn.functional.pad(padded.trajectory, (3, 1), value=number)
    padded.advantages = torch.nn.functional.pad(padded.advantages, (3, 1), value=math.nan)
    expected, expected_grad = gradient(batch, weights=batch.weights(reduction), beta=0.1)
    result, grad = gradient(padded, weights=padded.weights(reduction), beta=0.1)
    assert result.metrics() == pytest.approx(expected.metrics(), abs=1e-9)
    assert torch.allclose(grad[3:-1, :-2], expected_grad, atol=1e-12)
    assert grad.count_nonzero() == expected_grad.count_nonzero()


def test_the_gradient_is_the_numeric_one() -> None:
    batch = random_batch()
    entropy = torch.rand(12, 5, dtype=torch.float64, requires_grad=True)

    def loss(logp: Tensor, entropy: Tensor) -> Tensor:
        settings: dict[str, Any] = {
            "reference_logp": batch.ref,
            "beta": 0.1,
            "entropy": entropy,
            "entropy_coefficient": 0.01,
        }
        return policy_loss(logp, batch.old, batch.mask, batch.advantages, batch.weights(), **settings).loss

    assert torch.autograd.gradcheck(loss, (batch.logp.requires_grad_(), entropy))


@pytest.mark.parametrize(
    ("ratio", "advantage", "moves", "low", "high"),
    [
        (1.5, 1.0, False, 0, 1),  # better than before already: held back
        (1.5, -1.0, True, 0, 0),  # a bad token made likelier: pushed down without bound
        (0.5, 1.0, True, 0, 0),  # a good token made rarer: pushed up without bound
        (0.5, -1.0, False, 1, 0),  # rarer already: held back
        (1.1, 1.0, True, 0, 0),
        (0.9, -1.0, True, 0, 0),
        (1.25, 1.0, True, 0, 0),  # inside the wider upper bound
    ],
)
def test_clipping_holds_back_one_side_only(
    ratio: float, advantage: float, moves: bool, low: float, high: float
) -> None:
    logp = torch.tensor([[-1.0]], requires_grad=True)
    one = torch.ones(1, 1)
    result = policy_loss(
        logp, logp.detach() - math.log(ratio), one.bool(), torch.tensor([advantage]), one, clip_high=0.28
    )
    result.loss.backward()
    assert logp.grad is not None
    assert logp.grad.item() == pytest.approx(-ratio * advantage if moves else 0, abs=1e-5)
    assert (result.clip_low, result.clip_high) == (low, high)
    assert result.ratio_deviation == pytest.approx(abs(ratio - 1), abs=1e-5)


def test_unchanged_weights_give_ratio_one_and_no_kl() -> None:
    batch = random_batch()
    batch.old = batch.ref = batch.logp
    result = batch.loss(beta=0.1)
    assert (result.ratio_deviation, result.kl, result.clip_low, result.clip_high) == (0, 0, 0, 0)


def test_far_ratios_and_half_precision_stay_finite() -> None:
    batch = random_batch()
    batch.logp, batch.old = batch.logp.bfloat16(), batch.old - 1e4
    batch.ref = batch.ref + 1e4
    result, grad = gradient(batch, beta=0.1)
    assert result.loss.isfinite() and grad.isfinite().all()
    assert result.ratio_deviation > 1e8


def test_the_entropy_bonus_lowers_the_loss() -> None:
    batch = random_batch()
    entropy = torch.full_like(batch.logp, 2.0)
    plain, bonus = batch.loss(), batch.loss(entropy=entropy, entropy_coefficient=0.1)
    assert bonus.loss.item() == pytest.approx(plain.loss.item() - 0.2, abs=1e-6)


def test_a_batch_with_nothing_to_train_has_loss_zero() -> None:
    batch = random_batch()
    batch.mask = torch.zeros_like(batch.mask)
    result, grad = gradient(batch, beta=0.1)
    assert result.loss.item() == 0 and not grad.any()
    assert cloning_loss(batch.logp, batch.mask).item() == 0
    empty = torch.zeros(0, 5)
    assert policy_loss(empty, empty, empty.bool(), torch.zeros(0), empty).loss.item() == 0


def test_cloning_weighs_each_turn_the_same() -> None:
    logp = torch.tensor([[-1.0, -3.0], [-4.0, math.nan], [math.nan, -math.inf]], requires_grad=True)
    mask = torch.tensor([[True, True], [True, False], [False, False]])
    loss = cloning_loss(logp, mask)
    loss.backward()
    assert loss.item() == pytest.approx(3.0)
    assert logp.grad is not None
    assert logp.grad.tolist() == [[-0.25, -0.25], [-0.5, 0], [0, 0]]
    by_token = cloning_loss(logp, mask, token_weights(mask, None, "token"))
    assert by_token.item() == pytest.approx(8 / 3)


def test_wrong_shapes_and_missing_tensors_are_errors() -> None:
    batch = random_batch()
    weights = batch.weights()
    with pytest.raises(ValueError, match="mask"):
        policy_loss(batch.logp, batch.old, batch.mask.long(), batch.advantages, weights)
    with pytest.raises(ValueError, match="shape"):
        policy_loss(batch.logp[:3], batch.old, batch.mask, batch.advantages, weights)
    with pytest.raises(ValueError, match="advantages"):
        policy_loss(batch.logp, batch.old, batch.mask, batch.advantages[:4], weights)
    with pytest.raises(ValueError, match="reference_logp"):
        policy_loss(batch.logp, batch.old, batch.mask, batch.advantages, weights, beta=0.1)
    with pytest.raises(ValueError, match="trajectory"):
        token_weights(batch.mask, None)
    with pytest.raises(ValueError, match="reduction"):
        token_weights(batch.mask, batch.trajectory, "sum")  # type: ignore[arg-type]
