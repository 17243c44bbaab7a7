"""Actions: the dataclasses are the grammar; parser, formatter, prompt text and executor all derive from them.

The text form is a call: `click(e12)`, `type(e3, "blue lamp", submit=true)`. Refs are bare words, text is a JSON
string, flags are true or false. For every action a: parse(format(a)) == a. Nothing is ever evaluated.
"""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from typing import Any, ClassVar, get_type_hints

Ref = str
"""The name of a node of a snapshot, "e12"."""

REF_PATTERN = re.compile(r"e[1-9][0-9]*")
DIRECTIONS = ("up", "down", "left", "right")
MAX_NUMBER = 9  # digits of a number


class ParseError(ValueError):
    """Text that is no action. `position` is the character at which it stops making sense."""

    code = "PARSE_ERROR"

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} (at character {position})")
        self.position = position


@dataclass(frozen=True)
class Action:
    """Base of all actions. `verb` is the name in the text form; the class docstring is the prompt's help."""

    verb: ClassVar[str]


@dataclass(frozen=True)
class Click(Action):
    """click an element"""

    verb: ClassVar[str] = "click"
    ref: Ref


@dataclass(frozen=True)
class DoubleClick(Action):
    """click an element twice in quick succession"""

    verb: ClassVar[str] = "double_click"
    ref: Ref


@dataclass(frozen=True)
class Hover(Action):
    """move the mouse over an element, to open a menu or a tip"""

    verb: ClassVar[str] = "hover"
    ref: Ref


@dataclass(frozen=True)
class Type(Action):
    """replace the text of a field, and press Enter after it if submit is true"""

    verb: ClassVar[str] = "type"
    ref: Ref
    text: str
    submit: bool = False


@dataclass(frozen=True)
class Clear(Action):
    """empty a field, or take back all choices of a list in which several can be chosen"""

    verb: ClassVar[str] = "clear"
    ref: Ref


@dataclass(frozen=True)
class Select(Action):
    """choose the option with this label in a select box; where several can be chosen, add it to them"""

    verb: ClassVar[str] = "select"
    ref: Ref
    option: str


@dataclass(frozen=True)
class Check(Action):
    """set a check box, radio button or switch to on (true) or off (false)"""

    verb: ClassVar[str] = "check"
    ref: Ref
    on: bool = True


@dataclass(frozen=True)
class Press(Action):
    """press a key such as Enter, Escape, ArrowDown or Control+a in the focused element"""

    verb: ClassVar[str] = "press"
    key: str


@dataclass(frozen=True)
class Scroll(Action):
    """scroll "up", "down", "left" or "right" by one screen: the page, or the scroll area around an element"""

    verb: ClassVar[str] = "scroll"
    direction: str
    ref: Ref = ""

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"the direction must be one of {', '.join(DIRECTIONS)}, not {self.direction!r}")


@dataclass(frozen=True)
class Drag(Action):
    """drag an element with the mouse and drop it on another one"""

    verb: ClassVar[str] = "drag"
    ref: Ref
    onto: Ref


@dataclass(frozen=True)
class Upload(Action):
    """put a file, by name, into a file field or the file chooser that is open"""

    verb: ClassVar[str] = "upload"
    ref: Ref
    file: str


@dataclass(frozen=True)
class Goto(Action):
    """go to an address of the site"""

    verb: ClassVar[str] = "goto"
    url: str


@dataclass(frozen=True)
class Back(Action):
    """go back to the page before"""

    verb: ClassVar[str] = "back"


@dataclass(frozen=True)
class Forward(Action):
    """undo the last going back"""

    verb: ClassVar[str] = "forward"


@dataclass(frozen=True)
class NewTab(Action):
    """open a new tab, at an address of the site or empty"""

    verb: ClassVar[str] = "new_tab"
    url: str = ""


