"""However a command ends, none of its processes is left: no Chromium, no driver, no server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.harness.support import CONFIG_PATH, PROJECT, SUITE
from tests.processes import LIMIT, Marked, below, browsers, drivers, renderers, wait_until

FEW_SECONDS = 20.0  # a few on an idle machine
EVAL = ("harness.eval", "--policy", "oracle", "--suite", SUITE, "--config", str(CONFIG_PATH))


@dataclass
class Command:
    """A command that runs in a session of its own, as in a terminal."""

    process: subprocess.Popen[str]
    marked: Marked
    temporary: Path

    def interrupt(self, number: signal.Signals, group: bool = False) -> None:
        """Send a signal to the command, or as a terminal does to all of its process group."""
        self.marked.watch(self.process.pid)
        (os.killpg if group else os.kill)(self.process.pid, number)

    def ended(self) -> tuple[int, str, str]:
        """Exit code, output and errors of the command, which must end soon."""
        start = time.monotonic()
        out, errors = self.process.communicate(timeout=LIMIT)
        assert time.monotonic() - start < FEW_SECONDS
        return self.process.returncode, out, errors

    def nothing_is_left(self) -> None:
        """Nor will be soon."""
        assert wait_until(lambda: not self.marked.left(), FEW_SECONDS), self.marked.left()


@contextmanager
def command(tmp_path: Path, *words: str) -> Iterator[Command]:
    """`python -m WORDS`."""
    marked, temporary = Marked(), tmp_path / "tmp"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        env=marked.environment(TMPDIR=str(temporary)),
        start_new_session=True,
    )
    try:
        yield Command(process, marked, temporary)
    finally:
        marked.watch(process.pid)
        process.kill()
        process.communicate()
        for left in marked.left():
            os.kill(left.pid, signal.SIGKILL)


def playing(run: Command) -> None:
    """Wait until pages are open."""
    pid = run.process.pid
    assert wait_until(lambda: run.process.poll() is not None or len(renderers(pid)) >= 2)
    assert run.process.poll() is None, run.process.communicate()
    assert len(run.marked.watch(pid)) >= 5 and len(run.marked.left()) >= 5  # so that none left shows something
    assert browsers(pid) and drivers(pid) and any("harness.serve" in process.command for process in below(pid))


@pytest.mark.parametrize(
    ("number", "group", "code"),
    [(signal.SIGINT, True, 130), (signal.SIGTERM, False, 143)],
    ids=["ctrl-c", "terminate"],
)
def test_an_interrupt_ends_a_command_with_one_line_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals, group: bool, code: int
) -> None:
    with command(tmp_path, *EVAL, "--episodes", "400") as run:
        playing(run)
        run.interrupt(number, group)
        assert run.ended() == (code, "", "stopped\n")
        run.nothing_is_left()
        assert list(run.temporary.iterdir()) == []


@pytest.mark.parametrize("group", [False, True], ids=["the command alone", "its whole process group"])
def test_a_command_that_is_killed_leaves_nothing(tmp_path: Path, group: bool) -> None:
    with command(tmp_path, *EVAL, "--episodes", "400") as run:
        playing(run)
        run.interrupt(signal.SIGKILL, group)
        assert run.ended()[0] == -signal.SIGKILL
        run.nothing_is_left()


def test_a_second_interrupt_leaves_nothing_either(tmp_path: Path) -> None:
    with command(tmp_path, *EVAL, "--episodes", "400") as run:
        playing(run)
        run.interrupt(signal.SIGINT, group=True)
        run.interrupt(signal.SIGINT, group=True)
        assert run.ended()[0] == 130
        run.nothing_is_left()


def test_an_evaluation_that_comes_to_its_end_leaves_nothing(tmp_path: Path) -> None:
    with command(tmp_path, *EVAL, "--episodes", "8") as run:
        assert wait_until(lambda: renderers(run.process.pid) or run.process.poll() is not None)
        run.marked.watch(run.process.pid)
        code, out, errors = run.ended()
        assert (code, errors) == (0, "") and "100.0% (8 of 8)" in out
        assert run.marked.left() == []
        assert list(run.temporary.iterdir()) == []


# Training

TRAIN = (
    *("harness.train", "--name", "small", "--suite", SUITE, "--config", str(CONFIG_PATH), "--contexts", "2"),
    *("--demonstrations", "2", "--groups", "2", "--group-size", "2", "--eval-test", "1", "--eval-heldout", "1"),
    *("--policy.width", "16", "--policy.layers", "1", "--threads", "1"),
)


def lines_of(path: Path, phase: str) -> Callable[[], bool]:
    """Whether a file of metrics holds a line of a phase."""
    return lambda: path.exists() and f'"phase": "{phase}"' in path.read_text("utf-8")


def test_training_stops_during_play_and_goes_on_from_there(tmp_path: Path) -> None:
    words = (*TRAIN, "--runs", str(tmp_path / "runs"), "--clone.epochs", "2")
    metrics = tmp_path / "runs" / "small" / "metrics.jsonl"
    with command(tmp_path, *words, "--iterations", "500") as run:
        assert wait_until(lambda: lines_of(metrics, "mgrpo")() or run.process.poll() is not None)
        run.interrupt(signal.SIGINT, group=True)
        code, _, errors = run.ended()
        assert (code, errors) == (130, "stopped; go on with: python -m harness.train --name small --resume\n")
        run.nothing_is_left()
    done = (metrics.parent / "report.html").read_text("utf-8")
    assert "small" in done
    last = metrics.read_text("utf-8").count('"phase": "mgrpo"')
    with command(tmp_path, *words, "--iterations", str(last + 1), "--resume") as run:
        out, errors = run.process.communicate(timeout=LIMIT)
        assert run.process.returncode == 0, errors
        assert "resumed at iteration" in out and f"iteration {last + 1}/{last + 1}" in out
        run.nothing_is_left()


def test_training_stops_in_the_midst_of_cloning(tmp_path: Path) -> None:
    words = (*TRAIN, "--runs", str(tmp_path / "runs"), "--clone.epochs", "100000")
    metrics = tmp_path / "runs" / "small" / "metrics.jsonl"
    with command(tmp_path, *words) as run:
        assert wait_until(lambda: lines_of(metrics, "clone")() or run.process.poll() is not None)
        run.interrupt(signal.SIGINT, group=True)
        assert run.ended()[0] == 130
        run.nothing_is_left()
