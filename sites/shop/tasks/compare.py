"""Comparing products: ticking them for the comparison and reading its table."""

from __future__ import annotations

import random

from harness.page.action import Check, Click
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop.tasks import draws, steps


def tick_compare(page: Snapshot) -> steps.Steps:
    """On a product's page: put it into the comparison."""
    return (yield Check(steps.one(page, "checkbox", "Compare", "Buy"), True))


class CompareDeal(Template):
    """The deal of the day into the comparison."""

    name = "compare_deal"
    phrasings = (
        "Add the deal of the day to the comparison.",
        "Mark today's deal for compare.",
        "Open the deal of the day and tick Compare for it.",
        "I want to compare the deal of the day with other things later: put it on the compare list.",
    )
    max_turns = 7

    def draw(self, world: World, rng: random.Random) -> Draw:
        return Draw({}, changes=(Change(f"/compare/{world['shop']['deal']}", True),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield Click(steps.one(page, "link", "See the deal"))
        page = yield from tick_compare(page)
        yield steps.answer(page, draw)


class CompareTwo(Template):
    """Two products into the comparison."""

    name = "compare_two"
    phrasings = (
        "Put the {first} and the {second} on the compare list.",
        "Add both {first} and {second} to the comparison.",
        "I cannot decide between the {first} and the {second}. Tick Compare for each of them.",
        "Mark “{first}” for compare, then “{second}” as well.",
    )
    max_turns = 13

    def draw(self, world: World, rng: random.Random) -> Draw:
        first = draws.pick_product(world, rng)
        second = draws.pick_product(
            world, rng, lambda product: product["category"] == first["category"] and product != first, "to compare"
        )
        return Draw(
            {"first": first["title"], "second": second["title"]},
            changes=(Change(f"/compare/{first['id']}", True), Change(f"/compare/{second['id']}", True)),
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        for title in (draw.params["first"], draw.params["second"]):
            page = yield from steps.open_product(page, title)
            page = yield from tick_compare(page)
        yield steps.answer(page, draw)


class CompareAnswer(Template):
    """Two products into the comparison, and a cell of its table as the answer."""

    name = "compare_answer"
    phrasings = (
        "Compare the {first} with the {second}. Which {row} does the compare table show for the {second}?",
        "Put the {first} and the {second} side by side on the compare page, then tell me the {row} of the {second}.",
        "Add {first} and {second} to the comparison, open it, and read off the {row} of the {second}.",
    )
    max_turns = 14
    ROWS = ("Material", "Weight", "Warranty", "Brand", "Price")

    def draw(self, world: World, rng: random.Random) -> Draw:
        row = rng.choice(self.ROWS)
        first = draws.pick_product(world, rng)

        def good(product: draws.Product) -> bool:
            return product["category"] == first["category"] and self._cell(product, row) != self._cell(first, row)

        second = draws.pick_product(world, rng, good, f"with another {row}")
        return Draw(
            {"first": first["title"], "second": second["title"], "row": row},
            changes=(Change(f"/compare/{first['id']}", True), Change(f"/compare/{second['id']}", True)),
            answer=self._cell(second, row),
        )

    @staticmethod
    def _cell(product: draws.Product, row: str) -> str:
        """What the table shows for a product in a row."""
        if row == "Price":
            return draws.money(product["price"])
        return str(product["brand"] if row == "Brand" else product["specs"][row])

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        for title in (draw.params["first"], draw.params["second"]):
            page = yield from steps.open_product(page, title)
            page = yield from tick_compare(page)
        page = yield from steps.open_tool(page, "Compare")
        steps.one(page, "rowheader", draw.params["row"])
        yield steps.answer(page, draw)
