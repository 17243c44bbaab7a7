"""A context that is wiped and used again has nothing of the episode before; one that can't be wiped is not used."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.async_api import Page

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


other = env


def page_of(env: WebEnv) -> Page:
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


MESS = """
async () => {
  document.cookie = "left=cookie";
  localStorage.setItem("left", "local");
  sessionStorage.setItem("left", "session");
  window.name = "left";
  await new Promise((resolve) => {
    const opening = indexedDB.open("left");
    opening.onsuccess = resolve;
  });
  await (await caches.open("left")).put("/left", new Response("cached"));
  await navigator.storage.getDirectory().then((root) => root.getFileHandle("left", { create: true }));
  history.pushState("left", "", "/things.html?left");
  const write = () => localStorage.setItem("state", '{"notes": {"n1": "left"}}');
  addEventListener("pagehide", write);
  setInterval(write, 1);
}
"""
TRACES = """
async () => {
  const files = [];
  for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
  return JSON.stringify([
    document.cookie, Object.keys(localStorage).sort(), Object.keys(sessionStorage), window.name,
    (await indexedDB.databases()).map((found) => found.name), await caches.keys(), files,
    history.state, scrollX, scrollY, document.referrer,
  ]);
}
"""


def test_an_episode_in_a_used_context_begins_as_in_a_new_one(here: Shared, env: WebEnv, other: WebEnv) -> None:
    async def run() -> None:
        fresh = await other.reset(SECOND)
        traces = await page_of(other).evaluate(TRACES)
        await env.reset(FIRST)
        context = env._context
        for _ in range(3):
            await page_of(env).evaluate(MESS)
            await env.step(Answer())
            await env.finish()
            await env.release()
            again = await env.reset(SECOND)
            assert env._context is context
            assert json.dumps(again.to_json()) == json.dumps(fresh.to_json())
            assert await page_of(env).evaluate(TRACES) == traces
            step = await env.step("back()")
            assert step.error is not None and step.error.code == "NO_HISTORY"
            final, _ = await env.finish()
            assert (
                final.state_before == final.state_after == load_suite(SUITE).sites["demo"].world(SECOND.seed)["state"]
            )

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
