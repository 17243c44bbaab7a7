"""`python -m harness.eval` prints the figures of its episodes, and what it writes can be read and scored again."""

from __future__ import annotations

import asyncio
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.eval import EvalSettings, choose_tasks, main
from harness.runs import read_trajectories, write_trajectories
from harness.tasks.evaluate import evaluate
from harness.tasks.task import load_suite
from harness.trajectory import Failure, Trajectory
from policy.checkpoint import save_checkpoint
from policy.network import PointerSettings
from policy.pointer import PointerPolicy
from policy.scripted import RandomPolicy
from tests.harness.support import CONFIG_PATH, SUITE, Meddled, episodes, kill, stage
from tests.processes import renderers

SUITE_HERE = load_suite(SUITE)


def play(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What the command prints."""
    common = ["--suite", SUITE, "--config", str(CONFIG_PATH), "--contexts", "3"]
    assert main([*common, *(str(word) for word in words)]) == 0
    out, errors = capsys.readouterr()
    assert errors == ""
    return out


def row(out: str, name: str) -> list[str]:
    """The cells of a line of the table."""
    (line,) = [line for line in out.splitlines() if re.match(rf"│ {re.escape(name)} ", line)]
    return [cell.strip() for cell in line.strip("│").split("│")[1:]]


def rescored(trajectory: Trajectory) -> int:
    """The reward that follows from what was saved, without a browser."""
    assert trajectory.final is not None
    verdict = evaluate(SUITE_HERE.task(trajectory.task_id).evaluators, trajectory.final)
    return int(trajectory.end == "answered" and verdict.passed)


def test_the_oracle_has_all_and_what_is_written_says_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = play(capsys, "--policy", "oracle", "--episodes", 5, "--seed", 3, "--out", tmp_path / "out")
    assert row(out, "joint success") == ["100.0% (5 of 5)"]
    assert row(out, "failed (no reward)") == ["0"]
    assert row(out, "parallel groups") == ["3"]
    trajectories = read_trajectories(tmp_path / "out" / "scripted.jsonl.gz")
    assert [trajectory.task_id for trajectory in trajectories] == [
        "demo.add_note.1003000",
        "demo.colour.1003000",
        "demo.add_note.1003001",
        "demo.colour.1003001",
        "demo.add_note.1003002",
    ]
    assert [rescored(trajectory) for trajectory in trajectories] == [1] * 5
    (found,) = json.loads((tmp_path / "out" / "figures.json").read_text()).values()
    turns = [len(trajectory.turns) for trajectory in trajectories]
    assert (found["episodes"], found["successes"], found["failed"]) == (5, 5, 0)
    assert found["mean_turns"] == sum(turns) / 5
    assert row(out, "average cost (turns)") == [f"{sum(turns) / 5:.2f}"]
    assert found["by_template"] == {"demo.add_note": [3, 3], "demo.colour": [2, 2]}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["figures.json", "scripted.jsonl.gz"]


def test_an_agent_that_does_nothing_has_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    out = play(capsys, "--policy", "null", "--episodes", 3, "--split", "heldout")
    assert row(out, "joint success") == ["0.0% (0 of 3)"]
    assert row(out, "average cost (turns)") == ["1.00"]


def test_one_task_can_be_played_by_its_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = play(capsys, "--policy", "oracle", "--task", "demo.remove_note.7", "--out", tmp_path)
    assert row(out, "joint success") == ["100.0% (1 of 1)"]
    (trajectory,) = read_trajectories(tmp_path / "scripted.jsonl.gz")
    assert trajectory.task_id == "demo.remove_note.7"


def test_the_same_command_plays_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def decisions(folder: Path) -> list[Any]:
        (path,) = folder.glob("*.jsonl.gz")
        return [
            (trajectory.task_id, trajectory.reward, [(turn.observation, turn.decision) for turn in trajectory.turns])
            for trajectory in read_trajectories(path)
        ]

    words = ("--policy", "random", "--episodes", 4)
    play(capsys, *words, "--out", tmp_path / "one")
    play(capsys, *words, "--contexts", 1, "--out", tmp_path / "two")
    play(capsys, *words, "--seed", 43, "--out", tmp_path / "other")
    assert decisions(tmp_path / "one") == decisions(tmp_path / "two") != decisions(tmp_path / "other")


def test_trajectories_are_read_as_they_were_written_and_score_the_same(tmp_path: Path) -> None:
    async def collect() -> list[Trajectory]:
        async with stage(contexts=3, retries=0) as here:
            here.collector.max_failed = 1.0
            tasks = here.suite.tasks("test", 4)
            policy = Meddled(RandomPolicy(), lambda _, decisions: kill(renderers() if decisions == 6 else []))
            played = await here.collector.collect(policy, episodes(tasks))
            return [*played, *await here.collector.collect(Meddled(here, lambda *_: None), episodes(tasks[:2]))]

    trajectories = asyncio.run(collect())
    assert {trajectory.reward for trajectory in trajectories} >= {0, 1, None}
    write_trajectories(tmp_path / "t.jsonl.gz", trajectories)
    again = read_trajectories(tmp_path / "t.jsonl.gz")
    assert again == trajectories
    for trajectory in again:
        if trajectory.failure is None:
            assert rescored(trajectory) == trajectory.reward
        else:
            assert isinstance(trajectory.failure, Failure) and trajectory.final is None
    written = (tmp_path / "t.jsonl.gz").read_bytes()
    write_trajectories(tmp_path / "t.jsonl.gz", again)
    assert (tmp_path / "t.jsonl.gz").read_bytes() == written


def test_the_seed_says_where_in_the_split_the_tasks_begin() -> None:
    settings = EvalSettings(policy="null", suite=SUITE, episodes=7, seed=2)
    ids = [task.id for task in choose_tasks(settings, SUITE_HERE)]
    assert ids == [f"demo.{name}.{1_002_000 + k}" for k in range(4) for name in ("add_note", "colour")][:7]
    train = choose_tasks(replace(settings, split="train"), SUITE_HERE)
    assert [task.seed for task in train] == [2000, 2000, 2001, 2001, 2002, 2002, 2003]
    assert {task.split for task in train} == {"train"}


# Recordings


def recorded(path: Path) -> tuple[list[str], int, int]:
    """The titles of the groups of a trace, and how many snapshots and images it holds."""
    with zipfile.ZipFile(path) as archive:
        lines = archive.read("trace.trace").decode().splitlines()
        events = [json.loads(line) for line in lines]
        images = sum(name.endswith((".jpeg", ".png")) for name in archive.namelist())
    titles = [event["title"] for event in events if event.get("method") == "tracingGroup"]
    return titles, sum(event["type"] == "frame-snapshot" for event in events), images


def test_each_trajectory_has_a_trace_with_its_actions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play(capsys, "--policy", "oracle", "--episodes", 4, "--trace", "on", "--out", tmp_path)
    trajectories = read_trajectories(tmp_path / "scripted.jsonl.gz")
    assert len(list((tmp_path / "traces").iterdir())) == 4
    for trajectory in trajectories:
        path = Path(trajectory.trace)
        assert path.parent == tmp_path / "traces" and path.name == f"{trajectory.task_id}-0-0.zip"
        titles, snapshots, images = recorded(path)
        assert snapshots >= 1 and images >= 1
        for turn, title in zip(trajectory.turns, titles, strict=True):
            assert title.startswith(turn.decision.action)
    assert any(re.fullmatch(r"click\(e\d+\)  link “Things”", title) for title in recorded(path)[0])


def test_traces_of_failures_are_those_without_a_reward_of_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--episodes", 2, "--trace", "retain-on-failure", "--out")
    play(capsys, "--policy", "oracle", *words, tmp_path / "won")
    assert not (tmp_path / "won" / "traces").exists()
    play(capsys, "--policy", "null", *words, tmp_path / "lost")
    trajectories = read_trajectories(tmp_path / "lost" / "scripted.jsonl.gz")
    assert sorted(Path(trajectory.trace) for trajectory in trajectories) == sorted(
        (tmp_path / "lost" / "traces").iterdir()
    )
    assert recorded(Path(trajectories[0].trace))[0] == ["answer()"]


def test_without_a_folder_recordings_go_where_the_configuration_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "playwright.config.json").write_text(
        json.dumps({"use": {"trace": "on", "video": "on"}, "outputDir": "recordings"})
    )
    words = ["--policy", "null", "--task", "demo.colour.5", "--suite", SUITE]
    assert main([*words, "--config", str(tmp_path / "playwright.config.json")]) == 0
    names = sorted(path.name for path in (tmp_path / "recordings" / "traces").iterdir() if path.is_file())
    assert names == ["demo.colour.5-0-0.webm", "demo.colour.5-0-0.zip"]
    capsys.readouterr()


def test_a_checkpoint_is_played_greedy_and_sampled_and_no_trace_replaces_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = PointerPolicy(PointerSettings(width=16, layers=1, heads=2, word_width=8))
    state = {"policy": policy.settings_dict(), "budget": 300}
    save_checkpoint(tmp_path / "checkpoint", policy.network, None, state)
    out = play(
        *(capsys, "--policy", tmp_path / "checkpoint", "--episodes", 2, "--trace", "on", "--out", tmp_path / "out")
    )
    assert len(row(out, "joint success")) == 2
    traces = []
    for mode in ("greedy", "sampled"):
        for trajectory in read_trajectories(tmp_path / "out" / f"{mode}.jsonl.gz"):
            traces.append(Path(trajectory.trace))
            titles, _, _ = recorded(Path(trajectory.trace))
            assert [title.split("  ")[0] for title in titles] == [turn.decision.action for turn in trajectory.turns]
    assert len(set(traces)) == 4
