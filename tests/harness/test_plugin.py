"""The pytest plugin: a person's own tests play tasks, and watch, trace and film them with pytest-playwright's flags."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.harness.support import CONFIG_PATH, PROJECT, SUITE
from tests.harness.test_eval import recorded
from tests.processes import LIMIT, Marked, wait_until

TESTS = """
def test_oracle(play, sites):
    trajectory = play(sites.suite.task("demo.add_note.7"))
    assert (trajectory.reward, trajectory.reason) == (1, "")


def test_by_hand(env, sites):
    task = sites.suite.task("demo.colour.7")
    observation = env.reset(task)
    (link,) = [element.ref for element in observation.elements if element.name == "Things"]
    assert "Colour" in env.step(f"click({link})").observation.text
    assert env.step('answer("wrong")').end == "answered"
    final, verdict = env.finish()
    assert final.answer == "wrong" and not verdict.passed


def test_own_page(page, sites):
    page.goto(sites.origin("demo") + "/?seed=7")
    assert page.title() == "Notes"
"""
FAILING = """
def test_won(env, sites):
    env.reset(sites.suite.task("demo.colour.7"))
    env.step("give_up()")


def test_lost(env, sites):
    env.reset(sites.suite.task("demo.colour.7"))
    env.step("give_up()")
    assert False
"""


@contextmanager
def pytest_process(
    folder: Path, marked: Marked, text: str, *flags: str, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """pytest on a file of tests, in a process and session of its own."""
    (folder / "test_mine.py").write_text(text)
    (folder / "pytest.ini").write_text(f"[pytest]\nharness_suite = {SUITE}\n")
    (folder / "playwright.config.json").write_text(CONFIG_PATH.read_text())
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *flags]
    path = os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        command,
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=marked.environment(**{"PYTHONPATH": path, "DISPLAY": "", "WAYLAND_DISPLAY": "", **environment}),
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def pytest_run(folder: Path, marked: Marked, text: str, *flags: str, **environment: str) -> tuple[int, str]:
    """Exit code and output of pytest on a file of tests."""
    with pytest_process(folder, marked, text, *flags, **environment) as process:
        out, _ = process.communicate(timeout=LIMIT)
    return process.returncode, out


def test_tests_can_be_watched_traced_and_filmed_without_a_screen(tmp_path: Path) -> None:
    marked = Marked()
    flags = ("--headed", "--slowmo", "50", "--tracing", "on", "--video", "on", "--output", str(tmp_path / "films"))
    code, out = pytest_run(tmp_path, marked, TESTS, *flags)
    assert code == 0 and "3 passed" in out, out
    assert marked.left() == []  # nor is an Xvfb
    made = {str(path.relative_to(tmp_path / "films")) for path in (tmp_path / "films").rglob("*") if path.is_file()}
    assert {
        "test_oracle/demo.add_note.7-0-0.zip",
        "test_oracle/demo.add_note.7-0-0.webm",
        "test_by_hand/test_by_hand.zip",
        "test_by_hand/test_by_hand.webm",
    } <= made
    assert any(name.endswith("trace.zip") for name in made) and any(name.endswith("video.webm") for name in made)
    titles, snapshots, _ = recorded(tmp_path / "films" / "test_by_hand" / "test_by_hand.zip")
    assert titles[0].endswith("link “Things”") and titles[1] == 'answer("wrong")' and snapshots >= 1
    film = (tmp_path / "films" / "test_by_hand" / "test_by_hand.webm").read_bytes()
    assert film.startswith(b"\x1aE\xdf\xa3") and len(film) > 1000


def test_recordings_of_failures_are_those_of_failed_tests(tmp_path: Path) -> None:
    marked = Marked()
    code, out = pytest_run(tmp_path, marked, FAILING, "--tracing", "retain-on-failure")
    assert code == 1 and "1 failed, 1 passed" in out, out
    found = [str(path.relative_to(tmp_path / "test-results")) for path in (tmp_path / "test-results").rglob("*.zip")]
    assert found == ["test_lost/test_lost.zip"]
    assert marked.left() == []


def test_headed_without_a_screen_and_without_xvfb_is_one_clear_line(tmp_path: Path) -> None:
    marked = Marked()
    (tmp_path / "bin").mkdir()
    code, out = pytest_run(tmp_path, marked, TESTS, "--headed", PATH=str(tmp_path / "bin"))
    assert code == 2 and "--headed needs a screen: none is there, and Xvfb is not installed" in out, out
    assert marked.left() == []


WAITING = """
def test_endless(env, sites):
    observation = env.reset(sites.suite.task("demo.colour.7"))
    open("begun", "w").close()
    while True:
        env.reset(sites.suite.task("demo.colour.7"))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill"])
def test_no_process_of_interrupted_tests_is_left(tmp_path: Path, number: signal.Signals) -> None:
    marked = Marked()
    with pytest_process(tmp_path, marked, WAITING, "--headed") as process:
        assert wait_until(lambda: (tmp_path / "begun").exists() or process.poll() is not None)
        assert any("Xvfb" in seen.command for seen in marked.watch(process.pid))
        os.killpg(process.pid, number)
        process.communicate(timeout=LIMIT)
        assert process.returncode == (2 if number == signal.SIGINT else -number)
        assert wait_until(lambda: not marked.left()), marked.left()
