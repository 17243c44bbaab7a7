"""Bad input to a command is exit code 2 and one line that says what is wrong; never a traceback."""

from __future__ import annotations

import fcntl
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from harness import eval as evaluation
from harness import train as training
from harness.browser import BrowserFailure
from harness.command import main_command
from harness.rollout.collect import TooManyFailures
from policy.checkpoint import save_checkpoint
from policy.learner import LearningFailed
from policy.network import PointerSettings
from policy.pointer import PointerPolicy
from tests.harness.support import PROJECT, SUITE

Main = Callable[[list[str]], int]
SMALL = PointerSettings(width=16, layers=1, heads=2, word_width=8)


@pytest.fixture(autouse=True)
def _no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(PROJECT)


def complaint(main: Main, capsys: pytest.CaptureFixture[str], *words: object, code: int = 2) -> str:
    """The one line that a command complains with."""
    assert main([str(word) for word in words]) == code
    out, errors = capsys.readouterr()
    assert out == "", out
    assert errors.count("\n") == 1 and errors.startswith("error: "), errors
    return errors


def configuration(folder: Path, **keys: Any) -> Path:
    path = folder / "playwright.config.json"
    path.write_text(json.dumps(keys))
    return path


def checkpoint(folder: Path, state: dict[str, Any]) -> Path:
    """A checkpoint of a small network."""
    save_checkpoint(folder / "checkpoint", PointerPolicy(SMALL).network, None, state)
    return folder / "checkpoint"


# Both commands

COMMON: list[tuple[list[str], dict[str, Any], str]] = [
    (["--suite", "nowhere"], {}, "unknown suite 'nowhere': there is no Python package 'nowhere'"),
    (["--suite", "json"], {}, "unknown suite 'json': 'json' has no function 'suite'"),
    (["--config", "none.json"], {}, "none.json: cannot be read: No such file or directory"),
    (["--suite", SUITE], {"use": {"headles": True}}, "unknown key 'use.headles'; did you mean 'use.headless'?"),
    (["--suite", SUITE], {"timeout": 0}, "'timeout' must be milliseconds, a number from 1 to"),
    (
        ["--suite", SUITE],
        {"use": {"launchOptions": {"executablePath": "/none"}}},
        "use.launchOptions.executablePath is '/none', which is no program",
    ),
]


@pytest.mark.parametrize(("words", "keys", "message"), COMMON)
@pytest.mark.parametrize(
    "main", [lambda words: evaluation.main(["--policy", "null", *words]), training.main], ids=["eval", "train"]
)
def test_what_no_command_can_use_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    main: Main,
    words: list[str],
    keys: dict[str, Any],
    message: str,
) -> None:
    configuration(tmp_path, **keys)
    assert message in complaint(main, capsys, *words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["playwright.config.json"]


@pytest.mark.parametrize("main", [evaluation.main, training.main], ids=["eval", "train"])
@pytest.mark.parametrize("words", [["--no-such-flag", "1"], ["--seed", "many"], ["--trace", "sometimes"]])
def test_a_flag_that_is_not_there_or_a_value_that_does_not_fit_is_told_by_the_parser(
    capsys: pytest.CaptureFixture[str], main: Main, words: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--policy", "null", *words] if main is evaluation.main else words)
    assert ended.value.code == 2
    out, errors = capsys.readouterr()
    assert words[0].lstrip("-") in out + errors


def test_in_a_process_of_its_own_too(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "harness.eval", "--policy", "unheard of", "--suite", SUITE]
    found = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert re.fullmatch(r"error: unknown policy 'unheard of': .*\n", found.stderr)


def test_a_program_that_is_no_chromium_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\necho I would rather not >&2\nexit 1\n")
    program.chmod(0o755)
    configuration(tmp_path, use={"launchOptions": {"executablePath": "./browser"}})
    line = complaint(evaluation.main, capsys, "--policy", "null", "--suite", SUITE, code=1)
    assert f"Chromium at {program} did not start: " in line and "I would rather not" in line


@pytest.mark.parametrize("error", [BrowserFailure("gone"), TooManyFailures("gone"), LearningFailed("gone")])
def test_what_broke_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str], error: Exception) -> None:
    def work() -> None:
        raise error

    assert main_command(work) == 1
    assert capsys.readouterr() == ("", "error: gone\n")


