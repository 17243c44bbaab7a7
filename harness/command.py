"""How a command ends: bad input is one line and exit code 2, Ctrl-C is one line and 130, SIGTERM 143,
and nothing hides a fault."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

from harness.browser import BrowserFailure
from harness.chromium import BrowserNotFound
from harness.config import ConfigError
from harness.rollout.collect import TooManyFailures
from harness.runs import RunError
from harness.server import SiteServerError
from harness.tasks.task import UnknownTask
from policy.checkpoint import CheckpointError
from policy.learner import LearningFailed


class CommandError(Exception):
    """Arguments that don't fit each other; the message is one line."""


BAD_INPUT = (CommandError, ConfigError, BrowserNotFound, RunError, UnknownTask, CheckpointError, SiteServerError)
BROKEN = (BrowserFailure, TooManyFailures, LearningFailed)


def main_command(work: Callable[[], None], interrupted: str = "stopped") -> int:
    """Do the work; the exit code. SIGTERM ends the command in the same order as Ctrl-C does."""
    terminated = False

    def terminate(number: int, frame: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        signal.raise_signal(signal.SIGINT)

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts its background jobs so; SIGTERM, which becomes a SIGINT here, would be ignored with it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        work()
    except BAD_INPUT as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BROKEN as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(interrupted, file=sys.stderr)
        return 128 + (signal.SIGTERM if terminated else signal.SIGINT)
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0
