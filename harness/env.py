"""WebEnv: one episode at a time in one isolated browser context. `reset(task)`, `step(action)`, `finish()`.

The policy's mistakes are values in the observation. An infrastructure failure is an EpisodeFailed, never a reward of 0.
The reward is read once, at the end, from the answer and the app state, and only if the policy ended the episode itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from playwright.async_api import BrowserContext, Error

from harness.browser import Browser, BrowserFailure
from harness.config import BrowserConfig
from harness.context.compress import Compressor
from harness.context.observation import Observation, Past
from harness.page.action import Action, Answer, GiveUp, ParseError, Select, Type, format_action, parse_action
from harness.page.errors import ActionError
from harness.page.perform import perform
from harness.page.session import PageGone, PageSession, PageTimeout
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Final, Verdict, evaluate
from harness.tasks.task import Task
from harness.tracing import Tracing
from harness.trajectory import End, Failure


class EpisodeFailed(Exception):
    """The episode can't go on; `failure` is the value to record."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.kind}: {failure.message}")
        self.failure = failure


@dataclass(frozen=True)
class Step:
    """What an action led to: the next observation, or how the episode ended; the error of the action; seconds by part."""

    observation: Observation | None
    end: End | None
    error: ActionError | None
    timings: dict[str, float]


class WebEnv:
    """One browser context with one page, made anew by each `reset`. `origin` gives the origin of a site."""

    def __init__(
        self, browser: Browser, origin: Callable[[str], str], compressor: Compressor, tracing: Tracing | None = None
    ) -> None:
        self.browser = browser
        self.origin = origin
        self.compressor = compressor
        self.tracing = tracing or Tracing()
        self.config: BrowserConfig = browser.config
        self._context: BrowserContext | None = None
        self._session: PageSession | None = None
        self._task: Task | None = None

    async def reset(self, task: Task) -> Observation:
        """Begin a task in a fresh context; returns its first observation. EpisodeFailed if that can't be done."""
        await self.close()
        self._task, self._history, self._previous = task, [], None
        self._answer: str | None = None
        self._end: End | None = None
        start = time.perf_counter()
        try:
            async with asyncio.timeout(self.config.navigation_timeout + self.config.launch_timeout):
                self._context = await self.browser.context(**self.tracing.context_options(self.config))
                await self.tracing.start(self._context, task.id)
                page = await self._context.new_page()
                self._session = await PageSession.open(
                    page, self.config.snapshot_timeout, self.config.navigation_timeout
                )
                failure = await self._session.navigate(self.origin(task.site) + task.start_url)
                if failure:
                    raise EpisodeFailed(Failure("site_down", f"{task.site}: {failure}"))
                self._snapshot = await self._look()
                self._before = await self._session.app_state()
        except (Error, PageGone, PageTimeout, BrowserFailure, TimeoutError) as error:
            raise self._failed(error) from error
        observation = self._observe(self._snapshot, None, "")
        self.reset_seconds = time.perf_counter() - start
        return observation

    async def step(self, action: Action | str) -> Step:
        """Do one action; text is parsed first. EpisodeFailed if the page or the browser failed."""
        if self._task is None or self._session is None or self._end is not None:
            raise RuntimeError("step needs a reset before it, and no end")
        start = time.perf_counter()
        text, error = action if isinstance(action, str) else format_action(action), None
        if isinstance(action, str):
            try:
                action = parse_action(action)
            except ParseError as problem:
                action, error = None, ActionError(ParseError.code, str(problem))  # type: ignore[assignment]
        past = self._past(action, text)
        if isinstance(action, Answer | GiveUp):
            self._answer = action.text if isinstance(action, Answer) else None
            self._end = "answered" if isinstance(action, Answer) else "given_up"
            await self.tracing.note(self._context, text)
            return Step(None, self._end, None, {"act": time.perf_counter() - start})
        try:
            if error is None:
                if self.config.slow_mo:
                    await asyncio.sleep(self.config.slow_mo)  # asked for by a person who watches
                async with self.tracing.action(self._context, self._session.page, text, past):
                    error = await perform(self._session, action, self.browser.origins, self._snapshot.url)
            acted = time.perf_counter()
            snapshot = await self._look()
        except (Error, PageGone, PageTimeout) as problem:
            raise self._failed(problem) from problem
        looked = time.perf_counter()
        changed = _differ(self._snapshot, snapshot)
        self._history.append(
            Past(**{**past, "error": error.code if error else "", "url": _path(snapshot.url), "changed": changed})
        )
        observation = self._observe(snapshot, self._snapshot, str(error) if error else "")
        self._snapshot = snapshot
        timings = {
            "act": acted - start,
            "observe": looked - acted,
            **self._session.timings,
            "compress": time.perf_counter() - looked,
        }
        if len(self._history) >= self._task.max_turns:
            self._end = "truncated"
            return Step(None, self._end, error, timings)
        return Step(observation, None, error, timings)

    async def finish(self) -> tuple[Final, Verdict]:
        """Read the app state and score the episode. A truncated or given-up episode has not done its task."""
        if self._task is None or self._session is None:
            raise RuntimeError("finish needs a reset before it")
        try:
            after = await self._session.app_state()
        except (Error, PageGone, PageTimeout) as error:
            raise self._failed(error) from error
        final = Final(self._answer, self._before, after)
        if self._end != "answered":
            return final, Verdict(False, f"the episode was {self._end or 'not ended'}")
        try:
            return final, evaluate(self._task.evaluators, final)
        except Exception as error:  # a faulty evaluator is an infrastructure failure, whatever it raised
            raise EpisodeFailed(Failure("evaluator_error", f"{type(error).__name__}: {error}")) from error

    async def close(self, keep_trace: bool = False) -> str:
        """End the context; returns the path of its trace if one was kept, else ""."""
        context, self._context, self._session = self._context, None, None
        if context is None:
            return ""
        try:
            async with asyncio.timeout(self.config.close_timeout):
                return await self.tracing.stop(context, keep_trace)
        except (Error, TimeoutError):
            return ""  # a dead browser has no trace to give, and its contexts are gone with it

    async def _look(self) -> Snapshot:
        assert self._session is not None
        return await self._session.observe(self.config.quiet_time, self.config.settle_timeout)

    def _observe(self, snapshot: Snapshot, previous: Snapshot | None, error: str) -> Observation:
        assert self._task is not None
        self._observation = self.compressor.observe(
            replace(snapshot, url=_path(snapshot.url)),
            previous,
            self._task.intent,
            self._history,
            self._task.max_turns,
            error,
        )
        return self._observation

    def _past(self, action: Action | None, text: str) -> dict[str, object]:
        if action is None:
            return {"action": text, "verb": ""}
        past: dict[str, object] = {"action": text, "verb": action.verb}
        ref = getattr(action, "ref", "")
        node = self._snapshot.get(ref) if ref else None
        if node is not None:
            element = next((element for element in self._observation.elements if element.ref == ref), None)
            past |= {"ref": ref, "role": node.role, "name": node.name[:120]}
            past["context"] = element.context if element else ()
        if isinstance(action, Type):
            past["text"] = action.text
        if isinstance(action, Select):
            past["text"] = action.option
        return past

    def _failed(self, error: BaseException) -> EpisodeFailed:
        if isinstance(error, EpisodeFailed):
            return error
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        if isinstance(error, BrowserFailure) or not self.browser.connected:
            return EpisodeFailed(Failure("browser_crashed", message))
        if isinstance(error, PageTimeout | TimeoutError):
            return EpisodeFailed(Failure("harness_timeout", message))
        return EpisodeFailed(Failure("page_crashed", message))


def _path(url: str) -> str:
    """An address without its origin: ports differ from run to run, and what is recorded must not."""
    return "/" + url.split("/", 3)[3] if url.count("/") >= 3 else url


def _differ(before: Snapshot, after: Snapshot) -> bool:
    if before.url != after.url or len(before.nodes) != len(after.nodes):
        return True
    return any(
        (a.ref, a.name, a.value, a.states) != (b.ref, b.name, b.value, b.states)
        for a, b in zip(before.nodes, after.nodes, strict=True)
    )
