"""`python -m harness.bench` measures what it says, on any suite, beside bare Playwright in the same run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import harness.bench as bench
from tests.harness.support import CONFIG_PATH, SUITE


def test_the_bench_measures_and_writes_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "FLOOR_REPEATS", 2)
    monkeypatch.setattr(bench, "FLOOR_TURNS", 4)
    out = tmp_path / "figures.json"
    words = ["--suite", SUITE, "--config", str(CONFIG_PATH), "--out", str(out), "--per-template", "1"]
    assert bench.main([*words, "--contexts", "1", "2", "--budgets", "2", "512"]) == 0
    printed, errors = capsys.readouterr()
    assert errors == "" and "bare turn" in printed
    figures = json.loads(out.read_text("utf-8"))
    times = figures["one_context"]
    for name in ("reset", "turn", "act", "observe", "compress", "round trip", "bare turn", "bare context"):
        assert 0 < times[name]["median_ms"] <= times[name]["p95_ms"]
    assert times["turn"]["mean_ms"] >= times["act"]["mean_ms"] + times["walk"]["mean_ms"]
    assert times["bare context"]["count"] == 2
    rates = figures["turns_per_second"]
    assert rates.keys() == {"1", "2"}
    assert all(rate > 0 for found in rates.values() for rate in found.values())
    assert figures["recall"]["512"] == 1.0 > figures["recall"]["2"]
