"""Intervals of success rates, and running means."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959964


def wilson_interval(successes: int, episodes: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a success rate (Wilson 1927, JASA 22); 95 % with the default z.

    (p + z^2/2n +- z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n). Without episodes nothing is known: (0, 1).
    """
    if not 0 <= successes <= episodes:
        raise ValueError(f"{successes} successes of {episodes} episodes")
    if episodes == 0:
        return 0.0, 1.0
    rate, spread = successes / episodes, z * z / episodes
    centre = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / episodes + spread / (4 * episodes)) / (1 + spread)
    low = 0.0 if successes == 0 else centre - half
    return low, 1.0 if successes == episodes else centre + half


def difference_interval(before: tuple[int, int], after: tuple[int, int]) -> tuple[float, float]:
    """The 95 % interval of the rate after minus the rate before, each given as (successes, episodes).

    Newcombe's hybrid score interval (1998, Statistics in Medicine 17, method 10), for independent samples.
    """
    (low_0, high_0), (low_1, high_1) = wilson_interval(*before), wilson_interval(*after)
    rate_0, rate_1 = success_rate(*before), success_rate(*after)
    return (
        rate_1 - rate_0 - math.hypot(rate_1 - low_1, high_0 - rate_0),
        rate_1 - rate_0 + math.hypot(high_1 - rate_1, rate_0 - low_0),
    )


def moving_mean(values: Sequence[float], window: int) -> list[float]:
    """The mean of each value and up to `window - 1` before it."""
    parts = [values[max(0, i + 1 - window) : i + 1] for i in range(len(values))]
    return [math.fsum(part) / len(part) for part in parts]


def success_rate(successes: int, episodes: int) -> float:
    """The share of successes; 0 without episodes."""
    return successes / episodes if episodes else 0.0
