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
    format_action,
)
from policy import features as ft
from policy.features import Features

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


def from_action(features: Features, action: Action) -> list[tuple[str, int]] | None:
    """The choices that say an action; None if the observation does not hold what it needs."""
    for index, name in enumerate(ft.GLOBAL_TARGETS):
        if _GLOBALS[name] == action:
            return [("target", index)]
    if isinstance(action, Answer):
        return _answer(features, action.text)
    ref = getattr(action, "ref", None)
    place = next((k for k, element in enumerate(features.elements) if element.ref == ref), None)
    if place is None:
        return None
    begin = [("target", place + len(ft.GLOBAL_TARGETS))]
    if isinstance(action, Click):
        return _with_verb(features, place, begin, "click")
    if isinstance(action, Check):
        return _with_verb(features, place, begin, "check" if action.on else "uncheck")
    if isinstance(action, Select):
        options = features.elements[place].options[: ft.MAX_OPTIONS]
        if action.option not in options:
            return None
        choices = _with_verb(features, place, begin, "select")
        return choices and [*choices, ("option", options.index(action.option))]
    if isinstance(action, Type):
        choices = _with_verb(features, place, begin, "type_submit" if action.submit else "type")
        for source in range(len(features.elements) + 1):
            span = find_span(features, source, action.text)
            if span and choices:
                return [*choices, ("source", source), ("start", span[0]), ("end", span[1])]
    return None


def _with_verb(features: Features, place: int, begin: list[tuple[str, int]], verb: str) -> list[tuple[str, int]] | None:
    index = ft.VERBS.index(verb)
    return [*begin, ("verb", index)] if features.verbs[place, index] else None


def _answer(features: Features, text: str) -> list[tuple[str, int]] | None:
    """An answer is copied from a line. Where several lines hold it, the one that shares most with the instruction."""
    best, best_score = None, float("-inf")
    verb = ft.VERBS.index("answer")
    for place in range(len(features.elements)):
        span = find_span(features, place + 1, text) if features.verbs[place, verb] else None
        if span is None:
            continue
        shared = features.element_feats[place]
        whole = span[1] - span[0] + 1 == len(features.source(place + 1).places)
        # Own words, context and the line before it that stand in the instruction; then a line that is nothing else.
        score = shared[0] + shared[5] + 1.5 * shared[29] + 0.25 * whole - 0.001 * place
        if score > best_score:
            best_score = score
            best = [
                ("target", place + len(ft.GLOBAL_TARGETS)),
                ("verb", verb),
                ("start", span[0]),
                ("end", span[1]),
            ]
    return best


def find_span(features: Features, source: int, text: str) -> tuple[int, int] | None:
    """First and last word of the first place in a source where exactly this text stands."""
    wanted = features.source(source)
    begin = wanted.text.find(text) if text else -1
    while begin >= 0:
        starts = [k for k, (start, _) in enumerate(wanted.places) if start == begin]
        ends = [k for k, (_, end) in enumerate(wanted.places) if end == begin + len(text)]
        if starts and ends and ends[0] - starts[0] < MAX_COPIED:
            return starts[0], ends[0]
        begin = wanted.text.find(text, begin + 1)
    return None
