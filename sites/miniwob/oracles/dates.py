"""Pages with a calendar that opens below a field."""

from __future__ import annotations

import re

from harness.page.action import Click
from harness.page.snapshot import Snapshot
from harness.tasks.task import Oracle
from sites.miniwob.oracles.steps import LostWay, Play, Steps, complete, one, part, submit

MONTHS = "January February March April May June July August September October November December".split()
PAGED = 12


def pick_date(page: Snapshot, date: str) -> Steps:
    """In an open calendar: go back to the month of a date, which is in its last year, and click on the day."""
    month, day, _ = (int(number) for number in date.split("/"))
    for _ in range(PAGED):
        if any(node.name.startswith(f"{MONTHS[month - 1]} 20") for node in page.find("text")):
            break
        # The text of both arrows is one line, which is clicked where it begins.
        page = yield Click(next(node.ref for node in page.find("text") if node.name.startswith("Prev")))
    return (yield Click(one(page, "link", str(day))))


def choose_date(page: Snapshot, goal: str) -> Oracle:
    """A date of 2016."""
    page = yield Click(one(page, "textbox"))
    page = yield from pick_date(page, part(goal, r"Select ([\d/]+) as the date"))
    yield submit(page)


def book_flight(page: Snapshot, goal: str) -> Oracle:
    """Two airports that complete themselves, a date, and the cheapest or shortest flight."""
    airports = re.search(r"from: (.*) to: (.*) on ([\d/]+)\.", goal)
    if airports is None:
        raise LostWay(f"no airports in {goal!r}")
    for label, airport in (("From:", airports[1]), ("To:", airports[2])):
        page = yield from complete(page, label, airport)
    page = yield Click(one(page, "textbox", ""))
    page = yield from pick_date(page, airports[3])
    page = yield Click(one(page, "button", "Search"))
    flights = []
    minutes = 0
    for node in page.nodes:
        duration = re.fullmatch(r"(\d+)h (\d+)m", node.name)
        if duration is not None:
            minutes = 60 * int(duration[1]) + int(duration[2])
        elif node.role == "button" and "$" in node.name:
            flights.append((minutes if "shortest" in goal else int(node.name.rpartition("$")[2]), node.ref))
    if not flights:
        raise LostWay("there are no flights")
    yield Click(min(flights)[1])


ORACLES: dict[str, Play] = {
    "book-flight": book_flight,
    "book-flight-nodelay": book_flight,
    "choose-date": choose_date,
    "choose-date-easy": choose_date,
    "choose-date-medium": choose_date,
    "choose-date-nodelay": choose_date,
}
