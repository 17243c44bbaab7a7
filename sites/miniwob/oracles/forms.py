"""Pages with fields to fill in, boxes to check and a button at the end."""

from __future__ import annotations

import re

from harness.page.action import Check, Click, Press, Select, Type
from harness.page.snapshot import Node, Snapshot
from harness.tasks.task import Oracle
from sites.miniwob.oracles.steps import (
    LostWay,
    Play,
    complete,
    fill,
    following,
    one,
    ordinals,
    part,
    quoted,
    submit,
)


def choose_list(page: Snapshot, goal: str) -> Oracle:
    """An option of a select box."""
    page = yield Select(one(page, "combobox"), part(goal, r"Select (.*) from the list"))
    yield submit(page)


def click_option(page: Snapshot, goal: str) -> Oracle:
    """A radio button."""
    page = yield Check(one(page, "radio", part(goal, r"Select (.*) and click Submit")))
    yield submit(page)


def click_checkboxes(page: Snapshot, goal: str) -> Oracle:
    """Some check boxes, or none."""
    names = part(goal, r"Select (.*) and click Submit")
    for name in names.split(", ") if names != "nothing" else ():
        page = yield Check(one(page, "checkbox", name))
    yield submit(page)


def enter_quoted(page: Snapshot, goal: str) -> Oracle:
    """What is in quotes, each into a field."""
    page = yield from fill(page, quoted(goal))
    yield submit(page)


def enter_in_case(page: Snapshot, goal: str) -> Oracle:
    """A name in other letters than it is given in."""
    (text,) = quoted(goal)
    page = yield from fill(page, [text.upper() if "upper case" in goal else text.lower()])
    yield submit(page)


def enter_password(page: Snapshot, goal: str) -> Oracle:
    """The same password twice."""
    page = yield from fill(page, quoted(goal) * 2)
    yield submit(page)


def enter_date(page: Snapshot, goal: str) -> Oracle:
    """A date into a date field, which takes it in the form of ISO 8601."""
    month, day, year = part(goal, r"Enter ([\d/]+) as the date").split("/")
    page = yield Type(one(page, "date"), f"{year}-{month}-{day}")
    yield submit(page)


def enter_time(page: Snapshot, goal: str) -> Oracle:
    """A time of twelve hours into a time field, which takes it as one of 24."""
    hour, minute, half = re.split(r"[: ]", part(goal, r"Enter ([\d:]+ [AP]M) as the time"))
    page = yield Type(one(page, "time"), f"{int(hour) % 12 + 12 * (half == 'PM'):02d}:{minute}")
    yield submit(page)


def login_user(page: Snapshot, goal: str) -> Oracle:
    """A name and a password. On one of the two pages a question pops up when a field is entered, and is declined."""
    for place, text in enumerate(quoted(goal)):
        page = yield Click(one(page, "textbox", place=place))
        for cancel in page.find("button", "Cancel"):
            page = yield Click(cancel.ref)
        page = yield Type(one(page, "textbox", place=place), text)
    buttons = [node for node in page.find("button") if node.name in ("Login", "OK")]
    yield Click(buttons[-1].ref)


def find_movies(page: Snapshot, goal: str) -> Oracle:
    """A form of three fields whose layout, labels and button differ from task to task."""
    wanted = {
        "Genre": part(goal, r"Search for (.*) movies"),
        "Director": part(goal, r"directed by (.*) from year"),
        "Year": part(goal, r"from year (\d+)"),
    }
    labels = [node.name for node in page.nodes if any(word in node.name for word in (*wanted, "Released Date"))]
    labels = [label for label in labels if label != goal]
    for place, label in enumerate(labels):
        key = next((key for key in wanted if key in label), "Year")
        page = yield Type(one(page, "textbox", place=place), wanted[key])
    ends = [node for node in page.find(("button", "clickable")) if node.name in ("Submit", "Search", "Go!")]
    yield Click(ends[0].ref)


def form_sequence_2(page: Snapshot, goal: str) -> Oracle:
    """A radio button and a text field by their places."""
    radio, box = ordinals(goal)
    page = yield Check(one(page, "radio", place=radio))
    page = yield Type(one(page, "textbox", place=box), quoted(goal)[0])
    yield submit(page)


def form_sequence_3(page: Snapshot, goal: str) -> Oracle:
    """An option of a select box, and a button."""
    page = yield Select(one(page, "combobox"), part(goal, r"Choose (.*) from the dropdown"))
    page = yield Press("Escape")  # the page opens a list of its own, which lies over the buttons
    yield Click(one(page, "button", quoted(goal)[0]))


def use_spinner(page: Snapshot, goal: str) -> Oracle:
    """A number on a spin button that begins at 0 and takes no digits: the arrow keys count up and down."""
    page = yield Click(one(page, "spinbutton"))
    number = int(part(goal, r"Select (-?\d+) with"))
    for _ in range(abs(number)):
        page = yield Press("ArrowUp" if number > 0 else "ArrowDown")
    yield submit(page)


