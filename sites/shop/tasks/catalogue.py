"""Questions about products: their price, specification and reviews, and what listings hold. Nothing is changed."""

from __future__ import annotations

import random

from harness.page.action import Answer, Click
from harness.page.snapshot import Snapshot
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop import words
from sites.shop.tasks import draws, steps


class DealPrice(Template):
    """The answer stands on the first page."""

    name = "deal_price"
    phrasings = (
        "What does the deal of the day cost now?",
        "Tell me the price of today's deal.",
        "How much would I pay for the deal of the day?",
        "Find out the current price of the shop's deal of the day.",
    )
    max_turns = 4

    def draw(self, world: World, rng: random.Random) -> Draw:
        return Draw({}, answer=draws.money(draws.by_id(world)[world["shop"]["deal"]]["price"]))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        yield steps.answer(page, draw)


class ProductPrice(Template):
    """One product, found by its title."""

    name = "product_price"
    phrasings = (
        "How much is the {title}?",
        "What does the {title} cost now?",
        "I am thinking of buying the {title}. Tell me its price.",
        "Look up the current price of “{title}”.",
    )
    max_turns = 7

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = draws.pick_product(world, rng)
        return Draw({"title": product["title"]}, answer=draws.money(product["price"]))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_product(page, draw.params["title"])
        yield steps.answer(page, draw)


class ProductSpec(Template):
    """One row of the specification of a product."""

    name = "product_spec"
    phrasings = (
        "What does the specification of the {title} say about “{spec}”?",
        "Look up “{spec}” in the specification of the {title}.",
        "In the details of the {title}, what is given as {spec}?",
        "{title}: which {spec} does the shop state?",
    )
    max_turns = 7

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = draws.pick_product(world, rng)
        spec, value = rng.choice(list(product["specs"].items()))
        return Draw({"title": product["title"], "spec": spec}, answer=value)

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_product(page, draw.params["title"])
        steps.one(page, "rowheader", draw.params["spec"], "Specification")
        yield steps.answer(page, draw)


class SearchCount(Template):
    """How many results a search has."""

    name = "search_count"
    phrasings = (
        "How many results does a search for “{query}” give?",
        "Search the shop for “{query}” and tell me the number of results.",
        "I want to know how many products the search finds for “{query}”.",
        "Type “{query}” into the search box. How many results are there?",
    )
    max_turns = 5

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = rng.choice(world["products"])
        query = rng.choice((product["title"].split()[-1].lower(), product["specs"]["Material"], product["brand"]))
        return Draw({"query": query}, answer=str(len(draws.search(world["products"], query))))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.search(page, draw.params["query"])
        yield steps.answer(page, draw)


class BrandCount(Template):
    """How many products pass two filters."""

    name = "brand_count"
    phrasings = (
        "How many products by {brand} in {category} are rated 4 stars & up?",
        "In the category {category}, count the products of the brand {brand} with 4 stars & up.",
        "Filter {category} by {brand} and by 4 stars & up. How many products remain?",
        "Of the {brand} products under {category}, how many have a rating of 4 stars & up?",
    )
    max_turns = 8

    def draw(self, world: World, rng: random.Random) -> Draw:
        def count(choice: tuple[str, str]) -> int:
            return len(draws.listed(world, *choice, stars=4))

        choices = draws.brand_choices(world)
        category, brand = draws.pick(rng, choices, lambda choice: count(choice) > 0, "brand with well rated products")
        params = {"brand": brand, "category": draws.category_name(world, category)}
        return Draw(params, answer=str(count((category, brand))))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_category(page, draw.params["category"])
        page = yield from steps.filter_brand(page, draw.params["brand"])
        page = yield from steps.filter_stars(page, "4")
        yield steps.answer(page, draw)


class CheapestPrice(Template):
    """A comparison, made by the shop's own filter and order."""

    name = "cheapest_price"
    phrasings = (
        "What is the price of the cheapest product in {category} with {stars} stars & up?",
        "How much does the cheapest {category} product rated {stars} stars & up cost?",
        "Among all {category} with {stars} stars & up, find the lowest price.",
        "I look for something cheap in {category}, rated {stars} stars & up. What is the lowest price there?",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        stars = rng.choice((3, 4))

        def good(category: str) -> bool:
            return len(draws.listed(world, category, stars=stars)) > 1

        category = draws.pick(rng, list(words.CATEGORIES), good, "category with well rated products")
        cheapest = min(product["price"] for product in draws.listed(world, category, stars=stars))
        params = {"category": draws.category_name(world, category), "stars": str(stars)}
        return Draw(params, answer=draws.money(cheapest))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_category(page, draw.params["category"])
        page = yield from steps.filter_stars(page, draw.params["stars"])
        page = yield from steps.sort_by(page, "Price: low to high")
        page = yield Click(steps.first_product(page).ref)
        yield steps.answer(page, draw)


class DearestOfBrand(Template):
    """A relative of the comparisons: another filter, the other end of the order, a title as the answer."""

    name = "dearest_of_brand"
    heldout = True
    phrasings = (
        "Which product by {brand} in {category} is the most expensive? Give its title.",
        "Tell me the title of the dearest {brand} product in {category}.",
        "In {category}, what is the product of {brand} with the highest price called?",
    )
    max_turns = 8

    def draw(self, world: World, rng: random.Random) -> Draw:
        def good(choice: tuple[str, str]) -> bool:
            return len(draws.listed(world, *choice)) > 2

        category, brand = draws.pick(rng, draws.brand_choices(world), good, "brand with several products")
        dearest = max(draws.listed(world, category, brand), key=lambda product: product["price"])
        params = {"brand": brand, "category": draws.category_name(world, category)}
        return Draw(params, answer=dearest["title"])

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_category(page, draw.params["category"])
        page = yield from steps.filter_brand(page, draw.params["brand"])
        page = yield from steps.sort_by(page, "Price: high to low")
        yield Answer(steps.first_product(page).name)


class ReviewStars(Template):
    """A review by its author; most are not on the first page of the reviews."""

    name = "review_stars"
    phrasings = (
        "How many stars did {author} give the {title}?",
        "Find the review of the {title} written by {author}. What is its rating out of 5?",
        "{author} reviewed the {title}. Which rating out of 5 did that review give?",
        "Look through the reviews of “{title}” and tell me the stars that {author} gave.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        product = draws.pick_product(
            world, rng, lambda product: bool(self._authors(world, product)), "with several pages of reviews"
        )
        author = rng.choice(self._authors(world, product))
        (stars,) = (note["stars"] for note in world["reviews"][product["id"]] if note["author"] == author)
        return Draw({"title": product["title"], "author": author}, answer=f"{stars}.0")

    @staticmethod
    def _authors(world: World, product: draws.Product) -> list[str]:
        """Who wrote exactly one review of the product, if there are more reviews than on one page."""
        authors = [note["author"] for note in world["reviews"][product["id"]]]
        return [author for author in authors if authors.count(author) == 1] if len(authors) > 3 else []

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_product(page, draw.params["title"])
        while not any(node.name.startswith(f"{draw.params['author']}, ") for node in page.find("text")):
            page = yield Click(steps.one(page, "button", "Next reviews"))
        yield steps.answer(page, draw)
