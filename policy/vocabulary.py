"""Words as numbers: which bucket of the embeddings a word is, and which words are the same but for their ending."""

from __future__ import annotations

import zlib
from functools import lru_cache

from harness.context.words import stem, words

VOCABULARY = 32768
_SHAPE = str.maketrans("123456789", "000000000")


@lru_cache(maxsize=200_000)
def word_id(word: str) -> int:
    """The bucket of a word, 1 to VOCABULARY - 1, the same on every machine; 0 is padding.

    Numbers of one shape are one word: what £53.00 says of a line is that it is a price. Which number it is shows in
    the matches with the instruction.
    """
    return zlib.crc32(word.translate(_SHAPE).encode("utf-8", "replace")) % (VOCABULARY - 1) + 1


@lru_cache(maxsize=65536)
def word_ids(text: str) -> tuple[int, ...]:
    """The buckets of the words of a text."""
    return tuple(word_id(word) for word in words(text))


@lru_cache(maxsize=65536)
def stems(text: str) -> tuple[str, ...]:
    """The stems of the words of a text."""
    return tuple(stem(word) for word in words(text))
