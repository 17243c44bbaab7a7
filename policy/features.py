"""From an observation to arrays: words, roles, states, structure and history, and which words they share.

A pure function of the observation. Nothing here knows a site, a template, an oracle or a scorer; what lets the policy
act on a page it has never seen is that matches between the instruction and the page are given as matches.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.context.observation import Element, Observation
from harness.context.words import STOP, spans, words
from policy.source import DOUBLE_QUOTES, SOURCE_WORDS, Source
from policy.vocabulary import stems, word_id, word_ids

MAX_INTENT = 72
MAX_ELEMENTS = 160
MAX_HISTORY = 10
OWN_WORDS = 16
SIDE_WORDS = 8  # words of a context, of a value, of the line before
MAX_OPTIONS = 16
OPTION_WORDS = 6
# Where words of the instruction can stand: in the line itself, in the label above it, in its value or description, in
# the line before it, in the other lines under the same labels.
MATCHES = ("own", "label", "value", "before", "kin")

# Choices of a target that are no element; the order is part of a checkpoint's meaning.
GLOBAL_TARGETS = ("finish", "back", "forward", "scroll_down", "scroll_up", "wait", "give_up")
VERBS = ("click", "type", "type_submit", "select", "check", "uncheck", "answer")
ROLES = tuple(
    "other link button textbox searchbox spinbutton combobox checkbox radio switch slider option tab menuitem text "
    "heading cell rowheader columnheader term definition status alert img clickable listbox file date".split()
)
STATES = tuple(
    "checked mixed selected expanded collapsed disabled required invalid readonly focused current pressed".split()
)
FIELDS = frozenset(("textbox", "searchbox", "spinbutton", "date", "time", "color", "month", "week", "datetime-local"))
CHECKS = frozenset(("checkbox", "switch", "menuitemcheckbox"))
READ_ONLY = frozenset("text heading cell rowheader columnheader term definition status alert img".split())

_ROLE_INDEX = {role: index for index, role in enumerate(ROLES)}
_VERB_INDEX = {verb: index for index, verb in enumerate(VERBS)}
PLAIN_FEATURES = 35
# Where some of them stand: the share of words that the instruction has too, in the line itself and so on.
OWN_SHARE, CONTEXT_SHARE, BEFORE_SHARE, RAREST, KIN_SHARE = 0, 5, 29, 33, 34
ELEMENT_FEATURES = PLAIN_FEATURES + len(STATES)
INTENT_FEATURES = 12
HISTORY_FEATURES = 4
GLOBAL_FEATURES = 6
OPTION_FEATURES = 5

Array = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Features:
    """The arrays of one observation: T intent words, N elements, H past turns, M options at most.

    intent_ids [T], intent_feats [T, INTENT_FEATURES]; role [N], own_ids [N, OWN_WORDS], context_ids, value_ids and
    before_ids [N, SIDE_WORDS], element_feats [N, ELEMENT_FEATURES]; matches [len(MATCHES), N, T]: which words of the
    instruction stand where; kin [N]: the number of the run of lines under the same labels; verbs [N, len(VERBS)]: which
    verbs it allows; past_verb [H], past_role [H], past_ids [H, OWN_WORDS], past_feats; past_matches [H, T]: words of
    the instruction in what was acted on or typed; past_same [H, N]: which line it was; title_ids [OWN_WORDS],
    global_feats.
    """

    intent_ids: Ids
    intent_feats: Array
    role: Ids
    own_ids: Ids
    context_ids: Ids
    value_ids: Ids
    before_ids: Ids
    element_feats: Array
    matches: Array
    kin: Ids
    verbs: npt.NDArray[np.bool_]
    past_verb: Ids
    past_role: Ids
    past_ids: Ids
    past_feats: Array
    past_matches: Array
    past_same: Array
    title_ids: Ids
    global_feats: Array
    intent_stems: tuple[str, ...]
    elements: tuple[Element, ...]
    intent: Source

    def source(self, index: int) -> Source:
        """The text to copy from: the instruction (0) or the line of element `index - 1`."""
        if index == 0:
            return self.intent
        element = self.elements[index - 1]
        text = (element.value or "") if is_field(element) else element.name
        return Source(text, spans(text)[:SOURCE_WORDS])

    def options(self, index: int) -> tuple[Ids, Array]:
        """The options of element `index`: ids [M, OPTION_WORDS] and features [M, OPTION_FEATURES]."""
        element = self.elements[index]
        count = min(len(element.options), MAX_OPTIONS)
        ids = np.zeros((count, OPTION_WORDS), np.int64)
        feats = np.zeros((count, OPTION_FEATURES), np.float32)
        for place, option in enumerate(element.options[:count]):
            _fill(ids, place, word_ids(option))
            mine = stems(option)
            run = _longest_run(mine, self.intent_stems)
            shared = sum(word in self.intent_stems for word in mine)
            feats[place] = (
                shared / max(1, len(mine)),
                float(run == len(mine)),
                run / 4,
                float(option == element.value),
                place / MAX_OPTIONS,
            )
        return ids, feats


def is_field(element: Element) -> bool:
    """Whether text can be typed into it; a combo box may be a select box or a text field with suggestions."""
    return element.role in FIELDS or (element.role == "combobox" and element.tag in ("input", "textarea"))


def allowed_verbs(element: Element) -> list[str]:
    """What can be done with an element of this role."""
    role = element.role
    if "disabled" in element.states:
        return ["answer"]
    if is_field(element):
        return ["type", "type_submit", "click"]
    if role == "combobox" and element.options:
        return ["select"]
    if role in CHECKS:
        return ["check", "uncheck"]
    if role == "radio":
        return ["check"]
    if role in READ_ONLY:
        return ["answer"]
    return ["click", "answer"] if element.name else ["click"]


def _fill(array: Ids, row: int, ids: Sequence[int]) -> None:
    count = min(len(ids), array.shape[1])
    if count:
        array[row, :count] = ids[:count]


def _longest_run(part: Sequence[str], whole: Sequence[str]) -> int:
    """The length of the longest run of words of `part` that stands in `whole` word for word."""
    best = 0
    starts: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(whole):
        starts[word].append(place)
    for begin in range(len(part)):
        if len(part) - begin <= best:
            break
        for place in starts.get(part[begin], ()):
            length = 0
            while (
                begin + length < len(part)
                and place + length < len(whole)
                and part[begin + length] == whole[place + length]
            ):
                length += 1
            best = max(best, length)
    return best


def featurize(observation: Observation) -> Features:
    """The features of one observation, computed once: acting and learning both need them."""
    known = vars(observation).get("_features")
    if known is None:
        known = _featurize(observation)
        object.__setattr__(observation, "_features", known)
    return known


def _featurize(observation: Observation) -> Features:
    intent = Source(observation.intent, spans(observation.intent)[:MAX_INTENT])
    intent_words = words(observation.intent)[:MAX_INTENT]
    intent_stems = stems(observation.intent)[:MAX_INTENT]
    elements = observation.elements[:MAX_ELEMENTS]
    positions: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(intent_stems):
        if word not in STOP and (word[0].isalnum() or len(word) > 1):
            positions[word].append(place)
    used = {word for past in observation.history if not past.error for word in (*stems(past.name), *stems(past.text))}
    counts = Counter(word for element in elements for word in set(stems(element.name)) & positions.keys())
    return Features(
        intent_ids=np.array([word_id(word) for word in intent_words], np.int64),
        intent_feats=_intent_features(observation.intent, intent, intent_words, intent_stems, used, counts),
        **_element_arrays(observation, elements, intent_stems, positions, used, counts),
        **_past_arrays(observation, elements, len(intent_words), positions),
        **_global_arrays(observation, positions),
        intent_stems=intent_stems,
        elements=elements,
        intent=intent,
    )


def _intent_features(
    text: str,
    source: Source,
    intent_words: Sequence[str],
    intent_stems: Sequence[str],
    used: set[str],
    counts: Counter[str],
) -> Array:
    feats = np.zeros((len(intent_words), INTENT_FEATURES), np.float32)
    quoted = False
    for place, ((start, end), word, root) in enumerate(zip(source.places, intent_words, intent_stems, strict=True)):
        raw = text[start:end]
        if raw in DOUBLE_QUOTES:
            quoted = not quoted
        feats[place] = (
            raw[0].isupper() and place > 0,
            raw.isdigit(),
            any(c.isdigit() for c in raw) and not raw.isdigit(),
            not raw[0].isalnum(),
            "@" in raw,
            word in STOP,
            quoted,
            root in used,
            math.log1p(counts.get(root, 0)),
            counts.get(root, 0) > 0,
            place / MAX_INTENT,
            min(len(raw), 12) / 12,
        )
    return feats


def _element_arrays(
    observation: Observation,
    elements: Sequence[Element],
    intent_stems: Sequence[str],
    positions: dict[str, list[int]],
    used: set[str],
    counts: Counter[str],
) -> dict[str, Any]:
    count = len(elements)
    role = np.zeros(count, np.int64)
    own_ids = np.zeros((count, OWN_WORDS), np.int64)
    context_ids, value_ids, before_ids = (np.zeros((count, SIDE_WORDS), np.int64) for _ in range(3))
    feats = np.zeros((count, ELEMENT_FEATURES), np.float32)
    matches = np.zeros((len(MATCHES), count, len(intent_stems)), np.float32)
    kin = np.zeros(count, np.int64)
    verbs = np.zeros((count, len(VERBS)), np.bool_)
    last = observation.history[-1] if observation.history else None
    targets = Counter((past.role, past.name, past.context) for past in observation.history if past.ref)
    typed = {past.text for past in observation.history if past.text and not past.error}
    same = Counter((element.role, element.name) for element in elements)
    like = Counter((element.role, element.context[:-1]) for element in elements)
    seen_same: Counter[tuple[str, str]] = Counter()
    seen_like: Counter[tuple[str, tuple[str, ...]]] = Counter()
    seen_here: Counter[tuple[str, tuple[str, ...]]] = Counter()
    best_context: dict[tuple[str, str], float] = {}
    context_shares = []
    # A word of the instruction that stands in few lines tells more of them apart than one that stands in many.
    rare = [sum(1 / counts[word] for word in set(stems(element.name)) & counts.keys()) for element in elements]
    rarest: dict[str, float] = defaultdict(float)
    for element, weight in zip(elements, rare, strict=True):
        rarest[element.role] = max(rarest[element.role], weight)
    for element in elements:
        mine = stems(" ".join(element.context))
        share = sum(word in positions for word in mine) / math.sqrt(len(mine) or 1)
        context_shares.append(share)
        key = (element.role, element.name)
        best_context[key] = max(best_context.get(key, 0.0), share)
    runs: list[dict[str, int]] = []  # of each run of lines under the same labels, how often its lines have a word
    for place, element in enumerate(elements):
        if not place or element.context != elements[place - 1].context:
            runs.append({})
        kin[place] = len(runs) - 1
        for word in set(stems(element.name)) & positions.keys():
            runs[-1][word] = runs[-1].get(word, 0) + 1
    before: tuple[str, ...] = ()
    before_words: tuple[int, ...] = ()
    for place, element in enumerate(elements):
        own, around = stems(element.name), stems(element.context[-1]) if element.context else ()
        value = stems(element.value or "")
        side = value or stems(element.description)
        role[place] = _ROLE_INDEX.get(element.role, 0)
        _fill(own_ids, place, word_ids(element.name))
        _fill(context_ids, place, word_ids(" ".join(reversed(element.context))))
        _fill(value_ids, place, word_ids(element.value or element.description))
        _fill(before_ids, place, before_words)
        for verb in allowed_verbs(element):
            verbs[place, _VERB_INDEX[verb]] = True
        near = [word for word, often in runs[kin[place]].items() if often > (word in own)]
        for layer, text in enumerate((own, around, side, before, near)):
            for word in text:
                for hit in positions.get(word, ()):
                    matches[layer, place, hit] = 1.0
        shared = sum(word in positions for word in own)
        fresh = sum(word in positions and word not in used for word in own)
        run = _longest_run(own, intent_stems) if shared else 0
        run_context = _longest_run(around, intent_stems) if context_shares[place] else 0
        option_run = max((_option_share(option, intent_stems) for option in element.options), default=0.0)
        key, like_key, here = (
            (element.role, element.name),
            (element.role, element.context[:-1]),
            (element.role, element.context),
        )
        tried = targets[(element.role, element.name, element.context)]
        feats[place, :PLAIN_FEATURES] = (
            shared / max(1, len(own)),
            math.log1p(shared),
            run == len(own) > 0,
            run / 4,
            fresh / max(1, len(own)),
            context_shares[place],
            run_context == len(around) > 0,
            run_context / 4,
            element.value not in (None, ""),
            bool(value) and _longest_run(value, intent_stems) == len(value),
            option_run,
            bool(element.value) and _option_share(element.value or "", intent_stems) >= option_run > 0,
            min(tried, 3) / 3,
            last is not None and last.ref == element.ref,
            last is not None and last.ref == element.ref and last.error != "",
            element.mark == "new",
            element.mark == "changed",
            place / MAX_ELEMENTS,
            last is not None and last.context == element.context and bool(element.context),
            element.value in typed,
            math.log1p(len(own)) / 3,
            any(word[0].isdigit() for word in own),
            seen_same[key] == 0,
            math.log1p(same[key]) / 3,
            best_context[key] > 0 and context_shares[place] == best_context[key],
            seen_like[like_key] == 0,
            min(seen_like[like_key], 10) / 10,
            seen_here[here] == 0,
            seen_like[like_key] == like[like_key] - 1,
            sum(word in positions for word in before) / max(1, len(before)),
            not element.context,
            bool(element.context) and element.context[-1] in observation.title,
            min(rare[place], 2.0) / 2,
            rare[place] == rarest[element.role] > 0,
            min(sum(word not in own for word in near), 4) / 4,
        )
        for offset, state in enumerate(STATES):
            feats[place, PLAIN_FEATURES + offset] = state in element.states
        seen_same[key] += 1
        seen_like[like_key] += 1
        seen_here[here] += 1
        before, before_words = own[-SIDE_WORDS:], word_ids(element.name)[-SIDE_WORDS:]
    return {
        "role": role,
        "own_ids": own_ids,
        "context_ids": context_ids,
        "value_ids": value_ids,
        "before_ids": before_ids,
        "element_feats": feats,
        "matches": matches,
        "kin": kin,
        "verbs": verbs,
    }


def _option_share(option: str, intent_stems: Sequence[str]) -> float:
    """How far an option stands in the instruction word for word; whole options count most."""
    mine = stems(option)
    if not mine:
        return 0.0
    run = _longest_run(mine, intent_stems)
    return run / len(mine) if run == len(mine) else 0.5 * run / len(mine)


def _past_arrays(
    observation: Observation, elements: Sequence[Element], length: int, positions: dict[str, list[int]]
) -> dict[str, Any]:
    pasts = observation.history[-MAX_HISTORY:][::-1]  # the latest first, so that a place means an age
    verb, role = np.zeros(len(pasts), np.int64), np.zeros(len(pasts), np.int64)
    ids = np.zeros((len(pasts), OWN_WORDS), np.int64)
    feats = np.zeros((len(pasts), HISTORY_FEATURES), np.float32)
    matches = np.zeros((len(pasts), length), np.float32)
    same = np.zeros((len(pasts), len(elements)), np.float32)
    lines: dict[tuple[str, str, tuple[str, ...]], list[int]] = defaultdict(list)
    for place, element in enumerate(elements):
        lines[(element.role, element.name, element.context)].append(place)
    for place, past in enumerate(pasts):
        if past.ref:
            same[place, lines.get((past.role, past.name, past.context), [])] = 1.0
        for word in (*stems(past.name), *stems(past.text)):
            matches[place, positions.get(word, [])] = 1.0
        verb[place] = word_id(past.verb)
        role[place] = _ROLE_INDEX.get(past.role, 0)
        _fill(ids, place, (*word_ids(past.name)[:8], *word_ids(past.text)[:4], *word_ids(" ".join(past.context))[-4:]))
        feats[place] = (past.error != "", past.changed, past.text != "", "submit=true" in past.action)
    return {
        "past_verb": verb,
        "past_role": role,
        "past_ids": ids,
        "past_feats": feats,
        "past_matches": matches,
        "past_same": same,
    }


def _global_arrays(observation: Observation, positions: dict[str, list[int]]) -> dict[str, Any]:
    ids = np.zeros((1, OWN_WORDS), np.int64)
    path = observation.url.partition("?")[0].replace("/", " ").replace(".html", "")
    _fill(ids, 0, (*word_ids(path)[:4], *word_ids(observation.title)[:12]))
    title = stems(observation.title)
    feats = np.array(
        (
            observation.turn / 10,
            observation.turn == 0,
            observation.error != "",
            sum(word in positions for word in title) / max(1, len(title)),
            observation.omitted > 0,
            (observation.max_turns - observation.turn) <= 2,
        ),
        np.float32,
    )
    return {"title_ids": ids[0], "global_feats": feats}
