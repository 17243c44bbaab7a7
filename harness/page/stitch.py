"""Puts the walks of a page's frames together: one Snapshot, with the content of each frame below its <iframe>."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from harness.page.refs import Refs, World
from harness.page.snapshot import Node, Snapshot


@dataclass
class Walked:
    """What walk.js returned of one frame; `inside` has the frames in it, by the local number of their <iframe>."""

    world: World
    data: dict[str, Any]
    inside: dict[int, Walked] = field(default_factory=dict)


@dataclass
class _Part:
    """A frame being put in: below which place of the whole, and where its viewport begins in the page's."""

    walked: Walked
    parent: int
    x: float
    y: float
    places: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows: Iterator[list[Any]] = iter(self.walked.data["nodes"])


@lru_cache(maxsize=1024)
def _states(text: str) -> frozenset[str]:
    return frozenset(text.split())


def stitch(top: Walked, refs: Refs) -> Snapshot:
    """The snapshot of the page; new nodes get their refs, in document order."""
    nodes: list[Node] = []
    stack = [_Part(top, -1, 0, 0)]
    while stack:
        part = stack[-1]
        numbers = refs.of_world(part.walked.world)
        for local, parent, role, name, value, states, box, tag, extra in part.rows:
            place = len(nodes)
            part.places.append(place)
            number = numbers.get(local) or refs.add(part.walked.world, local)
            x, y, width, height = box
            nodes.append(
                Node(
                    f"e{number}",
                    part.places[parent] if parent >= 0 else part.parent,
                    role,
                    name,
                    value,
                    _states(states),
                    extra.get("level"),
                    tuple(extra.get("options", ())),
                    (round(x + part.x), round(y + part.y), width, height),
                    tag,
                    extra.get("description", ""),
                    tuple(extra["scroll"]) if "scroll" in extra else None,
                )
            )
            inner = part.walked.inside.get(local)
            if inner is not None:
                left, above = extra["inner"]
                stack.append(_Part(inner, place, part.x + left, part.y + above))
                break
        else:
            stack.pop()
    data = top.data
    return Snapshot(data["url"], data["title"], tuple(nodes), tuple(data["scroll"]), data["settled"], data["refused"])
