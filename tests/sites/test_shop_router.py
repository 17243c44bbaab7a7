"""Pages of the shop that are drawn by following a link are those that their addresses open."""

from __future__ import annotations

import asyncio
import re

import pytest

from harness.config import load_config
from harness.env import WebEnv
from harness.page.action import Back, Forward, Goto, Wait
from harness.rollout.stage import open_stage

PATHS = (
    "/category.html?c=audio&page=2",
    "/product.html?id=p12",
    "/cart.html",
    "/checkout.html",
    "/orders.html?page=2",
    "/addresses.html",
    "/search.html?q=lamp",
    "/compare.html",
    "/contact.html",
    "/help.html",
    "/",
)


def read(env: WebEnv) -> str:
    """The page as a policy reads it, without refs and marks."""
    return re.sub(r"\be\d+ | \*(new|changed)", "", env._observation.text)


def test_a_followed_link_shows_what_its_address_opens() -> None:
    async def run() -> None:
        async with open_stage("sites", load_config(), 1, 4000) as stage:
            env = WebEnv(stage.browser, stage.collector.origin, stage.collector.compressor)
            task = stage.suite.task("shop.cart_total.5")
            await env.reset(task)
            opened = {}
            for path in PATHS:
                env._history.clear()
                await env.step(Goto(path))
                opened[path] = (env._snapshot.title, read(env))
            await env.reset(task)
            assert env._session is not None
            page = env._session.page
            await page.evaluate("document.documentElement.dataset.first = 'yes'")
            for path in PATHS:
                env._history.clear()
                await page.evaluate("(path) => { location.assign(path); }", path)
                await env.step(Wait())
                assert (env._snapshot.title, read(env)) == opened[path], path
                assert await page.evaluate("document.documentElement.dataset.first") == "yes", "a new document came"
            await env.step(Back())
            assert (env._snapshot.title, read(env)) == opened["/help.html"]
            await env.step(Forward())
            assert (env._snapshot.title, read(env)) == opened["/"]
            await env.close()

    asyncio.run(run())


@pytest.mark.parametrize("address", ["/?seed=9", "/?seed=5&reset", "/nowhere.txt"])
def test_an_address_that_chooses_a_world_or_is_no_page_is_a_document_of_its_own(address: str) -> None:
    async def run() -> None:
        async with open_stage("sites", load_config(), 1, 512) as stage:
            env = WebEnv(stage.browser, stage.collector.origin, stage.collector.compressor)
            await env.reset(stage.suite.task("shop.cart_total.5"))
            assert env._session is not None
            page = env._session.page
            await page.evaluate("document.documentElement.dataset.first = 'yes'")
            await page.evaluate("(path) => { location.assign(path); }", address)
            await env.step(Wait())
            assert await page.evaluate("document.documentElement.dataset.first") is None
            await env.close()

    asyncio.run(run())
