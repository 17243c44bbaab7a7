"""A saved page with what is looked up in it: styles, ids, labels, what can be acted on, what can be edited.

All of it is found in passes over the elements in document order, so that depth costs neither recursion nor time.
"""

from __future__ import annotations

from bisect import bisect_right

from harness.page.saved.style import Style, style_of
from harness.page.saved.text import Texts
from harness.page.saved.tree import Element

_LABELABLE = ("button", "input", "meter", "output", "progress", "select", "textarea")
_ACTIVE = frozenset("button input select textarea summary".split())
_ACTIVE_ROLES = frozenset(
    "button link checkbox radio option tab menuitem menuitemcheckbox menuitemradio switch combobox slider".split()
)
_BLOCKS = frozenset("table ul ol dl form fieldset article section h1 h2 h3 h4 h5 h6".split())


def is_active(el: Element) -> bool:
    """Whether it is something to act on."""
    return (
        el.name in _ACTIVE
        or (el.name == "a" and el.has("href"))
        or el.get("role") in _ACTIVE_ROLES
        or el.has("contenteditable")
        or el.has("tabindex")
        or el.has("onclick")
    )


def is_labelable(el: Element) -> bool:
    """Whether it is something that a label can be for."""
    return el.is_html(*_LABELABLE) and not (el.name == "input" and el.get("type").lower() == "hidden")


class Document:
    """The elements of one page and what they are to each other."""

    def __init__(self, elements: list[Element]) -> None:
        self.elements = elements
        root = elements[0] if elements else None
        body = [] if root is None else [el for el in root.elements() if el.is_html("body", "frameset")]
        self.body = body[0] if body else None
        self.title = next((el.text() for el in elements if el.is_html("title")), "")
        self.styles: list[Style] = []
        self._editable: list[bool] = []
        self._ids: dict[str, Element] = {}
        for el in elements:
            self.styles.append(style_of(el, Style() if el.parent is None else self.style(el.parent)))
            self._editable.append(self._edits(el))
            self._ids.setdefault(el.get("id"), el)
        self._controls: dict[Element, Element] = {}
        self._labels: dict[Element, list[Element]] = {}
        self._pair_labels()
        self._chosen: dict[tuple[Element | None, str], Element] = {}
        for el in elements:
            if el.is_html("input") and el.get("type").lower() == "radio" and el.has("checked"):
                self._chosen[self._group(el)] = el
        self._active = [el.start for el in elements if is_active(el)]
        self._blocks = [el.start for el in elements if el.name in _BLOCKS]
        self._drawn_text = [el.start for el in elements if el.name in ("text", "a")]
        self.focused = next((el for el in elements if el.has("autofocus") and self._can_be_focused(el)), None)
        self.texts = Texts(elements, self.styles)

    def style(self, el: Element) -> Style:
        """The style of an element."""
        return self.styles[el.start]

    def by_id(self, name: str) -> Element | None:
        """The first element of an id."""
        return self._ids.get(name) if name else None

    def control(self, label: Element) -> Element | None:
        """What a label is for."""
        return self._controls.get(label)

    def labels(self, el: Element) -> list[Element]:
        """The labels of a control, in document order."""
        return self._labels.get(el, [])

    def is_editable(self, el: Element) -> bool:
        """Whether the user can edit what is in it."""
        return self._editable[el.start] and not el.foreign

    def holds_active(self, el: Element) -> bool:
        """Whether there is something to act on inside."""
        return _holds(self._active, el)

    def holds_blocks(self, el: Element) -> bool:
        """Whether it holds what makes it a place rather than a text."""
        return _holds(self._blocks, el)

    def holds_drawn_text(self, el: Element) -> bool:
        """Whether there is text or a link in a drawing."""
        return _holds(self._drawn_text, el)

    def is_checked(self, el: Element) -> bool:
        """Whether a check box or radio button is on: the last one that says so in a group is."""
        if not el.has("checked"):
            return False
        return el.get("type").lower() != "radio" or not el.get("name") or self._chosen[self._group(el)] is el

    def _edits(self, el: Element) -> bool:
        value = el.attributes.get("contenteditable", "no").lower()
        if value in ("", "true", "plaintext-only"):
            return True
        return value != "false" and el.parent is not None and self._editable[el.parent.start]

    def _can_be_focused(self, el: Element) -> bool:
        fields = el.is_html("button", "input", "select", "textarea", "iframe") or el.has("tabindex")
        link = el.is_html("a") and el.has("href")
        host = self.is_editable(el) and not (el.parent is not None and self.is_editable(el.parent))
        inert = el.has("inert") or any(above.has("inert") for above in el.ancestors())
        return (fields or link or host) and self.style(el).seen and not is_disabled(el) and not inert

    def _pair_labels(self) -> None:
        """A label is for the element that it names, or for the first one inside that can have a label."""
        waiting: list[Element] = []  # labels around the current element that have found none yet
        for el in self.elements:
            while waiting and not waiting[-1].contains(el):
                waiting.pop()
            if is_labelable(el):
                self._controls.update(dict.fromkeys(waiting, el))
                waiting.clear()
            elif el.is_html("label"):
                if not el.has("for"):
                    waiting.append(el)
                elif (named := self.by_id(el.get("for"))) is not None and is_labelable(named):
                    self._controls[el] = named
        for el in self.elements:
            if el in self._controls:
                self._labels.setdefault(self._controls[el], []).append(el)

    def _group(self, radio: Element) -> tuple[Element | None, str]:
        if radio.has("form"):
            form = self.by_id(radio.get("form"))
        else:
            form = next((above for above in radio.ancestors() if above.is_html("form")), None)
        return form, radio.get("name")


def _holds(starts: list[int], el: Element) -> bool:
    place = bisect_right(starts, el.start)
    return place < len(starts) and starts[place] < el.end


def is_disabled(el: Element) -> bool:
    """Whether it matches `:disabled`: by itself, by its group of options, or by a set of fields around it."""
    if el.is_html("optgroup"):
        return el.has("disabled")
    if el.is_html("option"):
        group = el.parent
        return el.has("disabled") or (group is not None and group.is_html("optgroup") and group.has("disabled"))
    if not el.is_html("button", "input", "select", "textarea", "fieldset"):
        return False
    if el.has("disabled"):
        return True
    inside = el
    for above in el.ancestors():
        # What is in the first legend stays usable.
        if above.is_html("fieldset") and above.has("disabled") and inside is not _legend(above):
            return True
        inside = above
    return False


def _legend(fieldset: Element) -> Element | None:
    return next((child for child in fieldset.elements() if child.is_html("legend")), None)
