"""The frames of a page: which there are, in which process each is, and the harness's script world in each.

A frame of another site may be in another process, which has a DevTools session of its own. The page's scripts can
neither see nor call what runs in the harness's worlds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession, Error, Page
from playwright.async_api import Frame as PlaywrightFrame

WORLD = "harness"


@dataclass(eq=False)
class Frame:
    """One frame. `world` is the id of the harness's world in its present document, `context` the protocol's number of
    it; `cdp` is None while the frame moves to another process. `owner` is the local number of its <iframe> in the
    parent's world `owner_world`."""

    id: str
    parent: Frame | None
    cdp: CDPSession | None
    world: str | None = None
    context: int = 0
    owner: int | None = None
    owner_world: str | None = None
    page_world: str | None = None  # of the page's own scripts
    hints: list[int] = field(default_factory=lambda: [0])  # what listeners.js said last
    hopeless: bool = False  # it was waited for in vain, and has not changed since
    children: list[Frame] = field(default_factory=list)

    def below(self) -> Iterator[Frame]:
        """All frames in this one, parents before children."""
        left = list(self.children)
        while left:
            frame = left.pop(0)
            yield frame
            left.extend(frame.children)


class Frames:
    """The tree of frames of one page, kept up to date by the protocol's events; `changed` is called after each, and
    `prepare` for each further session."""

    def __init__(
        self,
        page: Page,
        source: str,
        changed: Callable[[], None],
        prepare: Callable[[CDPSession], Awaitable[None]],
    ) -> None:
        self._page = page
        self._source = source
        self._changed = changed
        self._prepare = prepare
        self._by_id: dict[str, Frame] = {}
        self._sessions: dict[PlaywrightFrame, str] = {}  # with a session of their own: the frame's id
        self._moving: set[str] = set()  # frames that another process takes over
        self._tasks: set[asyncio.Task[None]] = set()
        self.main: Frame

    async def open(self, cdp: CDPSession) -> dict[str, Any]:
        """Learn of the frames that there are, and put the scripts into them and all later ones; returns what the
        protocol says of the main frame."""
        self._listen(cdp)
        tree = await self._enable(cdp)
        self.main = self._by_id.setdefault(tree["frame"]["id"], Frame(tree["frame"]["id"], None, cdp))
        self._add_tree(tree, cdp)
        self._page.on("framenavigated", lambda _: self._attach())
        frame: dict[str, Any] = tree["frame"]
        return frame

    def find(self, world: str) -> Frame | None:
        """The frame that has this world in its present document."""
        return next((frame for frame in self._by_id.values() if frame.world == world), None)

    async def owner(self, frame: Frame) -> int | None:
        """The local number of a frame's <iframe> in the parent's world, None if it can't be told now."""
        parent = frame.parent
        if parent is None or parent.cdp is None or parent.world is None:
            return None
        if frame.owner_world != parent.world:
            world = parent.world
            with contextlib.suppress(Error):  # one of the two has gone meanwhile
                found = await parent.cdp.send("DOM.getFrameOwner", {"frameId": frame.id})
                node = await parent.cdp.send(
                    "DOM.resolveNode",
                    {"backendNodeId": found["backendNodeId"], "executionContextId": parent.context},
                )
                number = await parent.cdp.send(
                    "Runtime.callFunctionOn",
                    {
                        "objectId": node["object"]["objectId"],
                        "functionDeclaration": "function () { return harnessWalk.idOf(this); }",
                        "returnByValue": True,
                    },
                )
                frame.owner, frame.owner_world = number["result"].get("value"), world
        return frame.owner if frame.owner_world == parent.world else None

    async def _enable(self, cdp: CDPSession) -> Any:
        results = await asyncio.gather(
            cdp.send("Page.getFrameTree"),
            cdp.send("Page.enable"),
            cdp.send("Runtime.enable"),
            cdp.send(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": self._source, "worldName": WORLD, "runImmediately": True},
            ),
        )
        return results[0]["frameTree"]

    def _listen(self, cdp: CDPSession) -> None:
        cdp.on("Runtime.executionContextCreated", lambda event: self._on_context(cdp, event["context"]))
        cdp.on("Runtime.executionContextsCleared", lambda _: self._on_cleared(cdp))
        cdp.on("Runtime.executionContextDestroyed", lambda event: self._on_destroyed(event))
        cdp.on("Page.frameAttached", lambda event: self._on_attached(cdp, event))
        cdp.on("Page.frameDetached", lambda event: self._on_detached(cdp, event))
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(cdp, event["frame"]))

    def _add_tree(self, tree: dict[str, Any], cdp: CDPSession) -> None:
        for child in tree.get("childFrames", ()):
            self._add(child["frame"]["id"], tree["frame"]["id"], cdp)
            self._add_tree(child, cdp)

    def _add(self, id: str, parent_id: str | None, cdp: CDPSession) -> Frame:
        frame = self._by_id.get(id)
        if frame is None:
            parent = self._by_id.get(parent_id or "")
            frame = self._by_id[id] = Frame(id, parent, cdp)
            if parent is not None:
                parent.children.append(frame)
        return frame

    def _remove(self, frame: Frame) -> None:
        for inner in (frame, *frame.below()):
            self._by_id.pop(inner.id, None)
            self._moving.discard(inner.id)
        if frame.parent is not None and frame in frame.parent.children:
            frame.parent.children.remove(frame)

    def _on_context(self, cdp: CDPSession, context: dict[str, Any]) -> None:
        own = context["auxData"].get("isDefault", False)
        if context["name"] != WORLD and not own:
            return
        id = context["auxData"]["frameId"]
        frame = self._by_id.get(id)
        if frame is None:  # the world of a document is told of before the frame
            frame = self._by_id[id] = Frame(id, None, cdp)
        if own:
            frame.page_world = context["uniqueId"]
            return
        frame.cdp, frame.world, frame.context = cdp, context["uniqueId"], context["id"]
        frame.hopeless = False
        self._changed()

    def _on_cleared(self, cdp: CDPSession) -> None:
        for frame in self._by_id.values():
            if frame.cdp is cdp:
                frame.world = None
        self._changed()

    def _on_destroyed(self, event: dict[str, Any]) -> None:
        frame = self.find(event.get("executionContextUniqueId", ""))
        if frame is not None:
            frame.world = None
            self._changed()

    def _on_attached(self, cdp: CDPSession, event: dict[str, Any]) -> None:
        frame = self._add(event["frameId"], event["parentFrameId"], cdp)
        if frame.parent is None and frame is not getattr(self, "main", None):
            frame.parent = self._by_id.get(event["parentFrameId"])
            if frame.parent is not None:
                frame.parent.children.append(frame)
        self._changed()

    def _on_detached(self, cdp: CDPSession, event: dict[str, Any]) -> None:
        frame = self._by_id.get(event["frameId"])
        if frame is None or not (frame.cdp is cdp or (frame.parent is not None and frame.parent.cdp is cdp)):
            return
        if event.get("reason") == "swap":
            self.lost(frame)
        else:
            self._remove(frame)
        self._changed()

    def lost(self, frame: Frame) -> None:
        """The frame's session has ended, or no longer holds it: look for a new one."""
        for inner in list(frame.children):
            self._remove(inner)
        frame.cdp = frame.world = None
        self._moving.add(frame.id)
        self._attach()

    def _on_navigated(self, cdp: CDPSession, event: dict[str, Any]) -> None:
        frame = self._add(event["id"], event.get("parentId"), cdp)
        frame.cdp = cdp
        self._moving.discard(frame.id)
        for inner in list(frame.children):
            self._remove(inner)
        self._changed()

    def _attach(self) -> None:
        """Take up with the frames that have moved to another process."""
        if self._moving:
            task = asyncio.ensure_future(self._attach_all())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _attach_all(self) -> None:
        for frame in self._page.frames[1:]:
            if frame in self._sessions and self._sessions[frame] not in self._moving:
                continue
            # Refused where the frame is in its parent's process, or has gone meanwhile.
            with contextlib.suppress(Error):
                cdp = await self._page.context.new_cdp_session(frame)
                self._listen(cdp)
                tree = await self._enable(cdp)
                await self._prepare(cdp)
                self._sessions[frame] = tree["frame"]["id"]
                known = self._by_id.get(tree["frame"]["id"])
                if known is not None:
                    known.cdp = cdp
                    self._moving.discard(known.id)
                self._add_tree(tree, cdp)
        self._changed()
