"""Checkpoints: a folder that holds a policy's weights, its optimizer and the counters of a run.

    NAME/weights.safetensors     the model's state dict; of tensors that are tied, one
    NAME/optimizer.safetensors   the optimizer's tensors, each as `PARAMETER/ENTRY`; absent without one
    NAME/state.json              format name and version, the optimizer's options, the caller's own state

What holds here:

- A checkpoint is either whole or not there: it is written beside its place, flushed to the disk, and renamed.
  One that was there before stays loadable until the new one has taken its place.
- Nothing is unpickled: files are read as safetensors and JSON only.
- Saved, loaded and restored, a run continues as if it had not stopped: weights and optimizer are the same bit
  for bit. Random generators aren't saved, since seeds derive from names and counters.
- A folder that can't be used is a `CheckpointError` whose one line names the file and what is wrong with it;
  then neither model nor optimizer has been changed.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.optim import Optimizer

FORMAT = "m-grpo checkpoint"
VERSION = 1
WEIGHTS = "weights.safetensors"
OPTIMIZER = "optimizer.safetensors"
STATE = "state.json"

# Optimizer entries with one number per weight.
_SHAPED_AS_THE_PARAMETER = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "momentum_buffer"}


class CheckpointError(Exception):
    """A checkpoint can't be written, read or used; the one-line message names the path and the fault."""


@dataclass(frozen=True)
class OptimizerState:
    """An optimizer's state, by parameter name in place of position."""

    kind: str
    """The optimizer's class name."""
    groups: list[dict[str, Any]]
    """Per parameter group its options (lr, betas, ...), and under "params" the names of its parameters."""
    entries: dict[str, dict[str, Any]]
    """Per parameter its entries: tensors (exp_avg, step, ...) and plain numbers."""


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint folder holds, on the CPU."""

    path: Path
    weights: dict[str, Tensor]
    """The model's state dict."""
    optimizer: OptimizerState | None
    state: dict[str, Any]
    """What the caller saved: counters, model settings; as JSON gives it back (a tuple returns as a list)."""


def save_checkpoint(path: Path, model: nn.Module, optimizer: Optimizer | None, state: dict[str, Any]) -> None:
    """Writes a checkpoint folder at `path`, in place of the checkpoint there, if any.

    `state` is plain JSON data. `optimizer` holds parameters of `model` only. A folder at `path` that holds
    anything else than a checkpoint is never replaced: CheckpointError.
    """
    path = path.resolve()
    _recover(path)
    _refuse_foreign_folder(path)
    weights, tied = _untie(model.state_dict())
    saved = None if optimizer is None else _read_optimizer(optimizer, model)
    tensors, options = ({}, None) if saved is None else _flatten(saved)
    header = {"format": FORMAT, "version": VERSION, "tied": tied, "optimizer": options, "state": state}
    text = json.dumps(header, indent=1)

    writing = _beside(path, "writing")
    shutil.rmtree(writing, ignore_errors=True)
    try:
        writing.mkdir(parents=True)
        save_file(weights, writing / WEIGHTS)
        if saved is not None:
            save_file(tensors, writing / OPTIMIZER)
        (writing / STATE).write_text(text, encoding="utf-8")
        for file in (*writing.iterdir(), writing):
            _flush(file)
        if path.exists():
            path.rename(_beside(path, "previous"))
        writing.rename(path)
        _flush(path.parent)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: not written: {_first_line(error)}") from error
    finally:
        shutil.rmtree(writing, ignore_errors=True)
        _recover(path)


def load_checkpoint(path: Path) -> Checkpoint:
    """Reads the checkpoint folder at `path`; CheckpointError if missing, damaged or of another format."""
    path = path.resolve()
    folder = path if path.exists() else _beside(path, "previous")
    if not folder.is_dir():
        raise CheckpointError(f"{path}: no checkpoint folder")
    header = _read_header(folder / STATE)
    weights = _read_tensors(folder / WEIGHTS)
    for name, source in header["tied"].items():
        if str(source) not in weights:
            raise CheckpointError(f"{folder / WEIGHTS}: lacks {source!r}, which {STATE} ties to {name!r}")
        weights[name] = weights[str(source)]
    optimizer = None
    if header["optimizer"] is not None:
        optimizer = _unflatten(_read_tensors(folder / OPTIMIZER), header["optimizer"], folder)
    return Checkpoint(path, weights, optimizer, header["state"])


