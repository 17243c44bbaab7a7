"""Advantages and losses: pure tensor functions, with no model, sampling or device in them.

What holds here:

- A row is one turn: up to K decision tokens, `mask` [rows, K] true where a token is trained. A turn's
  trajectory is a number in `trajectory` [rows]; all turns of a trajectory carry its one advantage.
- Every loss is `sum(weights * per_token)`, with weights that sum to 1 over the batch. Take `token_weights`
  over the whole batch once; a micro-batch uses its rows of them, and the losses (and gradients) of the
  micro-batches add up.
- Where `mask` is false nothing counts: values there may be NaN or infinite, and get a gradient of exactly 0.
- A row with no trained token is padding: it is no turn, and a trajectory with only such rows is no
  trajectory.

The objective is that of WebAgent-R1 (arXiv 2505.16421, M-GRPO): over the trajectories i of a group, the mean
over the turns j of the mean over the tokens t of

    -min(r A_i, clip(r, 1 - low, 1 + high) A_i) + beta KL,    r = exp(logp - old_logp)

with the group's advantage A_i (`group_advantages`) and the k3 estimate of the KL divergence to the reference
policy (Schulman, http://joschu.net/blog/kl-approx.html), as in GRPO (arXiv 2402.03300).

Deviations from it:

- The clip range may differ on its two sides (DAPO, arXiv 2503.14476), and an entropy bonus may be added; by
  default neither is used.
- Log-ratios are held below `LOG_RATIO_LIMIT`, so that `exp` can't overflow; beyond it a token has no
  gradient. The ratio's largest deviation from 1 is reported and shows such a case.
- With the batch holding several groups, the mean runs over all their trajectories: each trajectory weighs the
  same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

Reduction = Literal["nested", "flat_turn", "token"]

ADVANTAGE_EPS = 1e-4
LOG_RATIO_LIMIT = 20.0


def group_advantages(rewards: Tensor, eps: float = ADVANTAGE_EPS) -> Tensor:
    """The advantages [n] of one group: (R - mean) / (std + eps), the unbiased std (GRPO, arXiv 2402.03300).

    `eps`, which the paper lacks, keeps a group of near-equal rewards from having huge advantages.
    `rewards` [n]: one per trajectory, of any length; trajectories that failed are left out before. All equal,
    or a single member: zeros, since nothing tells the members apart. A reward that isn't finite is a
    ValueError.
    """
    if rewards.ndim != 1:
        raise ValueError(f"rewards: one group has shape [n], not {list(rewards.shape)}")
    if not rewards.is_floating_point():
        rewards = rewards.to(torch.get_default_dtype())
    if not bool(rewards.isfinite().all()):
        raise ValueError("rewards: not finite; leave failed trajectories out of the group")
    if len(rewards) < 2 or bool((rewards == rewards[0]).all()):
        return torch.zeros_like(rewards)
    return (rewards - rewards.mean()) / (rewards.std(correction=1) + eps)


def token_weights(mask: Tensor, trajectory: Tensor | None, reduction: Reduction = "nested") -> Tensor:
    """The weight [rows, K] of each token in the loss: 0 where `mask` is false, 1 in sum (0 if nothing is
    trained).

    `mask` [rows, K] bool; `trajectory` [rows] long, any numbers, needed by "nested" only. Reductions:

    - "nested": mean over trajectories of the mean over their turns of the mean over their tokens (the
      paper's).
    - "flat_turn": mean over all turns of the mean over their tokens; a longer trajectory weighs more.
    - "token": mean over all tokens; a longer turn weighs more too.
    """
    _check(mask, mask)
    counted = mask.to(torch.get_default_dtype())
    if reduction == "token":
        return counted / counted.sum().clamp(min=1)
    if reduction not in get_args(Reduction):
        raise ValueError(f"reduction: {reduction!r} is none of {', '.join(get_args(Reduction))}")
    within_turn = counted / counted.sum(1, keepdim=True).clamp(min=1)
    is_turn = mask.any(1).to(counted.dtype)
    if reduction == "flat_turn":
        return within_turn / is_turn.sum().clamp(min=1)
    if trajectory is None or trajectory.shape != mask.shape[:1]:
        raise ValueError('trajectory: the reduction "nested" needs one number per row')
    _, index = torch.unique(trajectory, return_inverse=True)
    turns = torch.zeros(len(mask), dtype=counted.dtype, device=mask.device).index_add(0, index, is_turn)
    trajectories = (turns > 0).sum().clamp(min=1)
    return within_turn / (turns[index].clamp(min=1) * trajectories)[:, None]


@dataclass(frozen=True)
class PolicyLoss:
    """A loss with gradient, and what to log of it. All but `ratio_deviation` are sums under the weights.

    So over the micro-batches of one batch they add up to the batch's means, as the loss does (`+` does this).
    """

    loss: Tensor
    """[]: the loss, to call `backward` on."""
    clip_low: float
    """Share of tokens where the lower clip bound holds the gradient back: r < 1 - low and A < 0."""
    clip_high: float
    """Share of tokens where the upper clip bound holds the gradient back: r > 1 + high and A > 0."""
    kl: float
    """Mean k3 KL to the reference policy; 0 without one."""
    entropy: float
    """Mean of the entropies that were passed in; 0 without."""
    ratio_deviation: float
    """Largest |r - 1|: 0 on the first update after sampling if log-probabilities recompute faithfully."""

    def __add__(self, other: PolicyLoss) -> PolicyLoss:
        """The two micro-batches seen as one."""
        return PolicyLoss(
            self.loss + other.loss,
            self.clip_low + other.clip_low,
            self.clip_high + other.clip_high,
            self.kl + other.kl,
            self.entropy + other.entropy,
            max(self.ratio_deviation, other.ratio_deviation),
        )

    def metrics(self) -> dict[str, float]:
        """The statistics under the names they are logged by."""
        return {
            "loss": float(self.loss.detach()),
            "clip_ratio/low_mean": self.clip_low,
            "clip_ratio/high_mean": self.clip_high,
            "kl": self.kl,
            "entropy": self.entropy,
            "ratio_deviation": self.ratio_deviation,
        }


def policy_loss(
    logp: Tensor,
    old_logp: Tensor,
    mask: Tensor,
    advantages: Tensor,
    weights: Tensor,
    *,
    clip_low: float = 0.2,
    clip_high: float = 0.2,
    reference_logp: Tensor | None = None,
    beta: float = 0.0,
    entropy: Tensor | None = None,
    entropy_coefficient: float = 0.0,
) -> PolicyLoss:
    """The clipped policy loss of a batch or a micro-batch (formula and source: the head of this module).

    `logp`, `old_logp`, `reference_logp`, `entropy`, `mask`, `weights`: [rows, K]; `advantages`: [rows], each
    row its trajectory's. `logp` is the policy's now, `old_logp` what it was at sampling, `weights` from
    `token_weights`. `entropy` is the policy's per token; the loss is lowered by `entropy_coefficient` times
    its mean. Wrong shapes, or a coefficient without its tensor, are a ValueError.
    """
    _check(mask, logp, old_logp, weights, reference_logp, entropy)
    if advantages.shape != mask.shape[:1]:
        raise ValueError(f"advantages: one per row is [{len(mask)}], not {list(advantages.shape)}")
    if (beta and reference_logp is None) or (entropy_coefficient and entropy is None):
        raise ValueError("beta needs reference_logp, entropy_coefficient needs entropy")
    logp, old_logp = _trained(logp, mask), _trained(old_logp, mask).detach()
    advantage = _trained(advantages[:, None].expand_as(mask), mask)
    weights = _trained(weights, mask).to(logp.dtype)

    ratio = (logp - old_logp).clamp(max=LOG_RATIO_LIMIT).exp()
    clipped = ratio.clamp(1 - clip_low, 1 + clip_high)
    per_token = -torch.minimum(ratio * advantage, clipped * advantage)
    kl_mean = entropy_mean = 0.0
    if reference_logp is not None:
        gap = (_trained(reference_logp, mask).detach() - logp).clamp(max=LOG_RATIO_LIMIT)
        kl = gap.exp() - gap - 1
        kl_mean = float((weights * kl).sum().detach())
        per_token = per_token + beta * kl
    if entropy is not None:
        entropy = _trained(entropy, mask)
        entropy_mean = float((weights * entropy).sum().detach())
        per_token = per_token - entropy_coefficient * entropy

    ratio = ratio.detach()
    low = (ratio < 1 - clip_low) & (advantage < 0)
    high = (ratio > 1 + clip_high) & (advantage > 0)
    deviation = (ratio - 1).abs()
    return PolicyLoss(
        loss=(weights * per_token).sum(),
        clip_low=float((weights * low).sum()),
        clip_high=float((weights * high).sum()),
        kl=kl_mean,
        entropy=entropy_mean,
        ratio_deviation=float(deviation.max()) if deviation.numel() else 0.0,
    )


def cloning_loss(logp: Tensor, mask: Tensor, weights: Tensor | None = None) -> Tensor:
    """The behaviour-cloning loss []: the mean over turns of the mean over tokens of -logp.

    `logp` [rows, K]: log-probabilities of the demonstrated tokens; `mask`, `weights` [rows, K] as above. The
    paper (arXiv 2505.16421) maximises the log-likelihood of each demonstrated action, one turn at a time, so
    by default each turn weighs the same however long its trajectory ("flat_turn"). Deviation: the mean over a
    turn's tokens, not their sum, so that an action with much text doesn't drown the others. Pass
    `token_weights` of the whole batch with micro-batches, or to choose another reduction.
    """
    if weights is None:
        weights = token_weights(mask, None, "flat_turn")
    _check(mask, logp, weights)
    return (_trained(weights, mask) * -_trained(logp, mask)).sum()


def _trained(values: Tensor, mask: Tensor) -> Tensor:
    """`values`, at least float32, and 0 where `mask` is false; done before any arithmetic on them."""
    values = values.to(torch.promote_types(values.dtype, torch.float32))
    return torch.where(mask, values, torch.zeros((), dtype=values.dtype, device=values.device))


def _check(mask: Tensor, *tensors: Tensor | None) -> None:
    if mask.dtype != torch.bool or mask.ndim != 2:
        raise ValueError(f"mask: [rows, K] bool, not {list(mask.shape)} {mask.dtype}")
    for tensor in tensors:
        if tensor is not None and tensor.shape != mask.shape:
            raise ValueError(f"a tensor of shape {list(tensor.shape)} beside a mask of {list(mask.shape)}")
