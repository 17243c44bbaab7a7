"""`python -m harness.train` with a tiny budget: what it leaves, and that stopping and going on changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from harness.page.grammar import parse_action
from harness.runs import read_trajectories
from harness.train import main
from policy.checkpoint import load_checkpoint, restore
from policy.choices import from_action, to_action
from policy.features import featurize
from policy.network import PointerSettings
from policy.pointer import PointerPolicy
from tests.harness.support import SUITE

TINY = (
    *("--suite", SUITE, "--name", "tiny", "--threads", "1", "--contexts", "3"),
    *("--demonstrations", "3", "--groups", "3", "--group-size", "4", "--eval-test", "1", "--eval-heldout", "1"),
    *("--policy.width", "16", "--policy.layers", "1", "--policy.word-width", "8", "--clone.epochs", "20"),
    *("--clone.lr", "0.01", "--grpo.beta", "0.01"),
)


PATIENT = {"settleTimeout": 60_000, "snapshotTimeout": 60_000}  # a busy machine must change nothing


def train(runs: Path, *words: str) -> Path:
    """The folder of a tiny run."""
    config = runs / "config.json"
    config.write_text(json.dumps({"harness": PATIENT, "timeout": 300_000}))
    assert main([*TINY, "--config", str(config), "--runs", str(runs), *words]) == 0
    return runs / "tiny"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two iterations in one go."""
    return train(tmp_path_factory.mktemp("whole"), "--iterations", "2")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, stopped after its first iteration and taken up again."""
    runs = tmp_path_factory.mktemp("halves")
    train(runs, "--iterations", "1")
    with (runs / "tiny" / "metrics.jsonl").open("a") as file:
        file.write('{"phase": "mgrpo", "step": 2}\n{"phase": "mgr')  # as a process leaves it that was killed
    return train(runs, "--iterations", "2", "--resume")


def test_a_run_leaves_all_that_was_promised(whole: Path) -> None:
    names = {str(path.relative_to(whole)) for path in whole.rglob("*") if path.is_file()}
    assert {"settings.json", "metrics.jsonl", "evaluations.jsonl", "report.html"} <= names
    for checkpoint in ("clone", "last"):
        state = load_checkpoint(whole / "checkpoints" / checkpoint).state
        assert state["training"]["iteration"] == (0 if checkpoint == "clone" else 2)
        assert state["budget"] == 512
    settings = json.loads((whole / "settings.json").read_text())
    assert (settings["iterations"], settings["policy"]["width"], settings["suite"]) == (2, 16, SUITE)
    demonstrations = read_trajectories(whole / "trajectories" / "demonstrations.jsonl.gz")
    assert [trajectory.reward for trajectory in demonstrations] == [1] * 6
    for iteration in (1, 2):
        assert len(read_trajectories(whole / "trajectories" / f"iteration-000{iteration}.jsonl.gz")) == 12
    assert "Run tiny" in (whole / "report.html").read_text("utf-8")


def test_metrics_are_the_same_in_the_file_and_for_tensorboard(whole: Path) -> None:
    board = EventAccumulator(str(whole / "tensorboard"))
    board.Reload()
    metrics = lines(whole / "metrics.jsonl")
    assert [line["step"] for line in metrics if line["phase"] == "clone"] == list(range(20))
    updates = [line for line in metrics if line["phase"] == "mgrpo"]
    assert [line["step"] for line in updates] == [1, 2]
    for name in ("reward", "num_turns", "turns_per_second", "step_time/update"):
        values = [(event.step, event.value) for event in board.Scalars(f"mgrpo/{name}")]
        assert values == [(line["step"], pytest.approx(line[name])) for line in updates]


def test_cloning_is_learned_from(whole: Path) -> None:
    losses = [line["loss"] for line in lines(whole / "metrics.jsonl") if line["phase"] == "clone"]
    assert losses[-1] < 0.5 * losses[0]


def test_each_stage_is_evaluated_on_unseen_seeds_and_unseen_templates(whole: Path) -> None:
    found = {(line["stage"], line["split"]): line for line in lines(whole / "evaluations.jsonl")}
    stages = ("before cloning", "after cloning", "after M-GRPO")
    assert list(found) == [(stage, split) for stage in stages for split in ("test", "heldout")]
    for (_, split), line in found.items():
        assert line["episodes"] + line["failed"] == (2 if split == "test" else 1)
    for trajectory in read_trajectories(whole / "trajectories" / "after-M-GRPO-heldout-greedy.jsonl.gz"):
        assert trajectory.task_id.startswith("demo.remove_note.1000")


def test_what_was_sampled_has_the_probability_that_its_weights_give_it(whole: Path) -> None:
    checkpoint = load_checkpoint(whole / "checkpoints" / "clone")  # the weights that the first iteration played with
    policy = PointerPolicy(PointerSettings(**checkpoint.state["policy"]))
    restore(checkpoint, policy.network)
    trajectories = read_trajectories(whole / "trajectories" / "iteration-0001.jsonl.gz")
    turns = [turn for trajectory in trajectories for turn in trajectory.turns]
    assert len(turns) >= 12
    logp, mask, _ = policy.evaluate(turns)
    for row, turn in enumerate(turns):
        stored = torch.tensor([choice.logp for choice in turn.decision.choices])
        assert int(mask[row].sum()) == len(stored)
        assert (logp[row, : len(stored)] - stored).abs().max() < 1e-5
    first = next(line for line in lines(whole / "metrics.jsonl") if line["phase"] == "mgrpo")
    assert first["logp_deviation"] < 1e-5
    assert first["ratio_deviation_first"] == 0.0


def test_what_the_oracles_did_can_be_said_in_the_choices_of_the_policy(whole: Path) -> None:
    for trajectory in read_trajectories(whole / "trajectories" / "demonstrations.jsonl.gz"):
        for turn in trajectory.turns:
            features = featurize(turn.observation)
            ways = from_action(features, parse_action(turn.decision.action))
            assert ways and {to_action(features, choices) for choices in ways} == {turn.decision.action}


def test_stopped_and_taken_up_again_is_the_same_bit_for_bit(whole: Path, halves: Path) -> None:
    updates = [line for line in lines(whole / "metrics.jsonl") if line["phase"] == "mgrpo"]
    assert all(line.get("updates", 0) >= 1 for line in updates), "nothing was learned, so this test shows nothing"
    for iteration in (1, 2):
        one, other = (
            read_trajectories(run / "trajectories" / f"iteration-000{iteration}.jsonl.gz") for run in (whole, halves)
        )
        assert [trajectory.task_id for trajectory in one] == [trajectory.task_id for trajectory in other]
        assert [trajectory.reward for trajectory in one] == [trajectory.reward for trajectory in other]
        for first, second in zip(one, other, strict=True):
            assert [turn.observation for turn in first.turns] == [turn.observation for turn in second.turns]
            assert [turn.decision.action for turn in first.turns] == [turn.decision.action for turn in second.turns]
    for name in ("weights.safetensors", "optimizer.safetensors"):
        files = [run / "checkpoints" / "last" / name for run in (whole, halves)]
        assert files[0].read_bytes() == files[1].read_bytes(), name
    states = [load_checkpoint(run / "checkpoints" / "last").state for run in (whole, halves)]
    assert states[0] == states[1]


def test_a_run_that_goes_on_is_evaluated_at_its_new_end(halves: Path) -> None:
    found = [(line["stage"], line["split"], line["iteration"]) for line in lines(halves / "evaluations.jsonl")]
    assert found == [
        ("before cloning", "test", 0),
        ("before cloning", "heldout", 0),
        ("after cloning", "test", 0),
        ("after cloning", "heldout", 0),
        ("after M-GRPO", "test", 1),
        ("after M-GRPO", "heldout", 1),
        ("after M-GRPO", "test", 2),
        ("after M-GRPO", "heldout", 2),
    ]
    steps = [line["step"] for line in lines(halves / "metrics.jsonl") if line["phase"] == "mgrpo"]
    assert steps == [1, 2]
    assert json.loads((halves / "settings.json").read_text())["iterations"] == 2


def test_a_run_that_has_come_to_its_end_can_be_resumed_and_does_nothing(
    halves: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in halves.glob("*.jsonl")}
    train(halves.parent, "--iterations", "2", "--resume")
    assert "resumed at iteration 2" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in halves.glob("*.jsonl")} == before


def test_a_run_can_be_replaced_when_asked_for(halves: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "settings.json").write_text("{}")
    (tmp_path / "tiny" / "left.txt").write_text("of the run before")
    run = train(tmp_path, "--iterations", "0", "--overwrite")
    assert not (run / "left.txt").exists()
    one, other = (folder / "checkpoints" / "clone" / "weights.safetensors" for folder in (run, halves))
    assert one.read_bytes() == other.read_bytes()
