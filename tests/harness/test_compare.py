"""`python -m harness.compare` measures the project's observation beside other forms, on a suite and on saved pages."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import harness.compare as compare
from tests.harness.support import CONFIG_PATH, SUITE

PAGE = """<!doctype html><html lang="en"><title>Saved</title><body><nav><a href="/a">Away</a></nav>
<h1>Reports</h1><label>By <select><option>Day<option>Month</select></label><ul>{items}</ul><p>Version 2.4.6</p>"""
ITEMS = "".join(f'<li><a href="/{k}">Report number {k}</a> <button>Show</button></li>' for k in range(60))
TARGETS = [
    {"page": "a.html", "intent": "Open report number 55", "target": {"role": "link", "name": "Report number 55"}},
    {"page": "a.html", "intent": "Group it by month", "target": {"role": "option", "name": "Month"}},
    {"page": "a.html", "intent": "Which version is it?", "target": {"text": "Version 2.4.6"}},
]


def run(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> tuple[str, str]:
    assert compare.main([*map(str, words), "--config", str(CONFIG_PATH)]) == code
    out, errors = capsys.readouterr()
    return out, errors


def folder(path: Path, targets: Any) -> Path:
    (path / "a.html").write_text(PAGE.format(items=ITEMS), "utf-8")
    (path / "b.html").write_text(PAGE.format(items=""), "utf-8")
    (path / "targets.json").write_text(targets if isinstance(targets, str) else json.dumps(targets), "utf-8")
    return path


def test_every_turn_of_a_suite_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    words = ["--suite", SUITE, "--per-template", "1", "--budgets", "4", "512", "--out", out]
    printed, errors = run(capsys, *words)
    assert errors == "" and "missed at 4" in printed and "BrowserGym's forms are left out" in printed
    figures = json.loads(out.read_text("utf-8"))
    assert figures["forms"].keys() == {"ours", "HTML", "aria snapshot"}
    # add_note: type, click, answer; colour: click, answer "red" or so; an empty answer needs nothing of its page
    needs = [len(page["targets"]) for page in figures["pages"]]
    assert needs == [1, 1, 0, 1, 1]
    for name, form in figures["forms"].items():
        assert form["recall"] == 1.0 and form["at"]["512"][0] <= 512 and form["at"]["4"][0] <= 4, name
    assert figures["forms"]["ours"]["at"]["4"][1] < figures["forms"]["ours"]["at"]["512"][1] == 1.0
    assert figures["forms"]["ours"]["tokens"] < figures["forms"]["aria snapshot"]["tokens"]


def test_saved_pages_are_measured_with_and_without_a_browser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "figures.json"
    printed, errors = run(capsys, "--pages", folder(tmp_path, TARGETS), "--budgets", "128", "--out", out)
    assert errors == "" and "b.html" in printed
    pages = json.loads(out.read_text("utf-8"))["pages"]
    assert [page["where"].partition(":")[0] for page in pages] == ["a.html"] * 3 + ["b.html"]
    assert all(page["forms"]["ours"] == page["forms"]["ours, offline"] for page in pages)
    assert [page["forms"]["ours"]["at"]["128"]["found"] for page in pages[:2]] == [True, True]
    assert [page["forms"]["aria snapshot"]["at"]["128"]["found"] for page in pages[:3]] == [False, True, False]
    assert all(measure["whole"]["found"] for page in pages for measure in page["forms"].values())


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ("{", "is no list of page, intent and target"),
        ([{"page": "c.html", "intent": "", "target": {}}], "there is no"),
        ([{"page": "a.html", "intent": "x", "target": {"role": "link", "name": "None"}}], "no link named 'None'"),
        ([{"page": "a.html", "intent": "x", "target": {"role": "link"}}], "needs role and name, or text"),
    ],
)
def test_targets_that_cannot_be_used_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], targets: Any, message: str
) -> None:
    _, errors = run(capsys, "--pages", folder(tmp_path, targets), code=2)
    assert message in errors and errors.count("\n") == 1


def test_a_folder_without_pages_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, errors = run(capsys, "--pages", tmp_path, code=2)
    assert errors == f"error: {tmp_path} holds no .html files\n"


def test_a_python_without_browsergym_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = folder(tmp_path, TARGETS)
    _, errors = run(capsys, "--pages", pages, "--browsergym", sys.executable, code=2)
    assert "No module named 'browsergym'" in errors
    _, errors = run(capsys, "--pages", pages, "--browsergym", tmp_path / "python", code=2)
    assert errors == f"error: {tmp_path / 'python'} can't be run: No such file or directory\n"
