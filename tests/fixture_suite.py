"""A suite as small as can be, for tests that need a site but not the shop: `--suite tests.fixture_suite`.

Its one site, "demo", keeps notes: a form adds one, a button removes one, and a page shows each at length.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from harness.page.action import Answer, Click, Type
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Site, Suite, Template, World

ROOT = Path(__file__).parent / "fixtures" / "demo"
COLOURS = ("red", "green", "blue", "grey")
THINGS = ("kettle", "ladder", "lamp", "möbel", "rope", "spoon", "tent", "wheel")


def world(seed: int) -> World:
    """Three things with a colour, and the notes that are kept at first."""
    rng = random.Random(f"demo:{seed}")
    things = rng.sample(THINGS, 3)
    return {
        "things": [{"name": thing, "colour": rng.choice(COLOURS)} for thing in things],
        "state": {"notes": {"n1": f"Buy a {things[0]}", "n2": f"Sell the {things[1]}"}, "next": 3},
    }


class AddNote(Template):
    """Changes the state."""

    name = "add_note"
    phrasings = ("Add the note “{text}”.", "Please write down “{text}” as a note.")
    max_turns = 6

    def draw(self, world: World, rng: random.Random) -> Draw:
        text = f"Paint the {rng.choice(THINGS)}"
        return Draw({"text": text}, changes=(Change("/notes/n3", text), Change("/next", 4)))

    def oracle(self, page: Any, draw: Draw) -> Oracle:
        (field,) = page.find("textbox", "Note")
        page = yield Type(field.ref, draw.params["text"])
        (button,) = page.find("button", "Add")
        yield Click(button.ref)
        yield Answer()


class Colour(Template):
    """Asks for an answer and must change nothing."""

    name = "colour"
    phrasings = ("What is the colour of the {thing}?",)
    max_turns = 4

    def draw(self, world: World, rng: random.Random) -> Draw:
        thing = rng.choice(world["things"])
        return Draw({"thing": thing["name"]}, answer=thing["colour"])

    def oracle(self, page: Any, draw: Draw) -> Oracle:
        (link,) = page.find("link", "Things")
        page = yield Click(link.ref)
        yield Answer(draw.answer or "")


class RemoveNote(Template):
    """Is never trained on."""

    name = "remove_note"
    phrasings = ("Remove the note “{text}”.",)
    max_turns = 4
    heldout = True

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, text = rng.choice(list(world["state"]["notes"].items()))
        return Draw({"text": text}, changes=(Change(f"/notes/{key}", remove=True),))

    def oracle(self, page: Any, draw: Draw) -> Oracle:
        (button,) = page.find("button", f"Remove {draw.params['text']}")
        yield Click(button.ref)
        yield Answer()


def suite() -> Suite:
    """The site "demo" with a template per kind of task."""
    return Suite("tests.fixture_suite", [Site("demo", ROOT, world, (AddNote(), Colour(), RemoveNote()))])
