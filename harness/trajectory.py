"""Turns, trajectories, groups and failures, and their JSON form.

What is trained is what was read: each turn keeps the exact observation, the decision with the log-probability of each
of its choices, and what came of it. A trajectory ends with a reward in {0, 1} or with a Failure, never with both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from harness.context.observation import Observation
from harness.tasks.evaluate import Final

End = Literal["answered", "given_up", "ended_by_page", "truncated"]
FailureKind = Literal["browser_crashed", "page_crashed", "site_down", "harness_timeout", "evaluator_error"]


@dataclass(frozen=True)
class Failure:
    """The infrastructure failed, not the policy: there is no reward, and the trajectory has no vote in its group."""

    kind: FailureKind
    message: str


@dataclass(frozen=True)
class Choice:
    """One token of a decision: which index was taken among `options` possible ones, and its log-probability."""

    kind: str
    index: int
    logp: float


@dataclass(frozen=True)
class Decision:
    """What a policy decided: the action in text form, and the choices it is made of (none for scripted policies).

    `note` is for people: why a scripted policy gave up.
    """

    action: str
    choices: tuple[Choice, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Turn:
    """One decision and its result. `error` is the action error in words, "" without one; `timings` are seconds."""

    observation: Observation
    decision: Decision
    error: str = ""
    timings: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Trajectory:
    """One complete episode. `member` is its place in its group, `attempt` counts retries after failures."""

    task_id: str
    intent: str
    turns: list[Turn]
    end: End | None = None
    reward: int | None = None
    failure: Failure | None = None
    reason: str = ""
    final: Final | None = None
    member: int = 0
    attempt: int = 0
    seed: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    trace: str = ""

    def to_json(self) -> dict[str, Any]:
        """The JSON form, one line of a trajectory file."""
        data = {key: value for key, value in vars(self).items() if key not in ("turns", "failure", "final")}
        data["failure"] = asdict(self.failure) if self.failure else None
        data["final"] = asdict(self.final) if self.final else None
        data["turns"] = [
            {
                "observation": turn.observation.to_json(),
                "action": turn.decision.action,
                "choices": [[c.kind, c.index, c.logp] for c in turn.decision.choices],
                "note": turn.decision.note,
                "error": turn.error,
                "timings": dict(turn.timings),
            }
            for turn in self.turns
        ]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Trajectory:
        """The inverse of `to_json`."""
        values = dict(data)
        values["failure"] = Failure(**data["failure"]) if data["failure"] else None
        values["final"] = Final(**data["final"]) if data["final"] else None
        values["turns"] = [
            Turn(
                Observation.from_json(turn["observation"]),
                Decision(turn["action"], tuple(Choice(*choice) for choice in turn["choices"]), turn["note"]),
                turn["error"],
                turn["timings"],
            )
            for turn in data["turns"]
        ]
        return cls(**values)


@dataclass
class Group:
    """G trajectories of one task from one policy version."""

    task_id: str
    trajectories: list[Trajectory]

    @property
    def valid(self) -> list[Trajectory]:
        """Those that have a reward."""
        return [trajectory for trajectory in self.trajectories if trajectory.reward is not None]


def mean(values: Sequence[float]) -> float:
    """The mean, 0 for no values."""
    return sum(values) / len(values) if values else 0.0
