"""Checkpoints: exact resume, atomic writing, and a clear error for every folder that can't be used."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import SGD, AdamW, Optimizer

import policy.checkpoint as module
from policy.checkpoint import Checkpoint, CheckpointError, load_checkpoint, restore, save_checkpoint


def build(seed: int = 0, width: int = 8) -> tuple[nn.Module, AdamW]:
    """A small model with a buffer, a frozen parameter and two parameter groups."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, width), nn.BatchNorm1d(width), nn.Linear(width, 3))
    model[0].bias.requires_grad_(False)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups: list[dict[str, Any]] = [{"params": trained[:2], "weight_decay": 0.1}, {"params": trained[2:]}]
    return model, AdamW(groups, lr=3e-2, betas=(0.8, 0.95), amsgrad=True)


def train(model: nn.Module, optimizer: Optimizer, steps: range) -> None:
    """Each step's data derive from the step's number, as in a real run."""
    for step in steps:
        generator = torch.Generator().manual_seed(step)
        loss = model(torch.randn(16, 4, generator=generator)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def flat(model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
    """Every tensor and option of a model and its optimizer under a name."""
    state = optimizer.state_dict()
    entries = {f"{i}.{key}": value for i, entry in state["state"].items() for key, value in entry.items()}
    return {**model.state_dict(), **entries, "groups": state["param_groups"]}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for key, value in one.items():
        if isinstance(value, Tensor):
            assert value.dtype == other[key].dtype and torch.equal(value, other[key]), key
        else:
            assert value == other[key]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A checkpoint after three steps."""
    model, optimizer = build()
    train(model, optimizer, range(3))
    save_checkpoint(tmp_path / "checkpoint", model, optimizer, {"step": 3})
    return tmp_path / "checkpoint"


def test_stopped_and_resumed_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    model, optimizer = build()
    train(model, optimizer, range(9))

    first, first_optimizer = build()
    train(first, first_optimizer, range(4))
    first_optimizer.param_groups[0]["lr"] = 0.1 / 3
    optimizer_then = flat(first, first_optimizer)
    save_checkpoint(tmp_path / "c", first, first_optimizer, {"step": 4})
    second, second_optimizer = build(seed=1)
    train(second, second_optimizer, range(50, 52))
    assert restore(load_checkpoint(tmp_path / "c"), second, second_optimizer) == {"step": 4}
    assert_same(flat(second, second_optimizer), optimizer_then)

    second_optimizer.param_groups[0]["lr"] = 3e-2
    train(second, second_optimizer, range(4, 9))
    assert_same(flat(second, second_optimizer), flat(model, optimizer))


def test_a_checkpoint_can_be_restored_twice(saved: Path) -> None:
    checkpoint = load_checkpoint(saved)
    results = []
    for seed in (1, 2):
        model, optimizer = build(seed)
        restore(checkpoint, model, optimizer)
        train(model, optimizer, range(3, 6))
        results.append(flat(model, optimizer))
    assert_same(*results)


def test_the_callers_state_comes_back_as_json(tmp_path: Path) -> None:
    state = {"step": 7, "model": {"width": 8, "name": "zeiger\u2192\u00e9"}, "rate": 0.1 / 3, "seeds": (1, 2)}
    save_checkpoint(tmp_path / "runs" / "new" / "c", build()[0], None, state)
    checkpoint = load_checkpoint(tmp_path / "runs" / "new" / "c")
    assert checkpoint.state == {**state, "seeds": [1, 2]}
    assert checkpoint.optimizer is None
    assert sorted(os.listdir(checkpoint.path)) == ["state.json", "weights.safetensors"]


def test_state_that_is_not_json_is_refused_before_anything_is_touched(saved: Path) -> None:
    with pytest.raises(TypeError):
        save_checkpoint(saved, build()[0], None, {"generator": object()})
    assert load_checkpoint(saved).state == {"step": 3}


def test_tied_weights_are_written_once_and_stay_tied(tmp_path: Path) -> None:
    def tied() -> nn.Module:
        model = nn.ModuleDict({"embed": nn.Embedding(50, 4), "head": nn.Linear(4, 50, bias=False)})
        model["head"].weight = model["embed"].weight
        return model

    first, second = tied(), tied()
    optimizer = AdamW(first.parameters())
    save_checkpoint(tmp_path / "c", first, optimizer, {})
    assert (tmp_path / "c" / "weights.safetensors").stat().st_size < 2 * 50 * 4 * 4
    restore(load_checkpoint(tmp_path / "c"), second, AdamW(second.parameters()))
    assert torch.equal(second["head"].weight, first["embed"].weight)  # type: ignore[index]
    assert second["head"].weight is second["embed"].weight  # type: ignore[index]


def test_views_and_types_and_empty_tensors_survive(tmp_path: Path) -> None:
    def odd() -> nn.Module:
        model, whole = nn.Module(), torch.randn(4, 6)
        model.register_buffer("rows", whole[:2])
        model.register_buffer("across", whole.T[1:3])
        model.register_buffer("brain_float", whole.bfloat16())
        model.register_buffer("empty", torch.zeros(0, 3))
        model.register_buffer("number", torch.tensor(5))
        return model

    first, second = odd(), odd()
    save_checkpoint(tmp_path / "c", first, None, {})
    restore(load_checkpoint(tmp_path / "c"), second)
    for name, value in first.state_dict().items():
        assert torch.equal(second.state_dict()[name], value), name


def test_another_optimizer_class_round_trips_too(tmp_path: Path) -> None:
    model, _ = build()
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    train(model, optimizer, range(2))
    save_checkpoint(tmp_path / "c", model, optimizer, {})
    other, _ = build(1)
    resumed = SGD(other.parameters(), lr=0.5, momentum=0.9)
    restore(load_checkpoint(tmp_path / "c"), other, resumed)
    assert_same(flat(other, resumed), flat(model, optimizer))


def test_saving_again_replaces_and_leaves_nothing_beside(saved: Path) -> None:
    save_checkpoint(saved, build()[0], None, {"step": 4})
    assert load_checkpoint(saved).state == {"step": 4}
    assert os.listdir(saved.parent) == [saved.name]


@pytest.mark.parametrize("failing", ["weights.safetensors", "optimizer.safetensors", "rename"])
def test_a_save_that_fails_keeps_the_old_checkpoint(saved: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    real_save, real_rename = module.save_file, Path.rename

    def full_disk(tensors: dict[str, Tensor], file: Path) -> None:
        if file.name == failing:
            raise OSError("No space left on device")
        real_save(tensors, file)

    def rename(source: Path, target: Path) -> Path:
        if failing == "rename" and source.name.endswith("writing"):
            raise OSError("No space left on device")
        return real_rename(source, target)

    monkeypatch.setattr(module, "save_file", full_disk)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(CheckpointError, match="not written: No space left"):
        save_checkpoint(saved, *build(), {"step": 4})
    assert load_checkpoint(saved).state == {"step": 3}
    assert os.listdir(saved.parent) == [saved.name]


def test_a_process_killed_between_the_renames_loses_nothing(saved: Path) -> None:
    saved.rename(saved.with_name(".checkpoint.previous"))
    half = saved.with_name(".checkpoint.writing")
    half.mkdir()
    (half / "weights.safetensors").write_bytes(b"half")
    assert load_checkpoint(saved).state == {"step": 3}
    save_checkpoint(saved, *build(), {"step": 4})
    assert load_checkpoint(saved).state == {"step": 4}
    assert os.listdir(saved.parent) == [saved.name]


def test_a_folder_of_other_things_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(CheckpointError, match=r"thesis\.txt"):
        save_checkpoint(tmp_path, build()[0], None, {})
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def edit(**changes: Any) -> Callable[[Path], object]:
    """Changes keys of state.json."""
    return lambda file: file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("weights.safetensors", truncate, "damaged"),
        ("optimizer.safetensors", truncate, "damaged"),
        ("weights.safetensors", lambda file: file.write_bytes(b""), "damaged"),
        ("weights.safetensors", lambda file: file.write_bytes(b"\x80\x04." * 40), "damaged"),
        ("weights.safetensors", Path.unlink, "missing"),
        ("optimizer.safetensors", Path.unlink, "missing"),
        ("state.json", Path.unlink, "missing"),
        ("state.json", truncate, "JSON"),
        ("state.json", lambda file: file.write_bytes(b"\xff\xfe"), "JSON"),
        ("state.json", lambda file: file.write_text("[" * 100_000), "JSON"),
        ("state.json", lambda file: file.write_text("[1]"), "format is None"),
        ("state.json", edit(format="lightning"), "format is 'lightning'"),
        ("state.json", edit(version=2), "version 2"),
        ("state.json", edit(state=None), "'state' is missing or malformed"),
        ("state.json", edit(optimizer={"kind": "AdamW"}), "optimizer part is malformed"),
        ("state.json", edit(optimizer=[]), "'optimizer' is missing or malformed"),
        ("state.json", edit(tied={"head": "embed"}), "lacks 'embed'"),
    ],
)
def test_a_damaged_or_foreign_folder_is_one_clear_line(
    saved: Path, name: str, damage: Callable[[Path], object], message: str
) -> None:
    damage(saved / name)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(saved)
    text = str(caught.value)
    assert str(saved) in text and message in text and "\n" not in text


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.write_text("x")])
def test_no_folder_is_a_clear_error(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "c")
    with pytest.raises(CheckpointError, match="no checkpoint folder"):
        load_checkpoint(tmp_path / "c")


def wider() -> tuple[nn.Module, Optimizer]:
    return build(width=9)


def longer() -> tuple[nn.Module, Optimizer]:
    model, optimizer = build()
    assert isinstance(model, nn.Sequential)
    return model.append(nn.Linear(3, 3)), optimizer


def shorter() -> tuple[nn.Module, Optimizer]:
    model, optimizer = build()
    assert isinstance(model, nn.Sequential)
    return model[:2], optimizer


def doubled() -> tuple[nn.Module, Optimizer]:
    model, optimizer = build()
    return model.double(), optimizer


def other_class() -> tuple[nn.Module, Optimizer]:
    model, _ = build()
    return model, SGD(model.parameters(), lr=0.1)


def one_group() -> tuple[nn.Module, Optimizer]:
    model, _ = build()
    return model, AdamW(model.parameters())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (wider, "'0.bias' has shape [8], in the model [9]"),
        (longer, "lacks the model's '3.bias'"),
        (shorter, "holds '2.bias', which the model lacks"),
        (doubled, "is torch.float32, in the model torch.float64"),
        (other_class, "is of AdamW, not of SGD"),
        (one_group, "other parameters than the optimizer's"),
    ],
)
def test_a_checkpoint_of_another_model_is_refused_and_changes_nothing(
    saved: Path, make: Callable[[], tuple[nn.Module, Optimizer]], message: str
) -> None:
    model, optimizer = make()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(CheckpointError) as caught:
        restore(load_checkpoint(saved), model, optimizer)
    assert message in str(caught.value) and str(saved) in str(caught.value)
    assert_same(model.state_dict(), before)


def test_optimizer_files_of_another_model_are_refused(saved: Path, tmp_path: Path) -> None:
    model, optimizer = build(width=9)
    train(model, optimizer, range(1))
    save_checkpoint(tmp_path / "other", model, optimizer, {})
    (tmp_path / "other" / "optimizer.safetensors").rename(saved / "optimizer.safetensors")
    with pytest.raises(CheckpointError, match="has shape"):
        restore(load_checkpoint(saved), *build())
    save_checkpoint(tmp_path / "none", model, None, {})
    with pytest.raises(CheckpointError, match="holds no optimizer"):
        restore(load_checkpoint(tmp_path / "none"), model, optimizer)


def test_an_optimizer_of_another_model_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="isn't one of the model's"):
        save_checkpoint(tmp_path / "c", build()[0], build()[1], {})
    assert not (tmp_path / "c").exists()


def test_weights_alone_can_be_restored(saved: Path) -> None:
    model, _ = build(1)
    checkpoint = load_checkpoint(saved)
    assert isinstance(checkpoint, Checkpoint) and restore(checkpoint, model) == {"step": 3}
    assert_same(model.state_dict(), checkpoint.weights)
