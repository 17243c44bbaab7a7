"""Playwright traces and videos of trajectories: `playwright show-trace FILE` opens a trace.

Each action of the policy is a group in the trace, named by its text form; inside are the input events with the page's
snapshots before and after.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Mapping
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
        self, context: BrowserContext | None, page: Page, text: str, past: Mapping[str, Any]
    ) -> AsyncIterator[None]:
        """One action of the policy as a group of the trace."""
        if not self.on or context is None:
            yield
            return
        target = f"  {past['role']} “{past['name']}”" if past.get("role") else ""
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
        """End the recording and the context. Returns the path of the trace if it was kept, else ""."""
        videos = [page.video for page in context.pages if page.video]
        path = ""
        if self.on:
            if self.mode == "on" or keep:
                self.folder.mkdir(parents=True, exist_ok=True)
                path = str(self.folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', self.name)}.zip")
                await context.tracing.stop(path=path)
            else:
                await context.tracing.stop()
        await context.close()
        for video in videos:
            if self.video == "on" or keep:
                await video.save_as(self.folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', self.name)}.webm")
            await video.delete()
        return path
