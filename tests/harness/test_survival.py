"""Chromium dies ten times in 200 episodes, and no result shows it.

.venv/bin/python -m pytest -m long tests/harness/test_survival.py
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from harness.trajectory import Group, Trajectory
from policy.scripted import OraclePolicy
from tests.harness.support import kill, stage
from tests.processes import Process, below, browsers, wait_until

GROUPS, SIZE, DEATHS = 25, 8, 10
CONTEXTS = 6


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_deaths_of_chromium_cost_no_episode_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    seen: set[Process] = set()
    finished: list[Trajectory] = []
    every = GROUPS * SIZE // DEATHS

    def progress(trajectory: Trajectory) -> None:
        finished.append(trajectory)
        seen.update(below())
        if len(finished) % every == every // 2:
            kill(browsers())

    async def run() -> tuple[list[Group], int, int]:
        async with stage(contexts=CONTEXTS) as here:
            here.collector.progress = progress
            tasks = here.suite.tasks("test", (GROUPS + 1) // 2)[:GROUPS]
            groups = await here.collector.groups(OraclePolicy(here.suite), tasks, SIZE, seed=0)
            return groups, here.browser.launches, here.collector.failures

    groups, launches, failures = asyncio.run(run())
    assert launches == DEATHS + 1
    assert failures >= DEATHS
    assert len(finished) == GROUPS * SIZE
    assert [len(group.valid) for group in groups] == [SIZE] * GROUPS
    assert [trajectory.reward for trajectory in finished] == [1] * len(finished)
    assert sum(trajectory.attempt for trajectory in finished) == failures
    assert wait_until(lambda: not any(process.running for process in seen))
    assert list(tmp_path.iterdir()) == []
