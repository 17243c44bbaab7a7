"""`python -m harness.compare`: tokens and recall of the project's observation beside other forms of the same pages.

The forms: the project's own; raw HTML; BrowserGym's flattened accessibility tree and its pruned HTML; Playwright's aria
snapshot in the mode "ai". The pages: every turn of the oracles' runs on a suite, or a folder of saved pages.

- Tokens are counted for all by the small policy's tokenizer (words, numbers, single signs; harness/context/words.py).
  It counts each sign of markup, which the tokenizers of language models often join: characters are given too.
- Recall is the share of turns whose target is there: the elements that the oracle is about to act on, the option that
  it chooses, or the text that it answers. Turns that need nothing of their page are left out of it.
- The project's form is compressed to N tokens. The others are cut after N tokens, as their users do; all of each is
  given too. What counts as being there is in harness/forms/matching.py, in favour of the others where it's a question.
- The project's form, the HTML and the aria snapshot are taken from the live page at one moment. BrowserGym needs
  another version of Playwright: its own code reads a copy of the page in a browser of its own (harness/forms/copy.js
  writes values, checks, open dialogs and focus into the copy). Without `--browsergym` its columns are left out.

`--pages FOLDER` reads `targets.json` there: a list of {"page": FILE, "intent": TEXT, "target": {"role", "name"} or
{"text"}}. Pages without a target are measured for tokens only. The project's form is taken both in the browser, which
gets the files from a server on loopback, and without one (harness/page/saved).
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from aiohttp import web
from playwright.async_api import Error
from rich.console import Console
from rich.table import Table

from harness.browser import LOOPBACK, Browser
from harness.chromium import find_chromium
from harness.command import CommandError, main_command
from harness.config import BrowserConfig, load_config
from harness.context.compress import Compressor
from harness.env import EpisodeFailed, WebEnv
from harness.forms.browsergym import BrowserGym, BrowserGymFailed, browsergym
from harness.forms.live import live_forms
from harness.forms.measure import Measure, Row, Summary, measure_form, measure_own, summary
from harness.forms.target import Target, named_target, targets_of
from harness.page.saved import load_file
from harness.page.session import PageSession
from harness.page.snapshot import Snapshot
from harness.rollout.stage import open_stage
from harness.server import make_app, origin
from harness.tasks.task import Site, Split, Suite, Task
from policy.base import Request
from policy.scripted import OraclePolicy

# Names of the forms: the project's own, and without a browser; Playwright's aria snapshot; BrowserGym's two.
OWN, OFFLINE, HTML, ARIA, AXTREE, PRUNED = "ours", "ours, offline", "HTML", "aria snapshot", "axtree", "pruned HTML"
SITE = "saved"  # the saved pages' site
TARGETS = "targets.json"


@dataclass
class CompareSettings:
    """Measures tokens and recall of forms of the same pages."""

    suite: str = "sites"
    """Import string of the suite of tasks."""
    split: Split = "test"
    """Whose tasks are played."""
    per_template: int = 2
    """Tasks per template."""
    pages: Path | None = None
    """A folder of saved pages, to be measured instead of a suite."""
    browsergym: Path | None = None
    """A Python that has BrowserGym; without one its forms are left out."""
    budgets: tuple[int, ...] = (128, 256, 512, 1024)
    """Numbers of tokens that a page may have."""
    out: Path | None = None
    """File for all figures, page by page, as JSON."""
    config: Path | None = None
    """The configuration; by default playwright.config.json of the current folder."""


@dataclass
class Comparison:
    """Measures pages one after another into `rows`."""

    budgets: tuple[int, ...]
    gym: BrowserGym | None
    rows: list[Row] = dataclasses.field(default_factory=list)

    async def add(self, where: str, session: PageSession, targets: tuple[Target, ...], own: dict[str, Measure]) -> None:
        """Measure the page that a session shows; the project's `own` forms were made of the same moment."""
        live = await live_forms(session, targets)
        forms = {HTML: live.html, ARIA: live.aria}
        if self.gym is not None:
            forms[AXTREE], forms[PRUNED] = await self.gym.forms(session.page.url, live)
        measures = {name: measure_form(form, targets, self.budgets) for name, form in forms.items()}
        self.rows.append(Row(where, targets, own | measures))

    async def play(self, env: WebEnv, oracle: OraclePolicy, task: Task) -> bool:
        """Measure every turn of an oracle's run; whether the oracle has won. EpisodeFailed, Error if it broke off."""
        observation = await env.reset(task)
        task = dataclasses.replace(task, intent=observation.intent)
        previous: Snapshot | None = None
        while True:
            (decision,) = oracle.act([Request(observation, 0, task.id, task)])
            snapshot, session = observation.snapshot, env.session
            assert snapshot is not None and session is not None
            if snapshot.dialog is None:  # no other form can be had of a page while a dialog of the browser's is open
                targets = targets_of(decision.action, snapshot)
                own = measure_own(snapshot, previous, task.intent, observation.history, targets, self.budgets)
                where = f"{task.id} turn {observation.turn}: {decision.action}"
                await self.add(where, session, targets, {OWN: own})
            step = await env.step(decision.action)
            if step.observation is None:
                break
            previous, observation = snapshot, step.observation
        _, verdict = await env.finish()
        oracle.forget(task.id)
        await env.release()
        return verdict.passed

    async def saved(self, session: PageSession, config: BrowserConfig, file: Path, url: str, wanted: Wanted) -> None:
        """Measure a saved page, which is served at `url`, for each instruction and its target."""
        problem = await session.navigate(url)
        if problem:
            raise CommandError(f"{file.name}: {problem}")
        seen, read = await session.observe(config.quiet_time, config.settle_timeout), load_file(file, url)
        for intent, target in wanted:
            own = {}
            for name, snapshot in ((OWN, seen), (OFFLINE, read)):
                targets = targets_in(snapshot, target, f"{file.name}, {name}")
                own[name] = measure_own(snapshot, None, intent, (), targets, self.budgets)
            where = f"{file.name}: {intent}" if intent else file.name
            await self.add(where, session, targets_in(seen, target, file.name), own)


