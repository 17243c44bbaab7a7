"""The wish list: putting products on it, however they are found, and taking them off it."""

from __future__ import annotations

import random
from typing import Any

from harness.page.action import Click, Type
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop import words
from sites.shop.tasks import draws, steps
from sites.shop.tasks.products import choose_options


def add_wish(page: Snapshot) -> steps.Steps:
    """On a product's page: put it on the wish list."""
    return (yield Click(steps.one(page, "button", "Add to wish list", "Buy")))


def wished(world: World) -> list[draws.Product]:
    """The products on the wish list at the start."""
    return [draws.by_id(world)[product] for product in world["state"]["wishlist"]]


def pick_wish(world: World, rng: random.Random, pieces: int) -> draws.Product:
    """A product on the wish list that has so many pieces in stock, besides those that are in the cart."""
    lines = world["state"]["cart"]["items"].values()

    def good(product: draws.Product) -> bool:
        had = sum(line["quantity"] for line in lines if line["product"] == product["id"])
        return bool(had + pieces <= product["stock"])

    return draws.pick(rng, wished(world), good, "product in stock on the wish list")


class WishlistAdd(Template):
    """One product onto the wish list."""

    name = "wishlist_add"
    phrasings = (
        "Put the {title} on my wish list.",
        "Add “{title}” to the wish list.",
        "I like the {title}, but will buy it later. Remember it on my wish list.",
        "Find the {title} and save it to my wish list.",
    )
    max_turns = 8

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = draws.pick_product(world, rng, lambda product: product["id"] not in world["state"]["wishlist"])
        return Draw({"title": product["title"]}, changes=(Change(f"/wishlist/{product['id']}", True),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_product(page, draw.params["title"])
        page = yield from add_wish(page)
        yield steps.answer(page, draw)


class PagedCategory(Template):
    """A product on a later page of a category, found by turning pages."""

    name = "paged_category"
    phrasings = (
        "Open the category {category}, go through its pages until you see the {title}, and add it to my wish list.",
        "Browse {category} page by page to find the {title}. Put it on my wish list.",
        "Without searching, look for the {title} on the pages of {category} and save it to the wish list.",
        "The {title} is somewhere in the category {category}, not on its first page. Wish-list it.",
    )
    max_turns = 13

    def draw(self, world: World, rng: random.Random) -> Draw:
        later = draws.listed(world, rng.choice(list(words.CATEGORIES)))[draws.PAGE_SIZE :]
        free = [product for product in later if product["id"] not in world["state"]["wishlist"]]
        product = rng.choice(free)
        params = {"title": product["title"], "category": draws.category_name(world, product["category"])}
        return Draw(params, changes=(Change(f"/wishlist/{product['id']}", True),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_category(page, draw.params["category"])
        while not steps.shows(page, "link", draw.params["title"]):
            page = yield Click(steps.one(page, "link", "Next page"))
        page = yield Click(steps.one(page, "link", draw.params["title"]))
        page = yield from add_wish(page)
        yield steps.answer(page, draw)


class DearestBelow(Template):
    """A comparison under a limit: the dearest product that costs no more than that."""

    name = "dearest_below"
    phrasings = (
        "Put the most expensive product in {category} that costs at most £{limit} on my wish list.",
        "My maximum price is £{limit}. Add the dearest product in {category} within it to the wish list.",
        "In {category}, set the maximum price to {limit} and wish-list the product with the highest price left.",
        "Of everything in {category} up to £{limit}, save the most expensive item to my wish list.",
    )
    max_turns = 13

    def draw(self, world: World, rng: random.Random) -> Draw:
        def dearest(choice: tuple[str, int]) -> draws.Product:
            category, limit = choice
            return max(draws.listed(world, category, most=limit * 100), key=lambda product: product["price"])

        def good(choice: tuple[str, int]) -> bool:
            category, limit = choice
            within = len(draws.listed(world, category, most=limit * 100))
            if not 2 <= within < len(draws.listed(world, category)):
                return False
            return dearest(choice)["id"] not in world["state"]["wishlist"]

        choices = [(category, limit) for category in words.CATEGORIES for limit in range(20, 400, 5)]
        choice = draws.pick(rng, choices, good, "category with products on both sides of a limit")
        params = {"category": draws.category_name(world, choice[0]), "limit": str(choice[1])}
        return Draw(params, changes=(Change(f"/wishlist/{dearest(choice)['id']}", True),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_category(page, draw.params["category"])
        page = yield Type(steps.one(page, "textbox", "Maximum price"), draw.params["limit"])
        page = yield Click(steps.one(page, "button", "Apply"))
        page = yield from steps.sort_by(page, "Price: high to low")
        page = yield Click(steps.first_product(page).ref)
        page = yield from add_wish(page)
        yield steps.answer(page, draw)


class WishlistRemove(Template):
    """One product off the wish list."""

    name = "wishlist_remove"
    phrasings = (
        "Remove the {title} from my wish list.",
        "Take “{title}” off the wish list.",
        "I no longer want the {title}. Delete it from my wish list.",
        "Clean up my wish list: the {title} must go, the rest stays.",
    )
    max_turns = 7

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = rng.choice(wished(world))
        return Draw({"title": product["title"]}, changes=(Change(f"/wishlist/{product['id']}", remove=True),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Wish list")
        page = yield Click(steps.one(page, "button", "Remove", draw.params["title"]))
        yield steps.answer(page, draw)


class WishlistToCart(Template):
    """One product from the wish list into the cart, with the options that the wish list names."""

    name = "wishlist_to_cart"
    phrasings = (
        "Move the {title} from my wish list to the cart.",
        "I am ready to buy the {title} that is on my wish list. Move it to my cart.",
        "Open my wish list and move “{title}” to the cart.",
    )
    max_turns = 7

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = pick_wish(world, rng, 1)
        return Draw(
            {"title": product["title"]},
            changes=(
                Change(f"/wishlist/{product['id']}", remove=True),
                draws.added_to_cart(world, product, size=product["sizes"][0] if product["sizes"] else ""),
            ),
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Wish list")
        page = yield Click(steps.one(page, "button", "Move to cart", draw.params["title"]))
        yield steps.answer(page, draw)


class WishWithOptions(Template):
    """A relative of the two above and of choosing options: the product page is where both can be done."""

    name = "wish_with_options"
    heldout = True
    phrasings = (
        "Add the {title} from my wish list to the cart in {options}, then remove it from the wish list.",
        "Put the {title} on my wish list into the cart: {options}. After that take it off the wish list.",
        "Buy later no more: the wish-listed {title} goes into the cart, {options}, and off the wish list.",
    )
    max_turns = 13

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = pick_wish(world, rng, 3)
        extra: dict[str, Any] = {
            "colour": rng.choice(product["colours"]) if len(product["colours"]) > 1 else "",
            "size": rng.choice(product["sizes"]) if product["sizes"] else "",
            "quantity": rng.randint(2, 3),
        }
        named = [f"{option} {extra[option]}" for option in ("colour", "size", "quantity") if extra[option]]
        return Draw(
            {"title": product["title"], "options": ", ".join(named)},
            changes=(Change(f"/wishlist/{product['id']}", remove=True), draws.added_to_cart(world, product, **extra)),
            extra=extra,
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Wish list")
        page = yield Click(steps.one(page, "link", draw.params["title"]))
        page = yield from choose_options(page, draw.extra)
        page = yield Click(steps.one(page, "button", "Add to cart", "Buy"))
        page = yield Click(steps.one(page, "button", "Remove from wish list", "Buy"))
        yield steps.answer(page, draw)
