"""The small policy: a pointer over the lines of the page, trained from scratch.

A decision is a short sequence of choices, each a token with its log-probability:
target (a line, or one of GLOBAL_TARGETS) -> verb -> option of a select box
                                                  -> source -> first word -> last word (text to type)
                                                  -> first word -> last word (an answer, copied from the target line)
The network is a small transformer over the past turns, the instruction and the lines; words that the page shares with
the instruction are given to it as matches (policy/features.py), so that it need not learn to spell.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from harness.context.observation import Observation
from harness.trajectory import Choice, Decision, Turn
from policy import features as ft
from policy.base import Request
from policy.batch import Batch, collate
from policy.choices import CHOICES, MAX_CHOICES, to_action
from policy.features import Features, featurize

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
    temperature: float = 1.0
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
    def draw(seed: int, word_rate: float, rate: float) -> Noise:
        """The noise that a seed stands for."""
        generator = torch.Generator().manual_seed(seed)
        known = torch.rand(ft.VOCABULARY, generator=generator) >= word_rate
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

    def forward(self, x: Tensor, bias: Tensor, noise: Noise | None) -> Tensor:
        rows, length, width = x.shape
        q, k, v = self.qkv(self.norm_1(x)).view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + _dropped(self.out(mixed.transpose(1, 2).reshape(rows, length, width)), noise)
        return x + _dropped(self.down(F.gelu(self.up(self.norm_2(x)))), noise)


@dataclass
class _Encoded:
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
        self.words = nn.Embedding(ft.VOCABULARY, w, padding_idx=0)
        # Small at first: a word that no demonstration had says next to nothing, instead of something random.
        nn.init.normal_(self.words.weight, std=0.02)
        self.roles = nn.Embedding(len(ft.ROLES), d)
        self.word_in = nn.Linear(w, d)
        self.intent_in = nn.Linear(w + ft.INTENT_FEATURES, d)
        self.near = nn.Conv1d(d, d, 5, padding=2)
        self.element_in = nn.Sequential(
            nn.Linear(4 * w + ft.ELEMENT_FEATURES + 3 * d, 2 * d), nn.GELU(), nn.Linear(2 * d, d)
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
        self.shape_in = nn.Linear(ft.SHAPE_FEATURES, d)
        self.since_match = nn.Embedding(ft.SINCE_MATCH, d)
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
        used = torch.zeros(ft.VOCABULARY, dtype=torch.bool)
        used[0] = True
        for ids in texts:
            used[ids] = True
        table, place = self.words.weight[used], used.cumsum(0) - 1
        bags = (F.embedding_bag(place[ids].flatten(0, -2), table, mode="mean", padding_idx=0) for ids in texts)
        return [bag.view(*ids.shape[:-1], -1) for bag, ids in zip(bags, texts, strict=True)]

    def encode(self, batch: Batch, noise: Noise | None = None) -> _Encoded:
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
        bias = torch.where(mask, 0.0, NEVER)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias, noise)
        x = self.norm(x)
        _, _, intent, elements = x.split([part.shape[1] for part in parts], 1)
        return _Encoded(x[:, 0], intent, elements, noise)

    def target_logits(self, batch: Batch, e: _Encoded) -> Tensor:
        """[B, G + N]: the global targets first, then the lines."""
        lines = torch.cat((e.elements, e.whole[:, None].expand_as(e.elements)), -1)
        logits = self.target_element(lines).squeeze(-1).masked_fill(~batch.element_mask, NEVER)
        return torch.cat((self.target_global(e.whole), logits), 1)

    def _line(self, e: _Encoded, target: Tensor) -> Tensor:
        place = (target - len(ft.GLOBAL_TARGETS)).clamp_min(0)
        return e.elements[torch.arange(len(target)), place]

    def verb_logits(self, allowed: Tensor, e: _Encoded, target: Tensor) -> Tensor:
        """[B, V]: verbs that the line does not allow (allowed [B, V]) are NEVER."""
        logits = self.verb(torch.cat((self._line(e, target), e.whole), -1))
        return _tensor(logits.masked_fill(~allowed, NEVER))

    def option_logits(self, e: _Encoded, target: Tensor, ids: Tensor, feats: Tensor, mask: Tensor) -> Tensor:
        """[B, M]: ids [B, M, OPTION_WORDS], feats [B, M, OPTION_FEATURES]."""
        line = self._line(e, target)[:, None].expand(-1, ids.shape[1], -1)
        # The words in their order too: "low to high" and "high to low" are the same words.
        ordered = self.bag(ids[..., None], e.noise).flatten(-2)
        logits = self.option(torch.cat((self.bag(ids, e.noise), ordered, feats, line), -1)).squeeze(-1)
        return _tensor(logits.masked_fill(~mask, NEVER))

    def source_logits(self, e: _Encoded, target: Tensor, lines_mask: Tensor) -> Tensor:
        """[B, 1 + N]: the instruction, or a line of the page (lines_mask [B, N])."""
        query = self.source_query(self._line(e, target))
        intent = (query * self.source_intent).sum(-1, keepdim=True) + 2.0
        lines = (e.elements @ query[..., None]).squeeze(-1) / query.shape[-1] ** 0.5 - 2.0
        return torch.cat((intent, lines.masked_fill(~lines_mask, NEVER)), 1)

    def copied(self, e: _Encoded, source: Tensor, ids: Tensor, feats: Tensor, since: Tensor) -> Tensor:
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

    def start_logits(self, e: _Encoded, target: Tensor, words: Tensor, mask: Tensor) -> Tensor:
        """[B, L]: the first word to copy."""
        asker = self.asker(torch.cat((self._line(e, target), e.whole), -1))[:, None].expand_as(words)
        return _tensor(self.start(torch.cat((words, asker), -1)).squeeze(-1).masked_fill(~mask, NEVER))

    def end_logits(self, e: _Encoded, target: Tensor, words: Tensor, mask: Tensor, start: Tensor) -> Tensor:
        """[B, L]: the last word to copy, from the first one to 15 further."""
        asker = self.asker(torch.cat((self._line(e, target), e.whole), -1))[:, None].expand_as(words)
        first = words[torch.arange(len(start)), start][:, None].expand_as(words)
        gap = torch.arange(words.shape[1])[None] - start[:, None]
        inside = mask & (gap >= 0) & (gap < 16)
        words = words + self.gap(gap.clamp(0, 15))
        return _tensor(self.end(torch.cat((words, asker, first), -1)).squeeze(-1).masked_fill(~inside, NEVER))


class _Sequence:
    """Runs the choices of a batch of decisions; `pick(kind, row, log_probabilities)` says which index is taken."""

    def __init__(
        self,
        network: PointerNetwork,
        features: Sequence[Features],
        temperature: float,
        noise: Noise | None = None,
    ) -> None:
        self.temperature = temperature
        self.network = network
        self.features = features
        self.batch = collate(features)
        self.encoded = network.encode(self.batch, noise)
        rows = len(features)
        self.logp = torch.zeros(rows, MAX_CHOICES)
        self.entropy = torch.zeros(rows, MAX_CHOICES)
        self.count = [0] * rows
        self.taken: list[list[tuple[str, int]]] = [[] for _ in range(rows)]

    def choose(self, kind: str, rows: list[int], logits: Tensor, pick: Callable[[str, int, Tensor], int]) -> list[int]:
        """One choice in each of `rows` [R] from `logits` [R, X]."""
        logs = torch.log_softmax(logits / self.temperature, -1)
        detached = logs.detach()
        index = [pick(kind, row, detached[k]) for k, row in enumerate(rows)]
        places = torch.tensor(rows), torch.tensor([self.count[row] for row in rows])
        self.logp = self.logp.index_put(places, logs[torch.arange(len(rows)), torch.tensor(index)])
        self.entropy = self.entropy.index_put(places, -(logs.exp() * logs).sum(-1))
        for row, taken in zip(rows, index, strict=True):
            self.count[row] += 1
            self.taken[row].append((kind, taken))
        return index

    def run(self, pick: Callable[[str, int, Tensor], int]) -> None:
        """All choices of all rows."""
        net, batch, everything = self.network, self.batch, self.encoded
        rows = list(range(len(self.features)))
        targets = self.choose("target", rows, net.target_logits(batch, everything), pick)
        rows = [row for row in rows if targets[row] >= len(ft.GLOBAL_TARGETS)]
        if not rows:
            return
        target = torch.tensor(targets)
        verbs = dict(zip(rows, self.choose("verb", rows, self._verb_logits(rows, target), pick), strict=True))
        names = {row: ft.VERBS[verb] for row, verb in verbs.items()}
        self._options([row for row in rows if names[row] == "select"], target, pick)
        typing = [row for row in rows if names[row] in ("type", "type_submit")]
        sources = {row: targets[row] - len(ft.GLOBAL_TARGETS) + 1 for row in rows if names[row] == "answer"}
        if typing:
            logits = net.source_logits(self._part(typing), target[typing], self.batch.element_mask[typing])
            sources |= dict(zip(typing, self.choose("source", typing, logits, pick), strict=True))
        self._spans(sources, target, pick)

    def _part(self, rows: list[int]) -> _Encoded:
        e = self.encoded
        if len(rows) == len(self.features):
            return e
        return _Encoded(e.whole[rows], e.intent[rows], e.elements[rows], e.noise)

    def _verb_logits(self, rows: list[int], target: Tensor) -> Tensor:
        places = [int(target[row]) - len(ft.GLOBAL_TARGETS) for row in rows]
        return self.network.verb_logits(self.batch.verbs[rows, places], self._part(rows), target[rows])

    def _options(self, rows: list[int], target: Tensor, pick: Callable[[str, int, Tensor], int]) -> None:
        if not rows:
            return
        sub = self._part(rows)
        options = [self.features[row].options(int(target[row]) - len(ft.GLOBAL_TARGETS)) for row in rows]
        most = max(len(ids) for ids, _ in options)
        ids = torch.zeros(len(rows), most, ft.OPTION_WORDS, dtype=torch.long)
        feats = torch.zeros(len(rows), most, ft.OPTION_FEATURES)
        mask = torch.zeros(len(rows), most, dtype=torch.bool)
        for k, (some, values) in enumerate(options):
            ids[k, : len(some)], feats[k, : len(some)] = torch.from_numpy(some), torch.from_numpy(values)
            mask[k, : len(some)] = True
        self.choose("option", rows, self.network.option_logits(sub, target[rows], ids, feats, mask), pick)

    def _spans(self, sources: dict[int, int], target: Tensor, pick: Callable[[str, int, Tensor], int]) -> None:
        texts = {row: self.features[row].source(source) for row, source in sources.items()}
        rows = [row for row in sorted(sources) if texts[row].places]  # an empty line has nothing to copy
        if not rows:
            return
        sub = self._part(rows)
        most = max(len(texts[row].places) for row in rows)
        ids = torch.zeros(len(rows), most, dtype=torch.long)
        feats = torch.zeros(len(rows), most, ft.SHAPE_FEATURES)
        since = torch.zeros(len(rows), most, dtype=torch.long)
        mask = torch.zeros(len(rows), most, dtype=torch.bool)
        for k, row in enumerate(rows):
            length = len(texts[row].places)
            mask[k, :length] = True
            word, shape, gaps = ft.source_words(
                self.features[row], texts[row], int(target[row]) - len(ft.GLOBAL_TARGETS), sources[row] == 0
            )
            ids[k, :length], feats[k, :length] = torch.from_numpy(word), torch.from_numpy(shape)
            since[k, :length] = torch.from_numpy(gaps)
        source, aim = torch.tensor([sources[row] for row in rows]), target[rows]
        words = self.network.copied(sub, source, ids, feats, since)
        start = self.choose("start", rows, self.network.start_logits(sub, aim, words, mask), pick)
        logits = self.network.end_logits(sub, aim, words, mask, torch.tensor(start))
        self.choose("end", rows, logits, pick)


class PointerPolicy:
    """The policy: `act` for rollouts, `evaluate` for learning. Runs on the CPU in float32."""

    name = "pointer"
    reads_snapshot = False

    def __init__(self, settings: PointerSettings | None = None) -> None:
        self.settings = settings or PointerSettings()
        if not self.settings.temperature > 0:
            raise ValueError(f"the temperature must be above 0, not {self.settings.temperature}")
        state = torch.random.get_rng_state()
        torch.manual_seed(self.settings.seed)
        self.network = PointerNetwork(self.settings)
        torch.random.set_rng_state(state)  # making a policy moves nobody else's random numbers

    def settings_dict(self) -> dict[str, float]:
        """The settings as a checkpoint stores them."""
        return asdict(self.settings)

    def forget(self, episode: str) -> None:
        """Nothing is kept between turns: all memory is in the observation."""

    @torch.no_grad()
    def act(self, requests: Sequence[Request], greedy: bool) -> list[Decision]:
        """One decision per request. Sampling inverts the distribution function at a number that only the seed fixes."""
        torch.set_num_threads(1)  # while episodes are played, the other cores are the browser's
        features = [featurize(request.observation) for request in requests]
        generators = [random.Random(request.seed) for request in requests]

        def pick(kind: str, row: int, logs: Tensor) -> int:
            if greedy:
                return int(logs.argmax())
            total = logs.double().exp().cumsum(0)
            index = int(torch.searchsorted(total, generators[row].random() * float(total[-1]), right=True))
            return min(index, len(logs) - 1)

        run = _Sequence(self.network, features, self.settings.temperature)
        run.run(pick)
        decisions = []
        for row, feature in enumerate(features):
            choices = tuple(
                Choice(kind, index, float(run.logp[row, k])) for k, (kind, index) in enumerate(run.taken[row])
            )
            decisions.append(Decision(to_action(feature, run.taken[row]), choices))
        return decisions

    def evaluate(self, turns: Sequence[Turn]) -> tuple[Tensor, Tensor, Tensor]:
        """Log-probabilities [rows, MAX_CHOICES] of the turns' choices, their mask (bool) and entropies."""
        return self.evaluate_choices(
            [turn.observation for turn in turns],
            [[(choice.kind, choice.index) for choice in turn.decision.choices] for turn in turns],
        )

    def evaluate_choices(
        self,
        observations: Sequence[Observation | Features],
        choices: Sequence[Sequence[tuple[str, int]]],
        noise: Noise | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As `evaluate`, for choices given as (kind, index) pairs. With `noise` it is cloning, at temperature 1."""
        features = [o if isinstance(o, Features) else featurize(o) for o in observations]
        given = [iter(row) for row in choices]

        def pick(kind: str, row: int, logs: Tensor) -> int:
            wanted, index = next(given[row])
            if wanted != kind:
                raise ValueError(f"stored choices don't fit the observation: {wanted!r} where {kind!r} was due")
            return index

        temperature = self.settings.temperature if noise is None else 1.0
        run = _Sequence(self.network, features, temperature, noise)
        run.run(pick)
        mask = torch.arange(MAX_CHOICES)[None] < torch.tensor(run.count)[:, None]
        return run.logp, mask, run.entropy


__all__ = ["CHOICES", "Noise", "PointerNetwork", "PointerPolicy", "PointerSettings"]
