"""A Target: what one turn needs to see of its page, and whether an observation shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.context.observation import Element, Observation
from harness.page.action import Answer, Drag, Select
from harness.page.grammar import parse_action
from harness.page.reader import ParseError
from harness.page.snapshot import Node, Snapshot


@dataclass(frozen=True)
class Target:
    """An element, by any one of `nodes`, with its `option` if there is one to choose; or else a `text` to read."""

    nodes: tuple[Node, ...] = ()
    option: str = ""
    text: str = ""

    def __str__(self) -> str:
        if self.text:
            return f"text {self.text!r}"
        option = f" option {self.option!r}" if self.option else ""
        return " or ".join(f"{node.ref} {node.role} {node.name!r}" for node in self.nodes) + option


def targets_of(action: str, snapshot: Snapshot) -> tuple[Target, ...]:
    """All that an action needs to see of the page: none for those such as `wait` or an empty answer."""
    try:
        parsed = parse_action(action)
    except ParseError:
        return ()
    if isinstance(parsed, Answer):
        return (Target(text=parsed.text),) if parsed.text else ()
    refs = [getattr(parsed, "ref", ""), parsed.onto if isinstance(parsed, Drag) else ""]
    nodes = [node for ref in refs if ref and (node := snapshot.get(ref)) is not None]
    return tuple(Target((node,), parsed.option if isinstance(parsed, Select) else "") for node in nodes)


def named_target(snapshot: Snapshot, role: str, name: str) -> Target:
    """The target that a role and a name mean; an option is one of a select box. LookupError if the page has none."""
    option = ""
    nodes = snapshot.find(role, name)
    if not nodes and role == "option":
        option = name
        nodes = [node for node in snapshot.nodes if name in node.options]
    if not nodes:
        raise LookupError(f"the page has no {role} named {name!r}")
    return Target(tuple(nodes), option)


def holds(observation: Observation, target: Target) -> bool:
    """Whether the observation shows what is needed."""
    if target.text:
        wanted = _plain(target.text)
        return any(wanted in _plain(text) for element in observation.elements for text in _texts(element))
    refs = {node.ref for node in target.nodes}
    return any(
        element.ref in refs and (not target.option or target.option in element.options)
        for element in observation.elements
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _texts(element: Element) -> Iterator[str]:
    yield from (element.name, element.value or "", element.description, *element.options, *element.context)
