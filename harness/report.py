"""A run's report: one self-contained page, `report.html`, made from the files a run leaves in its folder.

    settings.json        the run's settings
    metrics.jsonl        one object per training step: "phase" ("clone" or "mgrpo"), "step", "time_s" (seconds
                         since the run began) and scalars by name; names not known here are passed over
    evaluations.jsonl    one object per evaluation: "stage", "split", "mode", "episodes" (those scored),
                         "successes", "failed" (left out of the episodes), "mean_turns", "tokens_per_turn",
                         "by_template" {name: [successes, episodes]}

What holds here:

- The page is made from whatever is there. A run that has only begun, or was cut off in the middle of a line,
  gives a page that says what it lacks. Of two lines for one step or evaluation, as after a resume, the last
  counts.
- It refers to nothing outside itself and holds no script; all text from the files is escaped.
- The same files give the same page, byte for byte.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Annotated, Any

import tyro

STAGES = ("before cloning", "after cloning", "after M-GRPO")
PHASES = {"clone": "behaviour cloning", "mgrpo": "M-GRPO"}
SPLITS = {"test": "Test", "heldout": "Held-out"}
SPLIT_MEANING = {"test": "known templates, unseen seeds", "heldout": "templates never trained on"}
MODES = ("greedy", "sampled")
COLUMNS = tuple((split, mode) for split in SPLITS for mode in MODES)

STAGE_COLOURS = dict(zip(STAGES, ("#98a2b3", "#b86200", "#2160c4"), strict=True))
PHASE_COLOURS = {"clone": STAGE_COLOURS[STAGES[1]], "mgrpo": STAGE_COLOURS[STAGES[2]]}
SECOND_COLOUR = "#0e8a74"

Z95 = 1.959964
MOST_POINTS = 400
MINUS = "\u2212"


# --- statistics


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
    rate_0, rate_1 = _rate(*before), _rate(*after)
    return (
        rate_1 - rate_0 - math.hypot(rate_1 - low_1, high_0 - rate_0),
        rate_1 - rate_0 + math.hypot(high_1 - rate_1, rate_0 - low_0),
    )


def moving_mean(values: Sequence[float], window: int) -> list[float]:
    """The mean of each value and up to `window - 1` before it."""
    parts = [values[max(0, i + 1 - window) : i + 1] for i in range(len(values))]
    return [math.fsum(part) / len(part) for part in parts]


def _rate(successes: int, episodes: int) -> float:
    return successes / episodes if episodes else 0.0


# --- reading a run


@dataclass(frozen=True)
class Evaluation:
    """One line of evaluations.jsonl."""

    stage: str
    split: str
    mode: str
    episodes: int
    successes: int
    failed: int
    mean_turns: float | None
    tokens_per_turn: float | None
    by_template: dict[str, tuple[int, int]]

    @property
    def counts(self) -> tuple[int, int]:
        """(successes, episodes)"""
        return self.successes, self.episodes

    @classmethod
    def read(cls, line: dict[str, Any]) -> Evaluation:
        """Of a line's object; KeyError, TypeError or ValueError if it isn't one."""
        by_template = {str(name): (int(k), int(n)) for name, (k, n) in line.get("by_template", {}).items()}
        for successes, episodes in ((line["successes"], line["episodes"]), *by_template.values()):
            wilson_interval(successes, episodes)
        turns, tokens = (_number(line.get(key)) for key in ("mean_turns", "tokens_per_turn"))
        stage, split, mode = str(line["stage"]), str(line["split"]), str(line["mode"])
        if stage not in STAGES or (split, mode) not in COLUMNS:
            raise ValueError(f"no such evaluation: {stage}, {split}, {mode}")
        failed = int(line.get("failed", 0))
        return cls(stage, split, mode, line["episodes"], line["successes"], failed, turns, tokens, by_template)


@dataclass(frozen=True)
class Run:
    """What a run's folder holds."""

    name: str
    settings: dict[str, Any] | None
    steps: dict[str, list[dict[str, Any]]]
    """Per phase its metric lines, by step."""
    evaluations: dict[tuple[str, str, str], Evaluation]
    """By (stage, split, mode)."""
    gaps: list[str]
    """What is missing or unreadable, one sentence each."""