def odd_or_even(page: Snapshot, goal: str) -> Oracle:
    """A button left of each odd number, and one right of each even one."""
    numbers = [node for node in page.find("text") if re.fullmatch(r"-?\d+", node.name)]
    for place, number in enumerate(numbers):
        page = yield Click(one(page, "button", "Odd" if int(number.name) % 2 else "Even", place))
    yield submit(page)


def use_autocomplete(page: Snapshot, goal: str) -> Oracle:
    """A word by its first letters, and perhaps its last: the down key moves on in the list of what begins so."""
    page = yield from complete(page, "Tags:", *quoted(goal))
    yield submit(page)


def generate_number(page: Snapshot, goal: str) -> Oracle:
    """A random number, drawn again until it is as asked for."""
    for _ in range(40):
        page = yield Click(one(page, "button", "Generate"))
        number = next(int(node.name) for node in page.find("text") if node.name.isdecimal())
        if _fits(number, goal):
            break
    yield submit(page)


def _fits(number: int, goal: str) -> bool:
    if "less than" in goal:
        return number < int(part(goal, r"less than (\d+)"))
    if "greater than" in goal:
        return number > int(part(goal, r"greater than (\d+)"))
    return number % 2 == ("odd" in goal)


def guess_number(page: Snapshot, goal: str) -> Oracle:
    """A number from 0 to 9, found by halving what is left."""
    low, high = 0, 9
    while low <= high:
        guess = (low + high) // 2
        page = yield Type(one(page, "spinbutton"), str(guess))
        page = yield submit(page)
        if any("higher than" in node.name for node in page.find("text")):
            low = guess + 1
        else:
            high = guess - 1


def read_table(page: Snapshot, goal: str) -> Oracle:
    """A cell of a table, copied into a field."""
    label = part(goal, r"value of (.*) into the text field")
    page = yield Type(one(page, "textbox"), _value(page, label))
    yield submit(page)


def read_table_2(page: Snapshot, goal: str) -> Oracle:
    """Two cells of a table, copied into the fields that have their labels."""
    for label in [node.name for node in page.find("text") if node.name.endswith(":")]:
        field = [node for node in page.nodes if node.name == label][-1]
        place = page.index(field.ref) or 0
        box = next(node for node in page.nodes[place:] if node.role == "textbox")
        page = yield Type(box.ref, _value(page, label.rstrip(":")))
    yield submit(page)


def _value(page: Snapshot, label: str) -> str:
    cells: list[Node] = page.find("cell")
    for key, value in zip(cells[::2], cells[1::2], strict=True):
        if key.name == label:
            return value.name
    raise LostWay(f"no row of the table is called {label!r}")


def search_engine(page: Snapshot, goal: str) -> Oracle:
    """A result by its number, three to a page."""
    page = yield Type(one(page, "textbox"), quoted(goal)[0])
    page = yield Click(one(page, "button", "Search"))
    (place,) = ordinals(goal)
    if place >= 3:
        page = yield Click(one(page, "link", str(place // 3 + 1)))
    yield Click(one(page, "link", place=place % 3))


def phone_book(page: Snapshot, goal: str) -> Oracle:
    """A field of a person who is on one of several pages."""
    name, field = part(goal, r"Find (.*) in the contact book"), part(goal, r"click on their (.*)\.$")
    while not page.find("heading", name):
        page = yield Click(one(page, "link", ">"))
    label = {"phone number": "Phone"}.get(field, field.capitalize())
    yield Click(following(page, label, "clickable").ref)


ORACLES: dict[str, Play] = {
    "choose-list": choose_list,
    "click-checkboxes": click_checkboxes,
    "click-checkboxes-large": click_checkboxes,
    "click-checkboxes-transfer": click_checkboxes,
    "click-option": click_option,
    "enter-date": enter_date,
    "enter-password": enter_password,
    "enter-text": enter_quoted,
    "enter-text-2": enter_in_case,
    "enter-text-dynamic": enter_quoted,
    "enter-time": enter_time,
    "form-sequence-2": form_sequence_2,
    "form-sequence-3": form_sequence_3,
    "generate-number": generate_number,
    "guess-number": guess_number,
    "login-user": login_user,
    "login-user-popup": login_user,
    "multi-layouts": find_movies,
    "multi-orderings": find_movies,
    "odd-or-even": odd_or_even,
    "phone-book": phone_book,
    "read-table": read_table,
    "read-table-2": read_table_2,
    "search-engine": search_engine,
    "use-autocomplete": use_autocomplete,
    "use-autocomplete-nodelay": use_autocomplete,
    "use-spinner": use_spinner,
}
