"""MiniWoB++ as a suite: its pages begin by themselves, repeat by seed, end by themselves and give the score.

The oracles play pages that nobody here wrote, by what the snapshots hold and by the same actions as a policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import sites.miniwob
from harness import eval as evaluation
from harness import serve
from harness.context.observation import Observation
from harness.env import WebEnv
from harness.page.action import Action, Answer, Check, Click, CloseTab, Goto, NewTab, SwitchTab, Wait
from harness.page.snapshot import Snapshot
from harness.rollout.measure import figures
from harness.tasks.evaluate import Final, FullScore, Verdict, evaluator_from_json, evaluator_to_json
from harness.tasks.task import TEST_SEEDS, Suite, Task, UnknownTask, load_suite
from harness.trajectory import Trajectory
from policy.base import Policy
from policy.scripted import NullPolicy, OraclePolicy
from sites.miniwob.oracles import ORACLES
from sites.miniwob.oracles.steps import submit
from sites.miniwob.pages import NOT_REPEATED, PAGES
from tests.harness.support import CONFIG_PATH, Meddled, Shared, collector, environment, episodes, shared

SAMPLE = ("click-test", "click-checkboxes", "login-user-popup", "choose-date", "use-slider", "search-engine")
SUITE = load_suite("miniwob")


def pages(sample: tuple[str, ...], whole: tuple[str, ...]) -> pytest.MarkDecorator:
    """A few pages in every run, the others in the long one."""
    others = [pytest.param(name, marks=pytest.mark.long) for name in whole if name not in sample]
    return pytest.mark.parametrize("name", [*sample, *others])


@pytest.fixture(scope="module")
def here() -> Iterator[Shared]:
    with shared(suite="miniwob") as found:
        yield found


@pytest.fixture
def env(here: Shared) -> Iterator[WebEnv]:
    made = environment(here.stage)
    yield made
    here.run(made.close())


def task(name: str, seed: int = 1) -> Task:
    return SUITE.draw(f"miniwob.{name}", seed)


def played(here: Shared, policy: Policy, *tasks: Task) -> list[Trajectory]:
    return here.run(collector(here.stage).collect(policy, episodes(tasks)))


def page_of(observation: Observation) -> Snapshot:
    assert observation.snapshot is not None
    return observation.snapshot


async def main_world(env: WebEnv, script: str) -> Any:
    """What a script gives that runs where the page's own scripts do."""
    assert env._session is not None
    return await env._session.page.evaluate(script)


async def ended(env: WebEnv, *actions: Action) -> tuple[str | None, Final, Verdict]:
    """How an episode ends that is played by these actions."""
    for action in actions:
        step = await env.step(action)
        assert step.error is None
    return (step.end, *await env.finish())


# The pages


def test_the_suite_has_the_125_pages_and_each_is_there() -> None:
    assert len(set(PAGES)) == 125
    assert SUITE.templates("train") == SUITE.templates("test") == tuple(f"miniwob.{name}" for name in PAGES)
    folder = sites.miniwob.pages() / "miniwob"
    assert [name for name in PAGES if not (folder / f"{name}.html").is_file()] == []
    left_out = {path.stem for path in folder.glob("*.html")} - set(PAGES)
    assert left_out == {"button-delay", "chase-circle", "hover-shape", "moving-items", "simon-says"}


def test_the_address_for_a_person_is_a_page_that_is_there() -> None:
    path, _, query = SUITE.first_page("miniwob", 7).partition("?")
    assert query == "seed=7"
    assert (sites.miniwob.pages() / path.strip("/")).is_file()
    assert load_suite("sites").first_page("shop", 7) == "/?seed=7"


def test_a_name_alone_is_a_suite_of_the_project_and_a_package_of_that_name_is_not_meant() -> None:
    assert isinstance(SUITE, Suite) and SUITE.name == "miniwob"
    assert load_suite("sites.miniwob").sites.keys() == SUITE.sites.keys()
    assert load_suite("sites").name == "sites"
    with pytest.raises(UnknownTask, match="there is no Python package 'nowhere'"):
        load_suite("nowhere")


@pytest.mark.parametrize("command", [evaluation, serve], ids=["eval", "serve"])
def test_without_the_pages_a_command_says_what_to_type(
    command: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sites.miniwob, "find_spec", lambda name: None)
    monkeypatch.setattr("sys.argv", ["command", "--suite", "miniwob"])
    if command is evaluation:
        assert evaluation.main(["--suite", "miniwob", "--policy", "oracle", "--config", str(CONFIG_PATH)]) == 2
    else:
        assert serve.main() == 2
    out, errors = capsys.readouterr()
    assert out == "" and len(errors.splitlines()) == 1
    assert "pip install -e '.[miniwob]'" in errors


