"""Learning curves as small charts in SVG."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.report.reading import PHASES, number
from harness.report.text import percent, sentence, short
from harness.statistics import moving_mean

PHASE_COLOURS = {"clone": "#b86200", "mgrpo": "#2160c4"}
SECOND_COLOUR = "#0e8a74"
MOST_POINTS = 400


@dataclass(frozen=True)
class Panel:
    """One chart of the small multiples: a title and the metrics that it draws, each with its label."""

    title: str
    keys: dict[str, str]
    percent: bool = False
    floor: float | None = None
    ceiling: float | None = None
    total: bool = False
    """Counts: drawn as they are, and read as their sum."""


PANELS = (
    Panel("Mean reward", {"reward": ""}, floor=0, ceiling=1),
    Panel("Groups with equal rewards", {"frac_reward_zero_std": ""}, percent=True, floor=0, ceiling=1),
    Panel("Reward deviation in a group", {"reward_std": ""}, floor=0),
    Panel("Loss", {"loss": ""}),
    Panel("Entropy", {"entropy": ""}, floor=0),
    Panel("KL to the reference", {"kl": ""}, floor=0),
    Panel(
        "Clipped tokens",
        {"clip_ratio/low_mean": "low", "clip_ratio/high_mean": "high"},
        percent=True,
        floor=0,
    ),
    Panel("Turns per trajectory", {"num_turns": ""}, floor=0),
    Panel("Invalid actions", {"invalid_action_rate": ""}, percent=True, floor=0),
    Panel("Failed trajectories", {"failed": ""}, floor=0, total=True),
    Panel("Step time, s", {"step_time/rollout": "rollout", "step_time/update": "update"}, floor=0),
)


def curves(phase: str, steps: list[dict[str, Any]]) -> str:
    if not steps:
        return ""
    window = max(1, min(25, round(len(steps) / 20)))
    charts = "".join(chart(panel, steps, PHASE_COLOURS[phase], window) for panel in PANELS)
    note = f"Pale: each step. Bold, and the number: the mean of the last {window} steps." if window > 1 else ""
    return (
        f'<section><h2>{sentence(PHASES[phase])}, step by step</h2><div class="charts">{charts}</div>'
        f'<p class="note">{note}</p></section>'
    )


def chart(panel: Panel, steps: list[dict[str, Any]], colour: str, window: int) -> str:
    """A line chart; nothing if no step has the panel's metrics."""
    raw: dict[str, list[tuple[float, float]]] = {}
    for key in panel.keys:
        values = [(float(line["step"]), number(line.get(key))) for line in steps]
        if points := [(step, value) for step, value in values if value is not None]:
            raw[key] = points
    if not raw:
        return ""
    width, height, left, right, top, bottom = 310, 168, 42, 6, 8, 22
    shown = [y for points in raw.values() for _, y in points]
    low, high = min(shown), max(shown)
    if panel.floor is not None:
        low = min(low, panel.floor)
    if panel.ceiling is not None:
        high = max(high, panel.ceiling)
    y_ticks = nice_ticks(low, high)
    if panel.total:
        y_ticks = [tick for tick in y_ticks if tick == round(tick)]
    low, high = min(low, y_ticks[0]), max(high, y_ticks[-1])
    first, last = float(steps[0]["step"]), float(steps[-1]["step"])

    def place(x: float, y: float) -> str:
        across = (x - first) / (last - first) if last > first else 0.5
        down = (high - y) / (high - low)
        return f"{left + across * (width - left - right):.1f},{top + down * (height - top - bottom):.1f}"

    form = percent if panel.percent else short
    window = 1 if panel.total else window
    lines = []
    for tick in y_ticks:
        x, y = place(first if last > first else 0, tick).split(",")
        lines.append(f'<path class="grid" d="M{left},{y}H{width - right}"/>')
        lines.append(f'<text x="{left - 6}" y="{float(y) + 3.5:.1f}" text-anchor="end">{form(tick)}</text>')
    for tick in _whole_ticks(first, last):
        x = place(tick, low).split(",")[0]
        anchor = "end" if float(x) > width - 20 else "middle"
        lines.append(f'<text x="{x}" y="{height - 5}" text-anchor="{anchor}">{tick:,.0f}</text>')
    readings = []
    for (key, points), stroke in zip(raw.items(), (colour, SECOND_COLOUR), strict=False):
        smooth = moving_mean([y for _, y in points], window)
        averaged = [(x, y) for (x, _), y in zip(points, smooth, strict=True)]
        if window > 1:
            lines.append(_line(points, place, stroke, "raw"))
        lines.append(_line(averaged, place, stroke, "mean"))
        reading = f"{short(math.fsum(smooth))} in all" if panel.total else form(smooth[-1])
        label = f"{panel.keys[key]} " if len(panel.keys) > 1 else ""
        readings.append(f'<b style="color:{stroke}"><small>{label}</small>{reading}</b>')
    name = f"{panel.title}, steps {first:,.0f} to {last:,.0f}"
    return (
        f"<figure><figcaption>{panel.title}<span>{''.join(readings)}</span></figcaption>"
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{name}">{"".join(lines)}</svg></figure>'
    )


def _line(points: list[tuple[float, float]], place: Callable[[float, float], str], stroke: str, kind: str) -> str:
    if len(points) == 1:
        x, y = place(*points[0]).split(",")
        return f'<circle cx="{x}" cy="{y}" r="3" fill="{stroke}"/>'
    size = math.ceil(len(points) / MOST_POINTS)
    bins = [points[i : i + size] for i in range(0, len(points), size)]
    means = [(sum(x for x, _ in part) / len(part), sum(y for _, y in part) / len(part)) for part in bins]
    return f'<polyline class="{kind}" stroke="{stroke}" points="{" ".join(place(x, y) for x, y in means)}"/>'


def nice_ticks(low: float, high: float, count: int = 4) -> list[float]:
    """About `count` + 1 round numbers, the first at or below `low` and the last at or above `high`."""
    if high <= low:
        low, high = low - (abs(low) or 0), high + (abs(high) or 1)
    size = (high - low) / count
    power = 10.0 ** math.floor(math.log10(size))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= size * 0.999)
    start, end = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(start, end + 1)]


def _whole_ticks(first: float, last: float) -> list[float]:
    """Round step numbers between the first and the last."""
    return [tick for tick in nice_ticks(first, last) if first <= tick <= last and tick == round(tick)]
