"""What the templates draw from: products that fit, listings as the shop shows them, addresses, amounts of money.

Pure functions of the world and the generator. `search` and `listed` are `catalogue.js` in Python.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from harness.tasks.evaluate import Change
from harness.tasks.task import World
from sites.shop import words
from sites.shop.pricing import line_id

T = TypeVar("T")
PAGE_SIZE = 12
Product = dict[str, Any]
Address = dict[str, str]


def money(cents: int) -> str:
    """An amount as the shop writes it: "£1,234.50"."""
    return f"£{cents // 100:,}.{cents % 100:02}"


def by_id(world: World) -> dict[str, Product]:
    """The products by their ids."""
    return {product["id"]: product for product in world["products"]}


def category_name(world: World, category: str) -> str:
    """What the shop calls a category."""
    return next(str(entry["name"]) for entry in world["shop"]["categories"] if entry["id"] == category)


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9&]+", text.lower()) if word]


def search(products: Sequence[Product], query: str) -> list[Product]:
    """What the search box finds, in its order."""
    wanted = [word.removesuffix("s") if len(word) > 3 else word for word in _words(query)]
    in_title, elsewhere = [], []
    for product in products:
        title = _hits(wanted, product["title"])
        if all(title):
            in_title.append(product)
            continue
        parts = (product["brand"], product["category"], *product["colours"], product["specs"]["Material"])
        rest = _hits(wanted, " ".join(parts))
        if all(a or b for a, b in zip(title, rest, strict=True)):
            elsewhere.append(product)
    return in_title + elsewhere


def _hits(wanted: Sequence[str], text: str) -> list[bool]:
    parts = _words(text)
    return [any(part.startswith(word) for part in parts) for word in wanted]


def listed(
    world: World, category: str, brand: str | None = None, stars: int = 0, most: int | None = None
) -> list[Product]:
    """The products of a category that pass these filters, in featured order. `most` is a price in cents."""
    return [
        product
        for product in world["products"]
        if product["category"] == category
        and (brand is None or product["brand"] == brand)
        and product["rating"] >= stars * 10
        and (most is None or product["price"] <= most)
    ]


def brand_choices(world: World) -> list[tuple[str, str]]:
    """Each category with each of its brands."""
    return [
        (category, brand)
        for category in words.CATEGORIES
        for brand in sorted({product["brand"] for product in listed(world, category)})
    ]


def pick(rng: random.Random, candidates: Sequence[T], fits: Callable[[T], bool], what: str) -> T:
    """One of the candidates that fit. LookupError, naming `what` is lacking, if none does."""
    rest = list(candidates)
    while rest:
        candidate = rest.pop(rng.randrange(len(rest)))
        if fits(candidate):
            return candidate
    raise LookupError(f"this world has no {what}")


def pick_product(
    world: World, rng: random.Random, fits: Callable[[Product], bool] = lambda product: True, what: str = ""
) -> Product:
    """A product that fits and that a search for its title shows on the first page."""

    def good(product: Product) -> bool:
        return fits(product) and product in search(world["products"], product["title"])[:PAGE_SIZE]

    return pick(rng, world["products"], good, f"product {what}".strip())


def in_cart(world: World, product: Product) -> bool:
    """Whether some of the product is in the cart at the start."""
    return any(line["product"] == product["id"] for line in world["state"]["cart"]["items"].values())


def added_to_cart(world: World, product: Product, size: str = "", colour: str = "", quantity: int = 1) -> Change:
    """The change that adding a product makes to the initial cart; its first colour unless one is named."""
    colour = colour or product["colours"][0]
    key = line_id(product["id"], size, colour)
    had = world["state"]["cart"]["items"].get(key, {"quantity": 0})["quantity"]
    line = {"product": product["id"], "size": size, "colour": colour, "quantity": had + quantity}
    return Change(f"/cart/items/{key}", line)


def new_phone(rng: random.Random) -> str:
    """A phone number."""
    return f"07{rng.randrange(100, 1000)} {rng.randrange(100000, 1000000)}"


def new_address(rng: random.Random) -> Address:
    """A postal address: name, street, city, postcode, country."""
    letters = rng.choice("ABDEFGHJLN") + rng.choice("PQRSTUWXYZ")
    return {
        "name": f"{rng.choice(words.FIRST_NAMES)} {rng.choice(words.LAST_NAMES)}",
        "street": f"{rng.randint(1, 240)} {rng.choice(words.STREET_NAMES)} {rng.choice(words.STREET_ENDS)}",
        "city": rng.choice(words.CITY_STARTS) + rng.choice(words.CITY_ENDS),
        "postcode": f"{rng.choice('BCDEGHLMNSW')}{rng.randint(1, 29)} {rng.randint(1, 9)}{letters}",
        "country": rng.choice(words.COUNTRIES),
    }
