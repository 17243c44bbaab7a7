"""Collects trajectories: one Chromium, many contexts, policy calls batched over the contexts that are ready.

An infrastructure failure is retried from reset with the next attempt's seeds; what fails every time is recorded as a
Failure. If too large a share of the episodes fails, the collection stops with TooManyFailures.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from harness.browser import Browser
from harness.context.compress import Compressor
from harness.env import EpisodeFailed, WebEnv
from harness.tasks.task import Task
from harness.tracing import Tracing
from harness.trajectory import Decision, Failure, Group, Trajectory, Turn
from policy.base import Policy, Request, derive_seed


class TooManyFailures(RuntimeError):
    """So many episodes failed for reasons of the infrastructure that the figures would mean nothing."""


@dataclass(frozen=True)
class Episode:
    """One episode to play: the task, its place in its group, and the seed that all its decisions derive from."""

    task: Task
    member: int = 0
    seed: int = 0
    greedy: bool = False


@dataclass
class Collector:
    """Plays episodes in up to `contexts` contexts at once.

    `max_failed` is the share of failed episodes above which a collection stops loudly (at least two must have failed).
    """

    browser: Browser
    origin: Callable[[str], str]
    compressor: Compressor
    contexts: int = 8
    tracing: Tracing = field(default_factory=Tracing)
    max_failed: float = 0.1
    progress: Callable[[Trajectory], None] | None = None
    turns: int = 0
    failures: int = 0

    async def collect(self, policy: Policy, episodes: Sequence[Episode]) -> list[Trajectory]:
        """The trajectories of the episodes, in order."""
        results: list[Trajectory | None] = [None] * len(episodes)
        waiting = list(reversed(range(len(episodes))))
        with ThreadPoolExecutor(1, thread_name_prefix="policy") as thread:
            batcher = _Batcher(policy, thread)

            async def work() -> None:
                env = WebEnv(self.browser, self.origin, self.compressor, dataclasses.replace(self.tracing))
                try:
                    while waiting:
                        place = waiting.pop()
                        results[place] = await self._play(env, policy, batcher, episodes[place])
                        self._check_failures(results)
                        if self.progress is not None:
                            self.progress(results[place])  # type: ignore[arg-type]
                finally:
                    await env.close()

            try:
                async with asyncio.TaskGroup() as tasks:
                    serving = tasks.create_task(batcher.serve())
                    workers = [tasks.create_task(work()) for _ in range(min(self.contexts, len(episodes)))]
                    await asyncio.gather(*workers)
                    serving.cancel()
            except ExceptionGroup as group:  # one fault ends the collection: it is what the caller wants to know
                raise group.exceptions[0] from group
        return [result for result in results if result is not None]

    async def groups(self, policy: Policy, tasks: Sequence[Task], size: int, seed: int) -> list[Group]:
        """A group of `size` sampled trajectories for each task; seeds derive from (seed, task, member)."""
        episodes = [
            Episode(task, member, derive_seed(seed, task.id, member)) for task in tasks for member in range(size)
        ]
        trajectories = await self.collect(policy, episodes)
        return [Group(task.id, trajectories[place * size : (place + 1) * size]) for place, task in enumerate(tasks)]

    def _check_failures(self, results: Sequence[Trajectory | None]) -> None:
        failed = [result.failure for result in results if result is not None and result.failure is not None]
        if len(failed) >= 2 and len(failed) > self.max_failed * len(results):
            last = f"{failed[-1].kind}: {failed[-1].message}"
            raise TooManyFailures(f"{len(failed)} of {len(results)} episodes failed; the last one: {last}")

    async def _play(self, env: WebEnv, policy: Policy, batcher: _Batcher, episode: Episode) -> Trajectory:
        """One episode, begun again after a failure up to `config.retries` times."""
        for attempt in range(env.config.retries + 1):
            trajectory = await self._attempt(env, batcher, episode, attempt, policy)
            if trajectory.failure is None:
                break
            self.failures += 1
        return trajectory

    async def _attempt(
        self, env: WebEnv, batcher: _Batcher, episode: Episode, attempt: int, policy: Policy
    ) -> Trajectory:
        task = episode.task
        trajectory = Trajectory(task.id, task.intent, [], member=episode.member, attempt=attempt, seed=episode.seed)
        name = f"{task.id}.{episode.member}.{attempt}.{episode.seed}"
        env.tracing.name = f"{task.id}-{episode.member}-{attempt}"
        try:
            async with asyncio.timeout(env.config.timeout):
                observation = await env.reset(task)
                task = dataclasses.replace(task, intent=observation.intent)  # some pages say themselves what they ask
                trajectory.intent = task.intent
                trajectory.timings["reset"] = env.reset_seconds
                while True:
                    seed = derive_seed(episode.seed, attempt, len(trajectory.turns))
                    start = time.perf_counter()
                    seen = observation if policy.reads_snapshot else observation.public()
                    decision = await batcher.decide(Request(seen, seed, name, task), episode.greedy)
                    decided = time.perf_counter() - start
                    step = await env.step(decision.action)
                    self.turns += 1
                    trajectory.turns.append(
                        Turn(
                            seen if seen.snapshot is None else seen.public(),
                            decision,
                            str(step.error) if step.error else "",
                            {"decide": decided, **step.timings},
                        )
                    )
                    if step.observation is None:
                        break
                    observation = step.observation
                trajectory.end = step.end
                trajectory.final, verdict = await env.finish()
                trajectory.reward, trajectory.reason = int(verdict.passed), verdict.reason
                if decision.note:
                    trajectory.reason = f"{decision.note}; {verdict.reason}"
        except EpisodeFailed as failed:
            trajectory.failure = failed.failure
        except TimeoutError:
            trajectory.failure = Failure("harness_timeout", f"the episode took over {env.config.timeout:g} s")
        finally:
            policy.forget(name)
        if trajectory.failure is not None:
            trajectory.reward, trajectory.end, trajectory.final = None, None, None
            trajectory.trace = await env.close(keep_trace=True)
        else:
            trajectory.trace = await env.release(keep_trace=trajectory.reward != 1)
        return trajectory


class _Batcher:
    """Gathers the requests of all contexts that are ready into one call of the policy, made in a thread of its own."""

    def __init__(self, policy: Policy, thread: ThreadPoolExecutor) -> None:
        self._policy = policy
        self._thread = thread
        self._queue: asyncio.Queue[tuple[Request, bool, asyncio.Future[Decision]]] = asyncio.Queue()

    async def decide(self, request: Request, greedy: bool) -> Decision:
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((request, greedy, future))
        return await future

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = [await self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            for greedy in (False, True):
                part = [(request, future) for request, kind, future in batch if kind == greedy and not future.done()]
                if not part:
                    continue
                decisions = await loop.run_in_executor(
                    self._thread, self._policy.act, [request for request, _ in part], greedy
                )
                for (_, future), decision in zip(part, decisions, strict=True):
                    if not future.done():
                        future.set_result(decision)
