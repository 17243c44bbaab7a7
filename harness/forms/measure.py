"""What a form of a page costs, and whether it shows what is needed when it has to keep to a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from harness.context.compress import Compressor
from harness.context.observation import Observation, Past
from harness.context.words import count_tokens
from harness.forms.matching import Form
from harness.forms.target import Target, holds
from harness.page.snapshot import Snapshot

WHOLE = 10**9  # a budget that no page fills


@dataclass(frozen=True)
class Kept:
    """What is left of a form: its tokens, and whether all targets are in it."""

    tokens: int
    found: bool


@dataclass(frozen=True)
class Measure:
    """A form of one page: its characters, all of it (`whole`), and what is left of it at each budget."""

    characters: int
    whole: Kept
    at: dict[int, Kept]


@dataclass(frozen=True)
class Row:
    """One page at one moment with its forms by name; `targets` is empty where nothing of it is needed."""

    where: str
    targets: tuple[Target, ...]
    forms: dict[str, Measure]

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        forms = {name: asdict(measure) for name, measure in self.forms.items()}
        return {"where": self.where, "targets": [str(target) for target in self.targets], "forms": forms}


def measure_form(form: Form, targets: Sequence[Target], budgets: Sequence[int]) -> Measure:
    """The measure of a form that is cut short at its end."""
    tokens = count_tokens(form.text)
    depths = [form.depth(target) for target in targets]
    deepest = max((WHOLE if depth is None else depth for depth in depths), default=0)
    at = {budget: Kept(min(budget, tokens), deepest <= budget) for budget in budgets}
    return Measure(len(form.text), Kept(tokens, deepest < WHOLE), at)


def measure_own(
    snapshot: Snapshot,
    previous: Snapshot | None,
    intent: str,
    history: Sequence[Past],
    targets: Sequence[Target],
    budgets: Sequence[int],
) -> Measure:
    """The measure of the project's own form, which is compressed to each budget."""

    def observe(budget: int) -> Observation:
        return Compressor(budget).observe(snapshot, previous, intent, history, 0)

    def kept(observation: Observation) -> Kept:
        return Kept(observation.tokens, all(holds(observation, target) for target in targets))

    whole = observe(WHOLE)
    return Measure(len(whole.text), kept(whole), {budget: kept(observe(budget)) for budget in budgets})


@dataclass(frozen=True)
class Summary:
    """Means over pages, and recall: the share of the pages with targets that show them all (None without any).

    `at` gives tokens and recall by budget.
    """

    characters: float
    tokens: float
    recall: float | None
    at: dict[int, tuple[float, float | None]]


def summary(measures: Sequence[tuple[bool, Measure]]) -> Summary:
    """The summary of at least one measure, each with whether its page has targets."""

    def of(kept: Sequence[tuple[bool, Kept]]) -> tuple[float, float | None]:
        found = [one.found for needed, one in kept if needed]
        return sum(one.tokens for _, one in kept) / len(kept), sum(found) / len(found) if found else None

    tokens, recall = of([(needed, measure.whole) for needed, measure in measures])
    budgets = measures[0][1].at
    return Summary(
        sum(measure.characters for _, measure in measures) / len(measures),
        tokens,
        recall,
        {budget: of([(needed, measure.at[budget]) for needed, measure in measures]) for budget in budgets},
    )