Wanted = list[tuple[str, dict[str, str]]]
"""Instructions for one page, each with what it needs of it."""


def targets_in(snapshot: Snapshot, target: dict[str, str], where: str) -> tuple[Target, ...]:
    """The target of a targets.json on its page. CommandError if the page has no such thing."""
    try:
        if not target:
            return ()
        if "text" in target:
            return (Target(text=target["text"]),)
        return (named_target(snapshot, target["role"], target["name"]),)
    except KeyError as error:
        raise CommandError(f"{where}: a target needs role and name, or text, not {target}") from error
    except LookupError as error:
        raise CommandError(f"{where}: {error}") from error


def read_targets(folder: Path) -> dict[Path, Wanted]:
    """The pages of a folder by name, with what is wanted of each."""
    pages = sorted(folder.glob("*.html"))
    if not pages:
        raise CommandError(f"{folder} holds no .html files")
    try:
        listed = json.loads((folder / TARGETS).read_text("utf-8"))
        found: dict[Path, Wanted] = {page: [] for page in pages}
        for one in listed:
            found[folder / one["page"]].append((one["intent"], one["target"]))
    except OSError as error:
        raise CommandError(f"{folder / TARGETS}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        raise CommandError(f"{folder / TARGETS} is no list of page, intent and target: {error}") from error
    except KeyError as error:
        raise CommandError(f"{folder / TARGETS}: there is no {error}") from error
    return {page: wanted or [("", {})] for page, wanted in found.items()}


@asynccontextmanager
async def serve_folder(folder: Path) -> AsyncIterator[str]:
    """The origin at which the files of a folder are served."""
    suite = Suite(SITE, [Site(SITE, folder, lambda seed: {})])
    runner = web.AppRunner(make_app(suite, cache=False), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, LOOPBACK, 0).start()
        yield origin(SITE, int(runner.addresses[0][1]))
    finally:
        await runner.cleanup()


async def compare_pages(comparison: Comparison, config: BrowserConfig, folder: Path) -> None:
    """Measure all saved pages of a folder."""
    files = read_targets(folder)
    async with serve_folder(folder) as served, Browser(config, (served,)) as browser:
        for file, wanted in files.items():
            context = await browser.context()
            session = await PageSession.open(await context.new_page(), browser.caps, origins=(served,))
            await comparison.saved(session, config, file, f"{served}/{file.name}", wanted)
            await context.close()


async def compare_suite(
    comparison: Comparison, config: BrowserConfig, settings: CompareSettings, console: Console
) -> None:
    """Measure all turns of the oracles of a suite. What went wrong is told."""
    async with open_stage(settings.suite, config, 1, max(settings.budgets)) as stage:
        tasks = stage.suite.tasks(settings.split, settings.per_template)
        tasks = [task for task in tasks if stage.suite.has_oracle(task.template)]
        oracle = OraclePolicy(stage.suite)
        env = WebEnv(stage.browser, stage.collector.origin, Compressor(max(settings.budgets)))
        try:
            for task in tasks:
                before = len(comparison.rows)
                try:
                    won = await comparison.play(env, oracle, task)
                except (EpisodeFailed, Error, RuntimeError) as error:
                    if isinstance(error, BrowserGymFailed):
                        raise
                    del comparison.rows[before:]
                    console.print(f"left out: {task.id}: {str(error).splitlines()[0]}")
                    oracle.forget(task.id)
                    await env.close()
                else:
                    if not won:
                        console.print(f"the oracle did not solve {task.id}")
        finally:
            await env.close()


def summaries(rows: Sequence[Row]) -> dict[str, Summary]:
    """The summary of each form."""
    return {
        name: summary([(bool(row.targets), row.forms[name]) for row in rows if name in row.forms])
        for name in rows[0].forms
    }


def table(title: str, columns: Sequence[object], rows: Sequence[Sequence[object]]) -> Table:
    """A table for people; the first column is of names."""
    made = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        made.add_column(str(column), justify="right" if place else "left")
    for row in rows:
        made.add_row(*map(str, row))
    return made


def share(value: float | None) -> str:
    """A share for people."""
    return "" if value is None else f"{value:.1%}"


def report(rows: Sequence[Row], settings: CompareSettings, console: Console) -> dict[str, Any]:
    """Print the figures, and give them as JSON."""
    found = summaries(rows)
    needing = sum(bool(row.targets) for row in rows)
    sizes = [
        (name, round(one.characters), round(one.tokens), *(round(tokens) for tokens, _ in one.at.values()))
        for name, one in found.items()
    ]
    recalls = [
        (name, share(one.recall), *(share(recall) for _, recall in one.at.values())) for name, one in found.items()
    ]
    console.print(table(f"tokens, mean of {len(rows)} pages", ("", "characters", "all", *settings.budgets), sizes))
    console.print(table(f"recall on {needing} pages with a target", ("", "all", *settings.budgets), recalls))
    if settings.pages is not None:
        pages = {row.where.partition(":")[0]: row for row in rows}
        lines = [(page, *(one.whole.tokens for one in row.forms.values())) for page, row in pages.items()]
        console.print(table("tokens of all of each page", ("", *found), lines))
    for row in rows:
        for name in [name for name in (OWN, OFFLINE) if name in row.forms]:
            lost = [str(budget) for budget, kept in row.forms[name].at.items() if not kept.found]
            if lost:
                needs = "; ".join(map(str, row.targets))
                console.print(f"{name}, missed at {', '.join(lost)}: {row.where} ({needs})", markup=False)
    if settings.browsergym is None:
        console.print("BrowserGym's forms are left out: --browsergym names a Python that has it")
    return {
        "forms": {name: dataclasses.asdict(one) for name, one in found.items()},
        "pages": [row.to_json() for row in rows],
    }


async def compare(settings: CompareSettings, console: Console) -> dict[str, Any]:
    """Measure and print."""
    if settings.per_template < 1 or not settings.budgets or min(settings.budgets) < 1:
        raise CommandError("--per-template and --budgets must be 1 at least")
    config = load_config(settings.config)
    comparison = Comparison(settings.budgets, None)
    try:
        async with contextlib.AsyncExitStack() as stack:
            if settings.browsergym is not None:
                gym = browsergym(settings.browsergym, find_chromium(config), config.width, config.height)
                comparison.gym = await stack.enter_async_context(gym)
            if settings.pages is not None:
                await compare_pages(comparison, config, settings.pages)
            else:
                await compare_suite(comparison, config, settings, console)
    except BrowserGymFailed as error:
        raise CommandError(str(error)) from error
    if not comparison.rows:
        raise CommandError("no page could be measured")
    results = report(comparison.rows, settings, console)
    if settings.out is not None:
        settings.out.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    return results


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    settings = tyro.cli(CompareSettings, args=arguments, prog="python -m harness.compare")

    def work() -> None:
        asyncio.run(compare(settings, Console(highlight=False)))

    return main_command(work)


if __name__ == "__main__":
    raise SystemExit(main())
