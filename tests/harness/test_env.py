"""WebEnv: what an episode is, what it sees of other episodes, and what earns a reward."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from harness.context.compress import Compressor
from harness.context.observation import Observation
from harness.env import Step, WebEnv
from harness.page.action import Answer, Click, CloseTab, Find, GiveUp, NewTab, Type, Upload, Wait
from harness.page.snapshot import Dialog
from harness.tasks.evaluate import Change, StateChanges
from harness.tasks.task import load_suite
from policy.scripted import NullPolicy, OraclePolicy
from tests.harness.support import SUITE, Shared, environment, episodes, ref, shared

ADD, COLOUR = load_suite(SUITE).tasks("test", 1)
(REMOVE,) = load_suite(SUITE).tasks("heldout", 1)
WANTED = ADD.evaluators[0].changes[0].value  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def here() -> Iterator[Shared]:
    with shared(contexts=3) as found:
        yield found


@pytest.fixture
def env(here: Shared) -> Iterator[WebEnv]:
    made = environment(here.stage)
    yield made
    here.run(made.close())


other = third = env


async def finished(env: WebEnv) -> tuple[int, str]:
    """The reward and its reason."""
    _, verdict = await env.finish()
    return int(verdict.passed), verdict.reason


async def main_world(env: WebEnv, script: str) -> Any:
    """What a script gives that runs where the page's own scripts do."""
    assert env._session is not None
    return await env._session.page.evaluate(script)


def seen(step: Step) -> str:
    """The text that a step leads to."""
    assert step.observation is not None
    return step.observation.text


# What an episode sees


def test_a_task_begins_with_the_same_observation_each_time(here: Shared, env: WebEnv, other: WebEnv) -> None:
    async def run() -> None:
        for task in (ADD, COLOUR, REMOVE):
            observations = [await used.reset(task) for used in (env, env, other)]
            texts = [json.dumps(observation.to_json()) for observation in observations]
            assert texts[0] == texts[1] == texts[2]
            assert observations[0].url == f"/?seed={task.seed}"
            assert observations[0].intent == task.intent

    here.run(run())


