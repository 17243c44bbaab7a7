"""A Browser: one Chromium through Playwright's async API, with as many isolated contexts as are asked for.

The browser can reach the given origins and nothing else: every other host and port fails to resolve inside Chromium.
A Chromium that has died or hangs, or whose driver has died, is replaced when the next context is asked for. Leaving the
`async with` block, for whatever reason, ends Chromium and the driver.
"""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, Error, Playwright, async_playwright

from harness.chromium import find_chromium
from harness.config import BrowserConfig, ms
from harness.page.caps import Caps

LOOPBACK = "127.0.0.1"

_ARGUMENTS = (
    "--no-sandbox",  # Chromium refuses its sandbox to root; it only sees the project's own pages
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class BrowserFailure(Exception):
    """Chromium could not be started or is gone."""


def _cause(error: Error) -> str:
    """One line of what Playwright tells in many: what failed, and the last thing that Chromium said."""
    lines = error.message.splitlines()
    if any("without having a XServer" in line for line in lines):
        return "a window needs a screen: set DISPLAY, or run it under xvfb-run"
    said = [line.partition("][err]")[2].strip() for line in lines if "][err]" in line]
    return "; ".join([lines[0] if lines else type(error).__name__, *said[-1:]])


def reach_only(origins: tuple[str, ...]) -> str:
    """The Chromium switch that lets it find these origins (host and port), all on loopback, and nothing else."""
    rules = []
    for origin in origins:
        parts = urlsplit(origin)
        rules.append(f"MAP {parts.hostname}:{parts.port} {LOOPBACK}:{parts.port}")
    return f"--host-resolver-rules={', '.join([*rules, 'MAP * ~NOTFOUND'])}"


class Browser:
    """`async with Browser(config, origins) as browser: context = await browser.context()`."""

    def __init__(self, config: BrowserConfig, origins: tuple[str, ...]) -> None:
        self.config = config
        self.origins = origins
        self.launches = 0
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._lock = asyncio.Lock()

    @property
    def caps(self) -> Caps:
        """The longest waits in its pages."""
        config = self.config
        return Caps(config.action_timeout, config.navigation_timeout, config.snapshot_timeout, config.wait_timeout)

    async def __aenter__(self) -> Browser:
        path = find_chromium(self.config, headed=not self.config.headless)  # before anything is started
        self._path = str(path)
        try:
            await self._launch()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End Chromium and the driver. May be called twice."""
        chromium, self._chromium = self._chromium, None
        playwright, self._playwright = self._playwright, None
        if chromium is not None:
            with contextlib.suppress(Error, TimeoutError):  # it may be dead already: then there is nothing to end
                async with asyncio.timeout(self.config.close_timeout):
                    await chromium.close()
        if playwright is not None:
            with contextlib.suppress(TimeoutError):  # a driver that hangs is killed with the event loop
                async with asyncio.timeout(self.config.close_timeout):
                    await playwright.stop()  # the driver kills what is left of the browsers it started

    async def _launch(self) -> Chromium:
        if self._playwright is None:
            self._playwright = await async_playwright().start()
            return await self._launch_with(self._playwright)
        try:
            return await self._launch_with(self._playwright)
        except BrowserFailure:
            # A driver that was killed can't launch anything: once more with a new one.
            await self.close()
            self._playwright = await async_playwright().start()
            return await self._launch_with(self._playwright)

    async def _launch_with(self, playwright: Playwright) -> Chromium:
        try:
            self._chromium = await playwright.chromium.launch(
                executable_path=self._path,
                headless=self.config.headless,
                args=[*_ARGUMENTS, reach_only(self.origins), *self.config.args],
                timeout=ms(self.config.launch_timeout),
                slow_mo=ms(self.config.slow_mo),
                handle_sigint=False,  # Ctrl-C is Python's: it closes the browser in order
                handle_sigterm=False,
                handle_sighup=False,
            )
        except Error as error:
            raise BrowserFailure(f"Chromium at {self._path} did not start: {_cause(error)}") from error
        self.launches += 1
        return self._chromium

    async def _alive(self) -> Chromium:
        async with self._lock:
            if self._chromium is not None and self._chromium.is_connected():
                return self._chromium
            return await self._launch()

    async def context(self, **options: Any) -> BrowserContext:
        """A new context that shares nothing with any other. BrowserFailure if Chromium can't give one."""
        chromium = await self._alive()
        try:
            return await self._new_context(chromium, options)
        except BrowserFailure:
            # It died at this moment, it hangs, or its driver died and can't tell.
            async with self._lock:
                if self._chromium is chromium:
                    await self.close()
        return await self._new_context(await self._alive(), options)

    async def _new_context(self, chromium: Chromium, options: dict[str, Any]) -> BrowserContext:
        try:
            async with asyncio.timeout(self.config.navigation_timeout):
                return await chromium.new_context(
                    viewport={"width": self.config.width, "height": self.config.height},
                    locale=self.config.locale,
                    timezone_id=self.config.timezone,
                    service_workers="block",
                    reduced_motion="reduce",
                    **options,
                )
        except TimeoutError as error:
            raise BrowserFailure(f"no browser context within {self.config.navigation_timeout:g} s") from error
        except Error as error:
            raise BrowserFailure(f"no new browser context: {_cause(error)}") from error

    async def answers(self, origin: str) -> bool:
        """Whether anything listens where the browser finds this origin."""
        try:
            async with asyncio.timeout(self.config.navigation_timeout):
                _, writer = await asyncio.open_connection(LOOPBACK, urlsplit(origin).port)
        except (OSError, TimeoutError):
            return False
        writer.close()
        return True

    @property
    def connected(self) -> bool:
        """Whether the present Chromium answers."""
        return self._chromium is not None and self._chromium.is_connected()