def read_run(run_dir: Path) -> Run:
    """Reads a run's files; only a folder that doesn't exist is an error (NotADirectoryError)."""
    if not run_dir.is_dir():
        raise NotADirectoryError(f"{run_dir}: no such run folder")
    gaps: list[str] = []
    settings: dict[str, Any] | None = None
    try:
        settings = dict(json.loads((run_dir / "settings.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        gaps.append("There is no settings.json.")
    except (OSError, TypeError, ValueError):
        gaps.append("settings.json can't be read.")

    steps: dict[tuple[str, int], dict[str, Any]] = {}

    def take_step(line: dict[str, Any]) -> None:
        steps[str(line["phase"]), int(line["step"])] = line

    evaluations: dict[tuple[str, str, str], Evaluation] = {}

    def take_evaluation(line: dict[str, Any]) -> None:
        evaluation = Evaluation.read(line)
        evaluations[evaluation.stage, evaluation.split, evaluation.mode] = evaluation

    gaps += _read_lines(run_dir / "metrics.jsonl", take_step)
    gaps += _read_lines(run_dir / "evaluations.jsonl", take_evaluation)
    by_phase = {phase: [steps[key] for key in sorted(steps) if key[0] == phase] for phase in PHASES}
    if steps:
        gaps += [f"No step of {PHASES[phase]} is recorded yet." for phase in PHASES if not by_phase[phase]]
    if evaluations:
        done = {stage for stage, _, _ in evaluations}
        gaps += [f"No evaluation {stage} is recorded yet." for stage in STAGES if stage not in done]
    return Run(run_dir.resolve().name, settings, by_phase, evaluations, gaps)


def _read_lines(file: Path, take: Callable[[dict[str, Any]], None]) -> list[str]:
    """Hands each line's object to `take`; gives sentences on what couldn't be read."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return [f"There is no {file.name}."]
    unreadable = 0
    for line in filter(None, lines):
        try:
            take(json.loads(line))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            unreadable += 1
    if not unreadable:
        return []
    return [f"{file.name}: {unreadable} {'line' if unreadable == 1 else 'lines'} could not be read."]


def _number(value: object) -> float | None:
    """A finite number, else None."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


# --- the page's parts


def write_report(run_dir: Path) -> Path:
    """Writes `run_dir/report.html`, in one step, and gives its path."""
    run = read_run(run_dir)
    title, detail = headline(run.evaluations)
    parts = [
        f'<header><p class="run">Run {escape(run.name)}</p><h1>{escape(title)}</h1>',
        f"<p>{escape(detail)}</p>" if detail else "",
        f"{_facts(run)}</header>",
        _gaps(run.gaps),
        _success_table(run.evaluations),
        *(_curves(phase, run.steps[phase]) for phase in PHASES),
        *(_by_template(run.evaluations, split) for split in SPLITS),
        _settings(run.settings),
    ]
    page = _PAGE.substitute(title=escape(run.name), body="\n".join(filter(None, parts)))
    path = run_dir / "report.html"
    temporary = path.with_suffix(".html.tmp")
    temporary.write_text(page, encoding="utf-8", errors="replace")
    os.replace(temporary, path)
    return path


def headline(evaluations: dict[tuple[str, str, str], Evaluation]) -> tuple[str, str]:
    """The page's first sentence and what to know about it.

    It compares the last stage with the one before, in the first column of the table that has both.
    """
    found = {
        column: [evaluations[stage, *column] for stage in STAGES if (stage, *column) in evaluations]
        for column in COLUMNS
    }
    latest = max((STAGES.index(stage) for stage, _, _ in evaluations), default=0)

    def worth(column: tuple[str, str]) -> tuple[bool, int]:
        return (STAGES[latest], *column) in evaluations, min(len(found[column]), 2)

    column = max(COLUMNS, key=worth)
    if not found[column]:
        return "No evaluation has been recorded yet.", ""
    split, mode = column
    *earlier, last = found[column]
    where = f"{SPLITS[split].lower()} tasks"
    about = f"{SPLIT_MEANING[split]}, {mode} decoding, {last.episodes} episodes"
    if not last.episodes:
        return f"{_sentence(last.stage)} no episode on {where} could be scored.", f"{last.failed} failed."
    if not earlier:
        detail = f"On {about}. There is no other evaluation to compare with yet."
        return (
            f"{_sentence(last.stage)} the policy solves {_percent(_rate(*last.counts))} of the {where}.",
            detail,
        )
    before = earlier[-1]
    causes = ("Cloning", "M-GRPO")[STAGES.index(before.stage) : STAGES.index(last.stage)]
    gain = _rate(*last.counts) - _rate(*before.counts)
    verb = "raised" if gain > 0 else "lowered" if gain < 0 else "left"
    rates = f"from {_percent(_rate(*before.counts))} to {_percent(_rate(*last.counts))}"
    if gain == 0:
        rates = f"at {_percent(_rate(*last.counts))}"
    low, high = difference_interval(before.counts, last.counts)
    detail = f"{_points(gain)} points, 95% interval {_points(low)} to {_points(high)} ({about})."
    if low <= 0 <= high:
        detail += " The interval includes zero, so the difference may be chance."
    if len(earlier) > 1:
        detail += f" Before any training the policy solved {_percent(_rate(*earlier[0].counts))}."
    return f"{' and '.join(causes)} {verb} success on {where} {rates}.", detail


def _facts(run: Run) -> str:
    facts = [f"{_sentence(PHASES[phase])}: {len(steps):,} steps" for phase, steps in run.steps.items() if steps]
    times = [_number(line.get("time_s")) for steps in run.steps.values() for line in steps]
    seconds = max((time for time in times if time is not None), default=0)
    if seconds:
        facts.append(f"Time to the last step: {_duration(seconds)}")
    return f'<p class="facts">{"".join(f"<span>{escape(fact)}</span>" for fact in facts)}</p>' if facts else ""


def _gaps(gaps: list[str]) -> str:
    items = "".join(f"<li>{escape(gap)}</li>" for gap in gaps)
    return f"<aside><h2>What is missing</h2><ul>{items}</ul></aside>" if items else ""


def _success_table(evaluations: dict[tuple[str, str, str], Evaluation]) -> str:
    splits = "".join(
        f'<th colspan="{len(MODES)}" scope="colgroup">{SPLITS[split]} tasks<small>{meaning}</small></th>'
        for split, meaning in SPLIT_MEANING.items()
    )
    modes = "".join(f'<th scope="col">{mode}</th>' for _, mode in COLUMNS)
    rows = []
    for stage in STAGES:
        cells = []
        for split, mode in COLUMNS:
            cell = _success(evaluations.get((stage, split, mode)))
            cells.append(f'<td data-column="{SPLITS[split]}, {mode}">{cell}</td>')
        dot = f'<i class="dot" style="background:{STAGE_COLOURS[stage]}"></i>'
        rows.append(f'<tr><th scope="row">{dot}{_sentence(stage)}</th>{"".join(cells)}</tr>')
    return (
        f'<section><h2>Success rate</h2><table><thead><tr><td rowspan="2"></td>{splits}</tr>'
        f"<tr>{modes}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
        '<p class="note">Bars and ranges are Wilson 95% intervals. Failed episodes (browser or site trouble)'
        " are left out of the rates.</p></section>"
    )


def _success(evaluation: Evaluation | None) -> str:
    """One cell of the table."""
    if evaluation is None:
        return '<span class="none">not run</span>'
    rate = _rate(*evaluation.counts)
    low, high = wilson_interval(*evaluation.counts)
    colour = STAGE_COLOURS[evaluation.stage]
    counted = [f"{low * 100:.0f}&ndash;{high * 100:.0f}%", f"{evaluation.successes}/{evaluation.episodes}"]
    if evaluation.failed:
        counted.append(f"{evaluation.failed} failed")
    cost = []
    if evaluation.mean_turns is not None:
        cost.append(f"{_short(evaluation.mean_turns)} turns")
    if evaluation.tokens_per_turn is not None:
        cost.append(f"{evaluation.tokens_per_turn:,.0f} tokens/turn")
    lines = (f"<small>{''.join(f'<span>{part}</span>' for part in line)}</small>" for line in (counted, cost))
    return (
        f"<b>{_percent(rate) if evaluation.episodes else 'none scored'}</b>"
        f'<div class="range"><i style="left:{low:.1%};width:{high - low:.1%};background:{colour}"></i>'
        f'<u style="left:{rate:.1%};background:{colour}"></u></div>'
        f"{''.join(lines)}"
    )


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


def _curves(phase: str, steps: list[dict[str, Any]]) -> str:
    if not steps:
        return ""
    window = max(1, min(25, round(len(steps) / 20)))
    charts = "".join(_chart(panel, steps, PHASE_COLOURS[phase], window) for panel in PANELS)
    note = f"Pale: each step. Bold, and the number: the mean of the last {window} steps." if window > 1 else ""
    return (
        f'<section><h2>{_sentence(PHASES[phase])}, step by step</h2><div class="charts">{charts}</div>'
        f'<p class="note">{note}</p></section>'
    )


def _chart(panel: Panel, steps: list[dict[str, Any]], colour: str, window: int) -> str:
    """A line chart; nothing if no step has the panel's metrics."""
    raw: dict[str, list[tuple[float, float]]] = {}
    for key in panel.keys:
        values = [(float(line["step"]), _number(line.get(key))) for line in steps]
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

    form = _percent if panel.percent else _short
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
        reading = f"{_short(math.fsum(smooth))} in all" if panel.total else form(smooth[-1])
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


def _by_template(evaluations: dict[tuple[str, str, str], Evaluation], split: str) -> str:
    """Two bars per template: the last stage evaluated, and the one before it."""
    by_mode = {
        mode: [found for stage in STAGES if (found := evaluations.get((stage, split, mode))) and found.by_template]
        for mode in MODES
    }
    mode = max(MODES, key=lambda mode: min(len(by_mode[mode]), 2))
    known = by_mode[mode]
    if not known:
        return ""
    pair = known[-2:]

    def order(name: str) -> tuple[float, float, str]:
        rates = [_rate(*evaluation.by_template.get(name, (0, 0))) for evaluation in reversed(pair)]
        return -rates[0], -rates[-1], name

    rows = []
    for name in sorted({name for evaluation in pair for name in evaluation.by_template}, key=order):
        bars = []
        for evaluation in pair:
            counts = evaluation.by_template.get(name)
            text = f"{counts[0]}/{counts[1]}" if counts else "not run"
            fill = f"width:{_rate(*counts or (0, 0)):.1%};background:{STAGE_COLOURS[evaluation.stage]}"
            bars.append(f'<span class="bar"><i style="{fill}"></i></span><small>{text}</small>')
        rows.append(f'<li><span class="name">{_breakable(name)}</span><div class="bars">{"".join(bars)}</div></li>')
    legend = "".join(
        f'<span><i class="dot" style="background:{STAGE_COLOURS[e.stage]}"></i>{e.stage}</span>' for e in pair
    )
    return (
        f"<section><h2>{SPLITS[split]} tasks by template</h2>"
        f'<p class="legend">{legend}<span>{mode} decoding</span></p>'
        f'<ul class="templates">{"".join(rows)}</ul></section>'
    )


def _breakable(name: str) -> str:
    """A name that may break after a dot or an underscore."""
    return escape(name).replace(".", ".<wbr>").replace("_", "_<wbr>")


def _settings(settings: dict[str, Any] | None) -> str:
    if not settings:
        return ""
    rows = "".join(f"<div><dt>{escape(key)}</dt><dd>{escape(value)}</dd></div>" for key, value in _flat("", settings))
    return f"<section><h2>Settings</h2><dl>{rows}</dl></section>"


def _flat(prefix: str, settings: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Settings as (dotted name, text)."""
    for key, value in settings.items():
        if isinstance(value, dict) and value:
            yield from _flat(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- text


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _percent(rate: float) -> str:
    return f"{rate * 100:.1f}".removesuffix(".0") + "%"


def _points(difference: float) -> str:
    return f"{difference * 100:+.1f}".replace("-", MINUS)


def _short(value: float) -> str:
    """Three digits, without needless zeros: 0.125, 12.5, 1,250, 3.1e-5."""
    if value and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}".replace("-", MINUS)
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:,.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", MINUS)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>
* { box-sizing: border-box; margin: 0; }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: #1d2939;
  background: #f7f8fa; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 48px; }
header { max-width: 820px; margin-bottom: 28px; }
h1 { font-size: clamp(1.45rem, 1rem + 1.8vw, 2.1rem); line-height: 1.22; letter-spacing: -0.015em;
  margin: 4px 0 10px; }
h2 { font-size: 1.05rem; margin-bottom: 12px; }
small, .note, .run, .facts, .legend { font-size: 0.8125rem; color: #5d6b82; }
.run { overflow-wrap: anywhere; }
.facts, .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 10px; }
section, aside { background: #fff; border: 1px solid #e3e7ed; border-radius: 10px;
  padding: 18px 20px; margin-bottom: 18px; }
aside { background: #fff9eb; border-color: #f3dfae; }
aside ul { padding-left: 1.2em; }
.note:not(:empty) { margin-top: 12px; }
.dot { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: 8px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0; }
th { text-align: left; font-weight: 600; }
thead th { padding: 0 14px 6px 0; font-size: 0.875rem; }
thead th small { display: block; font-weight: 400; }
thead th[scope=col] { color: #5d6b82; font-weight: 400; }
tbody th { white-space: nowrap; padding-right: 18px; }
tbody th, tbody td { border-top: 1px solid #e3e7ed; padding-top: 10px; padding-bottom: 10px;
  vertical-align: top; }
tbody td { width: 20%; padding-right: 18px; }
td b { font-size: 1.15rem; line-height: 1.3; }
td small { display: flex; flex-wrap: wrap; gap: 0 0.75em; line-height: 1.45; }
td small span { white-space: nowrap; }
.none { color: #8893a5; }
.range { position: relative; height: 6px; margin: 5px 0; border-radius: 3px; background: #edf0f4; }
.range i { position: absolute; height: 6px; border-radius: 3px; opacity: 0.4; }
.range u { position: absolute; width: 4px; height: 12px; top: -3px; margin-left: -2px;
  border-radius: 2px; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr));
  gap: 20px 26px; }
figcaption { display: flex; justify-content: space-between; align-items: baseline; gap: 10px;
  font-size: 0.875rem; font-weight: 600; }
figcaption span { white-space: nowrap; }
figcaption b + b { margin-left: 12px; }
svg { display: block; width: 100%; height: auto; }
svg text { font-size: 11px; fill: #5d6b82; }
.grid { stroke: #e9ecf1; fill: none; }
polyline { fill: none; stroke-linejoin: round; stroke-linecap: round; }
.raw { stroke-width: 1; opacity: 0.32; }
.mean { stroke-width: 2; }
.templates { list-style: none; padding: 0; display: grid; gap: 12px 32px; margin-top: 14px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 420px), 1fr)); }
.templates li { display: grid; grid-template-columns: 11rem 1fr; gap: 10px; align-items: center; }
.name { overflow-wrap: anywhere; font-size: 0.875rem; line-height: 1.3; }
.bars { display: grid; grid-template-columns: 1fr 3.6rem; gap: 3px 8px; align-items: center; }
.bars small { line-height: 1.2; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bar { height: 9px; background: #edf0f4; border-radius: 2px; }
.bar i { display: block; height: 100%; border-radius: 2px; }
dl { columns: 2 320px; column-gap: 40px; font-size: 0.875rem; }
dl div { display: flex; justify-content: space-between; gap: 16px; padding: 4px 0;
  border-bottom: 1px solid #eef1f5;
  break-inside: avoid; }
dt { color: #5d6b82; overflow-wrap: anywhere; }
dd { text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
@media (max-width: 720px) {
  main { padding: 20px 12px 32px; }
  section, aside { padding: 14px; }
  thead { display: none; }
  tbody tr { display: grid; grid-template-columns: 1fr 1fr; gap: 12px 18px;
    border-top: 1px solid #e3e7ed; padding: 12px 0; }
  tbody tr:first-child { border-top: 0; padding-top: 0; }
  tbody th { grid-column: 1 / -1; }
  tbody th, tbody td { width: auto; border: 0; padding: 0; }
  td[data-column]::before { content: attr(data-column); display: block; font-size: 0.8125rem;
    color: #5d6b82; }
  .templates li { grid-template-columns: 1fr; gap: 3px; }
}
</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")


@dataclass
class Settings:
    """Makes a run's report again from the files in its folder."""

    run_dir: Annotated[Path, tyro.conf.Positional]
    """The run's folder, such as runs/NAME."""


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `python -m harness.report`."""
    print(write_report(tyro.cli(Settings, args=arguments).run_dir))


if __name__ == "__main__":
    main()
