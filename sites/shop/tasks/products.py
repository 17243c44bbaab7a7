"""Putting products into the cart: as they are, with options, in numbers, and the cheapest that fits."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from harness.page.action import Click, Type
from harness.page.snapshot import Snapshot
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop.tasks import draws, steps


def choose_options(page: Snapshot, extra: Mapping[str, Any]) -> steps.Steps:
    """On a product's page: choose the colour, the size and the quantity that are asked for and not chosen yet."""
    for label in ("Colour", "Size"):
        if extra[label.lower()]:
            page = yield from steps.choose(page, label, extra[label.lower()])
    if extra["quantity"] != 1:
        page = yield Type(steps.one(page, "spinbutton", "Quantity", "Buy"), str(extra["quantity"]))
    return page


def has_no_options(product: draws.Product) -> bool:
    """Whether there is nothing to choose but the quantity."""
    return not product["sizes"] and len(product["colours"]) == 1


class AddToCart(Template):
    """One piece of a product that has no options."""

    name = "add_to_cart"
    phrasings = (
        "Add the {title} to my cart.",
        "Put one {title} into the cart, please.",
        "I want to buy the {title}. Place it in my cart, but do not check out.",
        "Find “{title}” and add it to the cart.",
    )
    max_turns = 8

    def draw(self, world: World, rng: random.Random) -> Draw:
        def good(product: draws.Product) -> bool:
            return has_no_options(product) and product["stock"] > 0 and not draws.in_cart(world, product)

        product = draws.pick_product(world, rng, good, "without options")
        return Draw({"title": product["title"]}, changes=(draws.added_to_cart(world, product),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_product(page, draw.params["title"])
        page = yield Click(steps.one(page, "button", "Add to cart", "Buy"))
        yield steps.answer(page, draw)


class AddSeveral(Template):
    """Several pieces of a product that has no options."""

    name = "add_several"
    phrasings = (
        "Add {quantity} pieces of the {title} to my cart.",
        "Put {quantity} × {title} into the cart.",
        "I need the {title} in quantity {quantity}. Place that in the cart.",
        "Please order me nothing yet, but put {quantity} of “{title}” in the cart.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        def good(product: draws.Product) -> bool:
            return has_no_options(product) and product["stock"] >= 6 and not draws.in_cart(world, product)

        product = draws.pick_product(world, rng, good, "without options")
        quantity = rng.randint(2, 6)
        params = {"title": product["title"], "quantity": str(quantity)}
        return Draw(params, changes=(draws.added_to_cart(world, product, quantity=quantity),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_product(page, draw.params["title"])
        page = yield Type(steps.one(page, "spinbutton", "Quantity", "Buy"), draw.params["quantity"])
        page = yield Click(steps.one(page, "button", "Add to cart", "Buy"))
        yield steps.answer(page, draw)


class AddWithOptions(Template):
    """A colour, a size and a quantity."""

    name = "add_with_options"
    phrasings = (
        "Add {quantity} × {title} to my cart, colour {colour}, size {size}.",
        "Put the {title} into the cart: size {size}, colour {colour}, quantity {quantity}.",
        "I would like the {title} in {colour}, size {size}. Place {quantity} of it in my cart.",
        "Choose size {size} and colour {colour} for the {title} and add quantity {quantity} to the cart.",
    )
    max_turns = 13

    def draw(self, world: World, rng: random.Random) -> Draw:
        def good(product: draws.Product) -> bool:
            options = len(product["colours"]) > 1 and bool(product["sizes"])
            return options and product["stock"] >= 3 and not draws.in_cart(world, product)

        product = draws.pick_product(world, rng, good, "with colours and sizes")
        extra = {
            "colour": rng.choice(product["colours"]),
            "size": rng.choice(product["sizes"]),
            "quantity": rng.randint(1, 3),
        }
        params = {"title": product["title"], **{key: str(value) for key, value in extra.items()}}
        return Draw(params, changes=(draws.added_to_cart(world, product, **extra),), extra=extra)

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_product(page, draw.params["title"])
        page = yield from choose_options(page, draw.extra)
        page = yield Click(steps.one(page, "button", "Add to cart", "Buy"))
        yield steps.answer(page, draw)


class CheapestToCart(Template):
    """A comparison by two filters and the order, and then a purchase."""

    name = "cheapest_to_cart"
    phrasings = (
        "Add the cheapest {brand} product in {category} with 4 stars & up to my cart.",
        "In {category}, find the {brand} product with 4 stars & up that costs least, and put it into the cart.",
        "I want something by {brand} from {category}, 4 stars & up. Put the cheapest one in my cart.",
        "Filter {category} by {brand} and 4 stars & up, and place the product with the lowest price in the cart.",
    )
    max_turns = 13

    def draw(self, world: World, rng: random.Random) -> Draw:
        def cheapest(choice: tuple[str, str]) -> draws.Product:
            return min(draws.listed(world, *choice, stars=4), key=lambda product: product["price"])

        def good(choice: tuple[str, str]) -> bool:
            if len(draws.listed(world, *choice, stars=4)) < 2:
                return False
            product = cheapest(choice)
            return has_no_options(product) and product["stock"] > 0 and not draws.in_cart(world, product)

        category, brand = draws.pick(
            rng, draws.brand_choices(world), good, "brand whose cheapest product has no options"
        )
        params = {"category": draws.category_name(world, category), "brand": brand}
        return Draw(params, changes=(draws.added_to_cart(world, cheapest((category, brand))),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_category(page, draw.params["category"])
        page = yield from steps.filter_brand(page, draw.params["brand"])
        page = yield from steps.filter_stars(page, "4")
        page = yield from steps.sort_by(page, "Price: low to high")
        page = yield Click(steps.first_product(page).ref)
        page = yield Click(steps.one(page, "button", "Add to cart", "Buy"))
        yield steps.answer(page, draw)
