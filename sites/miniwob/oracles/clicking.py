"""Pages that want one thing clicked, or one after the other."""

from __future__ import annotations

from harness.page.action import Click
from harness.page.snapshot import Snapshot
from harness.tasks.task import Oracle


def click_test(page: Snapshot, goal: str) -> Oracle:
    """The only button."""
    (button,) = page.find("button")
    yield Click(button.ref)


ORACLES = {"click-test": click_test}
