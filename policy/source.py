"""Texts that can be copied from, and what is known of their words before anything is learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from harness.context.words import STOP
from policy.vocabulary import stems, word_ids

if TYPE_CHECKING:
    from policy.features import Features

SHAPE_FEATURES = 13  # of a word that can be copied
QUOTES = frozenset("“”\"'‘’")
DOUBLE_QUOTES = frozenset('“”"')
ENDS = frozenset(("", ".", ",", ":", ";", "?", "!"))  # what stands before and after a part of a sentence
SINCE_MATCH = 12  # distances to the last word of the target's own that are told apart; 0 means there is none
SOURCE_WORDS = 48  # words of one line that text can be copied from

Array = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Source:
    """A text that can be copied from: its words as ids, and where they stand in it."""

    text: str
    places: tuple[tuple[int, int], ...]


def ends(source: Source) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Where a copied text may begin and end [L] each: not inside what is written without a space, such as a code, but
    for signs at its rims ("(3)," has a 3 that can be copied)."""
    count = len(source.places)
    first, last = np.ones(count, np.bool_), np.ones(count, np.bool_)
    signs = [not source.text[start].isalnum() for start, _ in source.places]
    glued = [k > 0 and source.places[k - 1][1] == source.places[k][0] for k in range(count)]
    for place in range(1, count):
        first[place] = not glued[place] or (first[place - 1] and signs[place - 1])
    for place in range(count - 2, -1, -1):
        last[place] = not glued[place + 1] or (last[place + 1] and signs[place + 1])
    return first, last


def source_words(features: Features, source: Source, target: int, is_intent: bool) -> tuple[Ids, Array, Ids]:
    """Words to copy from: ids [L], shapes [L, SHAPE_FEATURES], and how far back the target's own words stand [L]."""
    length = len(source.places)
    ids = np.array(word_ids(source.text)[:length], np.int64)
    roots = stems(source.text)[:length]
    shapes = np.zeros((length, SHAPE_FEATURES), np.float32)
    since = np.zeros(length, np.int64)
    own = set(stems(features.elements[target].name)) - STOP if is_intent else set()
    last = -SINCE_MATCH
    quoted = False
    for place, ((start, end), root) in enumerate(zip(source.places, roots, strict=True)):
        before = source.text[source.places[place - 1][0]] if place else ""
        after = source.text[source.places[place + 1][0]] if place + 1 < length else ""
        if source.text[start] in DOUBLE_QUOTES:
            quoted = not quoted
        shapes[place] = (
            place / 16,
            source.text[start].isdigit(),
            root in features.intent_stems,
            source.text[start].isupper(),
            before in QUOTES,
            after in QUOTES,
            before in ENDS,
            after in ENDS,
            after.isupper(),
            not source.text[start].isalnum(),
            # Signs that no space parts from a word belong to it: codes, "Roll-top", "£12".
            place > 0 and source.places[place - 1][1] == start,
            place + 1 < length and source.places[place + 1][0] == end,
            quoted,
        )
        if root in own:
            last = place
        gap = place - last
        since[place] = gap + 1 if gap + 1 < SINCE_MATCH else 0
    return ids, shapes, since