@dataclass(frozen=True)
class SwitchTab(Action):
    """go to the tab with this number"""

    verb: ClassVar[str] = "switch_tab"
    tab: int


@dataclass(frozen=True)
class CloseTab(Action):
    """close this tab and go back to the one that opened it"""

    verb: ClassVar[str] = "close_tab"


@dataclass(frozen=True)
class AnswerDialog(Action):
    """answer the open dialog: OK (true) or Cancel (false); a prompt takes a text too"""

    verb: ClassVar[str] = "dialog"
    accept: bool
    text: str = ""


@dataclass(frozen=True)
class Find(Action):
    """show where a text stands on the page, also where the page was cut short"""

    verb: ClassVar[str] = "find"
    text: str


@dataclass(frozen=True)
class Wait(Action):
    """do nothing until something on the page changes, for a second or so at most"""

    verb: ClassVar[str] = "wait"


@dataclass(frozen=True)
class Answer(Action):
    """finish: give the answer asked for, or "" if the task asks for none"""

    verb: ClassVar[str] = "answer"
    text: str = ""


@dataclass(frozen=True)
class GiveUp(Action):
    """finish without an answer, because the task can't be done"""

    verb: ClassVar[str] = "give_up"


ACTIONS: tuple[type[Action], ...] = (
    Click,
    DoubleClick,
    Hover,
    Type,
    Clear,
    Select,
    Check,
    Press,
    Scroll,
    Drag,
    Upload,
    Goto,
    Back,
    Forward,
    NewTab,
    SwitchTab,
    CloseTab,
    AnswerDialog,
    Find,
    Wait,
    Answer,
    GiveUp,
)
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
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_FLAG = re.compile(r"([a-z_]+)\s*=\s*(true|false)")
_WORD = re.compile(r"e[1-9][0-9]*|true|false")
_NUMBER = re.compile(rf"[0-9]{{1,{MAX_NUMBER}}}")


class _Reader:
    """A position in a text, moved on by patterns."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.skip()

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
            self.skip()
        return match

    def expect(self, literal: str) -> None:
        if not self.text.startswith(literal, self.position):
            raise ParseError(f"expected {literal!r}", self.position)
        self.position += len(literal)
        self.skip()

    def fail(self, message: str) -> ParseError:
        return ParseError(message, self.position)


def parse_action(text: str) -> Action:
    """The action of a text form. ParseError, with the position, for anything else."""
    reader = _Reader(text)
    name = reader.take(_NAME)
    if not name:
        raise reader.fail("an action starts with its name, such as click(e12)")
    kind = BY_VERB.get(name.group())
    if kind is None:
        raise ParseError(f"unknown action {name.group()!r}; known: {', '.join(BY_VERB)}", name.start())
    reader.expect("(")
    fields = dataclasses.fields(kind)
    values: dict[str, Any] = {}
    while not reader.text.startswith(")", reader.position):
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


def _value(reader: _Reader, kind: type[Action], field: dataclasses.Field[Any]) -> Any:
    start = reader.position
    if _is_ref(field):
        match = reader.take(_WORD)
        if not match or not REF_PATTERN.fullmatch(match.group()):
            raise ParseError("expected an element such as e12", start)
        return match.group()
    if _HINTS[kind][field.name] is bool:
        match = reader.take(_WORD)
        if not match or match.group() not in ("true", "false"):
            raise ParseError("expected true or false", start)
        return match.group() == "true"
    if _HINTS[kind][field.name] is int:
        match = reader.take(_NUMBER)
        if not match:
            raise ParseError("expected a number", start)
        return int(match.group())
    match = reader.take(_STRING)
    if not match:
        raise ParseError("expected a text in double quotes", start)
    try:
        text = json.loads(match.group(), strict=False)
    except json.JSONDecodeError as error:
        raise ParseError(f"bad escape in the text: {error.msg}", start + error.pos) from error
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ParseError("half of a surrogate pair in the text", start)
    return text


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
