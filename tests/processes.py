"""Processes as /proc shows them, for tests that end some and tests that none may be left of."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

LIMIT = 120.0  # seconds within which anything must have happened, however busy the machine is
MARK = "HARNESS_TEST_MARK"


@dataclass(frozen=True)
class Process:
    """One process; a number that is given to another one later is told apart by `start`."""

    pid: int
    parent: int
    start: str
    command: str

    @property
    def running(self) -> bool:
        """Whether it still runs; one that has ended and waits to be reaped does not."""
        return _read(self.pid) == self


def _read(pid: int) -> Process | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    return None if fields[0] in "ZX" else Process(pid, int(fields[1]), fields[19], command)


def running() -> list[Process]:
    """All processes of the machine."""
    found = (_read(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return [process for process in found if process is not None]


_others: set[Process] = set()


def leave_alone_what_runs() -> None:
    """From now on `below()` leaves out what this process has started so far: fixtures of other tests live there."""
    _others.clear()
    _others.update(below())


def below(pid: int | None = None) -> list[Process]:
    """The processes that a process, by default this one, has started, and those that they have."""
    everything, parents, found = running(), {os.getpid() if pid is None else pid}, []
    if pid is None:
        everything = [process for process in everything if process not in _others]
    while parents:
        children = [process for process in everything if process.parent in parents]
        found += children
        parents = {process.pid for process in children}
    return found


def browsers(pid: int | None = None) -> list[Process]:
    """The main processes of the Chromiums below a process."""
    found = below(pid)
    return [p for p in found if "--remote-debugging-pipe" in p.command and "--type=" not in p.command]


def renderers(pid: int | None = None) -> list[Process]:
    """The processes in which the pages below a process live."""
    return [process for process in below(pid) if "--type=renderer" in process.command]


def drivers(pid: int | None = None) -> list[Process]:
    """Playwright's drivers below a process."""
    return [process for process in below(pid) if "run-driver" in process.command]


def wait_until(condition: Callable[[], object], limit: float = LIMIT) -> bool:
    """Ask again and again; whether it became true within `limit` seconds."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@dataclass
class Marked:
    """Tells all processes that come of one command: by a variable of their environment, and by who started whom."""

    mark: str = field(default_factory=lambda: uuid4().hex)
    seen: set[Process] = field(default_factory=set)

    def environment(self, **more: str) -> Mapping[str, str]:
        """The environment to start the command with."""
        return {**os.environ, MARK: self.mark, **more}

    def watch(self, pid: int) -> list[Process]:
        """Take note of all processes below the command: Chromium's write over their environment."""
        found = below(pid)
        self.seen.update(found)
        return found

    def left(self) -> list[Process]:
        """Those that still run."""
        return [process for process in running() if process in self.seen or self._is_marked(process)]

    def _is_marked(self, process: Process) -> bool:
        try:
            return f"{MARK}={self.mark}".encode() in Path(f"/proc/{process.pid}/environ").read_bytes()
        except OSError:
            return False