@pages(SAMPLE, PAGES)
def test_a_page_begins_by_itself_and_says_what_it_asks(name: str, here: Shared, env: WebEnv) -> None:
    observation = here.run(env.reset(task(name)))
    assert observation.intent.strip()
    assert here.run(main_world(env, "core.cover_div.style.display")) == "none"
    names = {node.name for node in page_of(observation).nodes}
    assert not names & {"START", "Last reward:", "Time left:"}
    assert here.run(main_world(env, "WOB_DONE_GLOBAL")) is False


@pages(SAMPLE, tuple(name for name in PAGES if name not in NOT_REPEATED))
def test_a_seed_gives_the_same_page_twice(name: str, here: Shared, env: WebEnv) -> None:
    async def seen(seed: int) -> tuple[str, list[Any]]:
        observation = await env.reset(task(name, seed))
        env._end = "given_up"
        await env.release()  # the context is used again
        nodes = page_of(observation).nodes
        return observation.intent, [(node.role, node.name, node.value, node.options, node.box) for node in nodes]

    first, other, again = (here.run(seen(seed)) for seed in (3, 4, 3))
    assert again == first
    if name in ("click-checkboxes", "login-user-popup"):
        assert other != first


def test_what_a_page_asks_is_what_the_policy_reads_and_what_is_recorded(here: Shared) -> None:
    read: set[str] = set()

    def meddle(request: Any, number: int) -> None:
        read.update((request.observation.intent, request.task.intent))

    (trajectory,) = played(here, Meddled(NullPolicy(), meddle), task("click-checkboxes"))
    assert task("click-checkboxes").intent == ""
    assert read == {trajectory.intent}
    assert trajectory.intent.startswith("Select ") and trajectory.intent.endswith(" and click Submit.")


@pytest.mark.parametrize("seed", range(6))
def test_an_icon_in_the_instruction_is_told_in_words(seed: int, here: Shared, env: WebEnv) -> None:
    intent = here.run(env.reset(task("click-menu-2", seed))).intent
    assert intent.count('"') == 4, intent


# The end and the score


@pages(SAMPLE, tuple(ORACLES))
@pytest.mark.parametrize("seed", [1, pytest.param(TEST_SEEDS + 1, marks=pytest.mark.long)])
def test_the_oracle_has_the_full_score(name: str, seed: int, here: Shared) -> None:
    (trajectory,) = played(here, OraclePolicy(SUITE), task(name, seed))
    assert trajectory.final is not None, trajectory.failure
    assert (trajectory.end, trajectory.final.score, trajectory.reward) == ("ended_by_page", 1, 1), trajectory.reason
    assert 1.2 * len(trajectory.turns) <= task(name).max_turns


def test_an_agent_that_does_nothing_has_0(here: Shared) -> None:
    tasks = [task(name) for name in SAMPLE]
    for trajectory in played(here, NullPolicy(), *tasks):
        assert trajectory.final is not None
        assert (trajectory.end, trajectory.final.score, trajectory.reward) == ("answered", 0, 0)


def test_an_episode_that_runs_out_of_turns_has_0(here: Shared, env: WebEnv) -> None:
    here.run(env.reset(replace(task("click-test"), max_turns=2)))
    end, final, verdict = here.run(ended(env, Wait(), Wait()))
    assert (end, final.score, verdict.passed) == ("truncated", 0, False)


def test_a_wrong_act_ends_the_episode_without_success(here: Shared, env: WebEnv) -> None:
    observation = here.run(env.reset(task("click-option")))
    end, final, verdict = here.run(ended(env, submit(page_of(observation))))
    assert (end, final.score, verdict.passed) == ("ended_by_page", -1, False)
    assert verdict.reason == "the page's score is -1, not 1"


def test_a_partial_score_is_kept_but_is_no_success(here: Shared, env: WebEnv) -> None:
    page = page_of(here.run(env.reset(task("odd-or-even"))))
    steps = ORACLES["odd-or-even"](page, "")
    marks = [next(steps), steps.send(page)]  # two numbers of three
    end, final, verdict = here.run(ended(env, *marks, submit(page)))
    assert end == "ended_by_page" and final.score is not None
    assert 0 < final.score < 1 and not verdict.passed
    half = Trajectory("miniwob.odd-or-even.1", "", [], end, int(verdict.passed), final=final)  # type: ignore[arg-type]
    (whole,) = played(here, OraclePolicy(SUITE), task("odd-or-even"))
    both = figures([half, whole])
    assert (both.successes, both.above_zero, both.episodes) == (1, 2, 2)
    assert Trajectory.from_json(half.to_json()).final == final


