"""What is not the policy's doing is a Failure, never a reward of 0: it is played again, else left out and counted."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from harness.env import EpisodeFailed, WebEnv
from harness.page.action import Answer, Click, Type, Wait
from harness.rollout.collect import TooManyFailures
from harness.tasks.evaluate import Change, StateChanges
from harness.tasks.task import load_suite
from harness.trajectory import Failure
from policy.base import Request
from policy.scripted import NullPolicy, OraclePolicy
from tests.harness.support import (
    SUITE,
    Meddled,
    Shared,
    collector,
    configured,
    environment,
    episodes,
    kill,
    ref,
    shared,
    stage,
)
from tests.processes import Process, below, browsers, drivers, renderers, wait_until

ADD, COLOUR = load_suite(SUITE).tasks("test", 1)
QUICK = {
    "action_timeout": 1.0,
    "snapshot_timeout": 1.0,
    "settle_timeout": 0.5,
    "close_timeout": 1.0,
    "navigation_timeout": 2.0,
}


@pytest.fixture(scope="module")
def shared_stage() -> Iterator[Shared]:
    """For tests that leave the browser alone."""
    with shared() as found:
        yield found


async def failure_of(call: Awaitable[Any]) -> Failure:
    """The failure that a call ends with."""
    with pytest.raises(EpisodeFailed) as caught:
        await call
    return caught.value.failure


def server() -> list[Process]:
    """The site server of this process."""
    return [process for process in below() if "harness.serve" in process.command]


async def crash(env: WebEnv) -> None:
    """What a renderer does that has run out of memory."""
    assert env._session is not None
    with pytest.raises(Exception, match=r"closed|crashed"):
        await env._session.cdp.send("Page.crash")


# One episode


@pytest.mark.parametrize("moment", ["observing", "acting", "scoring"])
def test_a_page_that_crashes_fails_the_episode_at_once_and_the_next_one_begins(
    shared_stage: Shared, moment: str
) -> None:
    here = shared_stage.stage

    async def run() -> None:
        env = environment(here)
        observation = await env.reset(COLOUR)
        if moment == "scoring":
            await env.step(Answer())
        calls: dict[str, Callable[[], Awaitable[Any]]] = {
            "observing": lambda: env.step(Wait()),
            "acting": lambda: env.step(Click(ref(observation, "link", "Things"))),
            "scoring": env.finish,
        }
        start = time.monotonic()
        crashing = asyncio.ensure_future(crash(env))
        failure = await failure_of(calls[moment]())
        assert failure.kind == "page_crashed"
        assert time.monotonic() - start < here.browser.config.snapshot_timeout
        await env.close()
        await crashing
        assert (await env.reset(COLOUR)).text == observation.text
        assert here.browser.launches == 1
        await env.close()

    shared_stage.run(run())


@pytest.mark.parametrize("victims", [browsers, drivers], ids=["chromium", "driver"])
def test_a_browser_that_was_killed_is_replaced(victims: Callable[[], list[Process]]) -> None:
    async def run() -> None:
        async with stage() as here:
            env = environment(here)
            before = await env.reset(COLOUR)
            kill(victims())
            failure = await failure_of(env.step(Wait()))
            assert failure.kind in ("browser_crashed", "page_crashed")
            assert (await env.reset(COLOUR)).text == before.text
            assert here.browser.launches == 2
        assert wait_until(lambda: not below())

    asyncio.run(run())


@pytest.mark.parametrize("victims", [browsers, drivers], ids=["chromium", "driver"])
def test_one_that_was_killed_between_episodes_is_replaced(victims: Callable[[], list[Process]]) -> None:
    async def run() -> None:
        async with stage() as here:
            env = environment(here)
            before = await env.reset(COLOUR)
            await env.close()
            kill(victims())
            assert (await env.reset(COLOUR)).text == before.text
            assert here.browser.launches == 2

    asyncio.run(run())


def test_a_browser_that_hangs_is_replaced_and_leaves_no_process() -> None:
    async def run() -> None:
        async with stage(**QUICK) as here:
            env = environment(here)
            before = await env.reset(COLOUR)
            hung = [process for process in below() if "chromium" in process.command]
            kill(browsers(), signal.SIGSTOP)
            assert (await failure_of(env.step(Wait()))).kind == "harness_timeout"
            assert (await env.reset(COLOUR)).text == before.text
            assert here.browser.launches == 2
            assert wait_until(lambda: not any(process.running for process in hung))

    asyncio.run(run())


def test_a_page_that_is_busy_for_ever_is_a_timeout_and_the_next_episode_begins(shared_stage: Shared) -> None:
    here = shared_stage.stage

    async def run() -> None:
        with configured(here, **QUICK):
            env = environment(here)
            await env.reset(COLOUR)
            assert env._session is not None
            await env._session.page.evaluate("setTimeout(() => { for (;;); }, 0), undefined")
            assert (await failure_of(env.step(Wait()))).kind == "harness_timeout"
            await env.reset(COLOUR)
            await env.close()

    shared_stage.run(run())


def test_a_site_that_is_down_is_a_failure_at_the_beginning_and_in_the_middle() -> None:
    async def run() -> None:
        async with stage() as here:
            env = environment(here)
            observation = await env.reset(COLOUR)
            kill(server())
            assert wait_until(lambda: not server())
            await env.step(Click(ref(observation, "link", "Things")))
            await env.step(Answer("I can't see it"))
            assert (await failure_of(env.finish())).kind == "site_down"
            failure = await failure_of(env.reset(COLOUR))
            assert failure == Failure("site_down", "demo: net::ERR_CONNECTION_REFUSED")

    asyncio.run(run())


def test_a_task_done_before_the_site_went_down_is_done() -> None:
    async def run() -> None:
        async with stage() as here:
            env = environment(here)
            observation = await env.reset(ADD)
            wanted = ADD.evaluators[0].changes[0].value  # type: ignore[union-attr]
            await env.step(Type(ref(observation, "textbox", "Note"), wanted, submit=True))
            kill(server())
            await env.step(Answer())
            _, verdict = await env.finish()
            assert verdict.passed

    asyncio.run(run())


def test_a_site_that_keeps_no_state_is_a_failure_of_the_site(shared_stage: Shared) -> None:
    here = shared_stage.stage

    async def run() -> None:
        env = environment(here)
        failure = await failure_of(env.reset(replace(COLOUR, start_url="/plain.html")))
        await env.close()
        assert failure == Failure("site_down", "demo: its first page keeps no app state")

    shared_stage.run(run())


# Collections


def test_episodes_that_die_with_chromium_are_played_again_and_no_group_loses_a_member() -> None:
    async def run() -> None:
        async with stage(contexts=3) as here:

            def meddle(request: Request, decisions: int) -> None:
                if decisions in (4, 11):
                    kill(browsers())

            policy = Meddled(here, meddle)
            tasks = here.suite.tasks("train", 1)
            groups = await here.collector.groups(policy, tasks, 4, seed=1)
            assert [group.task_id for group in groups] == [task.id for task in tasks]
            for group in groups:
                assert [trajectory.member for trajectory in group.valid] == [0, 1, 2, 3]
                assert [trajectory.reward for trajectory in group.valid] == [1, 1, 1, 1]
            attempts = [trajectory.attempt for group in groups for trajectory in group.trajectories]
            assert here.collector.failures == sum(attempts) >= 2
            assert here.browser.launches == 3

    asyncio.run(run())


def member(request: Request) -> int:
    """The member of its group whose decision is asked for."""
    return int(request.episode.removeprefix(f"{request.task.id}.").split(".")[0])


def test_an_episode_that_fails_each_time_is_a_failure_without_a_vote_in_its_group() -> None:
    async def run() -> None:
        async with stage(retries=1) as here:
            policy = Meddled(here, lambda request, _: kill(renderers() if member(request) == 1 else []))
            (group,) = await here.collector.groups(policy, [COLOUR], 3, seed=1)
            lost = group.trajectories[1]
            assert lost.failure == Failure("page_crashed", "the page crashed")
            assert (lost.reward, lost.end, lost.final, lost.attempt) == (None, None, None, 1)
            assert [trajectory.member for trajectory in group.valid] == [0, 2]
            assert [trajectory.reward for trajectory in group.valid] == [1, 1]
            assert here.collector.failures >= 2

    asyncio.run(run())


def test_too_many_failures_stop_a_collection() -> None:
    async def run() -> None:
        async with stage(contexts=2, retries=0) as here:
            policy = Meddled(here, lambda request, _: kill(renderers()))
            with pytest.raises(TooManyFailures, match=r"^[2-4] of 12 episodes failed; the last one: page_crashed: "):
                await here.collector.collect(policy, episodes([COLOUR] * 12))
            assert here.browser.connected

    asyncio.run(run())


def test_one_failure_alone_stops_nothing() -> None:
    async def run() -> None:
        async with stage(retries=0) as here:
            policy = Meddled(here, lambda request, decisions: kill(renderers() if decisions == 1 else []))
            trajectories = await here.collector.collect(policy, episodes([COLOUR] * 2))
            assert [trajectory.reward for trajectory in trajectories] == [None, 1]

    asyncio.run(run())


def test_an_evaluator_that_raises_is_a_failure(shared_stage: Shared) -> None:
    here = shared_stage.stage

    async def run() -> None:
        with configured(here, retries=0):
            faulty = replace(COLOUR, evaluators=(StateChanges((Change("/no/such/place", 1),)),))
            (trajectory,) = await collector(here).collect(NullPolicy(), episodes([faulty]))
            assert trajectory.reward is None and trajectory.failure is not None
            assert trajectory.failure.kind == "evaluator_error"
            assert trajectory.failure.message == "ValueError: declared change '/no/such/place': the state has no 'no'"

    shared_stage.run(run())


def test_a_site_that_goes_down_during_a_collection_stops_it_loudly() -> None:
    async def run() -> None:
        async with stage(contexts=2, retries=1) as here:
            policy = Meddled(here, lambda request, decisions: kill(server() if decisions == 2 else []))
            with pytest.raises(TooManyFailures, match="site_down"):
                await here.collector.collect(policy, episodes(here.suite.tasks("test", 3)))

    asyncio.run(run())


def test_an_episode_over_its_time_is_a_failure(shared_stage: Shared) -> None:
    here = shared_stage.stage

    async def run() -> None:
        with configured(here, retries=0, timeout=1.5):
            policy = Meddled(here, lambda request, _: time.sleep(2))  # as a policy does that thinks for too long
            (trajectory,) = await collector(here).collect(policy, episodes([COLOUR]))
            assert trajectory.failure == Failure("harness_timeout", "the episode took over 1.5 s")
            assert trajectory.reward is None

    shared_stage.run(run())


def test_a_fault_of_the_policy_ends_the_collection_as_itself(shared_stage: Shared) -> None:
    here = shared_stage.stage

    def meddle(request: Request, decisions: int) -> None:
        raise ZeroDivisionError("the policy is broken")

    async def run() -> None:
        with pytest.raises(ZeroDivisionError, match="the policy is broken"):
            await collector(here, 2).collect(Meddled(here, meddle), episodes([COLOUR] * 4))

    shared_stage.run(run())


def test_a_cancelled_collection_closes_its_context(shared_stage: Shared) -> None:
    here = shared_stage.stage

    async def run() -> None:
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()
        policy = Meddled(here, lambda request, _: loop.call_soon_threadsafe(begun.set))
        collecting = asyncio.ensure_future(collector(here).collect(policy, episodes([COLOUR] * 20)))
        await begun.wait()
        collecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await collecting
        assert here.browser._chromium is not None
        assert here.browser._chromium.contexts == []
        assert [t.reward for t in await collector(here).collect(OraclePolicy(here.suite), episodes([ADD]))] == [1]

    shared_stage.run(run())


def test_a_lost_oracle_gives_up_and_the_others_play_on(shared_stage: Shared) -> None:
    here = shared_stage.stage

    async def run() -> None:
        lost = replace(ADD, template=COLOUR.template)  # its oracle looks for a thing that this world may not have
        trajectories = await collector(here, 2).collect(OraclePolicy(here.suite), episodes([lost, COLOUR]))
        assert [trajectory.reward for trajectory in trajectories] == [0, 1]
        assert all(trajectory.failure is None for trajectory in trajectories)

    shared_stage.run(run())
