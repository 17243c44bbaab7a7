"""WebEnv: one episode at a time in one isolated browser context. `reset(task)`, `step(action)`, `finish()`.

The policy's mistakes are values in the observation. An infrastructure failure is an EpisodeFailed, never a reward of 0.
The reward is read once, at the end, from the answer and the app state, and only if the policy ended the episode itself.
Pages with hooks of their own end it themselves, and give the score.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, Error

from harness.browser import Browser, BrowserFailure
from harness.config import BrowserConfig
from harness.context.compress import Compressor
from harness.context.observation import Observation, Past
from harness.context.relevance import holds_text
from harness.page.action import Action, Answer, Find, GiveUp
from harness.page.channel import DialogOpened, PageGone, PageTimeout
from harness.page.episode import PageEpisode
from harness.page.errors import ActionError
from harness.page.grammar import format_action, parse_action
from harness.page.perform import perform
from harness.page.reader import ParseError
from harness.page.session import PageSession
from harness.page.snapshot import Snapshot
from harness.page.tabs import Tabs
from harness.tasks.evaluate import Final, StateChanges, Verdict, evaluate
from harness.tasks.task import PageHooks, Task
from harness.tracing import Tracing
from harness.trajectory import End, Failure

T = TypeVar("T")

# What a page can fail with; RuntimeError means that a script of the harness failed in it.
_FAILURES = (Error, PageGone, PageTimeout, TimeoutError, RuntimeError)


MAX_DIALOGS = 20  # of a page that opens one after another, dismissed at the end of an episode
NO_ORIGINS = frozenset(("", "null", "://"))  # of documents that can keep nothing: empty ones, data
MAX_USES = 50  # episodes in one context: what Chromium keeps for it does not grow for ever


class EpisodeFailed(Exception):
    """The episode can't go on; `failure` is the value to record."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.kind}: {failure.message}")
        self.failure = failure


@dataclass(frozen=True)
class Step:
    """What an action led to: the next observation, or how the episode ended; its error; seconds by part."""

    observation: Observation | None
    end: End | None
    error: ActionError | None
    timings: dict[str, float]


