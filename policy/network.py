"""The network of the small policy: a small transformer over the past turns, the instruction and the lines of the page.

What the page shares with the instruction is given to it twice: as matches among a line's features, and as relations
that weigh the attention. So it need not learn to spell, and what it learns of one name holds for all names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from policy import features as ft
from policy.batch import Batch
from policy.source import SHAPE_FEATURES, SINCE_MATCH
from policy.vocabulary import VOCABULARY

# Line to word, word to line; past turn to word and back, past turn to line and back; lines in one run, before, after.
RELATIONS = 2 * len(ft.MATCHES) + 2 + 2 + 3
NEVER = -1e9  # the logit of what is not allowed; finite, so that a row without anything allowed gives no NaN


def _tensor(value: Any) -> Tensor:
    """A module's result, which is typed as anything."""
    return cast(Tensor, value)


@dataclass(frozen=True)
class PointerSettings:
    """The shape of the network."""

    width: int = 64
    """Size of the hidden states."""
    layers: int = 2
    """Transformer layers."""
    heads: int = 4
    """Attention heads."""
    word_width: int = 48
    """Size of word embeddings."""
    seed: int = 0
    """Seed of the first weights."""
    temperature: float = 1.6
    """Logits are divided by it, where choices are sampled and in the probabilities of M-GRPO; cloning is at 1."""


@dataclass(frozen=True)
class Noise:
    """What cloning forgets at random in one batch, so that few demonstrations are not learnt by heart.

    known [VOCABULARY]: 1 for a word that can be read in this batch, 0 for one that can't; `rate`: the share of hidden
    values that are 0. Both come from a generator of their own, so that a run can be repeated.
    """

    known: Tensor
    rate: float
    generator: torch.Generator

    @staticmethod
    def draw(seed: int, word_rates: Tensor, rate: float) -> Noise:
        """The noise that a seed stands for; word_rates [VOCABULARY]: how often each word is dropped."""
        generator = torch.Generator().manual_seed(seed)
        known = torch.rand(VOCABULARY, generator=generator) >= word_rates
        return Noise(known.long(), rate, generator)

    def drop(self, x: Tensor) -> Tensor:
        """Dropout (Srivastava et al. 2014): x with some values 0 and the others larger by as much as is lost."""
        return x * (torch.rand(x.shape, generator=self.generator) >= self.rate) / (1.0 - self.rate)


def _dropped(x: Any, noise: Noise | None) -> Tensor:
    return _tensor(x) if noise is None else noise.drop(_tensor(x))


