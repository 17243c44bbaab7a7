"""What the policy reads at one turn: values only, with a JSON form that gives the same value back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from harness.page.snapshot import Dialog, Snapshot, TabInfo


@dataclass(frozen=True)
class Element:
    """One line of the compressed page.

    `context` is the path of labels above it, outermost first ("Results", "Oslo Floor Lamp"); `options` the labels of a
    select box, `more_options` of them left out; `description` what the page says of it, or the header of its column;
    `mark` is "new", "changed" or "".
    """

    ref: str
    role: str
    name: str
    value: str | None = None
    states: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    more_options: int = 0
    description: str = ""
    tag: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Past:
    """One turn gone by: what was done to what, and what came of it (`error` is an error code, "" if it went well)."""

    action: str
    verb: str
    ref: str = ""
    role: str = ""
    name: str = ""
    context: tuple[str, ...] = ()
    text: str = ""
    error: str = ""
    url: str = ""
    changed: bool = True


@dataclass(frozen=True)
class Observation:
    """Everything the policy may base its decision on.

    `text` is the compressed page, `tokens` its length by the compressor's tokenizer, `omitted` the number of lines left
    out. `snapshot` is the whole page, for scripted policies and measurements: it is not part of the stored form, and
    learned policies are never given it. `tabs` is empty where there is only one; `news` is what has happened since the
    last turn that no page shows, such as a file that was handed over.
    """

    intent: str
    url: str
    title: str
    turn: int
    max_turns: int
    elements: tuple[Element, ...]
    text: str
    tokens: int
    omitted: int
    history: tuple[Past, ...] = ()
    error: str = ""
    settled: bool = True
    dialog: Dialog | None = None
    tabs: tuple[TabInfo, ...] = ()
    news: tuple[str, ...] = ()
    snapshot: Snapshot | None = field(default=None, compare=False, repr=False)

    def public(self) -> Observation:
        """The observation without the whole page."""
        return replace(self, snapshot=None)

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        data = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "snapshot"}
        data["elements"] = [_compact(asdict(element), Element) for element in self.elements]
        data["history"] = [_compact(asdict(past), Past) for past in self.history]
        data["dialog"] = asdict(self.dialog) if self.dialog is not None else None
        data["tabs"] = [asdict(tab) for tab in self.tabs]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Observation:
        """The inverse of `to_json`."""
        values = dict(data)
        values["elements"] = tuple(Element(**_tuples(element)) for element in data["elements"])
        values["history"] = tuple(Past(**_tuples(past)) for past in data["history"])
        # Stored before there were any: none.
        values["dialog"] = Dialog(**data["dialog"]) if data.get("dialog") else None
        values["tabs"] = tuple(TabInfo(**tab) for tab in data.get("tabs", ()))
        values["news"] = tuple(data.get("news", ()))
        return cls(**values)


def _compact(values: dict[str, Any], kind: type) -> dict[str, Any]:
    """Without the fields that have their default value: they make up most of a page."""
    defaults = {name: item.default for name, item in kind.__dataclass_fields__.items()}  # type: ignore[attr-defined]
    return {key: value for key, value in values.items() if value != defaults[key]}


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
