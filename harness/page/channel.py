"""A Channel: one page of the browser through the DevTools protocol, and what can come in the way of a call.

Every wait has a cap, given in seconds. A dialog of the browser's own (alert, confirm, prompt, beforeunload) stops all
that goes on in the page until it is answered: nothing here waits behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Coroutine
from typing import Any, TypeVar

from playwright.async_api import CDPSession, Error, Page
from playwright.async_api import Dialog as OpenDialog

from harness.page.caps import Caps
from harness.page.frames import Frame, Frames
from harness.page.refs import World
from harness.page.snapshot import Dialog
from harness.page.traffic import Traffic

T = TypeVar("T")

# What the protocol says when the document was left: before the call began, and under it.
NOT_BEGUN = ("Cannot find context", "uniqueContextId not found")
LEFT = (*NOT_BEGUN, "context was destroyed", "navigated or closed")
GONE = ("Target page, context or browser has been closed", "Target crashed", "Connection closed", "Session closed")


class PageGone(Exception):
    """The page, its renderer or its browser is gone: an infrastructure failure, not the policy's doing."""


class PageTimeout(Exception):
    """The page did not answer within the cap."""


class DialogOpened(Exception):
    """A dialog of the browser's is open: what was asked for goes on when it has been answered."""


class Left(Exception):
    """The document was left before it answered."""


class Channel:
    """The protocol's calls and events of one page. `source` is the script of the harness's world in each document."""

    def __init__(self, page: Page, cdp: CDPSession, caps: Caps, source: str) -> None:
        self.page = page
        self.cdp = cdp
        self.caps = caps
        self.source = source
        self.traffic = Traffic(self._on_change, self._on_stay)
        self.frames = Frames(page, source, self._on_change, self._prepare)
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

    async def listen(self) -> None:
        """Follow the page's events, and put the scripts into its frames."""
        self.cdp.on("Page.frameNavigated", self._on_navigated)
        self.cdp.on("Page.navigatedWithinDocument", lambda _: self._navigated.set())
        self.cdp.on("Page.javascriptDialogClosed", lambda _: self._on_dialog_closed())
        self.page.on("dialog", self._on_dialog)
        self.page.on("crash", lambda _: self._set_gone("the page crashed"))
        self.page.on("close", lambda _: self._set_gone("the page was closed"))
        self.url = (await self.frames.open(self.cdp))["url"]
        await self._prepare(self.cdp)

    async def _prepare(self, cdp: CDPSession) -> None:
        await self.traffic.open(cdp, self.frames.main.id)

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
            async with asyncio.timeout(self.caps.action):
                await (dialog.accept(text) if accept else dialog.dismiss())
        except TimeoutError as error:
            raise PageTimeout("the dialog did not close") from error
        except Error as error:
            raise PageGone(self._gone or error.message) from error
        if self._dialog is dialog:
            self._on_dialog_closed()
        if self._held:
            await asyncio.wait(
                (*self._held, self._opened), timeout=self.caps.action, return_when=asyncio.FIRST_COMPLETED
            )

    async def unheld(self, work: Coroutine[Any, Any, T], cap: float) -> T:
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

    async def wait_world(self, other_than: str | None, deadline: float) -> World:
        """The world in the main frame's present document, once it is another than `other_than`."""
        while self._gone is None:
            world = self.frames.main.world
            if world is not None and world != other_than:
                return world
            if self._dialog is not None:
                raise DialogOpened
            self._changed.clear()
            await self.change(deadline, "no new document came")
        raise PageGone(self._gone)

    async def change(self, deadline: float, late: str) -> None:
        """Wait for the next event of the page; PageTimeout at the deadline, with the message `late`."""
        try:
            async with asyncio.timeout_at(deadline):
                await self._changed.wait()
        except TimeoutError as error:
            raise PageTimeout(late) from error

    async def send(
        self, method: str, params: dict[str, Any] | None = None, frame: Frame | None = None, time: float = 0.0
    ) -> Any:
        """One protocol call under the cap, in the process of a frame (by default the main one); `time` is how long
        it may take by itself (seconds)."""
        if self._gone is not None:
            raise PageGone(self._gone)
        cdp = self.cdp if frame is None else frame.cdp
        if cdp is None:
            raise Left
        try:
            return await self.unheld(cdp.send(method, params), time + self.caps.action)
        except TimeoutError as error:
            raise PageTimeout(f"{method} did not return within {time + self.caps.action:g} s") from error
        except Error as error:
            if self._gone is not None:
                raise PageGone(self._gone) from error
            if any(word in error.message for word in GONE):
                if frame is not None and frame is not self.frames.main:
                    self.frames.lost(frame)
                    raise Left from error
                raise PageGone(error.message) from error
            raise

    async def input(self, action: Coroutine[Any, Any, None]) -> None:
        """Trusted mouse or keyboard input of Playwright's under the cap."""
        try:
            await self.unheld(action, self.caps.action)
        except TimeoutError as error:
            raise PageTimeout(f"input was not taken within {self.caps.action:g} s") from error
        except Error as error:
            raise PageGone(self._gone or error.message) from error

    async def call(self, function: str, *arguments: Any, time: float = 0.0) -> Any:
        """Call a function of the main frame's world once in the present document, and return its JSON result.

        A call that had not begun when the document was left is made in the next one. One that may have begun is not
        made again: the result is then an error of the form {"error": [code, message]}.
        """
        deadline = asyncio.get_running_loop().time() + self.caps.action
        left: str | None = None
        while True:
            world = await self.wait_world(left, deadline)
            try:
                return await self.evaluate(None, world, _call(function, arguments), time)
            except Error as error:
                if any(word in error.message for word in NOT_BEGUN):
                    left = world
                    continue
                if any(word in error.message for word in LEFT):
                    return {"error": ["STALE_REF", "was on a page that is left"]}
                raise

    async def call_at(self, frame: Frame, world: World, function: str, *arguments: Any, time: float = 0.0) -> Any:
        """Call a function once in this world of a frame, and return its JSON result: an error STALE_REF of the form
        {"error": [code, message]} if the document is another one now."""
        try:
            return await self.evaluate(frame, world, _call(function, arguments), time)
        except Left:
            pass
        except Error as error:
            if not any(word in error.message for word in LEFT):
                raise
        return {"error": ["STALE_REF", "was on a page that is left"]}

    async def evaluate(self, frame: Frame | None, world: World, expression: str, time: float = 0.0) -> Any:
        """The JSON value of an expression in a world of a frame (None: the main one)."""
        params = {
            "expression": expression,
            "uniqueContextId": world,
            "returnByValue": True,
            "awaitPromise": True,
        }
        result = await self.send("Runtime.evaluate", params, frame, time)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression[:80]} failed in the page: {result['exceptionDetails']}")
        return result["result"].get("value")


def _call(function: str, arguments: tuple[Any, ...]) -> str:
    return f"{function}({', '.join(json.dumps(argument) for argument in arguments)})"
