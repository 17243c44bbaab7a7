"""What the browser itself costs on the same pages: bare Playwright without observation, checks, records or a policy.

Times of one machine say little on another one. As multiples of this floor, measured in the same run, they do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from playwright.async_api import Error, Page

from harness.browser import Browser
from harness.config import ms

LOOP = 1_000_000  # additions of the loop that tells how fast this Python is
NOWHERE = (1.0, 1.0)  # where a page without such links is clicked
# Where a click on a link of the page's own origin would land; links of the frame around the page, which all pages have.
_LINKS = """() => [...document.querySelectorAll("nav a[href]")].map(link => link.getBoundingClientRect())
  .filter(box => box.width && box.top >= 0 && box.bottom < innerHeight)
  .map(box => [box.x + box.width / 2, box.y + box.height / 2])"""
# The least that shows what a page has become: an animation frame, then its text.
_READ = """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(document.body.innerText))))"""


def python_loop() -> float:
    """Seconds of a loop of LOOP additions."""
    start = time.perf_counter()
    total = 0
    for number in range(LOOP):
        total += number
    return time.perf_counter() - start


async def _times(work: Callable[[], Awaitable[Any]], repeats: int) -> list[float]:
    await work()  # the first one fills caches
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        await work()
        seconds.append(time.perf_counter() - start)
    return seconds


async def _read(page: Page) -> None:
    while True:
        try:
            await page.evaluate(_READ)
            return
        except Error as error:
            if "Execution context was destroyed" not in error.message:
                raise  # else a link led to another document, which is read instead


class _Walker:
    """A page whose links are clicked in turn, by raw mouse input."""

    def __init__(self, page: Page, places: Sequence[Sequence[float]]) -> None:
        self.page = page
        self.places = places
        self.turns = 0

    async def turn(self) -> None:
        """One click on a link, one frame, one text."""
        x, y = self.places[self.turns % len(self.places)]
        self.turns += 1
        await self.page.mouse.click(x, y)
        await _read(self.page)


async def _walker(browser: Browser, url: str) -> _Walker:
    context = await browser.context()
    page = await context.new_page()
    # A page may draw itself after it has loaded, from data that it fetches.
    await page.goto(url, wait_until="networkidle", timeout=ms(browser.config.navigation_timeout))
    await _read(page)
    return _Walker(page, await page.evaluate(_LINKS) or [NOWHERE])


async def floor_times(browser: Browser, url: str, repeats: int) -> dict[str, list[float]]:
    """Seconds, `repeats` times each, with one context: a round trip, a bare turn, a new context with a loaded page."""

    async def load() -> None:
        context = await browser.context()
        await (await context.new_page()).goto(url, timeout=ms(browser.config.navigation_timeout))
        await context.close()

    walker = await _walker(browser, url)
    found = {
        "round trip": await _times(lambda: walker.page.evaluate("1"), repeats),
        "bare turn": await _times(walker.turn, repeats),
        "bare context": await _times(load, repeats),
    }
    await walker.page.context.close()
    return found


async def floor_rate(browser: Browser, url: str, contexts: int, turns: int) -> float:
    """Bare turns per second with this many contexts at once, nothing being reset."""
    walkers = await asyncio.gather(*(_walker(browser, url) for _ in range(contexts)))

    async def walk(walker: _Walker) -> None:
        while walker.turns < turns // contexts:
            await walker.turn()

    start = time.perf_counter()
    await asyncio.gather(*(walk(walker) for walker in walkers))
    seconds = time.perf_counter() - start
    await asyncio.gather(*(walker.page.context.close() for walker in walkers))
    return sum(walker.turns for walker in walkers) / seconds
