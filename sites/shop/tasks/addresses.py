"""The saved addresses: a new one, another value in one, the default, one less."""

from __future__ import annotations

import random
from typing import Any

from harness.page.action import Click, Type
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop import words
from sites.shop.tasks import draws, steps

FIELDS = {"street": "Street and number", "city": "City", "postcode": "Postcode", "country": "Country"}


def pick_address(world: World, rng: random.Random, default: bool | None = None) -> tuple[str, dict[str, Any]]:
    """A saved address, the default one or another one if that is asked for: its id and its content."""
    addresses: list[tuple[str, dict[str, Any]]] = list(world["state"]["addresses"].items())
    return draws.pick(rng, addresses, lambda entry: default in (None, entry[1]["default"]), "such address")


def entry_of(page: Snapshot, label: str) -> str:
    """On the page of addresses: the heading of the address with this label, which names its entry."""
    return steps.starting(page, "heading", label).name


class AddAddress(Template):
    """All fields of a form."""

    name = "add_address"
    phrasings = (
        "Add a new address to my account: label {label}, {name}, {street}, {city}, {postcode}, {country}.",
        "Save this address under the label {label}. Full name: {name}. Street and number: {street}. City: {city}. "
        "Postcode: {postcode}. Country: {country}.",
        "I also get parcels at {street} in {city}, postcode {postcode}, {country}, in the name of {name}. "
        "Add that to my addresses as {label}.",
    )
    max_turns = 19

    def draw(self, world: World, rng: random.Random) -> Draw:
        addresses = world["state"]["addresses"]
        used = {entry["label"] for entry in addresses.values()}
        label = rng.choice([label for label in words.ADDRESS_LABELS if label not in used])
        address = draws.new_address(rng)
        key = f"a{max(int(key[1:]) for key in addresses) + 1}"
        return Draw(
            {"label": label, **address},
            changes=(Change(f"/addresses/{key}", {"label": label, **address, "default": False}),),
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_account(page, "Addresses")
        page = yield Click(steps.one(page, "link", "Add a new address"))
        page = yield Type(steps.one(page, "textbox", "Label"), draw.params["label"])
        page = yield from steps.fill_address(page, draw.params)
        page = yield Click(steps.one(page, "button", "Save address"))
        yield steps.answer(page, draw)


class EditAddress(Template):
    """One field of one address."""

    name = "edit_address"
    phrasings = (
        "In my address {label}, change {field} to {value}.",
        "My {label} address has a new value for {field}: {value}. Save that.",
        "Edit the saved address {label}. {field} must be {value}, the rest stays.",
        "Correct the {label} address in my account: {field} should read {value}.",
    )
    max_turns = 11

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, address = pick_address(world, rng)
        part = rng.choice(list(FIELDS))
        value = address[part]
        while value == address[part]:
            value = draws.new_address(rng)[part]
        return Draw(
            {"label": address["label"], "field": FIELDS[part], "value": value},
            changes=(Change(f"/addresses/{key}/{part}", value),),
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        field, value = draw.params["field"], draw.params["value"]
        page = yield from steps.open_account(page, "Addresses")
        page = yield Click(steps.one(page, "link", "Edit", entry_of(page, draw.params["label"])))
        if field == "Country":
            page = yield from steps.choose(page, field, value)
        else:
            page = yield from steps.fill(page, [(field, value)])
        page = yield Click(steps.one(page, "button", "Save address"))
        yield steps.answer(page, draw)


class SetDefaultAddress(Template):
    """Another address as the default."""

    name = "set_default_address"
    phrasings = (
        "Make {label} my default address.",
        "Set the saved address {label} as default.",
        "From now on my orders go to {label} by default. Set that in my addresses.",
        "Change the default address of my account to {label}.",
    )
    max_turns = 8

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, address = pick_address(world, rng, default=False)
        old, _ = pick_address(world, rng, default=True)
        return Draw(
            {"label": address["label"]},
            changes=(Change(f"/addresses/{old}/default", False), Change(f"/addresses/{key}/default", True)),
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_account(page, "Addresses")
        page = yield Click(steps.one(page, "button", "Set as default", entry_of(page, draw.params["label"])))
        yield steps.answer(page, draw)


class DeleteAddress(Template):
    """A relative of the above, with a question to confirm as when an order is cancelled."""

    name = "delete_address"
    heldout = True
    phrasings = (
        "Delete the address {label} from my account.",
        "I have moved: remove my saved address {label}, and confirm it.",
        "The {label} address is out of date. Delete it.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, address = pick_address(world, rng, default=False)
        return Draw({"label": address["label"]}, changes=(Change(f"/addresses/{key}", remove=True),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_account(page, "Addresses")
        page = yield Click(steps.one(page, "button", "Delete", entry_of(page, draw.params["label"])))
        page = yield Click(steps.one(page, "button", "Delete"))
        yield steps.answer(page, draw)
