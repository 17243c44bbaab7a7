"""Refs: the names that nodes have for as long as an episode lasts. A ref is never given to another node."""

from __future__ import annotations

from dataclasses import dataclass, field

World = str
"""The id of a script world of the harness: one of each document, and never used again."""

MAX_REF = 16  # characters; a page never has as many elements as would need more


@dataclass
class Refs:
    """Numbers of nodes, in the order in which they were first seen: "e1", "e2", …

    In its own world a node has a local number, given by walk.js. One object serves all tabs of an episode.
    """

    _numbers: dict[World, dict[int, int]] = field(default_factory=dict)
    _places: list[tuple[World, int]] = field(default_factory=list)

    def of_world(self, world: World) -> dict[int, int]:
        """The numbers of the nodes of one world by local number; `add` puts new ones into it."""
        return self._numbers.setdefault(world, {})

    def add(self, world: World, local: int) -> int:
        """The number of a node that has none yet."""
        self._places.append((world, local))
        number = len(self._places)
        self.of_world(world)[local] = number
        return number

    def place(self, ref: str) -> tuple[World, int] | None:
        """World and local number of a ref's node, None if the ref was never given."""
        if not (ref.startswith("e") and ref[1:].isascii() and ref[1:].isdigit() and len(ref) <= MAX_REF):
            return None
        number = int(ref[1:])
        return self._places[number - 1] if 1 <= number <= len(self._places) else None

    def forget(self) -> None:
        """Begin again at e1: the refs given so far are nobody's any more."""
        self._numbers.clear()
        self._places.clear()
