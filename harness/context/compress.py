"""The Compressor: a snapshot cut to a token budget, kept by rank, with guaranteed survivors.

What is left out is said in the text ("… 37 more"). The same inputs always give the same observation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.context.observation import Element, Observation, Past
from harness.context.passes import Line, lines_of
from harness.context.relevance import few_changed, holds_text, is_certain, scores
from harness.context.words import count_tokens
from harness.page.snapshot import Snapshot

SHOWN_STATES = frozenset(
    "checked mixed selected expanded collapsed disabled required invalid readonly focused current pressed "
    "covered".split()
)


GAP = 3  # tokens of "… N more"
# A page whose lines alone have this many times as many tokens as the budget is not tried whole.
SURE_EXCESS = 2


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
        sought: str = "",
        news: tuple[str, ...] = (),
    ) -> Observation:
        """The observation of a snapshot at this point of an episode.

        Lines that hold the text `sought` come before all others; `news` is what has happened that no page shows.
        """
        lines = lines_of(snapshot, previous, intent)
        elements = [_element(line) for line in lines]
        kept, text, tokens = self._choose(lines, elements, intent, history, sought)
        return Observation(
            intent=intent,
            url=snapshot.url,
            title=snapshot.title,
            turn=len(history),
            max_turns=max_turns,
            elements=tuple(elements[place] for place in sorted(kept)),
            text=text,
            tokens=tokens,
            omitted=len(lines) - len(kept),
            history=tuple(history),
            error=error,
            settled=snapshot.settled,
            dialog=snapshot.dialog,
            tabs=snapshot.tabs,
            news=news,
            snapshot=snapshot,
        )

    def _choose(
        self,
        lines: Sequence[Line],
        elements: Sequence[Element],
        intent: str,
        history: Sequence[Past],
        sought: str,
    ) -> tuple[set[int], str, int]:
        """Places of the lines that fit the budget, the certain ones first, then by score; their text and its tokens."""
        texts = [_line_text(element) for element in elements]
        cost = [self.count(text) for text in texts]
        if sum(cost) <= SURE_EXCESS * self.budget:
            text = render(elements, texts)
            tokens = self.count(text)
            if tokens <= self.budget:
                return set(range(len(lines))), text, tokens
        rank = scores(lines, intent, history)
        last = history[-1].ref if history else ""
        few = few_changed(lines)
        found = {k for k, line in enumerate(lines) if sought and holds_text(line.node, sought)}
        order = sorted(
            range(len(lines)), key=lambda k: (k not in found, not is_certain(lines[k], last, few), -rank[k], k)
        )
        kept: set[int] = set()
        labels: set[tuple[str, ...]] = set()
        left = self.budget - 4  # for one "… N more"
        for place in order:
            if cost[place] > left + GAP:
                continue
            path = elements[place].context
            new = [path[:depth] for depth in range(1, len(path) + 1) if path[:depth] not in labels]
            # A line splits the gap that it stood in, or closes it where its neighbours are kept.
            beside = (place == 0 or place - 1 in kept) + (place == len(lines) - 1 or place + 1 in kept)
            need = cost[place] + sum(self.count(label[-1]) for label in new) + GAP * (1 - beside)
            if need > left:
                continue
            kept.add(place)
            labels.update(new)
            labels.add((*path, elements[place].name))  # a line that names an item is the label of what follows it
            left -= need
        # The estimate can miss by labels that have to be said again: the text itself is what counts.
        worst_first = [place for place in reversed(order) if place in kept]
        while True:
            text = render([element if place in kept else None for place, element in enumerate(elements)], texts)
            tokens = self.count(text)
            if not worst_first or tokens <= self.budget:
                return kept, text, tokens
            kept.discard(worst_first.pop(0))


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
        value=line.value,
        states=tuple(sorted(node.states & SHOWN_STATES)) if node.states else (),
        context=line.context,
        options=line.options,
        more_options=line.more_options,
        description=line.description,
        tag=node.tag,
        mark=line.mark,
    )


def _line_text(element: Element) -> str:
    text = f"{element.ref} {element.role}"
    if element.name:
        text += f" {element.name}"
    if element.value:
        text += f" = {element.value}"
    if element.options:
        more = f" | … {element.more_options} more" if element.more_options else ""
        text += f" [{' | '.join(element.options)}{more}]"
    if element.states:
        text += f" ({' '.join(element.states)})"
    if element.description:
        text += f" - {element.description}"
    if element.mark:
        text += f" *{element.mark}"
    return text


def render(elements: Sequence[Element | None], texts: Sequence[str] | None = None) -> str:
    """The text of a page: a line per element under its labels; None stands for a line left out.

    `texts` may give the lines of all elements, where they are known already.
    """
    rows: list[str] = []
    path: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    gap = 0
    for place, element in enumerate(elements):
        if element is None:
            gap += 1
            continue
        if gap:
            rows.append(f"{'  ' * len(path)}… {gap} more")
            gap = 0
        if element.context != path:
            # A label that the line before has just said is not said again.
            rows.extend(
                f"{'  ' * depth}{element.context[depth]}"
                for depth in range(_shared(path, element.context), len(element.context))
                if element.context[: depth + 1] != said
            )
            path = element.context
        said = (*path, element.name)
        rows.append(f"{'  ' * len(path)}{texts[place] if texts else _line_text(element)}")
    if gap:
        rows.append(f"… {gap} more")
    return "\n".join(rows)
