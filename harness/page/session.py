"""A PageSession: one page through the DevTools protocol, with the project's scripts in an isolated world.

The page's own scripts can neither see nor call what runs in that world. Every wait has a cap, given in seconds.
One call observes: it waits until the page is quiet, walks it and returns the snapshot, in a single round trip.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from importlib import resources
from typing import Any

from playwright.async_api import CDPSession, Error, Page

from harness.page.snapshot import Snapshot

WORLD = "harness"
SCRIPTS = ("walk.js", "settle.js", "touch.js")


class PageGone(Exception):
    """The page, its renderer or its browser is gone: an infrastructure failure, not the policy's doing."""


class PageTimeout(Exception):
    """The page did not answer within the cap."""


def _source() -> str:
    folder = resources.files("harness.page")
    return "\n".join(f"{{\n{(folder / name).read_text('utf-8')}\n}}" for name in SCRIPTS)


_SOURCE = _source()
# What the protocol says when the document was left: before the call began, and under it.
_NOT_BEGUN = ("Cannot find context", "uniqueContextId not found")
_LEFT = (*_NOT_BEGUN, "context was destroyed", "navigated or closed")
_GONE = ("Target page, context or browser has been closed", "Target crashed", "Connection closed", "Session closed")


class PageSession:
    """One page, observed and driven. Make it with `await PageSession.open(page, …)`."""

    def __init__(self, page: Page, cdp: CDPSession, timeout: float, navigation_timeout: float) -> None:
        self.page = page
        self.cdp = cdp
        self.timeout = timeout
        self.navigation_timeout = navigation_timeout
        self._frame = ""
        self._world: str | None = None
        self._changed = asyncio.Event()
        self._navigated = asyncio.Event()
        self._gone: str | None = None
        self._next_ref = 1
        self._requests: set[str] = set()  # fetches under way, which a settled page has none of
        self.timings: dict[str, float] = {}

    @classmethod
    async def open(cls, page: Page, timeout: float, navigation_timeout: float) -> PageSession:
        """Attach to a page. `timeout` caps each call, `navigation_timeout` each page load (seconds)."""
        try:
            cdp = await page.context.new_cdp_session(page)
            self = cls(page, cdp, timeout, navigation_timeout)
            cdp.on("Runtime.executionContextCreated", self._on_context)
            cdp.on("Runtime.executionContextsCleared", lambda _: self._set_world(None))
            cdp.on("Runtime.executionContextDestroyed", self._on_destroyed)
            cdp.on("Page.frameNavigated", self._on_navigated)
            cdp.on("Page.navigatedWithinDocument", lambda _: self._navigated.set())
            cdp.on("Network.requestWillBeSent", self._on_request)
            cdp.on("Network.loadingFinished", self._on_request_end)
            cdp.on("Network.loadingFailed", self._on_request_end)
            page.on("crash", lambda _: self._set_gone("the page crashed"))
            page.on("close", lambda _: self._set_gone("the page was closed"))
            tree, *_ = await asyncio.gather(
                cdp.send("Page.getFrameTree"),
                cdp.send("Page.enable"),
                cdp.send("Runtime.enable"),
                cdp.send("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
                cdp.send(
                    "Page.addScriptToEvaluateOnNewDocument",
                    {"source": _SOURCE, "worldName": WORLD, "runImmediately": True},
                ),
            )
        except Error as error:
            raise PageGone(error.message) from error
        self._frame = tree["frameTree"]["frame"]["id"]
        return self

    async def app_state(self) -> Any:
        """The app state that the site keeps in its origin's storage (key "state"), None if there is none."""
        text = await self.call("harnessTouch.appState")
        return None if text is None else json.loads(text)

    @property
    def known_refs(self) -> int:
        """One more than the largest ref number given so far."""
        return self._next_ref

    def _on_context(self, event: dict[str, Any]) -> None:
        context = event["context"]
        if context["name"] == WORLD and self._frame in ("", context["auxData"]["frameId"]):
            self._set_world(context["uniqueId"])

    def _on_destroyed(self, event: dict[str, Any]) -> None:
        if event.get("executionContextUniqueId") == self._world:
            self._set_world(None)

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self._requests.clear()
            self._changed.set()
            self._navigated.set()

    def _on_request(self, event: dict[str, Any]) -> None:
        if event.get("type") in ("Fetch", "XHR"):
            self._requests.add(event["requestId"])

    def _on_request_end(self, event: dict[str, Any]) -> None:
        self._requests.discard(event["requestId"])
        self._changed.set()

    def _set_world(self, world: str | None) -> None:
        self._world = world
        self._changed.set()

    def _set_gone(self, why: str) -> None:
        self._gone = why
        self._changed.set()
        self._navigated.set()

    async def _wait_world(self, other_than: str | None, deadline: float) -> str:
        """The context of the isolated world in the current document, once it is another than `other_than`."""
        while self._gone is None:
            if self._world is not None and self._world != other_than:
                return self._world
            self._changed.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._changed.wait()
            except TimeoutError as error:
                raise PageTimeout("no new document came") from error
        raise PageGone(self._gone)

    async def send(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """One protocol call under the cap."""
        if self._gone is not None:
            raise PageGone(self._gone)
        try:
            async with asyncio.timeout(self.timeout):
                return await self.cdp.send(method, params)
        except TimeoutError as error:
            raise PageTimeout(f"{method} did not return within {self.timeout:g} s") from error
        except Error as error:
            if self._gone is not None or any(word in error.message for word in _GONE):
                raise PageGone(self._gone or error.message) from error
            raise

    async def input(self, action: Awaitable[None]) -> None:
        """Trusted mouse or keyboard input of Playwright's under the cap."""
        try:
            async with asyncio.timeout(self.timeout):
                await action
        except TimeoutError as error:
            raise PageTimeout(f"input was not taken within {self.timeout:g} s") from error
        except Error as error:
            raise PageGone(self._gone or error.message) from error

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of the isolated world once in the current document, and return its JSON result.

        A call that had not begun when the document was left is made in the next one. One that may have begun is not
        made again: the result is then an error of the form {"error": [code, message]}.
        """
        deadline = asyncio.get_running_loop().time() + self.timeout
        expression = f"{function}({', '.join(json.dumps(argument) for argument in arguments)})"
        left: str | None = None
        while True:
            world = await self._wait_world(left, deadline)
            try:
                result = await self.send(
                    "Runtime.evaluate",
                    {"expression": expression, "uniqueContextId": world, "returnByValue": True},
                )
            except Error as error:
                if any(word in error.message for word in _NOT_BEGUN):
                    left = world
                    continue
                if any(word in error.message for word in _LEFT):
                    return {"error": ["STALE_REF", "the page was left at this moment"]}
                raise
            if "exceptionDetails" in result:
                raise RuntimeError(f"{function} failed in the page: {result['exceptionDetails']}")
            return result["result"].get("value")

    async def observe(self, quiet: float, cap: float) -> Snapshot:
        """Wait until the page is quiet (at most `cap` seconds, then `settled` is False) and walk it.

        If a navigation is under way, the snapshot is of the document that it leads to.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.navigation_timeout + cap
        left: str | None = None
        while True:
            world = await self._wait_world(left, deadline)
            expression = f"harnessObserve({self._next_ref}, {quiet * 1000:g}, {cap * 1000:g})"
            try:
                async with asyncio.timeout(cap + self.timeout):
                    result = await self.cdp.send(
                        "Runtime.evaluate",
                        {"expression": expression, "uniqueContextId": world, "awaitPromise": True, "returnByValue": True},
                    )
            except TimeoutError as error:
                raise PageTimeout("the page did not answer the walk") from error
            except Error as error:
                if any(word in error.message for word in _LEFT) and self._gone is None:
                    left = world
                    continue
                raise PageGone(self._gone or error.message) from error
            if "exceptionDetails" in result:
                if world != self._world:
                    left = world
                    continue
                raise RuntimeError(f"the walk failed in the page: {result['exceptionDetails']}")
            data = json.loads(result["result"]["value"])
            # The renderer reports a fetch before it answers a later walk, so none that was begun is missed here.
            if self._requests:
                if await self._requests_end(loop.time() + cap):
                    continue
                data["settled"] = False
            self._next_ref = max(self._next_ref, data["next"])
            self.timings = {name: data["ms"][name] / 1000 for name in ("settle", "walk")}
            return Snapshot.from_walk(data)

    async def _requests_end(self, deadline: float) -> bool:
        """Wait until no fetch is under way; False at the deadline."""
        while self._requests and self._gone is None:
            self._changed.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._changed.wait()
            except TimeoutError:
                self._requests.clear()  # a request that never ends is waited for once
                return False
        return True

    async def navigate(self, url: str) -> str | None:
        """Go to an address; returns when its document has begun. The error text of the network if it failed, else None."""
        before = self._world
        self._navigated.clear()
        try:
            async with asyncio.timeout(self.navigation_timeout):
                result = await self.cdp.send("Page.navigate", {"url": url})
        except TimeoutError as error:
            raise PageTimeout(f"{url} did not answer within {self.navigation_timeout:g} s") from error
        except Error as error:
            raise PageGone(self._gone or error.message) from error
        if result.get("errorText"):
            return str(result["errorText"])
        if result.get("loaderId"):
            await self._wait_world(before, asyncio.get_running_loop().time() + self.navigation_timeout)
        return None

    async def travel(self, steps: int) -> bool:
        """Go back (-1) or forward (1) in the history; False if there is no such page."""
        history = await self.send("Page.getNavigationHistory")
        place = history["currentIndex"] + steps
        if not 0 <= place < len(history["entries"]) or history["entries"][place]["url"] == "about:blank":
            return False
        self._navigated.clear()
        await self.send("Page.navigateToHistoryEntry", {"entryId": history["entries"][place]["id"]})
        try:
            async with asyncio.timeout(self.navigation_timeout):
                await self._navigated.wait()
        except TimeoutError as error:
            raise PageTimeout("the page of the history did not come") from error
        return True
