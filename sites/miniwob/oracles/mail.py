"""Pages with an inbox. Icons have no names: in an opened mail the second deletes it, the third marks it."""

from __future__ import annotations

from harness.page.action import Click
from harness.page.snapshot import Snapshot
from harness.tasks.task import Oracle
from sites.miniwob.oracles.steps import Play, one, part


def delete_mail(page: Snapshot, goal: str) -> Oracle:
    """A mail into the bin."""
    page = yield Click(one(page, "text", part(goal, r"email by (\w+)")))
    yield Click(one(page, "clickable", "", place=1))


def mark_mail(page: Snapshot, goal: str) -> Oracle:
    """A star on a mail."""
    page = yield Click(one(page, "text", part(goal, r"email by (\w+)")))
    yield Click(one(page, "clickable", "", place=2))


ORACLES: dict[str, Play] = {
    "email-inbox-delete": delete_mail,
    "email-inbox-important": mark_mail,
}
