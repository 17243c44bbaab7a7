"""A page of MiniWoB++ as a template.

The page draws its task from its own random numbers, which the hooks seed with the task's seed. Then they begin the
episode, which a person would do by clicking on the cover that says START. The page's clock would end the episode and
lower its reward with time: it is set so far off that it never does, and the reward that is read is the raw one. What
the page shows to people about rewards and time is hidden, since it changes by itself. The browser asks for reduced
motion, which jQuery doesn't know: it is told so.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from harness.tasks.task import Draw, Oracle, PageHooks, Template, World
from sites.miniwob.oracles import ORACLES
from sites.miniwob.pages import MAX_TURNS, MORE_TURNS, PAGES

SETUP = """
if (window.jQuery) jQuery.fx.off = true;
Math.seedrandom({seed});
core.EPISODE_MAX_TIME = 2 ** 31 - 1;
core.startEpisodeReal();
core.clearTimer();
core.hideDisplay();
"""
# Some pages return the words with the values that they were made of.
INTENT = "((said) => said.utterance ?? said)(core.getUtterance())"
# What these pages ask for is shown as an icon or a colour, without words: they are put where it stands.
SHOWN = {
    "click-menu-2": """
        [...document.getElementById("query").childNodes]
            .map((node) => (node.classList?.contains("ui-icon") ? `"${node.classList[1]}"` : node.textContent))
            .join(" ")
    """,
    "use-colorwheel-2": """
        [...document.getElementById("query").children]
            .map((node) => node.textContent.trim() || node.style.backgroundColor)
            .join(" ")
    """,
}


class PageTemplate(Template):
    """A page: its name, and the oracle that plays it, None if there is none."""

    phrasings = ("",)

    def __init__(self, name: str, play: Callable[[Any, str], Oracle] | None) -> None:
        self.name = name
        self.max_turns = MORE_TURNS.get(name, MAX_TURNS)
        self.has_oracle = play is not None
        self._play = play

    def draw(self, world: World, rng: random.Random) -> Draw:
        hooks = PageHooks(
            setup=SETUP.format(seed=rng.randrange(1_000_000_000)),
            intent=SHOWN.get(self.name, INTENT),
            done="WOB_DONE_GLOBAL",
            score="WOB_RAW_REWARD_GLOBAL",
        )
        return Draw({}, start=f"/miniwob/{self.name}.html", hooks=hooks)

    def oracle(self, page: Any, draw: Draw) -> Oracle:
        if self._play is None:
            raise LookupError(f"{self.name} has no oracle")
        return self._play(page, draw.intent)


TEMPLATES: tuple[Template, ...] = tuple(PageTemplate(name, ORACLES.get(name)) for name in PAGES)
