"""Pages with an inbox. Icons have no names: in an opened mail the second deletes it, the third marks it."""

from __future__ import annotations

from harness.page.action import Click
from harness.page.snapshot import Snapshot
from harness.tasks.task import Oracle
from sites.miniwob.oracles.steps import LostWay, Play, Steps, one, part


def open_mail(page: Snapshot, sender: str) -> Steps:
    """Open the mail of a sender."""
    for node in page.find("clickable"):
        if node.name.startswith(f"{sender} "):
            return (yield Click(node.ref))
    raise LostWay(f"there is no mail of {sender}")


def delete_mail(page: Snapshot, goal: str) -> Oracle:
    """A mail into the bin."""
    page = yield from open_mail(page, part(goal, r"email by (\w+)"))
    yield Click(one(page, "clickable", "", place=1))


def mark_mail(page: Snapshot, goal: str) -> Oracle:
    """A star on a mail."""
    page = yield from open_mail(page, part(goal, r"email by (\w+)"))
    yield Click(one(page, "clickable", "", place=2))


ORACLES: dict[str, Play] = {
    "email-inbox-delete": delete_mail,
    "email-inbox-important": mark_mail,
}
