"""The second dialect of actions: `do(action="Type", argument="blue lamp", element="3")` and `exit(message="blue")`.

It is what the models of WebRL (arXiv 2411.02337) and WebAgent-R1 (arXiv 2505.16421) write: a function call in which
everything is a text, an element by its number alone, "3" for e3, often below lines of comment that begin with #. Names
of the actions that those models do not have follow the same manner. For every action a: parse_do(format_do(a)) == a.
"""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass, field
from typing import Any

from harness.page.action import (
    DIRECTIONS,
    REF_PATTERN,
    Action,
    Answer,
    AnswerDialog,
    Back,
    Check,
    Clear,
    Click,
    CloseTab,
    DoubleClick,
    Drag,
    Find,
    Forward,
    GiveUp,
    Goto,
    Hover,
    NewTab,
    Press,
    Scroll,
    Select,
    SwitchTab,
    Type,
    Upload,
    Wait,
)
from harness.page.reader import MAX_DIGITS, ParseError, Reader


@dataclass(frozen=True)
class _Form:
    """How one kind of action is written: the field that each keyword stands for, and what the name implies."""

    kind: type[Action]
    keywords: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    meaning: str = ""  # for the prompt, where the kind's own does not tell the forms apart


_ELEMENT = {"element": "ref"}
_FORMS = {
    "Click": _Form(Click, _ELEMENT),
    "Double Click": _Form(DoubleClick, _ELEMENT),
    "Hover": _Form(Hover, _ELEMENT),
    "Type": _Form(Type, {"argument": "text", **_ELEMENT}, {"submit": False}, "replace the text of a field"),
    "Search": _Form(
        Type, {"argument": "text", **_ELEMENT}, {"submit": True}, "replace the text of a field and press Enter after it"
    ),
    "Clear": _Form(Clear, _ELEMENT),
    "Select Dropdown Option": _Form(Select, {"argument": "option", **_ELEMENT}),
    "Check": _Form(Check, _ELEMENT, {"on": True}, "set a check box, radio button or switch to on"),
    "Uncheck": _Form(Check, _ELEMENT, {"on": False}, "set a check box, radio button or switch to off"),
    "Press Enter": _Form(Press, {}, {"key": "Enter"}, "press Enter in the focused element"),
    "Press": _Form(Press, {"argument": "key"}),
    **{
        f"Scroll {direction.capitalize()}": _Form(
            Scroll,
            _ELEMENT,
            {"direction": direction},
            f"scroll {direction} by one screen: the page, or the scroll area around an element",
        )
        for direction in DIRECTIONS
    },
    "Drag": _Form(Drag, {**_ELEMENT, "target": "onto"}),
    "Upload": _Form(Upload, {"argument": "file", **_ELEMENT}),
    "Go To": _Form(Goto, {"argument": "url"}),
    "New Tab": _Form(NewTab, {"argument": "url"}),
    "Switch Tab": _Form(SwitchTab, {"argument": "tab"}),
    "Close Tab": _Form(CloseTab),
    "Accept Dialog": _Form(
        AnswerDialog,
        {"argument": "text"},
        {"accept": True},
        "answer the open dialog with OK; a prompt takes a text too",
    ),
    "Dismiss Dialog": _Form(
        AnswerDialog, {"argument": "text"}, {"accept": False}, "answer the open dialog with Cancel"
    ),
    "Find": _Form(Find, {"argument": "text"}),
    "Wait": _Form(Wait),
    "Give Up": _Form(GiveUp),
}
_CALLS = {
    "go_backward": _Form(Back),
    "go_forward": _Form(Forward),
    "exit": _Form(Answer, {"message": "text"}),
}
_COMMENTS = re.compile(r"(?:\s*#[^\n]*(?:\n|\Z))*\s*")
_NAME = re.compile(r"[a-z_]+")
_NUMBER = re.compile(r"[1-9][0-9]*")
_TAB = re.compile(rf"[0-9]{{1,{MAX_DIGITS}}}")


def is_do(text: str) -> bool:
    """Whether a text is written in this dialect, well or badly."""
    reader = Reader(text)
    reader.skip(_COMMENTS)
    name = reader.take(_NAME)
    return name is not None and name.group() in ("do", *_CALLS)


