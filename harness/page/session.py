"""A PageSession: one page through the DevTools protocol, with the project's scripts in an isolated world.

The page's own scripts can neither see nor call what runs in that world. Every wait has a cap, given in seconds.
One call observes: it waits until the page is quiet, walks it and returns the snapshot, in a single round trip.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable
from importlib import resources
from typing import Any

from playwright.async_api import CDPSession, Error, Page

from harness.page.snapshot import Snapshot

WORLD = "harness"
SCRIPTS = ("text.js", "roles.js", "names.js", "walk.js", "settle.js", "touch.js")


class PageGone(Exception):
    """The page, its renderer or its browser is gone: an infrastructure failure, not the policy's doing."""


class PageTimeout(Exception):
    """The page did not answer within the cap."""


def _source() -> str:
    folder = resources.files("harness.page")
    return "\n".join(f"{{\n{(folder / name).read_text('utf-8')}\n}}" for name in SCRIPTS)


_SOURCE = _source()
# Runs in a new document before any script of the page's own.
_WIPE = "localStorage.clear(); sessionStorage.clear(); window.name = '';"
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
        self._begun = 0  # fetches ever begun
        self._document: str | None = None  # the request of a navigation that has not led to a document yet
        self._unreachable = ""  # the address that an error page stands for
        self._tasks: set[asyncio.Task[None]] = set()
        self.address = ""  # of the last page observed that was no error page
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
            results = await asyncio.gather(
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
        self._frame = results[0]["frameTree"]["frame"]["id"]
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
            self._document = None
            self._unreachable = event["frame"].get("unreachableUrl", "")
            self._changed.set()
            self._navigated.set()

    def _on_request(self, event: dict[str, Any]) -> None:
        if event.get("type") in ("Fetch", "XHR"):
            self._requests.add(event["requestId"])
            self._begun += 1
        elif event.get("type") == "Document" and event.get("frameId") == self._frame:
            self._document = event["requestId"]

    def _on_request_end(self, event: dict[str, Any]) -> None:
        self._requests.discard(event["requestId"])
        # Any other failure of a navigation leads to an error page.
        if event["requestId"] == self._document and event.get("errorText") == "net::ERR_ABORTED":
            self._document = None
            task = asyncio.ensure_future(self._stay())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._changed.set()

    async def _stay(self) -> None:
        """Tell the page that the navigation which it waits for leads nowhere: an empty response, a download."""
        if self._world is not None:
            with contextlib.suppress(Error):  # a page that is gone waits for nothing
                expression = {"expression": "harnessSettle.stay()", "uniqueContextId": self._world}
                await self.cdp.send("Runtime.evaluate", expression)

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
        end = loop.time() + cap
        left: str | None = None
        while True:
            world = await self._wait_world(left, deadline)
            if left is not None:
                end, left = loop.time() + cap, None  # a new document has a wait of its own
            time = max(0.0, end - loop.time())
            begun = self._begun
            expression = f"harnessObserve({self._next_ref}, {quiet * 1000:g}, {time * 1000:g})"
            params = {
                "expression": expression,
                "uniqueContextId": world,
                "awaitPromise": True,
                "returnByValue": True,
            }
            try:
                async with asyncio.timeout(time + self.timeout):
                    result = await self.cdp.send("Runtime.evaluate", params)
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
            # The renderer reports a fetch before it answers a later walk, so none that was begun is missed here. One
            # that has ended may have come too late for this walk: the page's scripts get its data after the protocol.
            if self._requests or self._begun != begun:
                if await self._requests_end(end) and loop.time() < end:
                    continue
                data["settled"] = False
            if self._unreachable:
                data["url"], data["title"] = self._unreachable, f"{self._unreachable} could not be reached"
            else:
                self.address = data["url"]
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
        """Go to an address; returns when its document has begun: None, or the error text of the network."""
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

    async def renew(self, url: str) -> str | None:
        """Go to an address as in a new context: whatever the pages of its origin have kept is gone before the first
        script of the new document runs, and so are cookies and history. As `navigate`, it returns None or an error.

        What the document that is left writes while it goes is wiped too: the new one begins after that.
        """
        origin = "/".join(url.split("/", 3)[:3])
        added, *_ = await asyncio.gather(
            self.send("Page.addScriptToEvaluateOnNewDocument", {"source": _WIPE, "worldName": WORLD}),
            self.send("Network.clearBrowserCookies"),
            self.send(
                "Storage.clearDataForOrigin",
                {"origin": origin, "storageTypes": "indexeddb,cache_storage,file_systems,service_workers"},
            ),
        )
        error = await self.navigate(url)
        await asyncio.gather(
            self.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]}),
            self.send("Page.resetNavigationHistory"),
        )
        self._next_ref = 1  # refs of the episode before are nobody's any more
        return error

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
