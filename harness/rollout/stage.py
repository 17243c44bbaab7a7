"""A stage: the server, the browser and a collector for one suite, opened together and closed together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from harness.browser import Browser
from harness.chromium import require_ffmpeg
from harness.config import BrowserConfig
from harness.context.compress import Compressor
from harness.rollout.collect import Collector
from harness.server import SiteServer
from harness.tasks.task import Suite, load_suite
from harness.tracing import Tracing


@dataclass
class Stage:
    """What a command plays episodes with."""

    suite: Suite
    browser: Browser
    collector: Collector


@asynccontextmanager
async def open_stage(
    suite_name: str, config: BrowserConfig, contexts: int, budget: int, tracing: Tracing | None = None
) -> AsyncIterator[Stage]:
    """Serve the suite, start Chromium, and give a collector with up to `contexts` contexts. All ends with the block."""
    suite = load_suite(suite_name)
    if tracing is not None and tracing.video != "off":
        require_ffmpeg()
    async with SiteServer(suite_name, config) as server, Browser(config, server.origins) as browser:
        collector = Collector(browser, server.origin, Compressor(budget), contexts, tracing or Tracing())
        yield Stage(suite, browser, collector)
