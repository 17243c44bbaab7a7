"""A context that is wiped and used again has nothing of the episode before; one that can't be wiped is not used again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.env import WebEnv
from harness.page.action import Answer, Back
from harness.tasks.task import load_suite
from tests.harness.support import SUITE, Shared, environment, shared

FIRST, SECOND = load_suite(SUITE).tasks("test", 1)

# Leaves a trace in everything that a page can keep, also while it is being left.
LITTER = """async () => {
  localStorage.setItem("litter", "1");
  sessionStorage.setItem("litter", "1");
  document.cookie = "litter=1; path=/; max-age=1000";
  window.name = "litter";
  history.pushState({}, "", "/?litter");
  await new Promise((resolve, reject) => {
    const request = indexedDB.open("litter", 1);
    request.onsuccess = () => { request.result.close(); resolve(); };
    request.onerror = reject;
  });
  const cache = await caches.open("litter");
  await cache.put("/litter", new Response("litter"));
  addEventListener("pagehide", () => {
    localStorage.setItem("late", "1");
    sessionStorage.setItem("late", "1");
    window.name = "late";
  });
}"""
FOUND = """async () => ({
  local: Object.keys(localStorage).filter((key) => key !== "state" && key !== "seed"),
  session: Object.keys(sessionStorage),
  cookie: document.cookie,
  name: window.name,
  databases: (await indexedDB.databases()).map((database) => database.name),
  caches: await caches.keys(),
})"""
NOTHING = {"local": [], "session": [], "cookie": "", "name": "", "databases": [], "caches": []}


@pytest.fixture(scope="module")
def here() -> Iterator[Shared]:
    with shared() as found:
        yield found


@pytest.fixture
def env(here: Shared) -> Iterator[WebEnv]:
    made = environment(here.stage)
    yield made
    here.run(made.close())


def page_of(env: WebEnv):  # type: ignore[no-untyped-def]
    assert env._session is not None
    return env._session.page


def test_an_episode_finds_nothing_of_the_one_before_in_its_context(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        first = await env.reset(FIRST)
        page = page_of(env)
        await page.evaluate(LITTER)
        assert await page.evaluate(FOUND) != NOTHING
        await env.step(Answer("x"))
        await env.release()
        second = await env.reset(SECOND)
        assert page_of(env) is page, "the context was not used again, so this test shows nothing"
        assert await page.evaluate(FOUND) == NOTHING
        step = await env.step(Back())
        assert step.error is not None
        assert step.error.code == "NO_HISTORY"
        await env.step(Answer(""))
        await env.release()
        again = await env.reset(FIRST)
        assert (again.text, again.url) == (first.text, first.url)
        assert second.intent == SECOND.intent

    here.run(run())


def test_the_app_state_before_is_that_of_the_new_task(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        for task in (FIRST, SECOND, FIRST):
            await env.reset(task)
            await env.step(Answer(""))
            final, _ = await env.finish()
            await env.release()
            assert final.state_before == here.stage.suite.sites["demo"].world(task.seed)["state"]

    here.run(run())


def test_a_context_with_a_second_page_is_not_used_again(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        await env.reset(FIRST)
        page = page_of(env)
        async with page.context.expect_page():
            await page.evaluate("() => { window.open('/things.html'); }")
        await env.step(Answer(""))
        await env.release()
        await env.reset(SECOND)
        assert page_of(env) is not page

    here.run(run())


def test_an_episode_that_did_not_end_is_not_followed_in_its_context(here: Shared, env: WebEnv) -> None:
    async def run() -> None:
        await env.reset(FIRST)
        page = page_of(env)
        await env.release()
        await env.reset(SECOND)
        assert page_of(env) is not page

    here.run(run())
