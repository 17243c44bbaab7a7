"""What tests of several folders share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab import Lab


@pytest.fixture(scope="session")
def session_lab(harness_loop: Any) -> Iterator[Lab]:
    """A Chromium and a server for pages that tests write themselves, for the whole session."""
    lab = Lab(harness_loop)
    harness_loop.run(lab.start())
    yield lab
    harness_loop.run(lab.stop())


@pytest.fixture
def lab(session_lab: Lab) -> Iterator[Lab]:
    """The same, with nothing left of the test before."""
    yield session_lab
    session_lab.clear()
