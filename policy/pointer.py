"""The small policy: a pointer over the lines of the page, trained from scratch.

A decision is a short sequence of choices, each a token with its log-probability:
target (a line, or one of GLOBAL_TARGETS) -> verb -> option of a select box
                                                  -> source -> first word -> last word (text to type)
                                                  -> first word -> last word (an answer, copied from the target line)
The network is in policy/network.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict

import torch
from torch import Tensor

from harness.context.observation import Observation
from harness.trajectory import Choice, Decision, Turn
from policy import features as ft
from policy.base import Request
from policy.batch import collate
from policy.choices import MAX_CHOICES, to_action
from policy.features import Features, featurize
from policy.network import Encoded, Noise, PointerNetwork, PointerSettings
from policy.source import SHAPE_FEATURES, ends, source_words


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

    def _part(self, rows: list[int]) -> Encoded:
        e = self.encoded
        if len(rows) == len(self.features):
            return e
        return Encoded(e.whole[rows], e.intent[rows], e.elements[rows], e.noise)

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
        feats = torch.zeros(len(rows), most, SHAPE_FEATURES)
        since = torch.zeros(len(rows), most, dtype=torch.long)
        first, last = (torch.zeros(len(rows), most, dtype=torch.bool) for _ in range(2))
        for k, row in enumerate(rows):
            length = len(texts[row].places)
            first[k, :length], last[k, :length] = map(torch.from_numpy, ends(texts[row]))
            word, shape, gaps = source_words(
                self.features[row], texts[row], int(target[row]) - len(ft.GLOBAL_TARGETS), sources[row] == 0
            )
            ids[k, :length], feats[k, :length] = torch.from_numpy(word), torch.from_numpy(shape)
            since[k, :length] = torch.from_numpy(gaps)
        source, aim = torch.tensor([sources[row] for row in rows]), target[rows]
        words = self.network.copied(sub, source, ids, feats, since)
        start = self.choose("start", rows, self.network.start_logits(sub, aim, words, first), pick)
        logits = self.network.end_logits(sub, aim, words, last, torch.tensor(start))
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
