"""Evaluators: pure functions from how an episode ended to passed or not, with a reason.

They read only values collected once, at the end: the answer and the app state before and after. So a saved
trajectory can be scored again without a browser, and nothing that an agent does in the page reaches them.
"""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

JSON = Any
"""A JSON value: dict, list, str, int, float, bool or None."""


@dataclass(frozen=True)
class Final:
    """What an episode left behind.

    `answer` is the text of the agent's `answer(…)`, None if it never answered; the states are the app state of
    the task's site before the first action and after the last one. `score` is what a page that ends its episodes
    itself gave for this one, 0 if it had not ended it; None on pages that give none.
    """

    answer: str | None
    state_before: Mapping[str, JSON] | None
    state_after: Mapping[str, JSON] | None
    score: float | None = None


@dataclass(frozen=True)
class Verdict:
    """One evaluator's finding; `reason` says in words what was wrong, "" if nothing was."""

    passed: bool
    reason: str = ""


@dataclass(frozen=True)
class Change:
    """One declared change of the app state: `path` ("/cart/items/p3") is set to `value`, or removed."""

    path: str
    value: JSON = None
    remove: bool = False


def apply_changes(state: Mapping[str, JSON], changes: Sequence[Change]) -> dict[str, JSON]:
    """A copy of `state` with the changes made. Missing parents are an error (ValueError): a declared change that
    does not fit the state is a mistake of the template."""
    result: dict[str, JSON] = copy.deepcopy(dict(state))
    for change in changes:
        keys = [key.replace("~1", "/").replace("~0", "~") for key in change.path.strip("/").split("/")]
        parent: JSON = result
        for key in keys[:-1]:
            if not isinstance(parent, dict) or key not in parent:
                raise ValueError(f"declared change {change.path!r}: the state has no {key!r}")
            parent = parent[key]
        if not isinstance(parent, dict) or (change.remove and keys[-1] not in parent):
            raise ValueError(f"declared change {change.path!r}: the state has no such place")
        if change.remove:
            del parent[keys[-1]]
        else:
            parent[keys[-1]] = copy.deepcopy(change.value)
    return result


def differences(expected: JSON, actual: JSON, path: str = "") -> Iterator[str]:
    """Paths at which two JSON values differ, each with both values in words."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            place = f"{path}/{key}"
            if key not in actual:
                yield f"{place} is missing"
            elif key not in expected:
                yield f"{place} is {_short(actual[key])}, which no change declares"
            else:
                yield from differences(expected[key], actual[key], place)
    elif type(expected) is not type(actual) or expected != actual:
        yield f"{path or '/'} is {_short(actual)}, not {_short(expected)}"


def _short(value: JSON) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


@dataclass(frozen=True)
class StateChanges:
    """The app state after is exactly the state before with the declared changes: no change missing, none more."""

    kind: ClassVar[str] = "state"
    changes: tuple[Change, ...] = ()

    def __call__(self, final: Final) -> Verdict:
        if final.state_before is None or final.state_after is None:
            return Verdict(False, "the site has no app state")
        expected = apply_changes(final.state_before, self.changes)
        found = list(differences(expected, dict(final.state_after)))
        return Verdict(not found, "; ".join(found[:3]))


@dataclass(frozen=True)
class AnswerIs:
    """The answer is the expected one.

    Text is compared without regard to case, white space, Unicode form and closing punctuation; an expected text that
    is a number or an amount of money ("$24.90") is compared by value, so that "24.9" is right and "24.90 or 30" is not.
    """

    kind: ClassVar[str] = "answer"
    expected: str

    def __call__(self, final: Final) -> Verdict:
        if final.answer is None:
            return Verdict(False, "no answer was given")
        wanted, given = _number(self.expected), _number(final.answer)
        same = wanted == given if wanted is not None else _plain(self.expected) == _plain(final.answer)
        return Verdict(same, "" if same else f"the answer is {_short(final.answer)}, not {_short(self.expected)}")


@dataclass(frozen=True)
class FullScore:
    """The page itself ended the episode, with a score of 1. A partial score is no success; `Final.score` keeps it."""

    kind: ClassVar[str] = "full_score"

    def __call__(self, final: Final) -> Verdict:
        if final.score is None:
            return Verdict(False, "the page gives no score")
        passed = final.score == 1
        return Verdict(passed, "" if passed else f"the page's score is {final.score:g}, not 1")


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s+", " ", text).strip().strip(".!,;:\"'“”").strip()


def _number(text: str) -> Decimal | None:
    match = re.fullmatch(r"[$€£]?\s*([+-]?\d+(?:,\d{3})*(?:\.\d+)?)\s*[$€£]?", _plain(text))
    try:
        return Decimal(match.group(1).replace(",", "")) if match else None
    except InvalidOperation:
        return None


Evaluator = StateChanges | AnswerIs | FullScore


def evaluate(evaluators: Sequence[Evaluator], final: Final) -> Verdict:
    """All evaluators together: passed only if each one passes; the reasons of those that do not are joined."""
    if not evaluators:
        raise ValueError("a task needs at least one evaluator")
    verdicts = [evaluator(final) for evaluator in evaluators]
    return Verdict(all(v.passed for v in verdicts), "; ".join(v.reason for v in verdicts if not v.passed))


def evaluator_to_json(evaluator: Evaluator) -> dict[str, JSON]:
    """The JSON form of an evaluator; `evaluator_from_json` is its inverse."""
    return {"kind": evaluator.kind, **asdict(evaluator)}


def evaluator_from_json(data: Mapping[str, JSON]) -> Evaluator:
    """The evaluator of a JSON form; ValueError if its kind is unknown."""
    if data["kind"] == StateChanges.kind:
        return StateChanges(tuple(Change(**change) for change in data["changes"]))
    if data["kind"] == AnswerIs.kind:
        return AnswerIs(data["expected"])
    if data["kind"] == FullScore.kind:
        return FullScore()
    raise ValueError(f"unknown evaluator {data['kind']!r}; known: state, answer, full_score")
