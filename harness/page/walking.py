"""Walks the frames of a page: one round trip each, then again where the first walk has told of more to be seen."""

from __future__ import annotations

import asyncio
import contextlib
import json
from importlib import resources
from typing import Any

from playwright.async_api import Error

from harness.page.channel import GONE, LEFT, Channel, Left, PageGone, PageTimeout
from harness.page.frames import WORLD, Frame
from harness.page.refs import World
from harness.page.stitch import Walked

_LISTENERS = (resources.files("harness.page") / "listeners.js").read_text("utf-8")


class Walker(Channel):
    """A page whose frames can be walked."""

    async def walk(self, quiet: float, time: float) -> tuple[Walked, list[Frame]]:
        """The walk of all frames, and the frames that are to be seen but could not be walked yet. Left if the
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
        with contextlib.suppress(Left, Error, PageTimeout):
            if frame.world is None:  # an empty document of its own has none
                await self.send("Page.createIsolatedWorld", {"frameId": frame.id, "worldName": WORLD}, frame)
                await self.evaluate(frame, frame.world or "", self.source)
            return await self._walk_frame(frame, quiet, time)
        return None

    async def _walk_frame(self, frame: Frame, quiet: float, time: float) -> Walked:
        world = frame.world
        if world is None or frame.cdp is None:
            raise Left
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
            raise Left
        params = {
            "expression": f"harnessObserve({quiet * 1000:g}, {time * 1000:g}, {json.dumps(hints)})",
            "uniqueContextId": world,
            "awaitPromise": True,
            "returnByValue": True,
        }
        try:
            result = await self.unheld(frame.cdp.send("Runtime.evaluate", params), time + self.caps.snapshot)
        except TimeoutError as error:
            raise PageTimeout("the page did not answer the walk") from error
        except Error as error:
            if self._gone is None:
                if any(word in error.message for word in LEFT):
                    raise Left from error
                if frame is not self.frames.main and any(word in error.message for word in GONE):
                    self.frames.lost(frame)
                    raise Left from error
            raise PageGone(self._gone or error.message) from error
        if "exceptionDetails" in result:
            if world != frame.world:
                raise Left
            raise RuntimeError(f"the walk failed in the page: {result['exceptionDetails']}")
        return Walked(world, json.loads(result["result"]["value"]))
