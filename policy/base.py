"""What a policy is: it acts on observations, and it can recompute the log-probabilities of what it did.

A policy sees a Request and nothing else. `observation.snapshot` is there only for policies that say `reads_snapshot`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.context.observation import Observation
from harness.tasks.task import Task
from harness.trajectory import Decision


@dataclass(frozen=True)
class Request:
    """One decision to make. `seed` fixes everything random about it; `episode` names the episode it belongs to.

    `task` is for scripted policies (an oracle must know its task); learned policies do not read it.
    """

    observation: Observation
    seed: int
    episode: str
    task: Task


class Policy(Protocol):
    """Anything that decides. Calls come from one thread; `requests` are of different episodes."""

    name: str
    reads_snapshot: bool

    def act(self, requests: Sequence[Request], greedy: bool) -> list[Decision]:
        """One decision per request, in order. `greedy`: the most probable choices, else sampled."""
        ...

    def forget(self, episode: str) -> None:
        """The episode has ended: drop what is kept for it."""
        ...


def derive_seed(*names: object) -> int:
    """A 63-bit seed computed from names such as (run seed, iteration, task id, member, attempt, turn).

    The same names give the same seed on every machine, so a restart changes nothing (invariant 15).
    """
    digest = hashlib.blake2b("\x1f".join(map(str, names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
