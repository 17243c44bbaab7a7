"""What both dialects of the grammar read with: a position in a text, texts in quotes, errors that name their place."""

from __future__ import annotations

import json
import re

MAX_DIGITS = 9
"""Digits of a number that is read, such as that of a tab."""

_SPACE = re.compile(r"\s*")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)
_IN_SINGLE = re.compile(r'\\.|"', re.DOTALL)  # an escaped sign, or one that JSON would end at


class ParseError(ValueError):
    """Text that is no action. `position` is the character at which it stops making sense."""

    code = "PARSE_ERROR"

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} (at character {position})")
        self.position = position


class Reader:
    """A position in a text, moved on by patterns; white space after what was read is skipped."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.skip(_SPACE)

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Move on over what matches."""
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def sees(self, literal: str) -> bool:
        """Whether this comes next."""
        return self.text.startswith(literal, self.position)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what matches, None if nothing does."""
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
            self.skip(_SPACE)
        return match

    def expect(self, literal: str) -> None:
        """Read this. ParseError if something else comes next."""
        if not self.sees(literal):
            raise ParseError(f"expected {literal!r}", self.position)
        self.position += len(literal)
        self.skip(_SPACE)

    def fail(self, message: str) -> ParseError:
        """An error at this place."""
        return ParseError(message, self.position)

    def string(self, single: bool = False) -> str:
        """Read a text in double quotes, with JSON's escapes; in single quotes too where they are allowed."""
        start = self.position
        match = self.take(_DOUBLE)
        quoted = match.group() if match else ""
        if single and not match and (match := self.take(_SINGLE)):
            quoted = f'"{_IN_SINGLE.sub(_for_json, match.group()[1:-1])}"'
        if not match:
            raise ParseError("expected a text in double quotes", start)
        try:
            text = str(json.loads(quoted, strict=False))
        except json.JSONDecodeError as error:
            raise ParseError(f"bad escape in the text: {error.msg}", min(start + error.pos, match.end())) from error
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ParseError("half of a surrogate pair in the text", start)
        return text


def _for_json(match: re.Match[str]) -> str:
    return {"\\'": "'", '"': '\\"'}.get(match.group(), match.group())