def test_what_is_recorded_does_not_name_the_port(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        port = env.browser.origins[0].rpartition(":")[2]
        observation = await env.reset(COLOUR)
        step = await env.step(Click(ref(observation, "link", "Things")))
        assert step.observation is not None
        assert step.observation.url == step.observation.history[0].url == "/things.html"
        assert port not in json.dumps(step.observation.to_json())

    here.run(run())


def test_text_that_is_no_action_is_told_to_the_policy_and_the_episode_goes_on(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        before = await env.reset(COLOUR)
        step = await env.step("press the button")
        assert step.error is not None and step.error.code == "PARSE_ERROR"
        assert step.observation is not None and step.end is None
        assert step.observation.error.startswith("PARSE_ERROR: ")
        assert step.observation.text == before.text
        (past,) = step.observation.history
        assert (past.action, past.verb, past.error) == ("press the button", "", "PARSE_ERROR")
        step = await env.step(Answer(COLOUR.evaluators[1].expected))  # type: ignore[union-attr]
        assert step.end == "answered"
        assert await finished(env) == (1, "")

    here.run(run())


def test_two_episodes_at_once_never_see_each_other(here: Shared, env: WebEnv, other: WebEnv, third: WebEnv) -> None:
    async def write(env: WebEnv, note: str) -> None:
        observation = await env.reset(ADD)
        await main_world(env, f"document.cookie = 'who={note}'; sessionStorage.setItem('who', '{note}')")
        await env.step(Type(ref(observation, "textbox", "Note"), note))
        assert note in seen(await env.step(Click(ref(observation, "button", "Add"))))

    async def run() -> None:
        await asyncio.gather(write(env, "first"), write(other, "second"))
        for one, own, foreign in ((env, "first", "second"), (other, "second", "first")):
            text = seen(await one.step(Wait()))
            assert own in text and foreign not in text
            kept = await main_world(one, "[document.cookie, JSON.stringify(sessionStorage)].join()")
            assert own in kept and foreign not in kept
            final, _ = await one.finish()
            assert final.state_after is not None and final.state_after["notes"]["n3"] == own
        observation = await third.reset(ADD)
        assert "first" not in observation.text and "second" not in observation.text
        assert await main_world(third, "document.cookie") == ""

    here.run(run())


def test_eight_episodes_at_once_each_see_only_their_own(here: Shared) -> None:
    async def play(env: WebEnv, note: str, all_wrote: asyncio.Barrier) -> tuple[str, str]:
        observation = await env.reset(ADD)
        await main_world(env, f"document.cookie = 'who={note}'; localStorage.setItem('who', '{note}')")
        await env.step(Type(ref(observation, "textbox", "Note"), note))
        await env.step(Click(ref(observation, "button", "Add")))
        await all_wrote.wait()
        text = seen(await env.step(Wait()))
        kept = await main_world(env, "[document.cookie, localStorage.getItem('who')].join()")
        await env.close()
        return text, kept

    async def run() -> None:
        notes = [f"note-of-{number}" for number in range(8)]
        barrier = asyncio.Barrier(8)
        results = await asyncio.gather(*(play(environment(here.stage), note, barrier) for note in notes))
        for note, (text, kept) in zip(notes, results, strict=True):
            assert [other for other in notes if other in text] == [note]
            assert kept == f"who={note},{note}"

    here.run(run())


# What an episode can reach


class Elsewhere(BaseHTTPRequestHandler):
    """Answers whatever is asked, and keeps a list of it."""

    asked: list[str] = []  # noqa: RUF012, the one list is meant

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def test_a_page_reaches_no_server_but_that_of_the_sites(here: Shared, env: WebEnv) -> None:
    async def run(port: int) -> None:
        await env.reset(COLOUR)
        for host in ("127.0.0.1", "localhost", "demo.localhost", "[::1]", "elsewhere.test", "2130706433"):
            url = f"http://{host}:{port}/{host}"
            fetched = await main_world(env, f"fetch('{url}').then(() => 'reached', () => 'not reached')")
            assert fetched == "not reached", host
            step = await env.step(f'goto("{url}")')
            assert step.error is not None and step.error.code == "FORBIDDEN_URL", host
            await env.reset(COLOUR)
        await main_world(env, f"void (location.href = 'http://127.0.0.1:{port}/')")
        await env.step(Wait())
        assert Elsewhere.asked == []

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            here.run(run(server.server_port))
        finally:
            server.shutdown()
            thread.join()


def test_a_link_out_of_the_site_is_an_error_and_the_page_stays(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        await env.reset(ADD)
        await main_world(env, "void (document.querySelector('main').innerHTML = '<a href=//elsewhere.test>Out</a>')")
        step = await env.step(Wait())
        assert step.observation is not None
        before = step.observation.url
        step = await env.step(Click(ref(step.observation, "link", "Out")))
        assert step.error is not None and step.error.code == "FORBIDDEN_URL"
        assert "elsewhere.test" in step.error.message
        assert step.observation is not None and step.observation.url == before

    here.run(run())


def test_an_episode_that_left_the_site_is_scored_by_what_it_did_there(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        for note, expected in ((WANTED, 1), ("another", 0)):
            observation = await env.reset(ADD)
            await env.step(Type(ref(observation, "textbox", "Note"), note, submit=True))
            assert env._session is not None
            assert await env._session.navigate("http://elsewhere.test/") == "net::ERR_NAME_NOT_RESOLVED"
            step = await env.step(Wait())
            assert step.observation is not None and "elsewhere.test" in step.observation.url
            await env.step(Answer())
            reward, _ = await finished(env)
            assert reward == expected

    here.run(run())


# The reward


def test_the_oracle_earns_1_and_an_empty_answer_0_with_every_template(here: Shared) -> None:
    async def run() -> None:
        suite = here.stage.suite
        tasks = [*suite.tasks("test", 2), *suite.tasks("heldout", 2)]
        for policy, reward in ((OraclePolicy(suite), 1), (NullPolicy(), 0)):
            trajectories = await here.stage.collector.collect(policy, episodes(tasks))
            assert [trajectory.task_id for trajectory in trajectories] == [task.id for task in tasks]
            assert [t.reward for t in trajectories] == [reward] * len(tasks), [t.reason for t in trajectories]
            assert {trajectory.end for trajectory in trajectories} == {"answered"}

    here.run(run())


def test_a_change_that_was_not_asked_for_costs_the_reward(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        observation = await env.reset(ADD)
        remove = next(e for e in observation.elements if e.name.startswith("Remove "))
        await env.step(Click(remove.ref))
        await env.step(Type(ref(observation, "textbox", "Note"), WANTED, submit=True))
        await env.step(Answer())
        reward, reason = await finished(env)
        assert reward == 0 and reason == "/notes/n1 is missing"

    here.run(run())


def test_an_episode_without_an_end_of_its_own_earns_nothing_and_says_why(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        observation = await env.reset(ADD)
        await env.step(Type(ref(observation, "textbox", "Note"), WANTED, submit=True))
        for left in range(ADD.max_turns - 2, -1, -1):
            step = await env.step(Wait())
            assert (step.observation is None) == (left == 0)
        assert step.end == "truncated"
        assert await finished(env) == (0, "the episode was truncated")
        with pytest.raises(RuntimeError, match="needs a reset"):
            await env.step(Wait())

    here.run(run())


def test_giving_up_earns_nothing_whatever_was_done_before(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        observation = await env.reset(ADD)
        await env.step(Type(ref(observation, "textbox", "Note"), WANTED, submit=True))
        step = await env.step(GiveUp())
        assert (step.observation, step.end) == (None, "given_up")
        assert await finished(env) == (0, "the episode was given_up")

    here.run(run())


def test_the_answer_may_be_the_last_turn_of_all(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        await env.reset(replace(COLOUR, max_turns=2))
        await env.step(Wait())
        step = await env.step(Answer(COLOUR.evaluators[1].expected))  # type: ignore[union-attr]
        assert step.end == "answered"
        assert await finished(env) == (1, "")

    here.run(run())


WATCH = """
() => {
  window.touched = [];
  for (const name of ["getItem", "setItem", "removeItem", "clear"]) {
    const original = Storage.prototype[name];
    Storage.prototype[name] = function (...args) { window.touched.push(name); return original.apply(this, args); };
  }
  new MutationObserver(() => window.touched.push("mutation")).observe(
    document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const name of ["storage", "focus", "blur", "visibilitychange", "scroll"])
    window.addEventListener(name, () => window.touched.push(name), true);
  return document.documentElement.outerHTML;
}
"""


def test_scoring_reads_the_state_without_touching_the_page(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        await env.reset(ADD)
        before = await main_world(env, WATCH)
        await env.step(Answer())
        final, _ = await env.finish()
        assert final.state_before == final.state_after == load_suite(SUITE).sites["demo"].world(ADD.seed)["state"]
        assert await main_world(env, "document.documentElement.outerHTML") == before
        assert await main_world(env, "window.touched") == []

    here.run(run())


def test_a_page_can_not_answer_for_the_app_state(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        wanted = {"notes": {"n1": "forged"}}
        await env.reset(replace(ADD, evaluators=(StateChanges((Change("/notes", wanted["notes"]),)),)))
        await main_world(env, f"Storage.prototype.getItem = () => '{json.dumps(wanted)}'; void 0")
        await env.step(Answer())
        assert (await finished(env))[0] == 0

    here.run(run())


# What no page shows


def test_a_text_that_the_page_was_cut_before_is_found_again(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        env.compressor = Compressor(120)
        await env.reset(ADD)
        await main_world(
            env,
            """() => { document.body.innerHTML = "<ul>" + Array.from({ length: 300 }, (_, k) =>
              `<li><button>Row ${k} ${k === 251 ? "of the hidden Treasure" : ""}</button></li>`
            ).join("") + "</ul>"; }""",
        )
        cut = await env.step(Wait())
        assert "Treasure" not in seen(cut)
        found = await env.step(Find("hidden  treasure"))
        assert found.error is None and found.observation is not None
        assert "Row 251 of the hidden Treasure" in seen(found)
        assert found.observation.tokens <= 120
        place = next(element for element in found.observation.elements if "Treasure" in element.name)
        assert (await env.step(Click(place.ref))).error is None
        none = await env.step(Find("no such thing"))
        assert none.error is not None and none.error.code == "NO_MATCH"

    here.run(run())


def test_an_open_dialog_is_observed_and_dismissed_at_the_end(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        for _ in range(2):
            await env.reset(ADD)
            await main_world(env, "() => { setTimeout(() => { document.title = String(confirm('Sure?')); }); }")
            step = await env.step(Wait())
            while step.observation is not None and step.observation.dialog is None:
                step = await env.step(Wait())
            assert step.observation is not None
            assert step.observation.dialog == Dialog("confirm", "Sure?")
            assert Observation.from_json(step.observation.to_json()) == step.observation.public()
            await env.step(Answer(""))
            await env.finish()
            await env.release()

    here.run(run())


def test_a_task_brings_the_files_that_can_be_uploaded(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        await env.reset(replace(ADD, files=(("notes.txt", "Größe"),)))
        await main_world(
            env,
            """() => { document.body.innerHTML = "<input type=file aria-label=Notes><p id=said></p>";
              const field = document.querySelector("input");
              field.onchange = async () => { said.textContent = await field.files[0].text(); }; }""",
        )
        step = await env.step(Wait())
        assert step.observation is not None
        step = await env.step(Upload(step.observation.elements[0].ref, "notes.txt"))
        assert step.error is None
        while "Größe" not in seen(step):
            step = await env.step(Wait())

    here.run(run())


def test_a_context_with_a_second_tab_is_not_used_again(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        await env.reset(ADD)
        step = await env.step(NewTab("/things.html"))
        assert step.error is None and step.observation is not None
        assert [(tab.number, tab.active) for tab in step.observation.tabs] == [(1, False), (2, True)]
        assert Observation.from_json(step.observation.to_json()) == step.observation.public()
        assert (await env.step(CloseTab())).error is None
        await env.step(Answer(""))
        await env.finish()
        before = env._context
        await env.release()
        again = await env.reset(ADD)
        assert env._context is not before and again.tabs == ()

    here.run(run())
