"""Tasks, the templates that draw them, and suites of them.

A task is data: everything about it follows from its id, in any process. The id is `SITE.TEMPLATE.SEED`; the seed
fixes the world, the parameters and the phrasing. Seeds below `TEST_SEEDS` are for training, seeds from there on for
the splits `test` (templates that are trained on) and `heldout` (templates that never are).
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import random
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from harness.tasks.evaluate import AnswerIs, Change, Evaluator, FullScore, StateChanges

Split = Literal["train", "test", "heldout"]
SPLITS: tuple[Split, ...] = ("train", "test", "heldout")
TEST_SEEDS = 1_000_000
World = Mapping[str, Any]


class UnknownTask(LookupError):
    """No task, template or suite has this name; the message lists what there is."""


@dataclass(frozen=True)
class PageHooks:
    """How a page that was not made for this project begins an episode, says what it asks, and ends it.

    Each is JavaScript that is evaluated in the page's own world: `setup` once, before the first observation (a
    promise is awaited); `intent`, right after it, is the instruction; `done` says after each action whether the page
    has ended the episode, and `score` is then what it gives.

    Such a page makes its instruction up when it begins, from its own seeded random numbers. So the id still fixes the
    task, but only a browser can tell its words: `Task.intent` is "" until `reset` has put in what the page says.
    Computing it elsewhere would need a copy of every page's code, which would drift from the pages.
    """

    setup: str
    intent: str
    done: str
    score: str


@dataclass(frozen=True)
class Task:
    """One thing to do. `start_url` is relative to the site's origin; `max_turns` counts actions, the answer too.

    `files` are those that can be uploaded, as (name, text). `hooks` is None for the project's own sites: their pages
    know nothing of tasks.
    """

    id: str
    suite: str
    site: str
    template: str
    split: Split
    seed: int
    intent: str
    start_url: str
    evaluators: tuple[Evaluator, ...]
    max_turns: int
    files: tuple[tuple[str, str], ...] = ()
    hooks: PageHooks | None = None


@dataclass(frozen=True)
class Draw:
    """What a template draws from a world: what its phrasings name, what must change, what must be answered.

    `answer` None: the task asks for no answer. `guest`: the episode starts signed out. `extra` holds what only the
    oracle needs. `start` is the path of the first page. With `hooks` the page itself says what is asked and scores it;
    `intent` is then what it said, for the oracle.
    """

    params: Mapping[str, str]
    changes: tuple[Change, ...] = ()
    answer: str | None = None
    guest: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    start: str = "/"
    hooks: PageHooks | None = None
    intent: str = ""


Oracle = Generator[Any, Any, None]
"""A generator that yields actions and is sent the Snapshot that each one leads to."""


class Template(ABC):
    """A kind of task: phrasings, a draw of parameters, and an oracle that solves it through a policy's own actions.

    `has_oracle` False: `oracle` is not to be asked; nothing can be demonstrated.
    """

    name: str
    phrasings: tuple[str, ...]
    max_turns: int
    heldout: ClassVar[bool] = False
    has_oracle: bool = True

    @abstractmethod
    def draw(self, world: World, rng: random.Random) -> Draw:
        """Parameters for one task. Everything random comes from `rng`."""

    @abstractmethod
    def oracle(self, page: Any, draw: Draw) -> Oracle:
        """Solve the task from the snapshot `page`; the last action must be the answer."""


@dataclass(frozen=True)
class Site:
    """A web app: `root` holds its static files; `world(seed)` is its data, with the first app state under "state"."""

    name: str
    root: Path
    world: Callable[[int], World]
    templates: tuple[Template, ...] = ()


class Suite:
    """The tasks of one or more sites. `shared` is a folder of static files served to each site under /_shared/."""

    def __init__(self, name: str, sites: Sequence[Site], shared: Path | None = None) -> None:
        self.name = name
        self.shared = shared
        self.sites = {site.name: site for site in sites}
        self._templates = {
            f"{site.name}.{template.name}": (site, template) for site in sites for template in site.templates
        }
        if len(self._templates) != sum(len(site.templates) for site in sites):
            raise ValueError(f"suite {name!r}: two templates of a site have the same name")

    def templates(self, split: Split) -> tuple[str, ...]:
        """Names (`SITE.TEMPLATE`) of the templates of a split, in order of definition."""
        if split not in SPLITS:
            raise UnknownTask(f"unknown split {split!r}; known: {', '.join(SPLITS)}")
        return tuple(
            name for name, (_, template) in self._templates.items() if template.heldout == (split == "heldout")
        )

    def tasks(self, split: Split, per_template: int, offset: int = 0) -> list[Task]:
        """The tasks number `offset` to `offset + per_template` of each template of a split."""
        first = offset if split == "train" else TEST_SEEDS + offset
        return [self.draw(name, first + k) for name in self.templates(split) for k in range(per_template)]

    def task(self, task_id: str) -> Task:
        """The task of an id. UnknownTask if there is none."""
        name, _, seed = task_id.rpartition(".")
        if name not in self._templates or not seed.isdecimal():
            known = ", ".join(f"{known}.SEED" for known in self._templates)
            raise UnknownTask(f"unknown task {task_id!r}; known: {known}")
        return self.draw(name, int(seed))

    def draw(self, name: str, seed: int) -> Task:
        """The task of a template (`SITE.TEMPLATE`) and a seed."""
        site, template = self._find(name)
        draw = self._draw(site, template, seed)
        # In turn, from a place that differs between templates: any few seeds in a row show the phrasings evenly, while
        # random draws would leave some out of a handful of demonstrations and weigh others twice in an evaluation.
        phrasing = template.phrasings[(zlib.crc32(name.encode()) + seed) % len(template.phrasings)]
        evaluators: list[Evaluator] = [StateChanges(draw.changes) if draw.hooks is None else FullScore()]
        if draw.answer is not None:
            evaluators.append(AnswerIs(draw.answer))
        split: Split = "heldout" if template.heldout else "train" if seed < TEST_SEEDS else "test"
        return Task(
            id=f"{name}.{seed}",
            suite=self.name,
            site=site.name,
            template=name,
            split=split,
            seed=seed,
            intent=phrasing.format(**draw.params),
            start_url=f"{draw.start}?seed={seed}" + ("&as=guest" if draw.guest else ""),
            evaluators=tuple(evaluators),
            max_turns=template.max_turns,
            hooks=draw.hooks,
        )

    def first_page(self, site: str, seed: int) -> str:
        """The address, relative to a site's origin, that a person may begin at: that of its first task."""
        templates = self.sites[site].templates
        return self.draw(f"{site}.{templates[0].name}", seed).start_url if templates else f"/?seed={seed}"

    def has_oracle(self, name: str) -> bool:
        """Whether the tasks of a template (`SITE.TEMPLATE`) can be played by an oracle."""
        return self._find(name)[1].has_oracle

    def oracle(self, task: Task, page: Any) -> Oracle:
        """A run of the task's oracle from its first snapshot. LookupError if its template has none."""
        site, template = self._find(task.template)
        if not template.has_oracle:
            raise LookupError(f"{task.template} has no oracle")
        return template.oracle(page, replace(self._draw(site, template, task.seed), intent=task.intent))

    def _find(self, name: str) -> tuple[Site, Template]:
        if name not in self._templates:
            raise UnknownTask(f"unknown template {name!r}; known: {', '.join(self._templates)}")
        return self._templates[name]

    @staticmethod
    def _draw(site: Site, template: Template, seed: int) -> Draw:
        rng = random.Random(f"{site.name}.{template.name}:{seed}:draw")
        return template.draw(site.world(seed), rng)


def load_suite(name: str) -> Suite:
    """The suite of an import string, `package` or `package:function`; the function (default `suite`) returns it.

    A name without a dot is looked for among the project's own sites first.
    """
    module_name, _, function = name.partition(":")
    if "." not in module_name:
        with contextlib.suppress(ModuleNotFoundError, ValueError):
            if importlib.util.find_spec(f"sites.{module_name}") is not None:
                module_name = f"sites.{module_name}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not module_name.startswith(error.name):
            raise
        raise UnknownTask(f"unknown suite {name!r}: there is no Python package {module_name!r}") from error
    make = getattr(module, function or "suite", None)
    if make is None:
        raise UnknownTask(f"unknown suite {name!r}: {module_name!r} has no function {function or 'suite'!r}")
    suite = make()
    if not isinstance(suite, Suite):
        raise UnknownTask(f"unknown suite {name!r}: {function or 'suite'}() did not return a Suite")
    return suite
