"""What the tests of this folder share."""

from __future__ import annotations

import pytest

from tests.processes import leave_alone_what_runs


@pytest.fixture(autouse=True)
def _own_processes_only() -> None:
    """Tests that kill or count processes of this one see those only that they have started themselves."""
    leave_alone_what_runs()
