"""Where the text of a page shows a target, for forms that are cut short at the end.

A form is cut after N tokens, so a target is there if the text up to and including it has at most N tokens. That number
is its depth. The rules favour the form wherever there is a choice:

- An element counts from where it begins to be told: the end of its start tag, the end of its line; not its contents.
- The very element is looked for where the form names elements (aria ref, bid, a tag) and has it: `ends` of a Form.
- Else the first element of its role and name; else its name, or the text that is needed, anywhere. Names and texts are
  compared without white space, case, tags and quoting; a text may be put together from several elements, and may be the
  value of an attribute. A node without a name is any one of its role.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from harness.context.words import count_tokens, spans
from harness.forms.target import Target


@dataclass(frozen=True)
class Item:
    """One thing that a form tells: `end` is the number of characters up to the end of it."""

    role: str
    name: str
    end: int


@dataclass(frozen=True)
class Piece:
    """Text that a form shows, and where in the form it begins. Pieces that are no part of the text `run` alone."""

    text: str
    start: int
    run: bool = True


@dataclass(frozen=True)
class Form:
    """The text of a page, with the items and the pieces of text in it.

    `ends` are places of the targets' very elements, by the ref of the node that was looked for.
    """

    text: str
    items: tuple[Item, ...]
    pieces: tuple[Piece, ...]
    ends: dict[str, int]

    def end(self, target: Target) -> int | None:
        """The least number of characters of the form that show the target, None if it isn't there at all."""
        if target.text:
            return self._text_end(target.text)
        if target.option:
            return self._named_end("option", target.option)
        very = [self.ends[node.ref] for node in target.nodes if node.ref in self.ends]
        found = very or [
            end
            for node in target.nodes
            if (end := self._named_end(node.role, node.name or node.value or "")) is not None
        ]
        return min(found, default=None)

    def depth(self, target: Target) -> int | None:
        """The least number of tokens to cut the form after that show the target, None if it isn't there at all."""
        end = self.end(target)
        return None if end is None else count_tokens(self.text[:end])

    def _named_end(self, role: str, name: str) -> int | None:
        wanted = squeezed(name)
        for item in self.items:
            if item.role.lower() == role and squeezed(item.name) == wanted:
                return item.end
        if wanted:
            return self._text_end(name)
        return next((item.end for item in self.items if item.role.lower() == role), None)

    def _text_end(self, text: str) -> int | None:
        wanted = squeezed(text)
        runs = [_run(piece for piece in self.pieces if piece.run)]
        runs += [_run([piece]) for piece in self.pieces if not piece.run]
        found = [
            offsets[place + len(wanted) - 1] for run, offsets in runs if (place := run.find(wanted)) >= 0 and wanted
        ]
        return min(found, default=None)


def cut(text: str, tokens: int) -> str:
    """The text up to the end of its token number `tokens`."""
    places = spans(text)
    return text if len(places) <= tokens else text[: places[tokens - 1][1]] if tokens else ""


def squeezed(text: str) -> str:
    """A text as it is compared: without white space and case."""
    return "".join(text.split()).casefold()


def _run(pieces: Iterable[Piece]) -> tuple[str, list[int]]:
    """Pieces as one text to compare with, and for each character of it where it ends in the form."""
    run: list[str] = []
    offsets: list[int] = []
    for piece in pieces:
        for place, character in enumerate(piece.text):
            small = squeezed(character)
            run.append(small)
            offsets += [piece.start + place + 1] * len(small)
    return "".join(run), offsets


# The forms

_ARIA = re.compile(r"- (?P<key>'(?:[^']|'')*'|[^\s:\[]+(?: \"(?:[^\"\\]|\\.)*\")?(?: \[[^\]]*\])*)(?P<rest>:.*)?$")
_ARIA_KEY = re.compile(r"(?P<role>\S+)(?: (?P<name>\"(?:[^\"\\]|\\.)*\"))?(?P<marks>.*)$", re.DOTALL)
_REF = re.compile(r"\[ref=(\w+)\]")
_BOX = re.compile(r"\[box=([-\d.]+),([-\d.]+),([-\d.]+),([-\d.]+)\]")
_AX = re.compile(
    r"\s*(?:\[(?P<bid>\w+)\] )?(?P<role>\w+)(?: (?P<name>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))?(?P<rest>.*)"
)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_UNSEEN = re.compile(r"<(script|style|template|noscript)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(?P<name>/?[a-zA-Z][^\s/>]*)(?P<attributes>(?:\"[^\"]*\"|'[^']*'|[^'\">])*)>", re.DOTALL)
_ATTRIBUTE = re.compile(r"[\w:.-]+\s*=\s*\"(?P<value>[^\"]*)\"")
_BID = re.compile(r"\bbid=\"(\w+)\"")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _unquoted(text: str, read: Callable[[str], object]) -> str:
    try:
        return str(read(text))
    except (ValueError, SyntaxError):
        return text[1:-1]


