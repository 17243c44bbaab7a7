"""A Target: the element that a ref means, in whichever frame it is; and where it is in the page's viewport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness.page.errors import ActionError
from harness.page.frames import Frame
from harness.page.refs import MAX_REF, World
from harness.page.session import PageSession


@dataclass(frozen=True)
class Target:
    """An element by the local number `local` that it has in the world `world` of its frame."""

    session: PageSession
    frame: Frame
    world: World
    local: int | None
    ref: str

    @classmethod
    def of_page(cls, session: PageSession) -> Target | ActionError:
        """No element, but the whole page."""
        main = session.frames.main
        if main.world is None:
            return ActionError("STALE_REF", "the page was left at this moment")
        return cls(session, main, main.world, None, "")

    async def call(self, function: str, *arguments: Any) -> Any:
        """The result of a function of touch.js for this element."""
        return await self.call_page(function, self.local, *arguments)

    async def call_page(self, function: str, *arguments: Any, time: float = 0.0) -> Any:
        """The result of a function of touch.js in the element's frame."""
        return await self.session.call_at(self.frame, self.world, f"harnessTouch.{function}", *arguments, time=time)

    async def handle(self, function: str) -> str | None:
        """The protocol's id of the object that a function of touch.js returns for this element."""
        params = {"expression": f"harnessTouch.{function}({self.local})", "uniqueContextId": self.world}
        result = await self.session.send("Runtime.evaluate", params, self.frame)
        found: str | None = result["result"].get("objectId")
        return found

    def error(self, result: Any) -> ActionError | None:
        """The error that a result of touch.js holds, if it is one."""
        if not isinstance(result, dict) or "error" not in result:
            return None
        code, message = result["error"]
        return ActionError(code, f"{self.ref} {message}" if code == "STALE_REF" else message)

    async def point(self, function: str = "point") -> dict[str, Any] | ActionError:
        """Where the element is to be clicked, in the page's viewport (CSS pixels), after a hit test in each frame."""
        place = await self.in_page(await self.call(function))
        if isinstance(place, ActionError) and self.frame.parent is not None and place.code != "STALE_REF":
            await self.call("reveal")  # what a frame shows may itself be out of sight
            place = await self.in_page(await self.call(function))
        return place

    async def in_page(self, place: dict[str, Any]) -> dict[str, Any] | ActionError:
        """A place in the element's frame as one in the page's viewport."""
        problem = self.error(place)
        frame = self.frame
        while problem is None and frame.parent is not None:
            parent, owner = frame.parent, await self.session.frames.owner(frame)
            if parent.world is None or owner is None:
                return ActionError("STALE_REF", f"{self.ref} was in a frame that is gone")
            outer = Target(self.session, parent, parent.world, owner, self.ref)
            moved = await outer.call("through", place["x"], place["y"])
            problem = outer.error(moved)
            place = {**place, **moved}
            frame = parent
        return problem or place


def find(session: PageSession, ref: str) -> Target | ActionError:
    """The element of a ref; an ActionError if there never was one, or if its document is gone."""
    place = session.refs.place(ref)
    if place is None:
        return ActionError("NOT_FOUND", f"there never was an element {ref[:MAX_REF]}")
    world, local = place
    frame = session.frames.find(world)
    if frame is None:
        return ActionError("STALE_REF", f"{ref} is no longer on the page")
    return Target(session, frame, world, local, ref)
