"""The small policy: what it samples has the probability it says, whatever else is in the batch; and is an action."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
import torch

from harness.context.observation import Element, Observation
from harness.page.action import Answer, Check, Click, Select, Type
from harness.page.grammar import format_action, parse_action
from harness.trajectory import Choice, Turn
from policy.base import derive_seed
from policy.batch import collate
from policy.choices import MAX_CHOICES, find_spans, from_action, to_action
from policy.features import GLOBAL_TARGETS, OPTION_FEATURES, RAREST, featurize
from policy.network import NEVER, Noise, PointerSettings
from policy.pointer import PointerPolicy
from policy.source import ends, source_words
from policy.vocabulary import VOCABULARY, word_id, word_ids
from tests.policy.pages import EMPTY, FORM, LONG, PAGES, SMALL, TABLE, request

CLOSE = 1e-5


@pytest.fixture(scope="module")
def policy() -> PointerPolicy:
    return PointerPolicy(SMALL)


def sampled(policy: PointerPolicy, per_page: int = 12, pages: tuple[Observation, ...] = PAGES) -> list[Turn]:
    """Decisions on each page, all in one batch."""
    requests = [request(page, "sampled", k, place) for place, page in enumerate(pages) for k in range(per_page)]
    decisions = policy.act(requests, greedy=False)
    return [Turn(one.observation, decision) for one, decision in zip(requests, decisions, strict=True)]


def logps(turn: Turn) -> torch.Tensor:
    return torch.tensor([choice.logp for choice in turn.decision.choices])


# Probabilities


def test_what_was_sampled_has_the_probability_that_evaluating_gives_it(policy: PointerPolicy) -> None:
    turns = sampled(policy, per_page=24)
    assert {choice.kind for turn in turns for choice in turn.decision.choices} == {
        *("target", "verb", "option", "source", "start", "end")
    }
    logp, mask, entropy = policy.evaluate(turns)
    assert logp.shape == mask.shape == entropy.shape == (len(turns), MAX_CHOICES)
    for row, turn in enumerate(turns):
        count = len(turn.decision.choices)
        assert mask[row].tolist() == [k < count for k in range(MAX_CHOICES)]
        assert (logp[row, :count] - logps(turn)).abs().max() < CLOSE
    assert bool((entropy >= -CLOSE).all()) and bool(entropy[mask].isfinite().all())


def test_a_probability_does_not_depend_on_the_rest_of_the_batch(policy: PointerPolicy) -> None:
    turns = sampled(policy, per_page=4)
    together = policy.evaluate(turns)[0]
    backwards = policy.evaluate(turns[::-1])[0].flip(0)
    alone = torch.cat([policy.evaluate([turn])[0] for turn in turns])
    assert (together - backwards).abs().max() < CLOSE
    assert (together - alone).abs().max() < CLOSE


def test_a_decision_does_not_depend_on_the_rest_of_the_batch(policy: PointerPolicy) -> None:
    requests = [request(page, k) for page in PAGES for k in range(4)]
    together = policy.act(requests, greedy=False)
    for one, decision in zip(requests, together, strict=True):
        (alone,) = policy.act([one], greedy=False)
        assert alone.action == decision.action
        for mine, other in zip(alone.choices, decision.choices, strict=True):
            assert (mine.kind, mine.index) == (other.kind, other.index)
            assert mine.logp == pytest.approx(other.logp, abs=CLOSE)


def test_the_same_seed_decides_the_same_and_another_one_may_not(policy: PointerPolicy) -> None:
    requests = [request(FORM, k) for k in range(40)]
    decisions = policy.act(requests, greedy=False)
    assert policy.act(requests, greedy=False) == decisions
    assert PointerPolicy(SMALL).act(requests, greedy=False) == decisions
    assert len({decision.action for decision in decisions}) > 5


def test_greedy_takes_the_most_probable_choices_whatever_the_seed(policy: PointerPolicy) -> None:
    for page in PAGES:
        decisions = policy.act([request(page, k) for k in range(5)], greedy=True)
        assert len({decision.action for decision in decisions}) == 1
        first = decisions[0].choices[0]
        others = [turn.decision.choices[0].logp for turn in sampled(policy, 12, (page,))]
        assert all(first.logp >= logp - CLOSE for logp in others)


def test_decisions_are_as_frequent_as_their_probabilities_say(policy: PointerPolicy) -> None:
    count = 1500
    found = Counter(turn.decision.choices[0] for turn in sampled(policy, count, (TABLE,)))
    by_index: Counter[int] = Counter()
    probability = {}
    for choice, times in found.items():
        by_index[choice.index] += times
        probability[choice.index] = math.exp(choice.logp)
    assert sum(probability.values()) == pytest.approx(1.0, abs=1e-4)
    for index, times in by_index.items():
        p = probability[index]
        assert abs(times - count * p) < 5 * math.sqrt(count * p * (1 - p)) + 1


def test_choices_that_do_not_fit_the_observation_are_refused(policy: PointerPolicy) -> None:
    (turn,) = sampled(policy, 1, (FORM,))
    choices = [(choice.kind, choice.index) for choice in turn.decision.choices]
    wrong = [("verb", 0), *choices[1:]]
    with pytest.raises(ValueError, match="stored choices don't fit the observation"):
        policy.evaluate_choices([FORM], [wrong])


def test_making_a_policy_moves_nobody_elses_random_numbers() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    first = PointerPolicy(SMALL)
    assert torch.equal(torch.rand(2), expected)
    second = PointerPolicy(SMALL).network.state_dict()
    assert all(torch.equal(value, second[name]) for name, value in first.network.state_dict().items())
    other = PointerPolicy(PointerSettings(**{**first.settings_dict(), "seed": 8})).network.state_dict()
    assert any(not torch.equal(value, other[name]) for name, value in first.network.state_dict().items())


# Actions


def test_every_decision_is_an_action_that_the_page_allows(policy: PointerPolicy) -> None:
    for turn in sampled(policy, 30):
        action = parse_action(turn.decision.action)
        assert format_action(action) == turn.decision.action
        ref = getattr(action, "ref", "")
        if not ref:
            continue
        (element,) = [element for element in turn.observation.elements if element.ref == ref]
        assert "disabled" not in element.states
        if isinstance(action, Select):
            assert action.option in element.options
        if isinstance(action, Type):
            assert element.role in ("textbox", "searchbox")


def test_an_empty_page_leaves_the_actions_that_need_no_element(policy: PointerPolicy) -> None:
    for turn in sampled(policy, 40, (EMPTY,)):
        assert not getattr(parse_action(turn.decision.action), "ref", "")
        assert len(turn.decision.choices) == 1


def test_choices_say_an_action_and_an_action_says_choices(policy: PointerPolicy) -> None:
    for turn in sampled(policy, 30):
        action = parse_action(turn.decision.action)
        if isinstance(action, Type) and not action.text:
            continue  # copied from a line without words, which no demonstration does
        features = featurize(turn.observation)
        ways = from_action(features, action)
        assert {to_action(features, choices) for choices in ways} == {turn.decision.action}
        logp, mask, _ = policy.evaluate_choices([turn.observation] * len(ways), ways)
        assert mask.sum(-1).tolist() == [len(choices) for choices in ways]
        assert bool((logp[mask] > NEVER / 2).all())


@pytest.mark.parametrize(
    ("page", "action"),
    [
        (FORM, Click("e9")),
        (FORM, Type("e2", "3")),
        (FORM, Type("e8", "blue lamps", submit=True)),
        (FORM, Select("e3", "M")),
        (FORM, Check("e4")),
        (FORM, Check("e7", on=False)),
        (FORM, Check("e5")),
        (TABLE, Answer("$1,249.90")),
        (TABLE, Answer("1,249.90")),
        (TABLE, Answer("words")),
        (TABLE, Answer()),
    ],
)
def test_what_a_demonstration_does_can_be_said(page: Observation, action: Click) -> None:
    features = featurize(page)
    ways = from_action(features, action)
    assert ways and {to_action(features, choices) for choices in ways} == {format_action(action)}


@pytest.mark.parametrize(
    ("page", "action"),
    [
        (FORM, Click("e99")),
        (FORM, Click("e10")),
        (FORM, Select("e3", "XL")),
        (FORM, Check("e5", on=False)),
        (FORM, Type("e2", "words that stand nowhere")),
        (TABLE, Answer("two hundred")),
        (TABLE, Answer("249.9")),
    ],
)
def test_what_the_page_does_not_hold_can_not_be_said(page: Observation, action: Click) -> None:
    assert from_action(featurize(page), action) == []


def test_features_are_a_function_of_the_observation_alone() -> None:
    for page in PAGES:
        again = Observation.from_json(page.to_json())
        one, other = featurize(page), featurize(again)
        for name in (
            "intent_ids",
            "role",
            "own_ids",
            "element_feats",
            "matches",
            "verbs",
            "past_feats",
            "global_feats",
        ):
            assert (getattr(one, name) == getattr(other, name)).all(), name
    assert len(featurize(LONG).elements) <= len(LONG.elements)


# Seeds


GOLDEN = (4761921975702974394, 3888120505135008806, 4096747163010569859)


def test_seeds_are_the_same_on_every_machine() -> None:
    assert derive_seed(0) == GOLDEN[0]
    assert derive_seed(7, "rollout", 3) == GOLDEN[1]
    assert derive_seed(0, "demo.añadir.5", 2) == GOLDEN[2]


def test_seeds_of_different_names_differ() -> None:
    names = [(1, 23), (12, 3), (123,), ("1", "2", "3"), ("", "123"), (1, "rollout"), ("1rollout",)]
    assert len({derive_seed(*name) for name in names}) == len(names)
    seeds = {derive_seed(run, "rollout", k, member) for run in range(3) for k in range(20) for member in range(8)}
    assert len(seeds) == 3 * 20 * 8
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_choice_is_stored_with_its_probability(policy: PointerPolicy) -> None:
    (decision,) = policy.act([request(FORM, 1)], greedy=False)
    assert all(isinstance(choice, Choice) and choice.logp <= 0.0 for choice in decision.choices)


# What is read


def test_words_in_another_order_are_another_option() -> None:
    policy = PointerPolicy(SMALL)
    encoded = policy.network.encode(collate([featurize(FORM)]))
    ids = torch.tensor([[[*word_ids("low to high"), 0, 0, 0], [*word_ids("high to low"), 0, 0, 0]]])
    same_features = torch.zeros(1, 2, OPTION_FEATURES)
    target = torch.tensor([len(GLOBAL_TARGETS) + 2])
    one, other = policy.network.option_logits(encoded, target, ids, same_features, torch.ones(1, 2, dtype=torch.bool))[
        0
    ]
    assert one != other


def test_parts_of_a_code_and_of_a_quotation_are_told_to_belong_together() -> None:
    features = featurize(replace(FORM, intent="Use GIFT-21 for “my box” now"))
    source = features.source(0)
    _, shapes, _ = source_words(features, source, 0, True)
    said = dict(zip((source.text[start:end] for start, end in source.places), shapes[:, -3:].tolist(), strict=True))
    before, after, quoted = [1, 0, 0], [0, 1, 0], 1
    assert said["Use"] == [0, 0, 0]
    assert said["GIFT"] == after and said["21"] == before and said["-"] == [1, 1, 0]
    assert said["my"][2] == said["box"][2] == quoted and said["now"][2] == 0


def test_a_copy_begins_and_ends_where_a_space_or_a_sign_does() -> None:
    intent = "Use code GIFT-5810-2867 (3), for “Roll-top bag”."
    features = featurize(replace(FORM, intent=intent))
    source = features.source(0)
    first, last = ends(source)
    texts = [intent[start:end] for start, end in source.places]
    assert [text for text, allowed in zip(texts, first, strict=True) if allowed] == (
        ["Use", "code", "GIFT", "(", "3", "for", "“", "Roll", "bag"]
    )
    assert [text for text, allowed in zip(texts, last, strict=True) if allowed] == (
        ["Use", "code", "5810-2867", "3", ")", ",", "for", "top", "bag", "”", "."]
    )
    assert find_spans(features, 0, "GIFT-5810-2867") and not find_spans(features, 0, "GIFT")


def test_a_text_that_stands_in_several_places_can_be_copied_from_each() -> None:
    lines = [Element("e1", "text", "4.0 out of 5 (4)"), Element("e2", "status", "4 results for lamps")]
    features = featurize(replace(FORM, intent="How many results are there for lamps?", elements=tuple(lines)))
    ways = from_action(features, Answer("4"))
    targets = [features.elements[dict(way)["target"] - len(GLOBAL_TARGETS)].ref for way in ways]
    assert sorted(targets) == ["e1", "e2"] and targets[0] == "e2"  # which shares words with the question


def test_numbers_of_one_shape_are_one_word_and_others_are_not() -> None:
    assert word_id("53.00") == word_id("18.95") != word_id("18.9")
    assert word_id("lamp") != word_id("lamps")


def test_the_line_with_the_rarest_words_of_the_instruction_is_marked() -> None:
    boxes = [Element(f"e{k}", "checkbox", name, tag="input") for k, name in enumerate(("Mira & Sons", "Venra & Sons"))]
    arrays = featurize(replace(FORM, intent="Only show Venra & Sons", elements=tuple(boxes))).element_feats
    assert arrays[:, RAREST].tolist() == [0.0, 1.0]


def test_a_word_that_is_forgotten_can_not_be_read() -> None:
    noise = Noise.draw(1, word_rates=torch.ones(VOCABULARY), rate=0.0)
    choices = [[("target", 0)]] * len(PAGES)
    results = []
    for scale in (1.0, -3.0):
        policy = PointerPolicy(SMALL)
        with torch.no_grad():
            policy.network.words.weight.mul_(scale)
        read, forgotten = (policy.evaluate_choices(PAGES, choices, given)[0] for given in (None, noise))
        results.append((read, forgotten))
    assert torch.equal(results[0][1], results[1][1])
    assert not torch.allclose(results[0][0], results[1][0])


def test_dropout_is_what_its_seed_says_and_keeps_the_mean() -> None:
    ones = torch.ones(200, 200)
    first, again, other = (Noise.draw(seed, torch.zeros(VOCABULARY), 0.25).drop(ones) for seed in (3, 3, 4))
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert float((first == 0).float().mean()) == pytest.approx(0.25, abs=0.01)
    assert float(first.mean()) == pytest.approx(1.0, abs=0.02)


def test_temperature_is_on_both_sides_and_leaves_greedy_choices_alone() -> None:
    cold, hot = (PointerPolicy(replace(SMALL, temperature=temperature)) for temperature in (1.0, 4.0))
    turns = sampled(hot, per_page=4)
    logp, mask, entropy = hot.evaluate(turns)
    stored = torch.cat([logps(turn) for turn in turns])
    assert (logp[mask] - stored).abs().max() < CLOSE
    _, _, cold_entropy = cold.evaluate(turns)
    assert float(entropy.sum().detach()) > float(cold_entropy.sum().detach())
    requests = [request(page, 1) for page in PAGES]
    actions = [[decision.action for decision in policy.act(requests, greedy=True)] for policy in (cold, hot)]
    assert actions[0] == actions[1]


def test_a_temperature_of_0_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        PointerPolicy(replace(SMALL, temperature=0.0))