def restore(checkpoint: Checkpoint, model: nn.Module, optimizer: Optimizer | None = None) -> dict[str, Any]:
    """Puts the weights, and the optimizer's state if one is given, in place; gives the caller's own state.

    All is checked first: names, shapes and types of the weights, the optimizer's class, groups and
    parameters. A mismatch is a CheckpointError and changes nothing. The checkpoint's tensors are copied, so
    it can be used again.
    """
    _check_weights(checkpoint, model)
    if optimizer is not None:
        as_torch_has_it = _for_optimizer(checkpoint, model, optimizer)
    model.load_state_dict(checkpoint.weights)
    if optimizer is not None:
        optimizer.load_state_dict(as_torch_has_it)
    return checkpoint.state


# --- the model's weights


def _untie(state: dict[str, Any]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors to write, and per tied name the name under which its tensor is written."""
    seen: dict[Any, str] = {}
    weights: dict[str, Tensor] = {}
    tied: dict[str, str] = {}
    for name, tensor in state.items():
        if not isinstance(tensor, Tensor):
            raise CheckpointError(f"model: {name!r} is a {type(tensor).__name__}; only tensors can be saved")
        if tensor.numel():
            place = (tensor.device, tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride())
            if seen.setdefault(place, name) != name:
                tied[name] = seen[place]
                continue
        weights[name] = _own(tensor)
    return weights, tied


def _own(tensor: Tensor) -> Tensor:
    """The tensor on the CPU, in memory that it shares with no other."""
    return tensor.detach().to("cpu", copy=True).contiguous()


def _check_weights(checkpoint: Checkpoint, model: nn.Module) -> None:
    file = checkpoint.path / WEIGHTS
    wanted, found = model.state_dict(), checkpoint.weights
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            raise CheckpointError(f"{file}: lacks the model's {name!r}")
        if name not in wanted:
            raise CheckpointError(f"{file}: holds {name!r}, which the model lacks")
        if found[name].shape != wanted[name].shape:
            shapes = f"{list(found[name].shape)}, in the model {list(wanted[name].shape)}"
            raise CheckpointError(f"{file}: {name!r} has shape {shapes}")
        if found[name].dtype != wanted[name].dtype:
            raise CheckpointError(f"{file}: {name!r} is {found[name].dtype}, in the model {wanted[name].dtype}")


# --- the optimizer


def _read_optimizer(optimizer: Optimizer, model: nn.Module) -> OptimizerState:
    names = _names(optimizer, model)
    state = optimizer.state_dict()
    groups = [{**group, "params": [names[i] for i in group["params"]]} for group in state["param_groups"]]
    entries = {names[i]: dict(entry) for i, entry in state["state"].items()}
    return OptimizerState(type(optimizer).__name__, groups, entries)


def _names(optimizer: Optimizer, model: nn.Module) -> list[str]:
    """The names in the model of the optimizer's parameters, in the order of its state dict's numbers."""
    by_id = {id(parameter): name for name, parameter in model.named_parameters()}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    if any(id(parameter) not in by_id for parameter in parameters):
        raise CheckpointError("optimizer: holds a parameter that isn't one of the model's")
    return [by_id[id(parameter)] for parameter in parameters]


def _flatten(optimizer: OptimizerState) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors under flat names, and the rest as JSON data with the list of these names."""
    tensors: dict[str, Tensor] = {}
    plain: dict[str, dict[str, Any]] = {}
    for name, entry in optimizer.entries.items():
        plain[name] = {key: value for key, value in entry.items() if not isinstance(value, Tensor)}
        tensors |= {f"{name}/{key}": _own(value) for key, value in entry.items() if isinstance(value, Tensor)}
    groups = [
        {key: value.item() if isinstance(value, Tensor) else value for key, value in group.items()}
        for group in optimizer.groups
    ]
    return tensors, {"kind": optimizer.kind, "groups": groups, "plain": plain, "tensors": sorted(tensors)}


def _unflatten(tensors: dict[str, Tensor], header: dict[str, Any], folder: Path) -> OptimizerState:
    try:
        kind, names = str(header["kind"]), set(header["tensors"])
        groups = [
            {key: tuple(value) if isinstance(value, list) else value for key, value in group.items()}
            | {"params": [str(name) for name in group["params"]]}
            for group in header["groups"]
        ]
        entries: dict[str, dict[str, Any]] = {name: dict(entry) for name, entry in header["plain"].items()}
        if names != tensors.keys():
            raise CheckpointError(f"{folder / OPTIMIZER}: holds other tensors than {STATE} lists")
        for flat, tensor in tensors.items():
            name, _, key = flat.rpartition("/")
            entries[name][key] = tensor
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(f"{folder / STATE}: its optimizer part is malformed") from error
    return OptimizerState(kind, groups, entries)


def _for_optimizer(checkpoint: Checkpoint, model: nn.Module, optimizer: Optimizer) -> dict[str, Any]:
    """The checkpoint's optimizer as `load_state_dict` takes it, checked against model and optimizer."""
    file, saved = checkpoint.path / OPTIMIZER, checkpoint.optimizer
    if saved is None:
        raise CheckpointError(f"{checkpoint.path}: holds no optimizer")
    if saved.kind != type(optimizer).__name__:
        raise CheckpointError(f"{file}: is of {saved.kind}, not of {type(optimizer).__name__}")
    names = _names(optimizer, model)
    number = {name: i for i, name in enumerate(names)}
    live = [[names[i] for i in group["params"]] for group in optimizer.state_dict()["param_groups"]]
    if [sorted(group["params"]) for group in saved.groups] != [sorted(group) for group in live]:
        raise CheckpointError(f"{file}: its parameter groups hold other parameters than the optimizer's")
    if not saved.entries.keys() <= number.keys():
        raise CheckpointError(f"{file}: holds entries for parameters that the optimizer lacks")
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    for name, entry in saved.entries.items():
        for key in _SHAPED_AS_THE_PARAMETER & entry.keys():
            value = entry[key]
            if isinstance(value, Tensor) and value.shape != shapes[name]:
                raise CheckpointError(
                    f"{file}: {key} of {name!r} has shape {list(value.shape)}, not {list(shapes[name])}"
                )
    groups = [
        {**group, "params": [number[name] for name in order]} for group, order in zip(saved.groups, live, strict=True)
    ]
    state = {number[name]: copy.deepcopy(entry) for name, entry in saved.entries.items()}
    return {"state": state, "param_groups": groups}


# --- files


def _read_header(file: Path) -> dict[str, Any]:
    try:
        header = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"{file}: missing; this is no checkpoint folder") from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{file}: can't be read as JSON: {_first_line(error)}") from error
    found = header.get("format") if isinstance(header, dict) else None
    if found != FORMAT:
        raise CheckpointError(f"{file}: its format is {found!r}, not {FORMAT!r}")
    if header.get("version") != VERSION:
        raise CheckpointError(f"{file}: has version {header.get('version')!r}; this program reads {VERSION}")
    for key in ("tied", "optimizer", "state"):
        absent = key == "optimizer" and header.get(key, ...) is None
        if not absent and not isinstance(header.get(key), dict):
            raise CheckpointError(f"{file}: {key!r} is missing or malformed")
    return dict(header)


def _read_tensors(file: Path) -> dict[str, Tensor]:
    try:
        return load_file(file)
    except FileNotFoundError:
        raise CheckpointError(f"{file}: missing") from None
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{file}: damaged, or no safetensors file: {_first_line(error)}") from error


def _refuse_foreign_folder(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise CheckpointError(f"{path}: is a file, and a checkpoint is a folder")
    others = sorted({file.name for file in path.iterdir()} - {WEIGHTS, OPTIMIZER, STATE})
    if others:
        raise CheckpointError(f"{path}: holds {others[0]!r}, so it isn't replaced by a checkpoint")


def _beside(path: Path, purpose: str) -> Path:
    return path.with_name(f".{path.name}.{purpose}")


def _recover(path: Path) -> None:
    """Undoes a save that stopped between its two renames, or clears away what a finished one replaced."""
    previous = _beside(path, "previous")
    if not previous.exists():
        return
    if path.exists():
        shutil.rmtree(previous, ignore_errors=True)
    else:
        previous.rename(path)


def _flush(path: Path) -> None:
    """Has the system write a file, or a folder's list of files, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
