"""Playwright traces and videos of trajectories: `playwright show-trace FILE` opens a trace.

Each action of the policy is a group in the trace, named by its text form; inside are the input events with the page's
snapshots before and after.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page

from harness.config import BrowserConfig, Record


@dataclass
class Tracing:
    """What is recorded: `mode` on, retain-on-failure (kept when the reward is 0 or there is none) or off."""

    mode: Record = "off"
    folder: Path = Path("traces")
    video: Record = "off"
    name: str = ""

    @property
    def on(self) -> bool:
        """Whether anything is recorded while an episode runs."""
        return self.mode != "off"

    def context_options(self, config: BrowserConfig) -> dict[str, Any]:
        """Options of a new context that a recording needs."""
        if self.video == "off":
            return {}
        size = {"width": config.width, "height": config.height}
        return {"record_video_dir": str(self.folder / "videos"), "record_video_size": size}

    async def start(self, context: BrowserContext, name: str) -> None:
        """Begin recording a context; `name` is the beginning of the file's name."""
        if self.on:
            await context.tracing.start(title=name, screenshots=True, snapshots=True)

    @contextlib.asynccontextmanager
    async def action(
        self, context: BrowserContext | None, page: Page, text: str, role: str, name: str
    ) -> AsyncIterator[None]:
        """One action of the policy as a group of the trace; `role` and `name` are those of the element acted on."""
        if not self.on or context is None:
            yield
            return
        target = f"  {role} “{name}”" if role else ""
        await context.tracing.group(text + target)
        try:
            yield
            await page.title()  # a call that every trace takes a snapshot at, also where the action was no input event
        finally:
            await context.tracing.group_end()

    async def note(self, context: BrowserContext | None, text: str) -> None:
        """An act that does not touch the page: an empty group with its text."""
        if self.on and context is not None:
            await context.tracing.group(text)
            await context.tracing.group_end()

    async def stop(self, context: BrowserContext, keep: bool) -> str:
        """End the recording and the context, also where the recording can't be had. The path of a trace that was kept,
        else "". A recording never replaces another one: the second of a name becomes NAME-2."""
        videos = [page.video for page in context.pages if page.video]
        path = ""
        try:
            if self.on and (self.mode == "on" or keep):
                trace = self._place(".zip")
                await context.tracing.stop(path=trace)
                path = str(trace)
            elif self.on:
                await context.tracing.stop()
        finally:
            await context.close()
        for video in videos:
            if self.video == "on" or keep:
                await video.save_as(self._place(".webm"))
            await video.delete()
        return path

    def _place(self, suffix: str) -> Path:
        """A file of its own for a recording."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.name)
        for number in itertools.count(1):
            path = self.folder / (f"{name}-{number}{suffix}" if number > 1 else f"{name}{suffix}")
            with contextlib.suppress(FileExistsError):
                path.touch(exist_ok=False)
                break
        return path