def test_the_wrong_card_is_no_success(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        page = page_of(await env.reset(task("find-greatest")))
        least, *_, greatest = sorted(page.find("clickable"), key=lambda node: int(node.name))
        assert int(least.name) < int(greatest.name)
        await env.step(Click(least.ref))
        end, final, verdict = await ended(env, Click(page.find("button", "Submit")[0].ref))
        assert (end, verdict.passed) == ("ended_by_page", False)
        assert final.score is not None and final.score < 1

    here.run(run())


def test_signs_without_semantics_are_offered_and_work(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        page = page_of(await env.reset(task("order-food")))
        more, less = page.find("clickable", "+"), page.find("clickable", "-")
        assert len(more) == len(less) == 12
        step = await env.step(Click(more[0].ref))
        assert step.error is None and step.observation is not None
        (quantity,) = page_of(step.observation).find("text", "1")
        assert f"{quantity.ref} text 1 *new" in step.observation.text

    here.run(run())


def test_time_does_not_change_the_score(here: Shared, env: WebEnv) -> None:
    observation = here.run(env.reset(task("click-test")))
    here.run(main_world(env, "void (core.ept0 -= 7 * 24 * 3600 * 1000)"))  # as if it had begun a week ago
    (button,) = page_of(observation).find("button")
    end, final, verdict = here.run(ended(env, Click(button.ref)))
    assert here.run(main_world(env, "WOB_REWARD_GLOBAL")) < 1
    assert (end, final.score, verdict.passed) == ("ended_by_page", 1, True)


def test_an_answer_before_the_page_has_ended_is_no_success(here: Shared, env: WebEnv) -> None:
    here.run(env.reset(task("click-test")))
    end, final, verdict = here.run(ended(env, Answer("1")))
    assert (end, final.score, verdict.passed) == ("answered", 0, False)


def test_leaving_the_page_ends_the_episode_with_0_even_for_the_same_page(here: Shared, env: WebEnv) -> None:
    here.run(env.reset(task("click-test")))
    end, final, verdict = here.run(ended(env, Goto(task("click-test").start_url)))
    assert (end, final.score, verdict.passed) == ("ended_by_page", 0, False)


def test_closing_the_tab_of_the_page_ends_the_episode_with_0(here: Shared, env: WebEnv) -> None:
    here.run(env.reset(task("click-test")))
    end, final, verdict = here.run(ended(env, NewTab(), SwitchTab(1), CloseTab()))
    assert (end, final.score, verdict.passed) == ("ended_by_page", 0, False)


def test_what_a_page_was_left_with_is_not_in_the_next_episode(here: Shared, env: WebEnv) -> None:
    observation = here.run(env.reset(task("click-checkboxes")))
    boxes = page_of(observation).find("checkbox")
    end, *_ = here.run(ended(env, Check(boxes[0].ref), submit(page_of(observation))))
    assert end == "ended_by_page"
    context = env._context
    here.run(env.release())
    again = here.run(env.reset(task("click-checkboxes")))
    assert env._context is context
    assert not any("checked" in node.states for node in page_of(again).nodes)
    assert env._score is None


# Oracles where there are some


def test_a_page_without_an_oracle_is_given_up_with_a_note(here: Shared) -> None:
    (trajectory,) = played(here, OraclePolicy(SUITE), task("draw-circle"))
    assert (trajectory.end, trajectory.reward) == ("given_up", 0)
    assert "miniwob.draw-circle has no oracle" in trajectory.reason


def test_an_evaluation_of_the_oracle_is_over_the_pages_that_have_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--suite", "miniwob", "--policy", "oracle", "--episodes", "4", "--config", str(CONFIG_PATH)]
    assert evaluation.main(words) == 0
    out = capsys.readouterr().out
    assert "100.0% (4 of 4)" in out
    assert "page's score above 0" in out
    settings = evaluation.EvalSettings(policy="oracle", episodes=len(ORACLES), suite="miniwob")
    tasks = evaluation.choose_tasks(settings, SUITE)
    assert {found.template for found in tasks} == {f"miniwob.{name}" for name in ORACLES}


@pytest.mark.parametrize(("score", "passed"), [(1.0, True), (0.99, False), (0.0, False), (-1.0, False), (None, False)])
def test_only_the_full_score_passes(score: float | None, passed: bool) -> None:
    evaluator = evaluator_from_json(evaluator_to_json(FullScore()))
    assert evaluator(Final(None, None, None, score)).passed is passed
