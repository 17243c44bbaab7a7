"""Actions: the dataclasses are the grammar; parsers, formatters, prompt text and executor all derive from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

Ref = str
"""The name of a node of a snapshot, "e12"."""

REF_PATTERN = re.compile(r"e[1-9][0-9]*")
DIRECTIONS = ("up", "down", "left", "right")


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
