"""What a process of its own knows from the start: nothing has to be imported before tasks are found."""

from __future__ import annotations

import multiprocessing

from harness.tasks.task import Task, load_suite

IDS = ("miniwob.click-button.3", "miniwob.find-greatest.7")


def drawn(id: str) -> Task:
    """The task of an id."""
    template, _, seed = id.rpartition(".")
    return load_suite(template.partition(".")[0]).draw(template, int(seed))


def test_a_worker_process_finds_tasks_by_their_ids() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(drawn, IDS)
    assert [task.id for task in found] == list(IDS)
    assert found == [drawn(id) for id in IDS]
