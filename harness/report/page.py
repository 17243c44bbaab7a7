"""The page: its first sentence, its tables, and what is around them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from harness.report.charts import PHASE_COLOURS, curves
from harness.report.reading import (
    COLUMNS,
    MODES,
    PHASES,
    SPLIT_MEANING,
    SPLITS,
    STAGES,
    Evaluation,
    Run,
    number,
    read_run,
)
from harness.report.text import duration, percent, points, sentence, short
from harness.statistics import difference_interval, success_rate, wilson_interval

STAGE_COLOURS = dict(zip(STAGES, ("#98a2b3", PHASE_COLOURS["clone"], PHASE_COLOURS["mgrpo"]), strict=True))


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
        *(curves(phase, run.steps[phase]) for phase in PHASES),
        *(_by_template(run.evaluations, split) for split in SPLITS),
        _settings(run.settings),
    ]
    template = Template(Path(__file__).with_name("page.html").read_text("utf-8"))
    page = template.substitute(title=escape(run.name), body="\n".join(filter(None, parts)))
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
        return f"{sentence(last.stage)} no episode on {where} could be scored.", f"{last.failed} failed."
    if not earlier:
        detail = f"On {about}. There is no other evaluation to compare with yet."
        return (
            f"{sentence(last.stage)} the policy solves {percent(success_rate(*last.counts))} of the {where}.",
            detail,
        )
    before = earlier[-1]
    causes = ("Cloning", "M-GRPO")[STAGES.index(before.stage) : STAGES.index(last.stage)]
    gain = success_rate(*last.counts) - success_rate(*before.counts)
    verb = "raised" if gain > 0 else "lowered" if gain < 0 else "left"
    rates = f"from {percent(success_rate(*before.counts))} to {percent(success_rate(*last.counts))}"
    if gain == 0:
        rates = f"at {percent(success_rate(*last.counts))}"
    low, high = difference_interval(before.counts, last.counts)
    detail = f"{points(gain)} points, 95% interval {points(low)} to {points(high)} ({about})."
    if low <= 0 <= high:
        detail += " The interval includes zero, so the difference may be chance."
    if len(earlier) > 1:
        detail += f" Before any training the policy solved {percent(success_rate(*earlier[0].counts))}."
    return f"{' and '.join(causes)} {verb} success on {where} {rates}.", detail


def _facts(run: Run) -> str:
    facts = [f"{sentence(PHASES[phase])}: {len(steps):,} steps" for phase, steps in run.steps.items() if steps]
    times = [number(line.get("time_s")) for steps in run.steps.values() for line in steps]
    seconds = max((time for time in times if time is not None), default=0)
    if seconds:
        facts.append(f"Time to the last step: {duration(seconds)}")
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
        rows.append(f'<tr><th scope="row">{dot}{sentence(stage)}</th>{"".join(cells)}</tr>')
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
    rate = success_rate(*evaluation.counts)
    low, high = wilson_interval(*evaluation.counts)
    colour = STAGE_COLOURS[evaluation.stage]
    counted = [f"{low * 100:.0f}&ndash;{high * 100:.0f}%", f"{evaluation.successes}/{evaluation.episodes}"]
    if evaluation.failed:
        counted.append(f"{evaluation.failed} failed")
    cost = []
    if evaluation.mean_turns is not None:
        cost.append(f"{short(evaluation.mean_turns)} turns")
    if evaluation.tokens_per_turn is not None:
        cost.append(f"{evaluation.tokens_per_turn:,.0f} tokens/turn")
    lines = (f"<small>{''.join(f'<span>{part}</span>' for part in line)}</small>" for line in (counted, cost))
    return (
        f"<b>{percent(rate) if evaluation.episodes else 'none scored'}</b>"
        f'<div class="range"><i style="left:{low:.1%};width:{high - low:.1%};background:{colour}"></i>'
        f'<u style="left:{rate:.1%};background:{colour}"></u></div>'
        f"{''.join(lines)}"
    )


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
        rates = [success_rate(*evaluation.by_template.get(name, (0, 0))) for evaluation in reversed(pair)]
        return -rates[0], -rates[-1], name

    rows = []
    for name in sorted({name for evaluation in pair for name in evaluation.by_template}, key=order):
        bars = []
        for evaluation in pair:
            counts = evaluation.by_template.get(name)
            text = f"{counts[0]}/{counts[1]}" if counts else "not run"
            fill = f"width:{success_rate(*counts or (0, 0)):.1%};background:{STAGE_COLOURS[evaluation.stage]}"
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
