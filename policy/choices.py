"""Between actions and the small policy's choices: what a sequence of choices says, and which choices say an action."""

from __future__ import annotations

from collections.abc import Sequence

from harness.page.action import (
    Action,
    Answer,
    Back,
    Check,
    Click,
    Forward,
    GiveUp,
    Scroll,
    Select,
    Type,
    Wait,
)
from harness.page.grammar import format_action
from policy import features as ft
from policy.features import Features
from policy.source import ends

CHOICES = ("target", "verb", "option", "source", "start", "end")
MAX_CHOICES = 5  # target, verb, source, start, end
MAX_COPIED = 16  # words of one copied text

_GLOBALS: dict[str, Action] = {
    "finish": Answer(""),
    "back": Back(),
    "forward": Forward(),
    "scroll_down": Scroll("down"),
    "scroll_up": Scroll("up"),
    "wait": Wait(),
    "give_up": GiveUp(),
}


def to_action(features: Features, choices: Sequence[tuple[str, int]]) -> str:
    """The action, in text form, that a complete sequence of (kind, index) choices says."""
    chosen = dict(choices)
    target = chosen["target"]
    if target < len(ft.GLOBAL_TARGETS):
        return format_action(_GLOBALS[ft.GLOBAL_TARGETS[target]])
    place = target - len(ft.GLOBAL_TARGETS)
    element = features.elements[place]
    verb = ft.VERBS[chosen["verb"]]
    text = ""
    if "start" in chosen:
        source = features.source(chosen.get("source", place + 1))
        text = source.text[source.places[chosen["start"]][0] : source.places[chosen["end"]][1]]
    if verb == "click":
        action: Action = Click(element.ref)
    elif verb in ("type", "type_submit"):
        action = Type(element.ref, text, verb == "type_submit")
    elif verb == "select":
        action = Select(element.ref, element.options[chosen["option"]])
    elif verb in ("check", "uncheck"):
        action = Check(element.ref, verb == "check")
    else:
        action = Answer(text)
    return format_action(action)


def from_action(features: Features, action: Action) -> list[list[tuple[str, int]]]:
    """All sequences of choices that say an action, the likeliest first; none if the observation does not hold it.

    There are several where the same text stands in several places: all of them say the action, though one alone may be
    why it is right.
    """
    for index, name in enumerate(ft.GLOBAL_TARGETS):
        if _GLOBALS[name] == action:
            return [[("target", index)]]
    if isinstance(action, Answer):
        return _answers(features, action.text)
    ref = getattr(action, "ref", None)
    place = next((k for k, element in enumerate(features.elements) if element.ref == ref), None)
    if place is None:
        return []
    if isinstance(action, Click):
        return _with_verb(features, place, "click", [[]])
    if isinstance(action, Check):
        return _with_verb(features, place, "check" if action.on else "uncheck", [[]])
    if isinstance(action, Select):
        options = features.elements[place].options[: ft.MAX_OPTIONS]
        found = [[("option", options.index(action.option))]] if action.option in options else []
        return _with_verb(features, place, "select", found)
    if isinstance(action, Type):
        copied = [
            [("source", source), ("start", first), ("end", last)]
            for source in range(len(features.elements) + 1)
            for first, last in find_spans(features, source, action.text)
        ]
        return _with_verb(features, place, "type_submit" if action.submit else "type", copied)
    return []


def _with_verb(
    features: Features, place: int, verb: str, rest: list[list[tuple[str, int]]]
) -> list[list[tuple[str, int]]]:
    index = ft.VERBS.index(verb)
    if not features.verbs[place, index]:
        return []
    return [[("target", place + len(ft.GLOBAL_TARGETS)), ("verb", index), *more] for more in rest]


def _answers(features: Features, text: str) -> list[list[tuple[str, int]]]:
    """An answer is copied from a line. Lines that share more with the instruction, and say less besides, come first."""
    found: list[tuple[float, list[tuple[str, int]]]] = []
    described = features.matches[ft.MATCHES.index("value")].max(-1, initial=0.0)
    for place in range(len(features.elements)):
        for first, last in find_spans(features, place + 1, text):
            shared = features.element_feats[place]
            share = (last - first + 1) / len(features.source(place + 1).places)
            # Words of the instruction in the line, its labels, the line before it, the lines beside it, its column.
            score = (
                shared[ft.OWN_SHARE] + shared[ft.CONTEXT_SHARE] + 1.5 * shared[ft.BEFORE_SHARE] + shared[ft.KIN_SHARE]
            )
            score += described[place] + 2 * share
            ways = _with_verb(features, place, "answer", [[("start", first), ("end", last)]])
            found += [(float(score), choices) for choices in ways]
    return [choices for _, choices in sorted(found, key=lambda one: -one[0])]


def find_spans(features: Features, source: int, text: str) -> list[tuple[int, int]]:
    """First and last word of the places in a source where exactly this text stands and can be copied."""
    wanted = features.source(source)
    begin = wanted.text.find(text) if text else -1
    if begin < 0:
        return []
    first, last = ends(wanted)
    starts = {start: k for k, (start, _) in enumerate(wanted.places) if first[k]}
    stops = {end: k for k, (_, end) in enumerate(wanted.places) if last[k]}
    found = []
    while begin >= 0:
        a, b = starts.get(begin), stops.get(begin + len(text))
        if a is not None and b is not None and b - a < MAX_COPIED:
            found.append((a, b))
        begin = wanted.text.find(text, begin + 1)
    return found
