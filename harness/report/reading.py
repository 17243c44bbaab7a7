"""What a run left in its folder, as far as it can be read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.statistics import wilson_interval

STAGES = ("before cloning", "after cloning", "after M-GRPO")
PHASES = {"clone": "behaviour cloning", "mgrpo": "M-GRPO"}
SPLITS = {"test": "Test", "heldout": "Held-out"}
SPLIT_MEANING = {"test": "known templates, unseen seeds", "heldout": "templates never trained on"}
MODES = ("greedy", "sampled")
COLUMNS = tuple((split, mode) for split in SPLITS for mode in MODES)


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
        turns, tokens = (number(line.get(key)) for key in ("mean_turns", "tokens_per_turn"))
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


def number(value: object) -> float | None:
    """A finite number, else None."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None
