"""A PageSession: one page through the DevTools protocol, with the project's scripts in an isolated world of each frame.

Every wait has a cap, given in seconds. One call observes: it waits until the page is quiet, walks it and returns the
snapshot, in a single round trip a frame. A dialog of the browser's own (alert, confirm, prompt, beforeunload) stops all
that goes on in the page until it is answered: nothing here waits behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Coroutine
from importlib import resources
from typing import Any, TypeVar

from playwright.async_api import CDPSession, Error, Page
from playwright.async_api import Dialog as OpenDialog

from harness.page.frames import WORLD, Frame, Frames
from harness.page.refs import Refs, World
from harness.page.snapshot import Dialog, Node, Snapshot
from harness.page.stitch import Walked, stitch
from harness.page.traffic import Traffic

T = TypeVar("T")

SCRIPTS = ("text.js", "roles.js", "names.js", "walk.js", "settle.js", "touch.js")


EMPTY = ("", "about:blank")
AFTER_FETCH = 0.02  # seconds of quiet after a fetch: its data takes a way of its own to the page's scripts


class PageGone(Exception):
    """The page, its renderer or its browser is gone: an infrastructure failure, not the policy's doing."""


class PageTimeout(Exception):
    """The page did not answer within the cap."""


class DialogOpened(Exception):
    """A dialog of the browser's is open: what was asked for goes on when it has been answered."""


class _Left(Exception):
    """The document was left before it answered."""


def _source() -> str:
    folder = resources.files("harness.page")
    return "\n".join(f"{{\n{(folder / name).read_text('utf-8')}\n}}" for name in SCRIPTS)


_SOURCE = _source()
_LISTENERS = (resources.files("harness.page") / "listeners.js").read_text("utf-8")
# Runs in a new document before any script of the page's own.
_WIPE = "localStorage.clear(); sessionStorage.clear(); window.name = '';"
# What the protocol says when the document was left: before the call began, and under it.
_NOT_BEGUN = ("Cannot find context", "uniqueContextId not found")
_LEFT = (*_NOT_BEGUN, "context was destroyed", "navigated or closed")
_GONE = ("Target page, context or browser has been closed", "Target crashed", "Connection closed", "Session closed")