class WebEnv:
    """One browser context with one page, new or wiped at each `reset`. `origin` gives the origin of a site."""

    def __init__(
        self, browser: Browser, origin: Callable[[str], str], compressor: Compressor, tracing: Tracing | None = None
    ) -> None:
        self.browser = browser
        self.origin = origin
        self.compressor = compressor
        self.tracing = tracing or Tracing()
        self.config: BrowserConfig = browser.config
        self._context: BrowserContext | None = None
        self._tabs: Tabs | None = None
        self._files: tempfile.TemporaryDirectory[str] | None = None
        self._task: Task | None = None
        self._reusable = False
        self._uses = 0

    @property
    def _session(self) -> PageSession | None:
        """The active tab; None before the first reset. PageGone if no tab is left."""
        return self._tabs.active if self._tabs is not None else None

    @property
    def session(self) -> PageSession | None:
        """The active tab, for measurements between two steps; None before the first reset. PageGone if none is left."""
        return self._session

    async def reset(self, task: Task) -> Observation:
        """Begin a task in a context that has nothing of an earlier episode; returns its first observation.

        The context is a new one, or the last one wiped clean. EpisodeFailed if that can't be done.
        """
        reused = self._reusable and self._task is not None and self._task.site == task.site
        if not reused:
            await self.close()
        self._reusable = False
        self._task = task
        self._history: list[Past] = []
        self._answer: str | None = None
        self._end: End | None = None
        self._page_episode: PageEpisode | None = None
        self._score: float | None = None
        start = time.perf_counter()
        try:
            async with asyncio.timeout(self.config.navigation_timeout + self.config.launch_timeout):
                url = self.origin(task.site) + task.start_url
                if reused and self._session is not None:
                    failure = await self._in_page(self._session.renew(url))
                else:
                    session = await self._open(task)
                    with contextlib.suppress(DialogOpened):  # the first observation shows it
                        failure = None
                        failure = await self._in_page(session.navigate(url))
                if failure:
                    raise EpisodeFailed(Failure("site_down", f"{task.site}: {failure}"))
                self._snapshot = await self._look()
                if task.hooks is not None:
                    await self._begin(task, task.hooks)
                # A page that greets with a dialog is read when that has been answered.
                self._before = None if self._snapshot.dialog is not None else await self._app_state()
        except (*_FAILURES, BrowserFailure, TimeoutError) as error:
            raise self._failed(error) from error
        if self._before is None and any(isinstance(evaluator, StateChanges) for evaluator in task.evaluators):
            raise EpisodeFailed(Failure("site_down", f"{task.site}: its first page keeps no app state"))
        observation = self._observe(self._snapshot, None, "")
        self.reset_seconds = time.perf_counter() - start
        return observation

    async def _begin(self, task: Task, hooks: PageHooks) -> None:
        """Let the page, which has loaded, begin its own episode, and take the instruction from it."""
        assert self._session is not None
        begun = PageEpisode.begin(self._session, hooks.setup, hooks.intent, hooks.done, hooks.score)
        self._page_episode = await self._in_page(begun)
        self._task = replace(task, intent=self._page_episode.intent)
        self._snapshot = await self._look()

    async def _open(self, task: Task) -> PageSession:
        """A new context with one page."""
        self._uses = 0
        self._context = await self.browser.context(**self.tracing.context_options(self.config))
        await self.tracing.start(self._context, task.id)
        self._tabs = Tabs(self._context, self.browser.caps, self.browser.origins)
        return await self._tabs.open()

    async def step(self, action: Action | str) -> Step:
        """Do one action; text is parsed first. EpisodeFailed if the page or the browser failed."""
        if self._task is None or self._tabs is None or self._end is not None:
            raise RuntimeError("step needs a reset before it, and no end")
        start = time.perf_counter()
        text = action if isinstance(action, str) else format_action(action)
        parsed, error = _parsed(action)
        past = self._past(parsed, text)
        if isinstance(parsed, Answer | GiveUp):
            self._answer = parsed.text if isinstance(parsed, Answer) else None
            self._end = "answered" if isinstance(parsed, Answer) else "given_up"
            try:
                await self.tracing.note(self._context, text)
            except _FAILURES as problem:
                raise self._failed(problem) from problem
            return Step(None, self._end, None, {"act": time.perf_counter() - start})
        try:
            if parsed is not None:
                if self.config.slow_mo:
                    await asyncio.sleep(self.config.slow_mo)  # asked for by a person who watches
                async with self.tracing.action(self._context, self._tabs.active.page, text, past.role, past.name):
                    if not isinstance(parsed, Find):
                        error = await self._in_page(self._perform(parsed))
            acted = time.perf_counter()
            snapshot = await self._look()
            if error is None and snapshot.refused:
                error = ActionError("FORBIDDEN_URL", f"{snapshot.refused[:200]!r} is outside the sites")
            if isinstance(parsed, Find) and not any(holds_text(node, parsed.text) for node in snapshot.nodes):
                error = ActionError("NO_MATCH", f"{parsed.text[:80]!r} stands nowhere on the page")
            if self._page_episode is not None and snapshot.dialog is None:
                self._score = await self._in_page(self._page_episode.score())
        except _FAILURES as problem:
            raise self._failed(problem) from problem
        looked = time.perf_counter()
        changed = _differ(self._snapshot, snapshot)
        self._history.append(
            replace(past, error=error.code if error else "", url=self._address(snapshot.url), changed=changed)
        )
        sought = parsed.text if isinstance(parsed, Find) and error is None else ""
        observation = self._observe(snapshot, self._snapshot, str(error) if error else "", sought)
        self._snapshot = snapshot
        timings = {
            "act": acted - start,
            "observe": looked - acted,
            **self._tabs.active.timings,
            "compress": time.perf_counter() - looked,
        }
        if self._score is not None:
            self._end = "ended_by_page"
        elif len(self._history) >= self._task.max_turns:
            self._end = "truncated"
        if self._end is not None:
            return Step(None, self._end, error, timings)
        return Step(observation, None, error, timings)

    async def _perform(self, action: Action) -> ActionError | None:
        assert self._tabs is not None
        return await perform(self._tabs, action, self.browser.origins, self._snapshot.url, self._uploadable())

    def _uploadable(self) -> dict[str, Path]:
        """The files that can be uploaded, by name: the task's own, and what pages have handed over."""
        assert self._task is not None and self._tabs is not None
        files = {received.name: received.path for received in self._tabs.downloads if received.path is not None}
        if self._task.files:
            if self._files is None:
                self._files = tempfile.TemporaryDirectory(prefix="episode-")
            for name, text in self._task.files:
                files[name] = Path(self._files.name) / name
                files[name].write_text(text, "utf-8")
        return files

    async def finish(self) -> tuple[Final, Verdict]:
        """Read the app state and score the episode. A truncated or given-up episode has not done its task."""
        if self._task is None or self._tabs is None:
            raise RuntimeError("finish needs a reset before it")
        try:
            await self._dismiss_dialogs()
            after = await self._app_state()
        except _FAILURES as error:
            raise self._failed(error) from error
        score = None if self._task.hooks is None else self._score or 0.0
        final = Final(self._answer, self._before, after, score)
        try:
            verdict = (
                evaluate(self._task.evaluators, final)
                if self._end in ("answered", "ended_by_page")
                else Verdict(False, f"the episode was {self._end or 'not ended'}")
            )
        except Exception as error:  # a faulty evaluator is an infrastructure failure, whatever it raised
            raise EpisodeFailed(Failure("evaluator_error", f"{type(error).__name__}: {error}")) from error
        if not verdict.passed and not await self.browser.answers(self.origin(self._task.site)):
            raise EpisodeFailed(Failure("site_down", f"{self._task.site}: nothing answers any more"))
        return final, verdict

    async def _dismiss_dialogs(self) -> None:
        for _ in range(MAX_DIALOGS):
            if self._session is None or self._session.dialog is None:
                return
            await self._in_page(self._session.answer_dialog(False))
        raise PageGone("the page opens one dialog after another")

    async def release(self, keep_trace: bool = False) -> str:
        """End the episode; returns the path of its trace if one was kept, else "".

        The context is kept to be wiped and used again, unless it is recorded, was used often, or holds anything that
        wiping does not reach: another page, an address of another origin, a failure.
        """
        self._uses += 1
        if self._end is None or self.tracing.on or self.tracing.video != "off" or self._uses >= MAX_USES:
            return await self.close(keep_trace)
        assert self._task is not None and self._tabs is not None
        clean = {self.origin(self._task.site), *NO_ORIGINS}
        if self._tabs.others_were_open or self._tabs.count != 1:
            return await self.close(keep_trace)
        if self._tabs.active.dialog is not None or not self._tabs.active.origins <= clean:
            return await self.close(keep_trace)
        self._reusable = True
        return ""

    async def close(self, keep_trace: bool = False) -> str:
        """End the context; returns the path of its trace if one was kept, else ""."""
        context, self._context, self._tabs = self._context, None, None
        self._reusable = False
        if self._files is not None:
            self._files.cleanup()
            self._files = None
        if context is None:
            return ""
        try:
            async with asyncio.timeout(self.config.close_timeout):
                return await self.tracing.stop(context, keep_trace)
        except (Error, TimeoutError):
            return ""  # a dead browser has no trace to give, and its contexts are gone with it

    async def _look(self) -> Snapshot:
        assert self._tabs is not None
        return await self._in_page(self._tabs.observe(self.config.quiet_time, self.config.settle_timeout))

    async def _app_state(self) -> Any:
        """The app state of the task's site. Where the page is not one of the site's, such as the page of an address
        that could not be reached, the context's storage has it."""
        assert self._task is not None and self._session is not None and self._context is not None
        origin = self.origin(self._task.site)
        try:
            if self._snapshot.url.startswith(f"{origin}/"):
                with contextlib.suppress(RuntimeError):  # an error page has the address, but not the storage
                    return await self._in_page(self._session.app_state())
            async with asyncio.timeout(self.config.navigation_timeout):
                storage = await self._context.storage_state()
            found = [kept for kept in storage["origins"] if kept["origin"] == origin]
            values = [item["value"] for kept in found for item in kept["localStorage"] if item["name"] == "state"]
            return json.loads(values[0]) if values else None
        except DialogOpened as error:
            raise PageGone("the app state can't be read behind a dialog") from error
        except (ValueError, TypeError) as error:
            raise PageGone(f"the app state can't be read: {error}") from error

    async def _in_page(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of work in the page. If the page crashes the work fails at once, not at the end of its own cap."""
        assert self._tabs is not None
        task, crash = asyncio.ensure_future(work), asyncio.ensure_future(self._tabs.crashed.wait())
        try:
            await asyncio.wait((task, crash), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise PageGone("the page crashed")
            return task.result()
        finally:
            for left in (task, crash):
                left.cancel()
            await asyncio.gather(task, crash, return_exceptions=True)

    def _observe(self, snapshot: Snapshot, previous: Snapshot | None, error: str, sought: str = "") -> Observation:
        assert self._task is not None and self._tabs is not None
        self._observation = self.compressor.observe(
            replace(snapshot, url=self._address(snapshot.url)),
            previous,
            self._task.intent,
            self._history,
            self._task.max_turns,
            error,
            sought,
            self._tabs.take_news(),
        )
        return self._observation

    def _past(self, action: Action | None, text: str) -> Past:
        """The turn as the history will tell it, as far as it is known before it is done."""
        ref = getattr(action, "ref", "")
        node = self._snapshot.get(ref) if ref else None
        element = next((element for element in self._observation.elements if element.ref == ref), None)
        return Past(
            action=text,
            verb=action.verb if action else "",
            ref=ref if node else "",
            role=node.role if node else "",
            name=node.name[:120] if node else "",
            context=element.context if node and element else (),
            text=getattr(action, "text", "") or getattr(action, "option", ""),
        )

    def _address(self, url: str) -> str:
        """An address on the sites without its origin: ports differ from run to run, and what is recorded must not."""
        origin = next((origin for origin in self.browser.origins if url.startswith(f"{origin}/")), "")
        return url[len(origin) :]

    def _failed(self, error: BaseException) -> EpisodeFailed:
        if isinstance(error, EpisodeFailed):
            return error
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        if isinstance(error, BrowserFailure) or not self.browser.connected:
            return EpisodeFailed(Failure("browser_crashed", message))
        if isinstance(error, PageTimeout | TimeoutError):
            return EpisodeFailed(Failure("harness_timeout", message))
        return EpisodeFailed(Failure("page_crashed", message))


def _parsed(action: Action | str) -> tuple[Action | None, ActionError | None]:
    if not isinstance(action, str):
        return action, None
    try:
        return parse_action(action), None
    except ParseError as problem:
        return None, ActionError(ParseError.code, str(problem))


def _differ(before: Snapshot, after: Snapshot) -> bool:
    if before.url != after.url or len(before.nodes) != len(after.nodes):
        return True
    return any(
        (a.ref, a.name, a.value, a.states) != (b.ref, b.name, b.value, b.states)
        for a, b in zip(before.nodes, after.nodes, strict=True)
    )
