"""The longest waits of everything that is done with a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Caps:
    """Seconds: of each call and input of an `action`, of a `navigation` until its document has begun, of a walk for a
    `snapshot` once the page is quiet, and of `wait` or a scroll until the page has changed."""

    action: float
    navigation: float
    snapshot: float
    wait: float
