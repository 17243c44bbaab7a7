"""A laboratory for tests of pages: HTML given as text, served on loopback, looked at and touched in a real Chromium."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol, TypeVar

from aiohttp import web
from playwright.async_api import BrowserContext, Page

from harness.browser import Browser
from harness.config import BrowserConfig
from harness.page.action import Action
from harness.page.channel import DialogOpened
from harness.page.errors import ActionError
from harness.page.grammar import parse_action
from harness.page.perform import perform
from harness.page.session import PageSession
from harness.page.snapshot import Node, Snapshot
from harness.page.tabs import Tabs

T = TypeVar("T")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
QUIET = 0.004
CAP = 5.0
START = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Lab</title>'


class Loop(Protocol):
    """An event loop in another thread."""

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine."""


class Lab:
    """Serves pages at `origin` and opens them, each in a browser context of its own."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.config = BrowserConfig()
        self.pages: dict[str, str | Handler] = {}
        self.asked: list[str] = []  # paths and queries, in order
        self._contexts: list[BrowserContext] = []

    async def start(self) -> None:
        """Listen and launch."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        # A handler ends with the page that asked, even if it would hang for ever.
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = int(self._runner.addresses[0][1])
        self.origin = f"http://lab.localhost:{self.port}"
        self.other_origin = f"http://other.localhost:{self.port}"  # another site, which serves the same pages
        self.browser = Browser(self.config, (self.origin, self.other_origin))
        await self.browser.__aenter__()

    async def stop(self) -> None:
        """End the browser and the server."""
        await self.browser.close()
        await self._runner.cleanup()

    def clear(self) -> None:
        """Close what a test opened and forget what it served."""
        contexts, self._contexts = self._contexts, []
        for context in contexts:
            self.loop.run(context.close())
        self.pages.clear()
        self.asked.clear()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path_qs)
        page = self.pages.get(request.path)
        if page is None:
            return web.Response(status=404, text="no such page")
        if not isinstance(page, str):
            return await page(request)
        return web.Response(body=page.encode(), content_type="text/html", charset="utf-8")

    def put(self, path: str, content: str | Handler) -> None:
        """Serve this at a path; HTML without a doctype becomes the body of a page."""
        if isinstance(content, str) and not content.lstrip().startswith("<!doctype"):
            content = f"{START}<body>{content}"
        self.pages[path] = content

    def open(self, content: str = "", path: str = "/") -> Tab:
        """A new context with one page, which shows this."""
        self.put(path, content)
        return self.loop.run(self._open(path))

    async def _open(self, path: str) -> Tab:
        context = await self.browser.context()
        self._contexts.append(context)
        tabs = Tabs(context, self.browser.caps, self.browser.origins)
        session = await tabs.open()
        tab = Tab(self, tabs, session)
        with contextlib.suppress(DialogOpened):
            assert await session.navigate(self.origin + path) is None
        await tab.observe()
        return tab


class Tab:
    """The page opened first, and the tabs that it opens. Every call returns when it is done.

    `now` is the last snapshot; `files` are those that can be uploaded, by name.
    """

    def __init__(self, lab: Lab, tabs: Tabs, session: PageSession) -> None:
        self.lab = lab
        self.tabs = tabs
        self.page: Page = session.page
        self.session = session
        self.files: dict[str, Path] = {}
        self.now: Snapshot

    async def observe(self, cap: float = CAP) -> Snapshot:
        """For use inside the loop."""
        self.now = await self.tabs.observe(QUIET, cap)
        return self.now

    async def act(self, action: Action | str, cap: float = CAP) -> ActionError | None:
        """For use inside the loop."""
        parsed = parse_action(action) if isinstance(action, str) else action
        error = await perform(self.tabs, parsed, self.lab.browser.origins, self.now.url, self.files)
        await self.observe(cap)
        return error

    def look(self, cap: float = CAP) -> Snapshot:
        """Wait until the page is quiet, and take a snapshot."""
        return self.lab.loop.run(self.observe(cap))

    def do(self, action: Action | str, cap: float = CAP) -> ActionError | None:
        """Do an action, then look."""
        return self.lab.loop.run(self.act(action, cap))

    def show(self, content: str, path: str = "/") -> Snapshot:
        """Go to another page in the same tab."""
        self.lab.put(path, content)
        assert self.lab.loop.run(self.session.navigate(self.lab.origin + path)) is None
        return self.look()

    def fill(self, body: str) -> Snapshot:
        """Put other content into the page, whose scripts do not run: several times as fast as `show`."""
        self.js(f"document.body.innerHTML = {json.dumps(body)}")
        return self.look()

    def js(self, expression: str) -> Any:
        """The value of an expression in the page's own world."""
        return self.lab.loop.run(self._js(expression))

    async def _js(self, expression: str) -> Any:
        async with asyncio.timeout(CAP):
            return await self.page.evaluate(expression)

    def wait_for(self, true: Callable[[], bool]) -> None:
        """Look again until something is true that no page shows."""
        end = time.monotonic() + CAP
        while not true():
            assert time.monotonic() < end, "it never became true"
            self.look()

    def node(self, role: str, name: str | None = None) -> Node:
        """The only node of a role and name."""
        found = self.now.find(role, name)
        assert len(found) == 1, f"{len(found)} nodes of role {role!r} named {name!r} in:\n{self.outline()}"
        return found[0]

    def ref(self, role: str, name: str | None = None) -> str:
        """The ref of the only node of a role and name."""
        return self.node(role, name).ref

    def rows(self) -> list[tuple[str, str]]:
        """Role and name of every node."""
        return [(node.role, node.name) for node in self.now.nodes]

    def outline(self) -> str:
        """The snapshot for a person."""
        return "\n".join(f"{node.ref} {node.role} {node.name!r} {node.value or ''}" for node in self.now.nodes)