class PageSession:
    """One page, observed and driven. Make it with `await PageSession.open(page, …)`."""

    def __init__(
        self,
        page: Page,
        cdp: CDPSession,
        timeout: float,
        navigation_timeout: float,
        refs: Refs,
        origins: tuple[str, ...],
    ) -> None:
        self.page = page
        self.cdp = cdp
        self.timeout = timeout
        self.navigation_timeout = navigation_timeout
        self.refs = refs
        self.traffic = Traffic(self._on_change, self._on_stay)
        self._source = f"globalThis.harnessOrigins = {json.dumps(origins)};\n{_SOURCE}"
        self.frames = Frames(page, self._source, self._on_change, self._prepare)
        self._changed = asyncio.Event()
        self._navigated = asyncio.Event()
        self._gone: str | None = None
        self._unreachable = ""  # the address that an error page stands for
        self._dialog: OpenDialog | None = None
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # done while one is open
        self._held: set[asyncio.Future[Any]] = set()  # what an open dialog holds up
        self._dialogs = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.origins: set[str] = set()  # of all documents that its frames have held
        self.url = ""  # of the present document, whatever it is
        self.address = ""  # of the last page observed that was no error page
        self.timings: dict[str, float] = {}

    @classmethod
    async def open(
        cls,
        page: Page,
        timeout: float,
        navigation_timeout: float,
        refs: Refs | None = None,
        origins: tuple[str, ...] = (),
    ) -> PageSession:
        """Attach to a page. `timeout` caps each call, `navigation_timeout` each page load (seconds); `refs` is shared
        by the pages of an episode. Where `origins` are given, links to others are not followed (`Snapshot.refused`)."""
        try:
            cdp = await page.context.new_cdp_session(page)
            self = cls(page, cdp, timeout, navigation_timeout, refs or Refs(), origins)
            cdp.on("Page.frameNavigated", self._on_navigated)
            cdp.on("Page.navigatedWithinDocument", lambda _: self._navigated.set())
            cdp.on("Page.javascriptDialogClosed", lambda _: self._on_dialog_closed())
            page.on("dialog", self._on_dialog)
            page.on("crash", lambda _: self._set_gone("the page crashed"))
            page.on("close", lambda _: self._set_gone("the page was closed"))
            self.url = (await self.frames.open(cdp))["url"]
            await self._prepare(cdp)
        except Error as error:
            raise PageGone(error.message) from error
        return self

    async def _prepare(self, cdp: CDPSession) -> None:
        await self.traffic.open(cdp, self.frames.main.id)

    async def app_state(self) -> Any:
        """The app state that the site keeps in its origin's storage (key "state"), None if there is none."""
        text = await self.call("harnessTouch.appState")
        return None if text is None else json.loads(text)

    # Events

    def _on_change(self) -> None:
        self._changed.set()

    def _on_navigated(self, event: dict[str, Any]) -> None:
        self.origins.add(event["frame"].get("securityOrigin", ""))
        if "parentId" not in event["frame"]:
            self.traffic.clear()
            self._unreachable = event["frame"].get("unreachableUrl", "")
            self.url = event["frame"]["url"]
            self._changed.set()
            self._navigated.set()

    def _on_stay(self) -> None:
        task = asyncio.ensure_future(self._stay())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stay(self) -> None:
        """Tell the page that the navigation which it waits for leads nowhere: an empty response, a download."""
        world = self.frames.main.world
        if world is not None:
            with contextlib.suppress(Error):  # a page that is gone waits for nothing
                expression = {"expression": "harnessSettle.stay()", "uniqueContextId": world}
                await self.cdp.send("Runtime.evaluate", expression)

    def _set_gone(self, why: str) -> None:
        self._gone = why
        self._changed.set()
        self._navigated.set()

    @property
    def gone(self) -> bool:
        """Whether the page was closed or has crashed."""
        return self._gone is not None

    # Dialogs

    @property
    def dialog(self) -> Dialog | None:
        """The open dialog."""
        found = self._dialog
        return Dialog(found.type, found.message, found.default_value) if found is not None else None

    def _on_dialog(self, dialog: OpenDialog) -> None:
        self._dialog = dialog
        self._dialogs += 1
        if not self._opened.done():
            self._opened.set_result(None)
        self._changed.set()
        self._navigated.set()

    def _on_dialog_closed(self) -> None:
        self._dialog = None
        if self._opened.done():
            self._opened = asyncio.get_running_loop().create_future()
        self._changed.set()

    async def answer_dialog(self, accept: bool, text: str = "") -> None:
        """Close the open dialog, and wait for what it has held up. `text` is the answer to a prompt."""
        dialog = self._dialog
        if dialog is None:
            return
        try:
            async with asyncio.timeout(self.timeout):
                await (dialog.accept(text) if accept else dialog.dismiss())
        except TimeoutError as error:
            raise PageTimeout("the dialog did not close") from error
        except Error as error:
            raise PageGone(self._gone or error.message) from error
        if self._dialog is dialog:
            self._on_dialog_closed()
        if self._held:
            await asyncio.wait((*self._held, self._opened), timeout=self.timeout, return_when=asyncio.FIRST_COMPLETED)

    async def _unheld(self, work: Coroutine[Any, Any, T], cap: float) -> T:
        """The result of work in the page; TimeoutError after `cap` seconds. DialogOpened if a dialog holds it up: it
        then goes on by itself."""
        if self._dialog is not None:
            work.close()
            raise DialogOpened
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self._opened), timeout=cap, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if not self._opened.done():
                raise TimeoutError
        except (asyncio.CancelledError, TimeoutError):
            task.cancel()
            raise
        self._held.add(task)
        task.add_done_callback(self._let_go)
        raise DialogOpened

    def _let_go(self, task: asyncio.Future[Any]) -> None:
        self._held.discard(task)
        if not task.cancelled():
            task.exception()  # what became of it shows in the page

    # Calls

    async def _wait_world(self, other_than: str | None, deadline: float) -> World:
        """The world in the main frame's present document, once it is another than `other_than`."""
        while self._gone is None:
            world = self.frames.main.world
            if world is not None and world != other_than:
                return world
            if self._dialog is not None:
                raise DialogOpened
            self._changed.clear()
            await self._change(deadline, "no new document came")
        raise PageGone(self._gone)

    async def _change(self, deadline: float, late: str) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                await self._changed.wait()
        except TimeoutError as error:
            raise PageTimeout(late) from error

    async def send(self, method: str, params: dict[str, Any] | None = None, frame: Frame | None = None) -> Any:
        """One protocol call under the cap, in the process of a frame (by default the main one)."""
        if self._gone is not None:
            raise PageGone(self._gone)
        cdp = self.cdp if frame is None else frame.cdp
        if cdp is None:
            raise _Left
        try:
            return await self._unheld(cdp.send(method, params), self.timeout)
        except TimeoutError as error:
            raise PageTimeout(f"{method} did not return within {self.timeout:g} s") from error
        except Error as error:
            if self._gone is not None:
                raise PageGone(self._gone) from error
            if any(word in error.message for word in _GONE):
                if frame is not None and frame is not self.frames.main:
                    self.frames.lost(frame)
                    raise _Left from error
                raise PageGone(error.message) from error
            raise

    async def input(self, action: Coroutine[Any, Any, None]) -> None:
        """Trusted mouse or keyboard input of Playwright's under the cap."""
        try:
            await self._unheld(action, self.timeout)
        except TimeoutError as error:
            raise PageTimeout(f"input was not taken within {self.timeout:g} s") from error
        except Error as error:
            raise PageGone(self._gone or error.message) from error

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function of the main frame's world once in the present document, and return its JSON result.

        A call that had not begun when the document was left is made in the next one. One that may have begun is not
        made again: the result is then an error of the form {"error": [code, message]}.
        """
        deadline = asyncio.get_running_loop().time() + self.timeout
        left: str | None = None
        while True:
            world = await self._wait_world(left, deadline)
            try:
                return await self._evaluate(None, world, _call(function, arguments))
            except Error as error:
                if any(word in error.message for word in _NOT_BEGUN):
                    left = world
                    continue
                if any(word in error.message for word in _LEFT):
                    return {"error": ["STALE_REF", "was on a page that is left"]}
                raise

    async def call_at(self, frame: Frame, world: World, function: str, *arguments: Any) -> Any:
        """Call a function once in this world of a frame, and return its JSON result: an error STALE_REF of the form
        {"error": [code, message]} if the document is another one now."""
        try:
            return await self._evaluate(frame, world, _call(function, arguments))
        except _Left:
            pass
        except Error as error:
            if not any(word in error.message for word in _LEFT):
                raise
        return {"error": ["STALE_REF", "was on a page that is left"]}

    async def _evaluate(self, frame: Frame | None, world: World, expression: str) -> Any:
        params = {
            "expression": expression,
            "uniqueContextId": world,
            "returnByValue": True,
            "awaitPromise": True,
        }
        result = await self.send("Runtime.evaluate", params, frame)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression[:80]} failed in the page: {result['exceptionDetails']}")
        return result["result"].get("value")

    # Observing

    async def observe(self, quiet: float, cap: float) -> Snapshot:
        """Wait until the page is quiet (at most `cap` seconds, then `settled` is False) and walk it.

        If a navigation is under way, the snapshot is of the document that it leads to.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.navigation_timeout + cap
        end = loop.time() + cap
        left: str | None = None
        try:
            while True:
                world = await self._wait_world(left, deadline)
                if left is not None:
                    end, left = loop.time() + cap, None  # a new document has a wait of its own
                begun = self.traffic.begun
                try:
                    walked, missing = await self._walk(quiet, max(0.0, end - loop.time()))
                except _Left:
                    left = world
                    continue
                # The renderer reports a fetch before it answers a later walk, so none that was begun is missed here.
                # One that has ended may have come too late for this walk: the page's scripts get its data after the
                # protocol does.
                if self.traffic.fetches or self.traffic.begun != begun:
                    if await self._fetches_end(end) and loop.time() < end:
                        quiet = max(quiet, AFTER_FETCH)
                        continue
                    walked.data["settled"] = False
                if missing and not await self._frames_come(missing, end):
                    walked.data["settled"] = False
                elif missing:
                    continue
                return self._taken(walked)
        except DialogOpened:
            return self._of_dialog()

    def _taken(self, walked: Walked) -> Snapshot:
        data = walked.data
        if self._unreachable:
            data["url"], data["title"] = self._unreachable, f"{self._unreachable} could not be reached"
        else:
            self.address = data["url"]
        self.timings = {name: data["ms"][name] / 1000 for name in ("settle", "walk")}
        return stitch(walked, self.refs)

    def _of_dialog(self) -> Snapshot:
        dialog = self.dialog
        if dialog is None:  # it was closed at this very moment, with the page that it belonged to
            raise PageTimeout("the page opened a dialog and left it")
        world = f"dialog {id(self)} {self._dialogs}"
        number = self.refs.of_world(world).get(1) or self.refs.add(world, 1)
        value = dialog.default if dialog.kind == "prompt" else None
        node = Node(f"e{number}", -1, "alert", dialog.message, value, frozenset(("focused",)), tag=dialog.kind)
        self.timings = {"settle": 0.0, "walk": 0.0}
        return Snapshot(self.address, "", (node,), dialog=dialog)

    async def _walk(self, quiet: float, time: float) -> tuple[Walked, list[Frame]]:
        """The walk of all frames, and the frames that are to be seen but could not be walked yet. _Left if the
        document was left."""
        main = self.frames.main
        inner = list(main.below())
        if not inner:
            walk = await self._walk_frame(main, quiet, time)
            return walk, list(main.below())  # those that came while the page settled
        top, *rest = await asyncio.gather(
            self._walk_frame(main, quiet, time),
            *(self._walk_inner(frame, quiet, time) for frame in inner),
            return_exceptions=True,
        )
        for result in (top, *rest):
            if isinstance(result, BaseException):
                raise result
        assert isinstance(top, Walked)
        walks: dict[Frame, Walked] = {main: top}
        missing = [frame for frame in main.below() if frame not in inner]
        for frame, found in zip(inner, rest, strict=True):
            parent = walks.get(frame.parent) if frame.parent is not None else None
            if parent is None or parent.world != frame.owner_world:
                continue
            if not any(row[0] == frame.owner for row in parent.data["nodes"]):
                continue  # it is not to be seen
            if isinstance(found, Walked) and frame.owner is not None:
                parent.inside[frame.owner] = walks[frame] = found
                top.data["settled"] = top.data["settled"] and found.data["settled"]
            elif not frame.hopeless:
                missing.append(frame)
        return top, missing

    async def _walk_inner(self, frame: Frame, quiet: float, time: float) -> Walked | None:
        """The walk of a frame in the page, None if it has gone or is not there yet."""
        await self.frames.owner(frame)
        if frame.cdp is None:
            return None
        with contextlib.suppress(_Left, Error, PageTimeout):
            if frame.world is None:  # an empty document of its own has none
                await self.send("Page.createIsolatedWorld", {"frameId": frame.id, "worldName": WORLD}, frame)
                await self._evaluate(frame, frame.world or "", self._source)
            return await self._walk_frame(frame, quiet, time)
        return None

    async def _walk_frame(self, frame: Frame, quiet: float, time: float) -> Walked:
        world = frame.world
        if world is None or frame.cdp is None:
            raise _Left
        hints, frame.hints = frame.hints, [0]
        walked = await self._walk_once(frame, world, quiet, time, hints)
        frame.hints = await self._listened(frame)
        opened = await self._open_roots(frame, walked)
        if opened or (frame.hints != hints and len(frame.hints) + len(hints) > 2):
            again = await self._walk_once(frame, world, 0, 0, frame.hints)
            for key in ("settled", "ms", "refused"):
                again.data[key] = walked.data[key]
            return again
        return walked

    async def _open_roots(self, frame: Frame, walked: Walked) -> bool:
        """Hand the closed shadow roots of a walk's suspects to the walk; whether there was any."""
        found = await asyncio.gather(*(self._open_root(frame, walked.world, id) for id in walked.data["suspects"]))
        return any(found)

    async def _open_root(self, frame: Frame, world: World, id: int) -> bool:
        with contextlib.suppress(Error):  # the element or its document has gone
            expression = {"expression": f"harnessWalk.nodeOf({id})", "uniqueContextId": world}
            host = await self.send("Runtime.evaluate", expression, frame)
            described = await self.send("DOM.describeNode", {"objectId": host["result"]["objectId"]}, frame)
            root: dict[str, Any] = {"value": None}
            for inner in described["node"].get("shadowRoots", ()):
                if inner["shadowRootType"] == "closed":
                    node = {"backendNodeId": inner["backendNodeId"], "executionContextId": frame.context}
                    root = {"objectId": (await self.send("DOM.resolveNode", node, frame))["object"]["objectId"]}
            call = {
                "executionContextId": frame.context,
                "functionDeclaration": "function (id, root) { harnessWalk.adopt(id, root); }",
                "arguments": [{"value": id}, root],
            }
            await self.send("Runtime.callFunctionOn", call, frame)
            return "objectId" in root
        return False

    async def _listened(self, frame: Frame) -> list[int]:
        """The places of elements that the page's scripts listen to clicks on; [0] if that can't be told."""
        if frame.page_world is None:
            return [0]
        params = {
            "expression": _LISTENERS,
            "uniqueContextId": frame.page_world,
            "includeCommandLineAPI": True,
            "returnByValue": True,
        }
        with contextlib.suppress(Error):  # the document is being left, which the next walk will see
            result = await self.send("Runtime.evaluate", params, frame)
            found = result["result"].get("value")
            if isinstance(found, list) and all(isinstance(place, int) for place in found):
                return found
        return [0]

    async def _walk_once(self, frame: Frame, world: World, quiet: float, time: float, hints: list[int]) -> Walked:
        if frame.cdp is None:
            raise _Left
        params = {
            "expression": f"harnessObserve({quiet * 1000:g}, {time * 1000:g}, {json.dumps(hints)})",
            "uniqueContextId": world,
            "awaitPromise": True,
            "returnByValue": True,
        }
        try:
            result = await self._unheld(frame.cdp.send("Runtime.evaluate", params), time + self.timeout)
        except TimeoutError as error:
            raise PageTimeout("the page did not answer the walk") from error
        except Error as error:
            if self._gone is None:
                if any(word in error.message for word in _LEFT):
                    raise _Left from error
                if frame is not self.frames.main and any(word in error.message for word in _GONE):
                    self.frames.lost(frame)
                    raise _Left from error
            raise PageGone(self._gone or error.message) from error
        if "exceptionDetails" in result:
            if world != frame.world:
                raise _Left
            raise RuntimeError(f"the walk failed in the page: {result['exceptionDetails']}")
        return Walked(world, json.loads(result["result"]["value"]))

    async def _fetches_end(self, deadline: float) -> bool:
        """Wait until no fetch is under way; False at the deadline."""
        while self.traffic.fetches and self._gone is None:
            self._changed.clear()
            try:
                await self._change(deadline, "")
            except PageTimeout:
                self.traffic.fetches.clear()  # a request that never ends is waited for once
                return False
            if self._dialog is not None:
                raise DialogOpened
        return True

    async def _frames_come(self, missing: list[Frame], deadline: float) -> bool:
        """Wait until one of these frames has changed; False at the deadline."""
        if all(frame.world is None for frame in missing):
            self._changed.clear()
            try:
                await self._change(deadline, "")
            except PageTimeout:
                for frame in missing:
                    frame.hopeless = True
                return False
        return asyncio.get_running_loop().time() < deadline

    # Navigation

    async def begin(self) -> None:
        """Wait until a window that was opened at an address has left its empty first document."""
        deadline = asyncio.get_running_loop().time() + self.navigation_timeout
        while self.url in EMPTY and self._gone is None and self._dialog is None:
            self._changed.clear()
            await self._change(deadline, "the new window stayed empty")

    async def navigate(self, url: str) -> str | None:
        """Go to an address; returns when its document has begun: None, or the error text of the network."""
        before = self.frames.main.world
        self._navigated.clear()
        try:
            result = await self._unheld(self.cdp.send("Page.navigate", {"url": url}), self.navigation_timeout)
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
        before = self.frames.main.world
        try:
            error = await self.navigate(url)
        except DialogOpened:
            error = None
            if self.dialog is not None and self.dialog.kind == "beforeunload":
                await self.answer_dialog(True)
                with contextlib.suppress(DialogOpened):
                    await self._wait_world(before, asyncio.get_running_loop().time() + self.navigation_timeout)
        await asyncio.gather(
            self.send("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]}),
            self.send("Page.resetNavigationHistory"),
        )
        self.refs.forget()  # refs of the episode before are nobody's any more
        self.origins.clear()
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


def _call(function: str, arguments: tuple[Any, ...]) -> str:
    return f"{function}({', '.join(json.dumps(argument) for argument in arguments)})"
