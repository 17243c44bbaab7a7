"""What an element of a saved page is called and how it stands: name, value, states; the counterpart of names.js."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from harness.page.saved.document import Document, is_disabled
from harness.page.saved.fields import amount, choices, chosen, input_value, option_label
from harness.page.saved.roles import LEAF
from harness.page.saved.text import clean, picture_name, split
from harness.page.saved.tree import Element

_FIELDS = ("input", "select", "textarea", "button")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")


@dataclass(frozen=True)
class Description:
    """What there is to say about an element beside its role and name."""

    value: str | None
    states: frozenset[str]
    level: int | None = None
    options: tuple[str, ...] = ()
    description: str = ""


def _by_ids(page: Document, el: Element, attribute: str) -> str:
    texts = []
    for name in split(el.get(attribute)):
        other = page.by_id(name)
        if other is None:
            continue
        shown = page.style(other).seen
        texts.append(other.get("aria-label") or (page.texts.content(other) if shown else other.text()))
    return clean(" ".join(texts))


def _labels_text(page: Document, el: Element) -> str:
    """The text of the labels of a control without the fields in them."""
    labels = page.labels(el)
    if not labels:
        return ""
    around = _texts_around(page, el)
    texts = (around.get(label) or "".join(_piece(page, child) for child in label.children) for label in labels)
    return clean(" ".join(texts))


def _texts_around(page: Document, control: Element) -> dict[Element, str]:
    """The text of each label that the control stands in, on one way up: labels may be nested, too."""
    labels = {label for label in page.labels(control) if label.contains(control)}
    texts: dict[Element, str] = {}
    before: list[str] = []  # from the last piece to the first
    behind: list[str] = []
    inside = control
    for above in control.ancestors():
        if len(texts) == len(labels):
            break
        if inside is not control and inside.is_html(*_FIELDS):
            before, behind = [], []
        place = above.children.index(inside)
        before += filter(None, (_piece(page, child) for child in reversed(above.children[:place])))
        behind += filter(None, (_piece(page, child) for child in above.children[place + 1 :]))
        if above in labels:
            texts[above] = "".join((*reversed(before), *behind))
        inside = above
    return texts


def _piece(page: Document, child: Element | str) -> str:
    if isinstance(child, str):
        return child
    return "" if child.name in _FIELDS else page.texts.part(child)


def _given_name(page: Document, el: Element) -> str:
    """The name that the author gave otherwise than by content."""
    aria = _by_ids(page, el, "aria-labelledby") or clean(el.get("aria-label"))
    if aria:
        return aria
    labels = _labels_text(page, el)
    if labels:
        return labels
    if el.name == "svg":
        return picture_name(el)
    if el.foreign:
        return ""
    match el.name:
        case "input":
            return _input_name(el)
        case "img" | "area":
            return picture_name(el)
        case "fieldset":
            return _part_of(page, el, "legend")
        case "table":
            return _part_of(page, el, "caption")
    return ""


def _input_name(el: Element) -> str:
    match el.get("type").lower():
        case "image":
            return clean(el.get("alt"))
        case "submit":
            return clean(el.get("value")) or "Submit"
        case "reset":
            return clean(el.get("value")) or "Reset"
        case "button":
            return clean(el.get("value"))
    return ""


def _part_of(page: Document, el: Element, name: str) -> str:
    part = next((child for child in el.elements() if child.name == name), None)
    return "" if part is None else clean(page.texts.content(part))


def name_of(page: Document, el: Element, role: str) -> str:
    """The name that is given, then the content for roles named by it, then what is shown for want of a name."""
    by_content = role in LEAF or role in ("status", "alert", "clickable")
    return (
        _given_name(page, el)
        or (clean(page.texts.content(el)) if by_content else "")
        or clean(el.get("title"))
        or clean(el.get("placeholder"))
    )


def _input_value(el: Element, role: str) -> str | None:
    kind = el.get("type").lower() if el.name == "input" else ""
    if kind in ("checkbox", "radio") or role == "button":
        return None
    value = el.text() if el.name == "textarea" else input_value(el)
    if kind == "password":
        return "•" * (len(value.encode("utf-16-le")) // 2)
    return clean(value)


def _value_of(page: Document, el: Element, role: str) -> str | None:
    if el.is_html("input", "textarea"):
        return _input_value(el, role)
    if el.is_html("select"):
        return clean(", ".join(option_label(option) for option in chosen(el)))
    if el.is_html("progress", "meter"):
        return amount(el)
    if role == "textbox" and page.is_editable(el):
        return clean(page.texts.inner(el))
    if not el.has("aria-valuenow"):
        return None
    return clean(el.get("aria-valuetext") or el.get("aria-valuenow"))


def _native_states(page: Document, el: Element) -> set[str]:
    states = set()
    if el.is_html("input") and page.is_checked(el):
        states.add("checked")
    if el.is_html("input", "textarea") and el.has("readonly"):
        states.add("readonly")
    if el.is_html("input", "textarea", "select") and el.has("required"):
        states.add("required")
    if el.is_html("summary"):
        opens = el.parent is not None and el.parent.is_html("details", "dialog") and el.parent.has("open")
        states.add("expanded" if opens else "collapsed")
    if is_disabled(el):
        states.add("disabled")
    return states


def _aria_states(el: Element) -> set[str]:
    states = set()
    for state in ("checked", "selected", "pressed", "busy", "required"):
        value = el.get(f"aria-{state}")
        if value in ("true", "mixed"):
            states.add(state if value == "true" else "mixed")
    states |= {state for state in ("invalid", "current") if el.get(f"aria-{state}") not in ("", "false")}
    states |= {state for state in ("disabled", "readonly") if el.get(f"aria-{state}") == "true"}
    expanded = el.get("aria-expanded")
    if expanded in ("true", "false"):
        states.add("expanded" if expanded == "true" else "collapsed")
    return states


def _level(el: Element) -> int:
    """The level of a heading; 2 if none can be read."""
    text = el.attributes.get("aria-level", el.name[1:]).strip()
    return (int(float(text)) if _NUMBER.fullmatch(text) else 0) or 2


def describe(page: Document, el: Element, role: str) -> Description:
    """How an element stands."""
    states = _native_states(page, el)
    extra: dict[str, Any] = {}
    if el.is_html("select"):
        extra["options"] = tuple(option_label(option) for option in choices(el))
    if any(name.startswith("aria-") for name in el.attributes):
        states |= _aria_states(el)
        extra["description"] = _by_ids(page, el, "aria-describedby") or clean(el.get("aria-description"))
    if el is page.focused:
        states.add("focused")
    if role == "heading":
        extra["level"] = _level(el)
    return Description(_value_of(page, el, role), frozenset(states), **extra)
