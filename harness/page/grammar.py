"""The text form of actions is a call: `click(e12)`, `type(e3, "blue lamp", submit=true)`.

Refs are bare words, text is a JSON string, flags are true or false. For every action a: parse(format(a)) == a. Nothing
is ever evaluated. What is written in the other dialect (harness/page/dialect.py) is read too: no text is both.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any, get_type_hints

from harness.page.action import ACTIONS, REF_PATTERN, Action
from harness.page.dialect import is_do, parse_do
from harness.page.reader import MAX_DIGITS, ParseError, Reader

BY_VERB = {action.verb: action for action in ACTIONS}
_HINTS = {action: get_type_hints(action) for action in ACTIONS}


def _is_ref(field: dataclasses.Field[Any]) -> bool:
    return field.name in ("ref", "onto")


def format_action(action: Action) -> str:
    """The text form: positional arguments first, flags by name when they differ from their default."""
    parts = []
    for field in dataclasses.fields(action):
        value = getattr(action, field.name)
        if _HINTS[type(action)][field.name] is bool:
            if value != field.default:
                parts.append(f"{field.name}={'true' if value else 'false'}")
        elif _is_ref(field):
            if value != field.default:
                parts.append(value)
        elif _HINTS[type(action)][field.name] is int:
            parts.append(str(value))
        elif field.default is dataclasses.MISSING or value != field.default:
            parts.append(json.dumps(value, ensure_ascii=False))
    return f"{action.verb}({', '.join(parts)})"


_NAME = re.compile(r"[a-z_]+")
_FLAG = re.compile(r"([a-z_]+)\s*=\s*(true|false)")
_BOOLEAN = re.compile(r"true|false")
_NUMBER = re.compile(rf"[0-9]{{1,{MAX_DIGITS}}}")


def parse_action(text: str) -> Action:
    """The action of a text form, in either dialect. ParseError, with the position, for anything else."""
    if is_do(text):
        return parse_do(text)
    reader = Reader(text)
    name = reader.take(_NAME)
    if not name:
        raise reader.fail("an action starts with its name, such as click(e12)")
    kind = BY_VERB.get(name.group())
    if kind is None:
        raise ParseError(f"unknown action {name.group()!r}; known: {', '.join(BY_VERB)}", name.start())
    reader.expect("(")
    fields = dataclasses.fields(kind)
    values: dict[str, Any] = {}
    while not reader.sees(")"):
        if values:
            reader.expect(",")
        start = reader.position
        flag = reader.take(_FLAG)
        if flag:
            field = next((f for f in fields if f.name == flag.group(1)), None)
            if field is None or _HINTS[kind][field.name] is not bool:
                raise ParseError(f"{kind.verb} has no flag {flag.group(1)!r}", start)
            if field.name in values:
                raise ParseError(f"{field.name!r} is given twice", start)
            values[field.name] = flag.group(2) == "true"
            continue
        field = next((f for f in fields if f.name not in values), None)
        if field is None:
            raise ParseError(f"{kind.verb} takes {len(fields)} argument(s)", start)
        values[field.name] = _value(reader, kind, field)
    reader.expect(")")
    if reader.position != len(text):
        raise reader.fail("expected the end")
    missing = [f.name for f in fields if f.default is dataclasses.MISSING and f.name not in values]
    if missing:
        raise ParseError(f"{kind.verb} needs {', '.join(missing)}", len(text))
    try:
        return kind(**values)
    except ValueError as error:
        raise ParseError(str(error), name.start()) from error


def _value(reader: Reader, kind: type[Action], field: dataclasses.Field[Any]) -> Any:
    start = reader.position
    if _is_ref(field):
        match = reader.take(REF_PATTERN)
        if not match:
            raise ParseError("expected an element such as e12", start)
        return match.group()
    if _HINTS[kind][field.name] is bool:
        match = reader.take(_BOOLEAN)
        if not match:
            raise ParseError("expected true or false", start)
        return match.group() == "true"
    if _HINTS[kind][field.name] is int:
        match = reader.take(_NUMBER)
        if not match:
            raise ParseError("expected a number", start)
        return int(match.group())
    return reader.string()


def grammar_help() -> str:
    """One line per action for a prompt, made from the same dataclasses."""
    lines = []
    for kind in ACTIONS:
        arguments = []
        for field in dataclasses.fields(kind):
            if _is_ref(field):
                arguments.append("e12" if field.name == "ref" else "e34")
            elif _HINTS[kind][field.name] is int:
                arguments.append("2")
            elif _HINTS[kind][field.name] is bool:
                arguments.append(f"{field.name}={'false' if field.default else 'true'}")
            else:
                arguments.append(f'"{field.name}"')
        lines.append(f"{kind.verb}({', '.join(arguments)}): {kind.__doc__}")
    return "\n".join(lines)
