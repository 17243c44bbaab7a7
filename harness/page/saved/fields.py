"""What the fields of a saved page hold before anybody has touched them, as a browser would report it."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from harness.page.saved.document import is_disabled
from harness.page.saved.roles import is_list_box
from harness.page.saved.text import clean
from harness.page.saved.tree import Element

_NUMBER = re.compile(r"-?(\d+|\d*\.\d+)([eE][+-]?\d{1,3})?")
_COLOR = re.compile(r"#[0-9a-f]{6}|#[0-9a-f]{3}")
_BLANK = "\t\n\f\r "
_DATES = {"date": "%Y-%m-%d", "month": "%Y-%m", "week": "%G-W%V-%u"}
_TIMES = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f")
# As %Y-%m and the like would also take 2024-1.
_DATE_SHAPES = {"date": r"\d{4,}-\d\d-\d\d", "month": r"\d{4,}-\d\d", "week": r"\d{4,}-W\d\d"}


def input_value(el: Element) -> str:
    """The value of an input: what its `value` says, if that is one of its type."""
    value = el.get("value")
    match el.get("type").lower():
        case "number":
            return value if _NUMBER.fullmatch(value) else ""
        case "range":
            return _range(el)
        case "date" | "month" | "week" | "time" | "datetime-local" as kind:
            return _date(kind, value)
        case "color":
            return _color(value.strip(_BLANK).lower())
        case "email" if el.has("multiple"):
            return ",".join(part.strip(_BLANK) for part in _one_line(value).split(","))
        case "email" | "url":
            return _one_line(value).strip(_BLANK)
        case "file":
            return ""
        case "submit" | "reset" | "button" | "image":
            return value
    return _one_line(value)


def _one_line(value: str) -> str:
    return value.replace("\n", "").replace("\r", "")


def _color(value: str) -> str:
    if not _COLOR.fullmatch(value):
        return "#000000"
    return value if len(value) == 7 else "#" + "".join(sign * 2 for sign in value[1:])


def _range(el: Element) -> str:
    low, high = _number(el.get("min"), Decimal(0)), _number(el.get("max"), Decimal(100))
    value = _number(el.get("value"), low + (high - low) / 2 if high > low else low)
    value = max(low, min(value, high))
    step = _number(el.get("step"), Decimal(1))
    if el.get("step").lower() != "any" and high > low:
        step = step if step > 0 else Decimal(1)
        base = low if el.has("min") else _number(el.get("value"), low)
        value = base + ((value - base) / step).to_integral_value(ROUND_HALF_UP) * step
        while value > high:
            value -= step
        while value < low:
            value += step
    return f"{value.normalize():f}"


def _number(text: str, otherwise: Decimal) -> Decimal:
    return Decimal(text) if _NUMBER.fullmatch(text) else otherwise


def _date(kind: str, value: str) -> str:
    if kind == "time":
        return value if _time(value) else ""
    if kind == "datetime-local":
        day, _, time = value.replace(" ", "T").partition("T")
        if not _date("date", day) or not _time(time):
            return ""
        return f"{day}T{time.removesuffix(':00') if len(time) > 5 else time}"
    if not re.fullmatch(_DATE_SHAPES[kind], value):
        return ""
    return value if _is_time(f"{value}-1" if kind == "week" else value, _DATES[kind]) else ""


def _time(value: str) -> bool:
    return bool(re.fullmatch(r"\d\d:\d\d(:\d\d(\.\d{1,3})?)?", value)) and any(_is_time(value, f) for f in _TIMES)


def _is_time(value: str, format: str) -> bool:
    try:
        datetime.strptime(value, format)  # noqa: DTZ007 - only whether it can be read
    except ValueError:
        return False
    return True


def amount(el: Element) -> str:
    """The value of a progress bar or a meter, as JavaScript writes numbers."""
    low = _number(el.get("min"), Decimal(0)) if el.name == "meter" else Decimal(0)
    high = _number(el.get("max"), Decimal(1))
    if el.name == "progress" and high <= 0:
        high = Decimal(1)
    value = float(max(low, min(_number(el.get("value"), Decimal(0)), max(low, high))))
    return str(int(value)) if value.is_integer() else re.sub(r"e([+-])0", r"e\1", repr(value))


def options_of(select: Element) -> list[Element]:
    """All options of a select."""
    found = []
    waiting: list[Element] = [select]
    while waiting:
        el = waiting.pop()
        if el.is_html("option"):
            found.append(el)
        if el is select or not el.is_html("select"):
            waiting += reversed(list(el.elements()))
    return found


def choices(select: Element) -> list[Element]:
    """The options that a user can choose."""
    if is_disabled(select):
        return []
    return [option for option in options_of(select) if not is_disabled(option) and not option.has("hidden")]


def chosen(select: Element) -> list[Element]:
    """The options that are selected."""
    options = options_of(select)
    marked = [option for option in options if option.has("selected")]
    if select.has("multiple"):
        return marked
    if marked or is_list_box(select):
        return marked[-1:]
    return [option for option in options if not is_disabled(option)][:1]


def option_label(option: Element) -> str:
    """What an option is called."""
    return clean(option.get("label") or option.text())