def test_a_fault_of_the_program_is_not_hidden() -> None:
    def work() -> None:
        raise KeyError("fault")

    with pytest.raises(KeyError, match="fault"):
        main_command(work)


# eval


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--task", "demo.colour"], "unknown task 'demo.colour'; known: demo.add_note.SEED, demo.colour.SEED"),
        (["--task", "shop.colour.1"], "unknown task 'shop.colour.1'"),
        (["--policy", "oracel"], "unknown policy 'oracel': neither oracle, random nor null, nor a checkpoint's folder"),
        (["--episodes", "0"], "--episodes and --contexts must be at least 1"),
        (["--contexts", "-1"], "--episodes and --contexts must be at least 1"),
        (["--seed", "-1"], "--seed at least 0"),
    ],
)
def test_eval_says_what_it_can_not_do(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in complaint(evaluation.main, capsys, "--policy", "null", "--suite", SUITE, *words)


def test_eval_says_so_where_a_suite_has_no_such_templates(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--policy", "null", "--suite", "tests.harness.test_commands:without_heldout", "--split", "heldout")
    assert "has no templates in the split heldout" in complaint(evaluation.main, capsys, *words)


def without_heldout() -> Any:
    """The fixture suite without the template that is never trained on."""
    from harness.tasks.task import Site, Suite
    from tests.fixture_suite import ROOT, Colour, world

    return Suite("tests.harness.test_commands:without_heldout", [Site("demo", ROOT, world, (Colour(),))])


def test_eval_never_writes_into_a_folder_that_holds_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    line = complaint(evaluation.main, capsys, "--policy", "null", "--suite", SUITE, "--out", tmp_path / "out")
    assert line == f"error: {tmp_path / 'out'} is not empty: choose another --out\n"
    line = complaint(
        evaluation.main, capsys, "--policy", "null", "--suite", SUITE, "--out", tmp_path / "out" / "thesis.txt"
    )
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def test_eval_says_what_is_wrong_with_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = checkpoint(tmp_path, {"policy": PointerPolicy(SMALL).settings_dict(), "budget": 512})
    weights, words = place / "weights.safetensors", ("--suite", SUITE, "--policy", place)
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-20])
    assert f"{weights}: damaged, or no safetensors file" in complaint(evaluation.main, capsys, *words)
    weights.unlink()
    assert f"{weights}: missing" in complaint(evaluation.main, capsys, *words)
    (place / "state.json").write_text("{")
    assert "can't be read as JSON" in complaint(evaluation.main, capsys, *words)
    (place / "state.json").unlink()
    assert "missing; this is no checkpoint folder" in complaint(evaluation.main, capsys, *words)
    (tmp_path / "file").write_text("x")
    line = complaint(evaluation.main, capsys, "--suite", SUITE, "--policy", tmp_path / "file")
    assert "no checkpoint folder" in line


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "is no checkpoint of the small policy ('policy')"),
        ({"policy": {"width": 16}, "budget": 512}, "has shape"),
        ({"policy": {"depth": 3}, "budget": 512}, "is no checkpoint of the small policy"),
        ({"policy": "pointer", "budget": 512}, "is no checkpoint of the small policy"),
    ],
)
def test_eval_refuses_a_checkpoint_of_something_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], state: dict[str, Any], message: str
) -> None:
    place = checkpoint(tmp_path, state)
    assert message in complaint(evaluation.main, capsys, "--suite", SUITE, "--policy", place)


