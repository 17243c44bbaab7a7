"""A run's folder: settings, metrics, evaluations, trajectories and checkpoints, none of them ever overwritten unasked.

runs/NAME/settings.json, metrics.jsonl, evaluations.jsonl, tensorboard/, checkpoints/{clone,last}/,
trajectories/*.jsonl.gz, traces/, report.html
"""

from __future__ import annotations

import fcntl
import gzip
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from harness.trajectory import Trajectory

MAY_CHANGE = {"iterations"}  # settings that say how far a run goes, not what it does: a resumed run may have others


class RunError(Exception):
    """The run's folder can't be used; the message says why and what to do."""


class Run:
    """One run's folder, locked while it is open. `step` numbers are iterations."""

    def __init__(self, folder: Path, settings: dict[str, Any], resume: bool, overwrite: bool) -> None:
        self.folder = folder
        known = folder / "settings.json"
        if resume:
            if not known.exists():
                raise RunError(f"{folder}: there is no run to resume")
        elif folder.exists() and any(entry.name != ".lock" for entry in folder.iterdir()):
            if not known.exists():
                raise RunError(f"{folder} holds something else than a run: choose another --name")
            if not overwrite:
                raise RunError(f"{folder} is in use: choose another --name, or --resume it, or --overwrite it")
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = (folder / ".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise RunError(f"{folder} is in use by another process") from error
        try:
            if resume:
                self._check(known, settings)
                for name in ("metrics.jsonl", "evaluations.jsonl"):
                    self._drop_half_line(name)
            else:
                self._clear()
            known.write_text(json.dumps(settings, indent=2) + "\n", "utf-8")
        except BaseException:
            self._lock.close()
            raise
        self._start = time.time()
        self._board = SummaryWriter(str(folder / "tensorboard"))

    def _check(self, known: Path, now: dict[str, Any]) -> None:
        try:
            stored = dict(json.loads(known.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise RunError(f"{known} can't be read: {error}") from error
        for key in sorted((stored.keys() | now.keys()) - MAY_CHANGE):
            if stored.get(key) != now.get(key):
                raise RunError(
                    f"{self.folder}: the run was begun with {key} = {stored.get(key)!r}, not {now.get(key)!r}; "
                    "resume it with the settings that it has"
                )

    def _clear(self) -> None:
        # The settings go last: what is left of a clearing that was killed must still look like a run.
        for entry in sorted(self.folder.iterdir(), key=lambda entry: entry.name == "settings.json"):
            if entry.name != ".lock":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def close(self) -> None:
        """Flush and unlock."""
        self._board.close()
        self._lock.close()

    def metrics(self, phase: str, step: int, values: dict[str, float]) -> None:
        """One line of metrics.jsonl, and the same scalars for TensorBoard."""
        line = {"phase": phase, "step": step, "time_s": round(time.time() - self._start, 3), **values}
        self._append("metrics.jsonl", line)
        for name, value in values.items():
            self._board.add_scalar(f"{phase}/{name}", value, step)

    def evaluation(self, values: dict[str, Any]) -> None:
        """One line of evaluations.jsonl."""
        self._append("evaluations.jsonl", values)

    def evaluations(self) -> list[dict[str, Any]]:
        """The evaluations so far."""
        return self._lines("evaluations.jsonl")

    def forget_after(self, phase: str, step: int) -> None:
        """Drop metrics of `phase` later than `step`: they belong to iterations that will be run again."""
        lines = [line for line in self._lines("metrics.jsonl") if line["phase"] != phase or line["step"] <= step]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.folder / "metrics.jsonl").write_text(text, "utf-8")

    def trajectories(self, name: str, trajectories: Sequence[Trajectory]) -> None:
        """Write trajectories/NAME.jsonl.gz, one trajectory a line."""
        folder = self.folder / "trajectories"
        folder.mkdir(exist_ok=True)
        write_trajectories(folder / f"{name}.jsonl.gz", trajectories)

    def stored_trajectories(self, name: str) -> list[Trajectory]:
        """What `trajectories` has written."""
        return read_trajectories(self.folder / "trajectories" / f"{name}.jsonl.gz")

    def checkpoint(self, name: str) -> Path:
        """The folder of a checkpoint."""
        (self.folder / "checkpoints").mkdir(exist_ok=True)
        return self.folder / "checkpoints" / name

    def _drop_half_line(self, name: str) -> None:
        """Cut off a last line that was being written when the process was killed."""
        path = self.folder / name
        if path.exists():
            data = path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if whole != data:
                path.write_bytes(whole)

    def _append(self, name: str, line: dict[str, Any]) -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _lines(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / name
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def write_trajectories(path: Path, trajectories: Sequence[Trajectory]) -> None:
    """One JSON line per trajectory, compressed; the bytes depend on the trajectories alone."""
    with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as file:
        for trajectory in trajectories:
            file.write((json.dumps(trajectory.to_json(), ensure_ascii=True) + "\n").encode())


def read_trajectories(path: Path) -> list[Trajectory]:
    """The inverse of `write_trajectories`."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [Trajectory.from_json(json.loads(line)) for line in file]
