"""A PageSession: one page, observed and driven, with the project's scripts in an isolated world of each frame.

One call observes: it waits until the page is quiet, walks it and returns the snapshot, in a single round trip a frame
and one for what its scripts listen to. Every wait has a cap, given in seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from importlib import resources
from typing import Any

from playwright.async_api import CDPSession, Error, Page

from harness.page.caps import Caps
from harness.page.channel import DialogOpened, Left, PageGone, PageTimeout
from harness.page.frames import WORLD, Frame
from harness.page.refs import Refs
from harness.page.snapshot import Node, Snapshot
from harness.page.stitch import Walked, stitch
from harness.page.walking import Walker

SCRIPTS = ("text.js", "roles.js", "names.js", "looks.js", "hit.js", "walk.js", "settle.js", "touch.js")
EMPTY = ("", "about:blank")
AFTER_FETCH = 0.02  # seconds of quiet after a fetch: its data takes a way of its own to the page's scripts


def _source() -> str:
    folder = resources.files("harness.page")
    return "\n".join(f"{{\n{(folder / name).read_text('utf-8')}\n}}" for name in SCRIPTS)


_SOURCE = _source()
# Runs in a new document before any script of the page's own.
_WIPE = "localStorage.clear(); sessionStorage.clear(); window.name = '';"


class PageSession(Walker):
    """One page, observed and driven. Make it with `await PageSession.open(page, …)`."""

    def __init__(
        self,
        page: Page,
        cdp: CDPSession,
        caps: Caps,
        refs: Refs,
        origins: tuple[str, ...],
    ) -> None:
        source = f"globalThis.harnessOrigins = {json.dumps(origins)};\n{_SOURCE}"
        super().__init__(page, cdp, caps, source)
        self.refs = refs
        self.address = ""  # of the last page observed that was no error page
        self.timings: dict[str, float] = {}

    @classmethod
    async def open(
        cls,
        page: Page,
        caps: Caps,
        refs: Refs | None = None,
        origins: tuple[str, ...] = (),
    ) -> PageSession:
        """Attach to a page. `refs` is shared by the pages of an episode. Where `origins` are given, links to others
        are not followed (`Snapshot.refused`)."""
        try:
            cdp = await page.context.new_cdp_session(page)
            self = cls(page, cdp, caps, refs or Refs(), origins)
            await self.listen()
        except Error as error:
            raise PageGone(error.message) from error
        return self

    async def app_state(self) -> Any:
        """The app state that the site keeps in its origin's storage (key "state"), None if there is none."""
        text = await self.call("harnessTouch.appState")
        return None if text is None else json.loads(text)

    # Observing

    async def observe(self, quiet: float, cap: float) -> Snapshot:
        """Wait until the page is quiet (at most `cap` seconds, then `settled` is False) and walk it.

        If a navigation is under way, the snapshot is of the document that it leads to.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.caps.navigation + cap
        end = loop.time() + cap
        left: str | None = None
        try:
            while True:
                world = await self.wait_world(left, deadline)
                if left is not None:
                    end, left = loop.time() + cap, None  # a new document has a wait of its own
                begun = self.traffic.begun
                try:
                    walked, missing = await self.walk(quiet, max(0.0, end - loop.time()))
                except Left:
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

    async def _fetches_end(self, deadline: float) -> bool:
        """Wait until no fetch is under way; False at the deadline."""
        while self.traffic.fetches and self._gone is None:
            self._changed.clear()
            try:
                await self.change(deadline, "")
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
                await self.change(deadline, "")
            except PageTimeout:
                for frame in missing:
                    frame.hopeless = True
                return False
        return asyncio.get_running_loop().time() < deadline

    # Navigation

    async def begin(self) -> None:
        """Wait until a window that was opened at an address has left its empty first document."""
        deadline = asyncio.get_running_loop().time() + self.caps.navigation
        while self.url in EMPTY and self._gone is None and self._dialog is None:
            self._changed.clear()
            await self.change(deadline, "the new window stayed empty")

    async def navigate(self, url: str) -> str | None:
        """Go to an address; returns when its document has begun: None, or the error text of the network."""
        before = self.frames.main.world
        self._navigated.clear()
        try:
            result = await self.unheld(self.cdp.send("Page.navigate", {"url": url}), self.caps.navigation)
        except TimeoutError as error:
            raise PageTimeout(f"{url} did not answer within {self.caps.navigation:g} s") from error
        except Error as error:
            raise PageGone(self._gone or error.message) from error
        if result.get("errorText"):
            return str(result["errorText"])
        if result.get("loaderId"):
            await self.wait_world(before, asyncio.get_running_loop().time() + self.caps.navigation)
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
                    await self.wait_world(before, asyncio.get_running_loop().time() + self.caps.navigation)
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
            async with asyncio.timeout(self.caps.navigation):
                await self._navigated.wait()
        except TimeoutError as error:
            raise PageTimeout("the page of the history did not come") from error
        return True
