"""How a command ends: bad input is one line and exit code 2, Ctrl-C is one line and 130, and nothing hides a fault."""

from __future__ import annotations

import sys
from collections.abc import Callable

from harness.browser import BrowserFailure
from harness.chromium import BrowserNotFound
from harness.config import ConfigError
from harness.rollout.collect import TooManyFailures
from harness.runs import RunError
from harness.server import SiteServerError
from harness.tasks.task import UnknownTask
from policy.checkpoint import CheckpointError


class CommandError(Exception):
    """Arguments that don't fit each other; the message is one line."""


BAD_INPUT = (CommandError, ConfigError, BrowserNotFound, RunError, UnknownTask, CheckpointError, SiteServerError)
BROKEN = (BrowserFailure, TooManyFailures)


def main_command(work: Callable[[], None], interrupted: str = "stopped") -> int:
    """Do the work; the exit code."""
    try:
        work()
    except BAD_INPUT as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BROKEN as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ExceptionGroup as group:
        known, other = group.split(BROKEN + BAD_INPUT)
        if other is not None or known is None:
            raise
        error = known
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(interrupted, file=sys.stderr)
        return 130
    return 0