def format_do(action: Action) -> str:
    """The action in this dialect; what has its default value is left out."""
    for call, form in _CALLS.items():
        if isinstance(action, form.kind):
            return f"{call}({', '.join(_written(action, form))})"
    for name, form in _FORMS.items():
        if isinstance(action, form.kind) and all(getattr(action, key) == value for key, value in form.fixed.items()):
            return f"do({', '.join([f'action={_quoted(name)}', *_written(action, form)])})"
    raise TypeError(f"{type(action).__name__} has no form in this dialect")


def _written(action: Action, form: _Form) -> list[str]:
    defaults = {f.name: f.default for f in dataclasses.fields(action)}
    values = {keyword: (getattr(action, name), defaults[name]) for keyword, name in form.keywords.items()}
    return [
        f"{keyword}={_quoted(value[1:] if _is_element(keyword) else str(value))}"
        for keyword, (value, default) in values.items()
        if value != default
    ]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _is_element(keyword: str) -> bool:
    return keyword in ("element", "target")


def parse_do(text: str) -> Action:
    """The action of a text in this dialect. ParseError, with the position, for anything else."""
    reader = Reader(text)
    reader.skip(_COMMENTS)
    name = reader.take(_NAME)
    if not name or name.group() not in ("do", *_CALLS):
        raise reader.fail(f"expected a call of do, {', '.join(_CALLS)}")
    reader.expect("(")
    given = _keywords(reader)
    end = reader.position
    reader.expect(")")
    reader.skip(_COMMENTS)
    if reader.position != len(text):
        raise reader.fail("expected the end")
    if name.group() != "do":
        return _made(name.group(), _CALLS[name.group()], given, end)
    if "action" not in given:
        raise ParseError('do needs action="…"', end)
    wanted, position = given.pop("action")
    if wanted not in _FORMS:
        raise ParseError(f"unknown action {wanted!r}; known: {', '.join(_FORMS)}", position)
    return _made(wanted, _FORMS[wanted], given, end)


_Given = dict[str, tuple[str, int]]  # keyword -> its text, and where that stands


def _keywords(reader: Reader) -> _Given:
    given: _Given = {}
    while not reader.sees(")"):
        if given:
            reader.expect(",")
        keyword = reader.take(_NAME)
        if not keyword:
            raise reader.fail('expected a keyword such as element="12"')
        if keyword.group() in given:
            raise ParseError(f"{keyword.group()!r} is given twice", keyword.start())
        reader.expect("=")
        start = reader.position
        given[keyword.group()] = (reader.string(single=True), start)
    return given


def _made(name: str, form: _Form, given: _Given, end: int) -> Action:
    values = dict(form.fixed)
    for keyword, (text, position) in given.items():
        if keyword not in form.keywords:
            raise ParseError(f"{name} takes no {keyword!r}", position)
        values[form.keywords[keyword]] = _value(keyword, form.keywords[keyword], text, position)
    for keyword, attribute in form.keywords.items():
        default = next(f.default for f in dataclasses.fields(form.kind) if f.name == attribute)
        if default is dataclasses.MISSING and keyword not in given:
            raise ParseError(f'{name} needs {keyword}="…"', end)
    return form.kind(**values)


def _value(keyword: str, attribute: str, text: str, position: int) -> Any:
    if _is_element(keyword):
        if REF_PATTERN.fullmatch(text):
            return text
        if not _NUMBER.fullmatch(text):
            raise ParseError('expected the number of an element, such as "12"', position)
        return f"e{text}"
    if attribute == "tab":
        if not _TAB.fullmatch(text):
            raise ParseError('expected the number of a tab, such as "2"', position)
        return int(text)
    return text


def do_help() -> str:
    """One line per form for a prompt, made from the same tables and dataclasses."""
    examples = {"element": "12", "target": "34", "tab": "2"}
    lines = []
    for name, form in (_FORMS | _CALLS).items():
        written = [
            f"{keyword}={_quoted(examples.get(keyword, examples.get(attribute, attribute)))}"
            for keyword, attribute in form.keywords.items()
        ]
        call = name
        if name in _FORMS:
            call, written = "do", [f"action={_quoted(name)}", *written]
        lines.append(f"{call}({', '.join(written)}): {form.meaning or form.kind.__doc__}")
    return "\n".join(lines)