class _Layer(nn.Module):
    """A pre-norm transformer layer."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.relations = nn.Parameter(torch.zeros(RELATIONS, heads))

    def bias(self, batch: Batch) -> Tensor:
        """[B, heads, L, L]: what is added to the attention between the whole, past turns, words and lines for how they
        are related, as in relation-aware attention (Shaw et al. 2018, arXiv 1803.02155), here a number per head."""
        heads, (rows, _, lines, words), past = self.heads, batch.matches.shape, batch.past_matches.shape[1]
        each = self.relations[..., None, None].split((len(ft.MATCHES), len(ft.MATCHES), 2, 2, 3))
        line_word = torch.einsum("bknt,khij->bhnt", batch.matches, each[0])
        word_line = torch.einsum("bknt,khij->bhtn", batch.matches, each[1])
        past_word, past_line = batch.past_matches[:, None], batch.past_same[:, None]
        kin = (batch.kin[:, :, None] == batch.kin[:, None])[:, None]
        before = torch.ones(lines, lines).tril(-1).triu(-1)
        line_line = kin * each[4][0] + before * each[4][1] + before.mT * each[4][2]

        def none(height: int, width: int) -> Tensor:
            return torch.zeros(rows, heads, height, width)

        # The whole, which comes before all else, is related to nothing in particular.
        blocks = (
            (none(1, 1 + past + words + lines),),
            (none(past, 1 + past), past_word * each[2][0], past_line * each[3][0]),
            (none(words, 1), past_word.mT * each[2][1], none(words, words), word_line),
            (none(lines, 1), past_line.mT * each[3][1], line_word, line_line),
        )
        return torch.cat([torch.cat(row, -1) for row in blocks], -2)

    def forward(self, x: Tensor, batch: Batch, never: Tensor, noise: Noise | None) -> Tensor:
        """x [B, L, width]; never [B, 1, 1, L]: 0, or NEVER where nothing is."""
        rows, length, width = x.shape
        q, k, v = self.qkv(self.norm_1(x)).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        # By hand: the library takes another kernel, and rounds otherwise, where the bias needs a gradient.
        mixed = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5 + self.bias(batch) + never, -1) @ v
        x = x + _dropped(self.out(mixed.transpose(1, 2).reshape(rows, length, width)), noise)
        return x + _dropped(self.down(F.gelu(self.up(self.norm_2(x)))), noise)


@dataclass
class Encoded:
    """What the network knows of a batch: hidden states [B, …, width] of the whole, the words and the lines."""

    whole: Tensor
    intent: Tensor
    elements: Tensor
    noise: Noise | None


class PointerNetwork(nn.Module):
    """The parameters. `encode`, then one function of logits per choice; each is asked with the choices before it."""

    def __init__(self, settings: PointerSettings) -> None:
        super().__init__()
        d, w = settings.width, settings.word_width
        self.words = nn.Embedding(VOCABULARY, w, padding_idx=0)
        # Small at first: a word that no demonstration had says next to nothing, instead of something random.
        nn.init.normal_(self.words.weight, std=0.02)
        self.roles = nn.Embedding(len(ft.ROLES), d)
        self.intent_in = nn.Linear(w + ft.INTENT_FEATURES, d)
        self.near = nn.Conv1d(d, d, 5, padding=2)
        self.element_in = nn.Sequential(
            nn.Linear(4 * w + ft.ELEMENT_FEATURES + len(ft.MATCHES) * d, 2 * d), nn.GELU(), nn.Linear(2 * d, d)
        )
        self.past_in = nn.Sequential(nn.Linear(2 * w + ft.HISTORY_FEATURES, d), nn.GELU(), nn.Linear(d, d))
        self.age = nn.Embedding(ft.MAX_HISTORY, d)
        self.place = nn.Embedding(ft.MAX_INTENT, d)
        self.whole_in = nn.Linear(w + ft.GLOBAL_FEATURES, d)
        self.kind = nn.Parameter(torch.zeros(4, d))
        self.layers = nn.ModuleList([_Layer(d, settings.heads) for _ in range(settings.layers)])
        self.norm = nn.LayerNorm(d)
        self.target_element = nn.Sequential(nn.Linear(2 * d, d), nn.GELU(), nn.Linear(d, 1))
        self.target_global = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, len(ft.GLOBAL_TARGETS)))
        self.verb = nn.Sequential(nn.Linear(2 * d, d), nn.GELU(), nn.Linear(d, len(ft.VERBS)))
        self.option = nn.Sequential(
            nn.Linear((1 + ft.OPTION_WORDS) * w + ft.OPTION_FEATURES + d, d), nn.GELU(), nn.Linear(d, 1)
        )
        self.source_query = nn.Linear(d, d)
        self.source_intent = nn.Parameter(torch.zeros(d))
        self.copy_word = nn.Linear(w, d)
        self.shape_in = nn.Linear(SHAPE_FEATURES, d)
        self.since_match = nn.Embedding(SINCE_MATCH, d)
        self.asker = nn.Linear(2 * d, d)
        self.start = nn.Sequential(nn.Linear(2 * d, d), nn.GELU(), nn.Linear(d, 1))
        self.end = nn.Sequential(nn.Linear(3 * d, d), nn.GELU(), nn.Linear(d, 1))
        self.gap = nn.Embedding(16, d)

    def bag(self, ids: Tensor, noise: Noise | None) -> Tensor:
        """The mean embedding of the words of each row: ids [..., W] -> [..., word_width]."""
        return self.bags((ids,), noise)[0]

    def bags(self, texts: Sequence[Tensor], noise: Noise | None) -> list[Tensor]:
        """`bag` of several texts. The words that occur are looked up once: a gradient as large as the whole vocabulary
        for each text would cost more than the rest of the look-up."""
        if noise is not None:
            texts = [ids * noise.known[ids] for ids in texts]
        used = torch.zeros(VOCABULARY, dtype=torch.bool)
        used[0] = True
        for ids in texts:
            used[ids] = True
        table, place = self.words.weight[used], used.cumsum(0) - 1
        bags = (F.embedding_bag(place[ids].flatten(0, -2), table, mode="mean", padding_idx=0) for ids in texts)
        return [bag.view(*ids.shape[:-1], -1) for bag, ids in zip(bags, texts, strict=True)]

    def encode(self, batch: Batch, noise: Noise | None = None) -> Encoded:
        """Hidden states of a batch."""
        intent_words, past_words, past_verbs, title, *lines = self.bags(
            (
                batch.intent_ids[..., None],
                batch.past_ids,
                batch.past_verb[..., None],
                batch.title_ids,
                batch.own_ids,
                batch.context_ids,
                batch.value_ids,
                batch.before_ids,
            ),
            noise,
        )
        intent = _dropped(self.intent_in(torch.cat((intent_words, batch.intent_feats), -1)), noise)
        intent = intent + self.place.weight[: intent.shape[1]]
        intent = intent * batch.intent_mask[..., None]
        # Neighbouring words before anything else: "size M" must make M a size.
        intent = intent + F.gelu(self.near(intent.transpose(1, 2)).transpose(1, 2))
        shared = batch.matches @ intent[:, None] / (batch.matches.sum(-1, keepdim=True) + 1.0)
        elements = self.element_in(torch.cat((*lines, batch.element_feats, *shared.unbind(1)), -1))
        elements = _dropped(elements, noise) + self.roles(batch.role)
        past = self.past_in(torch.cat((past_words, past_verbs, batch.past_feats), -1))
        past = past + self.age.weight[: past.shape[1]] + self.roles(batch.past_role)
        whole = self.whole_in(torch.cat((title, batch.global_feats), -1))[:, None]
        parts = (whole, past, intent, elements)
        x = torch.cat([part + kind for part, kind in zip(parts, self.kind, strict=True)], 1)
        mask = torch.cat(
            (torch.ones_like(batch.intent_mask[:, :1]), batch.past_mask, batch.intent_mask, batch.element_mask), 1
        )
        never = torch.where(mask, 0.0, NEVER)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, batch, never, noise)
        x = self.norm(x)
        _, _, intent, elements = x.split([part.shape[1] for part in parts], 1)
        return Encoded(x[:, 0], intent, elements, noise)

    def target_logits(self, batch: Batch, e: Encoded) -> Tensor:
        """[B, G + N]: the global targets first, then the lines."""
        lines = torch.cat((e.elements, e.whole[:, None].expand_as(e.elements)), -1)
        logits = self.target_element(lines).squeeze(-1).masked_fill(~batch.element_mask, NEVER)
        return torch.cat((self.target_global(e.whole), logits), 1)

    def _line(self, e: Encoded, target: Tensor) -> Tensor:
        place = (target - len(ft.GLOBAL_TARGETS)).clamp_min(0)
        return e.elements[torch.arange(len(target)), place]

    def verb_logits(self, allowed: Tensor, e: Encoded, target: Tensor) -> Tensor:
        """[B, V]: verbs that the line does not allow (allowed [B, V]) are NEVER."""
        logits = self.verb(torch.cat((self._line(e, target), e.whole), -1))
        return _tensor(logits.masked_fill(~allowed, NEVER))

    def option_logits(self, e: Encoded, target: Tensor, ids: Tensor, feats: Tensor, mask: Tensor) -> Tensor:
        """[B, M]: ids [B, M, OPTION_WORDS], feats [B, M, OPTION_FEATURES]."""
        line = self._line(e, target)[:, None].expand(-1, ids.shape[1], -1)
        # The words in their order too: "low to high" and "high to low" are the same words.
        ordered = self.bag(ids[..., None], e.noise).flatten(-2)
        logits = self.option(torch.cat((self.bag(ids, e.noise), ordered, feats, line), -1)).squeeze(-1)
        return _tensor(logits.masked_fill(~mask, NEVER))

    def source_logits(self, e: Encoded, target: Tensor, lines_mask: Tensor) -> Tensor:
        """[B, 1 + N]: the instruction, or a line of the page (lines_mask [B, N])."""
        query = self.source_query(self._line(e, target))
        intent = (query * self.source_intent).sum(-1, keepdim=True) + 2.0
        lines = (e.elements @ query[..., None]).squeeze(-1) / query.shape[-1] ** 0.5 - 2.0
        return torch.cat((intent, lines.masked_fill(~lines_mask, NEVER)), 1)

    def copied(self, e: Encoded, source: Tensor, ids: Tensor, feats: Tensor, since: Tensor) -> Tensor:
        """[B, L, width]: the words of each row's source; words of the instruction are known in their surroundings.

        since [B, L]: how many words before it the target's own words stand in the source ("postcode E12 9GX").
        """
        line = e.elements[torch.arange(len(source)), (source - 1).clamp_min(0)]
        words = self.copy_word(self.bag(ids[..., None], e.noise)) + line[:, None]
        length = min(ids.shape[1], e.intent.shape[1])
        intent = F.pad(e.intent[:, :length], (0, 0, 0, ids.shape[1] - length))
        return _tensor(
            torch.where((source == 0)[:, None, None], intent, words) + self.shape_in(feats) + self.since_match(since)
        )

    def start_logits(self, e: Encoded, target: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        """[B, L]: the first word to copy."""
        asker = self.asker(torch.cat((self._line(e, target), e.whole), -1))[:, None].expand_as(words)
        return _tensor(self.start(torch.cat((words, asker), -1)).squeeze(-1).masked_fill(~mask, NEVER))

    def end_logits(self, e: Encoded, target: Tensor, words: Tensor, mask: Tensor, start: Tensor) -> Tensor:
        """[B, L]: the last word to copy, from the first one to 15 further; the first, if mask [B, L] has none there."""
        asker = self.asker(torch.cat((self._line(e, target), e.whole), -1))[:, None].expand_as(words)
        first = words[torch.arange(len(start)), start][:, None].expand_as(words)
        gap = torch.arange(words.shape[1])[None] - start[:, None]
        inside = mask & (gap >= 0) & (gap < 16)
        inside = inside | ((gap == 0) & ~inside.any(-1, keepdim=True))
        words = words + self.gap(gap.clamp(0, 15))
        return _tensor(self.end(torch.cat((words, asker, first), -1)).squeeze(-1).masked_fill(~inside, NEVER))
