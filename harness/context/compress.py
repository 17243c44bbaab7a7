"""The Compressor: a snapshot cut to a token budget, kept by rank, with guaranteed survivors.

What is left out is said in the text ("… 37 more"). The same inputs always give the same observation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.context.observation import Element, Observation, Past
from harness.context.passes import Line, lines_of
from harness.context.relevance import is_certain, scores
from harness.context.words import count_tokens
from harness.page.snapshot import Snapshot

SHOWN_STATES = frozenset(
    "checked mixed selected expanded collapsed disabled required invalid readonly focused current pressed".split()
)


@dataclass(frozen=True)
class Compressor:
    """`budget` is the largest number of tokens of the page's text, by `count` (the policy's own tokenizer)."""

    budget: int = 512
    count: Callable[[str], int] = count_tokens

    def observe(
        self,
        snapshot: Snapshot,
        previous: Snapshot | None,
        intent: str,
        history: Sequence[Past],
        max_turns: int,
        error: str = "",
    ) -> Observation:
        """The observation of a snapshot at this point of an episode."""
        lines = lines_of(snapshot, previous, intent)
        elements = [_element(line) for line in lines]
        kept = self._choose(lines, elements, intent, history)
        text = render([element if place in kept else None for place, element in enumerate(elements)])
        return Observation(
            intent=intent,
            url=snapshot.url,
            title=snapshot.title,
            turn=len(history),
            max_turns=max_turns,
            elements=tuple(elements[place] for place in sorted(kept)),
            text=text,
            tokens=self.count(text),
            omitted=len(lines) - len(kept),
            history=tuple(history),
            error=error,
            settled=snapshot.settled,
            snapshot=snapshot,
        )

    def _choose(
        self, lines: Sequence[Line], elements: Sequence[Element], intent: str, history: Sequence[Past]
    ) -> set[int]:
        """Places of the lines that fit the budget: the certain ones first, then by score."""
        cost = [self.count(_line_text(element)) for element in elements]
        if self.count(render(elements)) <= self.budget:
            return set(range(len(lines)))
        rank = scores(lines, intent, history)
        last = history[-1].ref if history else ""
        order = sorted(range(len(lines)), key=lambda k: (not is_certain(lines[k], last), -rank[k], k))
        kept: set[int] = set()
        labels: set[tuple[str, ...]] = set()
        left = self.budget - 4  # for one "… N more"
        for place in order:
            path = elements[place].context
            new = [path[:depth] for depth in range(1, len(path) + 1) if path[:depth] not in labels]
            # A gap costs up to 4 tokens to say; a kept line makes one more gap at the most.
            need = cost[place] + sum(self.count(label[-1]) for label in new) + 2
            names_item = (*path, elements[place].name)
            if need > left:
                continue
            kept.add(place)
            labels.update(new)
            labels.add(names_item)  # a line that names an item is the label of what follows it
            left -= need
        # The estimate can miss by labels that have to be said again: the text itself is what counts.
        for place in reversed([p for p in order if p in kept]):
            text = render([element if k in kept else None for k, element in enumerate(elements)])
            if self.count(text) <= self.budget:
                break
            kept.discard(place)
        return kept

def _shared(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    count = 0
    while count < len(a) and count < len(b) and a[count] == b[count]:
        count += 1
    return count


def _element(line: Line) -> Element:
    node = line.node
    return Element(
        ref=node.ref,
        role=node.role,
        name=line.name,
        value=node.value,
        states=tuple(sorted(node.states & SHOWN_STATES)),
        context=line.context,
        options=line.options,
        description=node.description,
        tag=node.tag,
        mark=line.mark,
    )


def _line_text(element: Element) -> str:
    parts = [element.ref, element.role, element.name]
    if element.value:
        parts.append(f"= {element.value}")
    if element.options:
        parts.append(f"[{' | '.join(element.options)}]")
    if element.states:
        parts.append(f"({' '.join(element.states)})")
    if element.description:
        parts.append(f"- {element.description}")
    if element.mark:
        parts.append(f"*{element.mark}")
    return " ".join(part for part in parts if part)


def render(elements: Sequence[Element | None]) -> str:
    """The text of a page: a line per element under its labels; None stands for a line left out."""
    rows: list[str] = []
    path: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    gap = 0
    for element in elements:
        if element is None:
            gap += 1
            continue
        if gap:
            rows.append(f"{'  ' * len(path)}… {gap} more")
            gap = 0
        for depth in range(_shared(path, element.context), len(element.context)):
            # A label that the line before has just said is not said again.
            if element.context[: depth + 1] != said:
                rows.append(f"{'  ' * depth}{element.context[depth]}")
        path = element.context
        said = (*path, element.name)
        rows.append(f"{'  ' * len(path)}{_line_text(element)}")
    if gap:
        rows.append(f"… {gap} more")
    return "\n".join(rows)
