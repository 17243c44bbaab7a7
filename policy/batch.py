"""Batches: features of several observations padded to one shape, with masks that say what is real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from policy.features import Features


@dataclass
class Batch:
    """Tensors [B, …] as in Features, padded; `*_mask` [B, T], [B, N], [B, H] are True where there is something."""

    intent_ids: Tensor
    intent_feats: Tensor
    role: Tensor
    own_ids: Tensor
    context_ids: Tensor
    value_ids: Tensor
    before_ids: Tensor
    element_feats: Tensor
    matches: Tensor
    kin: Tensor
    verbs: Tensor
    past_verb: Tensor
    past_role: Tensor
    past_ids: Tensor
    past_feats: Tensor
    past_matches: Tensor
    past_same: Tensor
    title_ids: Tensor
    global_feats: Tensor
    intent_mask: Tensor
    element_mask: Tensor
    past_mask: Tensor

    def rows(self, index: list[int]) -> Batch:
        """Some rows of the batch."""
        return Batch(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


def collate(features: Sequence[Features]) -> Batch:
    """One batch of B observations."""
    stacked: dict[str, Tensor] = {}
    for field in fields(Batch):
        if field.name.endswith("_mask"):
            continue
        arrays = [getattr(feature, field.name) for feature in features]
        shape = tuple(max(sizes) for sizes in zip(*(array.shape for array in arrays), strict=True))
        padded = np.zeros((len(arrays), *(max(size, 1) for size in shape)), arrays[0].dtype)
        for row, array in enumerate(arrays):
            place: tuple[int | slice, ...] = (row, *(slice(size) for size in array.shape))
            padded[place] = array
        stacked[field.name] = torch.from_numpy(padded)
    counts = {
        "intent_mask": [len(feature.intent_ids) for feature in features],
        "element_mask": [len(feature.role) for feature in features],
        "past_mask": [len(feature.past_verb) for feature in features],
    }
    widths = {"intent_mask": "intent_ids", "element_mask": "role", "past_mask": "past_verb"}
    for name, count in counts.items():
        width = stacked[widths[name]].shape[1]
        stacked[name] = torch.arange(width)[None] < torch.tensor(count)[:, None]
    return Batch(**stacked)
