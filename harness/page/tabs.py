"""The tabs of one browser context: a new one is followed at once, and closing one leads back to the tab that opened it.

Files that pages hand over are listed in `downloads`; the page that asked for them stays as it is.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Download, Error, FileChooser, Page

from harness.page.caps import Caps
from harness.page.channel import PageGone, PageTimeout
from harness.page.refs import Refs
from harness.page.session import EMPTY, PageSession
from harness.page.snapshot import Snapshot, TabInfo


@dataclass(eq=False)
class _Tab:
    session: PageSession
    opener: _Tab | None
    title: str = ""
    chooser: FileChooser | None = None


@dataclass
class Received:
    """A file that a page has handed over; `path` is None if it did not arrive."""

    name: str
    path: Path | None


@dataclass
class Tabs:
    """The pages of a context, in the order of opening; one of them is active."""

    context: BrowserContext
    caps: Caps
    origins: tuple[str, ...] = ()  # the only ones that can be visited; empty for no limit
    refs: Refs = field(default_factory=Refs)
    downloads: list[Received] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tabs: list[_Tab] = []
        self._active: _Tab | None = None
        self._coming: list[str] = []  # addresses of windows that pages have asked for and that are not there yet
        self._changed = asyncio.Event()
        self._work: set[asyncio.Task[None]] = set()
        self._failed: Exception | None = None
        self._refused = ""
        self._news: list[str] = []
        self.crashed = asyncio.Event()
        self.others_were_open = False

    async def open(self) -> PageSession:
        """Make the first tab and follow all that come."""
        page = await self.context.new_page()
        self.context.on("page", self._on_page)
        tab = await self._add(page, None)
        return tab.session

    @property
    def active(self) -> PageSession:
        """The tab that is observed and acted on. PageGone if none is left."""
        if self._active is None:
            raise PageGone("the last tab was closed")
        return self._active.session

    @property
    def count(self) -> int:
        """How many tabs are open."""
        return len(self._tabs)

    def take_news(self) -> tuple[str, ...]:
        """What has happened since the last call that no page shows: files that came, a file chooser that opened."""
        news, self._news = tuple(self._news), []
        return news

    # Pages that come and go

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    def _on_page(self, page: Page) -> None:
        self._spawn(self._follow(page))

    async def _follow(self, page: Page) -> None:
        address = self._coming[0] if self._coming else ""
        try:
            if address not in EMPTY and not is_allowed(address, self.origins):
                self._refused = address
                await page.close()
                return
            opener = await page.opener()
            tab = await self._add(page, next((tab for tab in self._tabs if tab.session.page is opener), self._active))
            if address not in EMPTY:
                await tab.session.begin()
        except PageTimeout:
            pass  # it is read as it is
        except (Error, PageGone) as error:
            if not page.is_closed():  # a window that was closed at once is nobody's concern
                self._failed = error
        finally:
            del self._coming[:1]
            self._changed.set()

    async def _add(self, page: Page, opener: _Tab | None) -> _Tab:
        session = await PageSession.open(page, self.caps, self.refs, self.origins)
        tab = _Tab(session, opener)
        self._tabs.append(tab)
        self._active = tab
        self.others_were_open = self.others_were_open or len(self._tabs) > 1
        page.on("crash", lambda _: self.crashed.set())
        page.on("close", lambda _: self._on_close(tab))
        page.on("download", lambda download: self._spawn(self._receive(download)))
        page.on("filechooser", lambda chooser: self._on_chooser(tab, chooser))
        session.cdp.on("Page.windowOpen", self._on_window)
        if page.is_closed():
            self._on_close(tab)
        return tab

    def _on_window(self, event: dict[str, Any]) -> None:
        self._coming.append(event["url"])

    def _on_close(self, tab: _Tab) -> None:
        if tab not in self._tabs:
            return
        self._tabs.remove(tab)
        for other in self._tabs:
            if other.opener is tab:
                other.opener = tab.opener
        if self._active is tab:
            before = tab.opener if tab.opener in self._tabs else None
            self._active = before or (self._tabs[-1] if self._tabs else None)
        self._changed.set()

    async def _receive(self, download: Download) -> None:
        name = download.suggested_filename
        try:
            async with asyncio.timeout(self.caps.navigation):
                path: Path | None = await download.path()
        except (Error, TimeoutError):
            path = None
        self.downloads.append(Received(name, path))
        self._news.append(f"download {name!r}" if path is not None else f"download {name!r} failed")
        self._changed.set()

    def _on_chooser(self, tab: _Tab, chooser: FileChooser) -> None:
        tab.chooser = chooser
        self._news.append("a file chooser is open")

    # What a policy can do with them

    def take_chooser(self) -> FileChooser | None:
        """The file chooser that the active page has opened."""
        if self._active is None:
            return None
        chooser, self._active.chooser = self._active.chooser, None
        return chooser

    async def new(self) -> None:
        """Open an empty tab and make it the active one."""
        try:
            async with asyncio.timeout(self.caps.navigation):
                opener = self._active
                self._coming.append("")
                page = await self.context.new_page()
                await self._settled()
                for tab in self._tabs:
                    if tab.session.page is page:
                        tab.opener = opener
        except (Error, TimeoutError) as error:
            raise PageGone(f"no new tab: {error}") from error

    def switch(self, number: int) -> bool:
        """Make the tab with this number (from 1) the active one; False if there is none."""
        if not 1 <= number <= len(self._tabs):
            return False
        self._active = self._tabs[number - 1]
        return True

    async def close(self) -> bool:
        """Close the active tab; False if it is the only one."""
        if len(self._tabs) < 2 or self._active is None:
            return False
        tab = self._active
        try:
            async with asyncio.timeout(self.caps.action):
                await tab.session.page.close()
        except (Error, TimeoutError) as error:
            raise PageGone(f"the tab did not close: {error}") from error
        self._on_close(tab)
        return True

    async def _settled(self) -> None:
        """Wait until the windows that were asked for are there."""
        deadline = asyncio.get_running_loop().time() + self.caps.action
        while self._coming:
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(deadline):
                    await self._changed.wait()
                continue
            self._coming.clear()  # a window that never comes is waited for once

    # Observing

    async def observe(self, quiet: float, cap: float) -> Snapshot:
        """The snapshot of the active tab, once it is quiet, with the list of all tabs."""
        while True:
            await self._settled()
            if self._failed is not None:
                failed, self._failed = self._failed, None
                raise PageGone(str(failed)) from failed
            tab = self._active
            if tab is None:
                raise PageGone("the last tab was closed")
            try:
                snapshot = await tab.session.observe(quiet, cap)
            except PageGone:
                if tab not in self._tabs or tab.session.page.is_closed():
                    self._on_close(tab)
                    continue
                raise
            # A window that a page opens while it settles is where the policy goes on.
            if self._coming or self._active is not tab:
                continue
            tab.title = snapshot.title or snapshot.url
            tabs: tuple[TabInfo, ...] = ()
            if len(self._tabs) > 1:
                tabs = tuple(TabInfo(place + 1, other.title, other is tab) for place, other in enumerate(self._tabs))
            refused, self._refused = self._refused or snapshot.refused, ""
            if not tabs and refused == snapshot.refused:
                return snapshot
            return replace(snapshot, tabs=tabs, refused=refused, _by_ref={})


def is_allowed(url: str, origins: tuple[str, ...]) -> bool:
    """Whether an address is on one of the sites; without any, all are. ValueError if it is no address."""
    parts = urlsplit(url)
    return not origins or f"{parts.scheme}://{parts.netloc.lower()}" in origins
