"""Words: how text is cut into tokens, the same for the relevance, the token count and the small policy."""

from __future__ import annotations

import re
from functools import lru_cache

LINE = 256  # characters of a text that is remembered; longer ones are whole pages

_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # one token, since it is copied as one
_PLAIN = (
    r"\d+(?:[.,:/-]\d+)*(?![^\W_])"  # numbers, dates, times
    r"|[^\W_]+(?:['’][^\W_]+)?"  # words and codes such as SAVE10
    r"|\S"  # single signs
)
_WITH_EMAIL = re.compile(f"{_EMAIL}|{_PLAIN}")
_WITHOUT = re.compile(_PLAIN)


def _pattern(text: str) -> re.Pattern[str]:
    return _WITH_EMAIL if "@" in text else _WITHOUT  # the same tokens, and several times as fast


# Words that say nothing about what a task is about.
STOP = frozenset(
    "a an the of to in on for and or with at by from is are be it its this that my me i your you please".split()
)


@lru_cache(maxsize=65536)
def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end characters of the tokens of a text: numbers, words, single signs."""
    return tuple(match.span() for match in _pattern(text).finditer(text))


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """The tokens of a text in lower case."""
    return tuple(text[start:end].casefold() for start, end in spans(text))


def count_tokens(text: str) -> int:
    """Number of tokens of a text. Lines are remembered, whole pages are not: no page comes twice."""
    return _count_line(text) if len(text) <= LINE else len(_pattern(text).findall(text))


@lru_cache(maxsize=16384)
def _count_line(text: str) -> int:
    return len(_pattern(text).findall(text))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without the endings that most often differ between an instruction and a page (English)."""
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


@lru_cache(maxsize=65536)
def content(text: str) -> frozenset[str]:
    """Stems of the words of a text that carry meaning: no stop words, no lone signs."""
    return frozenset(stem(word) for word in words(text) if word not in STOP and word[0].isalnum())
