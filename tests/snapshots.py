"""Snapshots written by hand: `page(node("main", "", node("button", "Buy")))`."""

from __future__ import annotations

import dataclasses
from typing import Any

from harness.page.snapshot import Node, Snapshot


@dataclasses.dataclass(frozen=True)
class Tree:
    """A node and what is in it."""

    node: Node
    children: tuple[Tree, ...]


def node(role: str, name: str = "", *children: Tree, **fields: Any) -> Tree:
    """A node; its ref is given by `page` unless `ref` is among the fields."""
    fields["states"] = frozenset(fields.get("states", "").split())
    return Tree(Node(**{"ref": "", "parent": -1, "role": role, "name": name, **fields}), children)


def page(*trees: Tree, url: str = "/", title: str = "Page") -> Snapshot:
    """The snapshot of these trees; refs count from e1 in document order."""
    nodes: list[Node] = []

    def add(tree: Tree, parent: int) -> None:
        place = len(nodes)
        nodes.append(dataclasses.replace(tree.node, parent=parent, ref=tree.node.ref or f"e{place + 1}"))
        for child in tree.children:
            add(child, place)

    for tree in trees:
        add(tree, -1)
    return Snapshot(url, title, tuple(nodes))