def test_eval_refuses_the_weights_of_another_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = {"policy": PointerPolicy(SMALL).settings_dict(), "budget": 512}
    save_checkpoint(tmp_path / "checkpoint", torch.nn.Linear(2, 2), None, state)
    line = complaint(evaluation.main, capsys, "--suite", SUITE, "--policy", tmp_path / "checkpoint")
    assert "weights.safetensors: lacks the model's 'age.weight'" in line


# train


def run_folder(folder: Path, **settings: Any) -> Path:
    """The folder of a run that was begun with these settings."""
    run = folder / "runs" / "shop"
    run.mkdir(parents=True)
    stored = training.TrainSettings(suite=SUITE).stored()
    (run / "settings.json").write_text(json.dumps({**json.loads(json.dumps(stored)), **settings}))
    return run


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def test_train_never_overwrites_a_run_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_folder(tmp_path)
    before = files(tmp_path)
    line = complaint(training.main, capsys, "--suite", SUITE)
    assert line == "error: runs/shop is in use: choose another --name, or --resume it, or --overwrite it\n"
    assert files(tmp_path) == before and run.exists()


def test_train_never_overwrites_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "runs" / "shop").mkdir(parents=True)
    (tmp_path / "runs" / "shop" / "thesis.txt").write_text("years of work")
    before = files(tmp_path)
    for words in ([], ["--overwrite"], ["--name", ".", "--overwrite"]):
        line = complaint(training.main, capsys, "--suite", SUITE, *words)
        assert "holds something else than a run: choose another --name" in line
    assert files(tmp_path) == before


def test_train_refuses_to_resume_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = complaint(training.main, capsys, "--suite", SUITE, "--name", "none", "--resume")
    assert line == "error: runs/none: there is no run to resume\n"
    assert not (tmp_path / "runs").exists()


def test_train_refuses_to_resume_with_other_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folder(tmp_path, group_size=3)
    before = files(tmp_path)
    line = complaint(training.main, capsys, "--suite", SUITE, "--resume")
    assert "runs/shop: the run was begun with group_size = 3, not 8; resume it with the settings that it has" in line
    assert files(tmp_path) == before


def test_train_refuses_settings_that_it_can_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run_folder(tmp_path) / "settings.json").write_text('{"seed": ')
    line = complaint(training.main, capsys, "--suite", SUITE, "--resume")
    assert "runs/shop/settings.json can't be read: " in line


def test_train_refuses_a_damaged_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = run_folder(tmp_path) / "checkpoints" / "last"
    place.mkdir(parents=True)
    assert training.main(["--suite", SUITE, "--resume"]) == 2
    _, errors = capsys.readouterr()
    assert errors == f"error: {place / 'state.json'}: missing; this is no checkpoint folder\n"


def test_train_refuses_contradictions(capsys: pytest.CaptureFixture[str]) -> None:
    line = complaint(training.main, capsys, "--suite", SUITE, "--resume", "--overwrite")
    assert line == "error: --resume and --overwrite exclude each other\n"


def test_train_refuses_a_temperature_that_divides_by_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    line = complaint(training.main, capsys, "--suite", SUITE, "--policy.temperature", "0")
    assert line == "error: --policy.temperature must be above 0, not 0\n"


@pytest.mark.parametrize(
    ("name", "value", "wanted"), [("dropout", "1", "at least 0 and below 1"), ("word-dropout", "-1", "at least 0")]
)
def test_train_refuses_to_drop_what_can_not_be_dropped(
    capsys: pytest.CaptureFixture[str], name: str, value: str, wanted: str
) -> None:
    line = complaint(training.main, capsys, "--suite", SUITE, f"--clone.{name}", value)
    assert line == f"error: --clone.{name} must be {wanted}, not {value}\n"


@pytest.mark.parametrize("words", [["--resume"], ["--overwrite"]])
def test_train_refuses_a_run_that_another_process_is_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    run = run_folder(tmp_path)
    before = files(tmp_path)
    with (run / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        line = complaint(training.main, capsys, "--suite", SUITE, *words)
    assert line == "error: runs/shop is in use by another process\n"
    assert files(tmp_path) == before