def _aria_line(line: str) -> tuple[str, str, str, str] | None:
    """Role, name, marks such as `[ref=e3]`, and the text of one line of an aria snapshot."""
    match = _ARIA.match(line.strip())
    if match is None:
        return None
    key, rest = match["key"], (match["rest"] or "").removeprefix(":").strip()
    if key.startswith("'"):
        key = key[1:-1].replace("''", "'")
    found = _ARIA_KEY.match(key)
    if found is None:
        return None
    if rest.startswith('"'):
        rest = _unquoted(rest, json.loads)
    return found["role"], _unquoted(found["name"], json.loads) if found["name"] else "", found["marks"], rest


def aria_form(text: str, refs: dict[str, tuple[str, ...]] | None = None) -> Form:
    """Playwright's aria snapshot. `refs` gives for the ref of a node the snapshot's own refs that are its element."""
    items, pieces, places = [], [], {}
    for start, line in _lines(text):
        found = _aria_line(line)
        if found is None:
            continue
        role, name, marks, rest = found
        end = start + len(line)
        # What stands after the colon is the text of the element, and names it where it has no name of its own.
        head = end - len(rest) if rest and not name else end
        items.append(Item(role, name or rest, end))
        for ref in _REF.findall(marks):
            places[ref] = head
        text_of_page = not role.startswith("/")  # "/url", "/placeholder" are properties
        pieces += [Piece(part, start + max(line.find(part), 0), text_of_page) for part in (name, rest) if part]
    ends = {
        node: min(places[ref] for ref in own if ref in places)
        for node, own in (refs or {}).items()
        if any(ref in places for ref in own)
    }
    return Form(text, tuple(items), tuple(pieces), ends)


def aria_refs(boxed: str, role: str, box: tuple[int, int, int, int]) -> tuple[str, ...]:
    """The refs in an aria snapshot with boxes that are the element at `box`: those of its role, else any.

    () where no box is the same to a pixel.
    """
    same: list[tuple[str, str]] = []
    for _, line in _lines(boxed):
        found = _aria_line(line)
        if found is None:
            continue
        ref, place = _REF.search(found[2]), _BOX.search(found[2])
        if ref and place and all(abs(float(a) - b) <= 1 for a, b in zip(place.groups(), box, strict=True)):
            same.append((found[0], ref[1]))
    return tuple(ref for kind, ref in same if kind == role) or tuple(ref for _, ref in same)


def axtree_form(text: str, bids: dict[str, tuple[str, ...]] | None = None) -> Form:
    """BrowserGym's flattened accessibility tree. `bids` gives for the ref of a node the bids that are its element."""
    items, pieces, places = [], [], {}
    for start, line in _lines(text):
        match = _AX.match(line)
        if match is None:
            continue
        end = start + len(line)
        name = _unquoted(match["name"], ast.literal_eval) if match["name"] else ""
        items.append(Item(match["role"], name, end))
        if match["bid"]:
            places[match["bid"]] = end
        if name:
            pieces.append(Piece(name, start + match.start("name") + 1))
        pieces += [
            Piece(_unquoted(found[0], ast.literal_eval), start + match.start("rest") + found.start() + 1, run=False)
            for found in _QUOTED.finditer(match["rest"])
        ]
    return Form(text, tuple(items), tuple(pieces), _by_node(places, bids))


def html_form(text: str, bids: dict[str, tuple[str, ...]] | None = None, ends: dict[str, int] | None = None) -> Form:
    """HTML, raw or pruned. The very elements are known by `bids`, or by their places in the text, `ends`."""
    seen = _UNSEEN.sub(lambda match: " " * len(match[0]), text)
    pieces, places, last = [], {}, 0
    for tag in _TAG.finditer(seen):
        if tag.start() > last:
            pieces.append(Piece(html.unescape(seen[last : tag.start()]), last))
        last = tag.end()
        for bid in _BID.findall(tag["attributes"]):
            places[bid] = tag.end()
        pieces += [
            Piece(html.unescape(found["value"]), tag.start("attributes") + found.start("value"), run=False)
            for found in _ATTRIBUTE.finditer(tag["attributes"])
        ]
    pieces.append(Piece(html.unescape(seen[last:]), last))
    return Form(text, (), tuple(pieces), {**_by_node(places, bids), **(ends or {})})


def _by_node(places: dict[str, int], bids: dict[str, tuple[str, ...]] | None) -> dict[str, int]:
    return {
        node: min(places[bid] for bid in own if bid in places)
        for node, own in (bids or {}).items()
        if any(bid in places for bid in own)
    }
