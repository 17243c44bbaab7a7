"""The cart as it is at the start: its total, its lines, a coupon."""

from __future__ import annotations

import random

from harness.page.action import Click, Type
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop.pricing import totals
from sites.shop.tasks import draws, steps


def pick_line(world: World, rng: random.Random) -> tuple[str, dict[str, object], draws.Product]:
    """A line of the cart: its key, its content, its product."""
    key, line = rng.choice(list(world["state"]["cart"]["items"].items()))
    return key, line, draws.by_id(world)[line["product"]]


def apply_coupon(page: Snapshot, code: str) -> steps.Steps:
    """On the cart page: enter a coupon."""
    page = yield Type(steps.one(page, "textbox", "Coupon code"), code)
    return (yield Click(steps.one(page, "button", "Apply")))


class CartTotal(Template):
    """The sum at the foot of the cart."""

    name = "cart_total"
    phrasings = (
        "What is the total of my cart?",
        "How much would I pay for everything in my cart, delivery included?",
        "Open the cart and tell me its total.",
        "I am about to check out. What does the cart say is the total?",
    )
    max_turns = 5

    def draw(self, world: World, rng: random.Random) -> Draw:
        return Draw({}, answer=draws.money(totals(dict(world), world["state"]["cart"]).total))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Cart")
        yield steps.answer(page, draw)


class ChangeQuantity(Template):
    """Another number of pieces of one product."""

    name = "change_quantity"
    phrasings = (
        "Change the quantity of the {title} in my cart to {quantity}.",
        "I need {quantity} of the {title} in my cart. Update the quantity.",
        "In the cart, set “{title}” to quantity {quantity}.",
        "Make it {quantity} pieces of the {title} that is in my cart.",
    )
    max_turns = 8

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, line, product = pick_line(world, rng)
        quantity = rng.choice([number for number in range(1, 7) if number != line["quantity"]])
        params = {"title": product["title"], "quantity": str(quantity)}
        return Draw(params, changes=(Change(f"/cart/items/{key}/quantity", quantity),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        title = draw.params["title"]
        page = yield from steps.open_tool(page, "Cart")
        page = yield Type(steps.one(page, "spinbutton", "Quantity", title), draw.params["quantity"])
        page = yield Click(steps.one(page, "button", "Update", title))
        yield steps.answer(page, draw)


class RemoveFromCart(Template):
    """One product out of the cart."""

    name = "remove_from_cart"
    phrasings = (
        "Remove the {title} from my cart.",
        "Take “{title}” out of the cart.",
        "I changed my mind about the {title}: delete it from my cart and keep the rest.",
        "The {title} should not be in my cart any more.",
    )
    max_turns = 7

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, _, product = pick_line(world, rng)
        return Draw({"title": product["title"]}, changes=(Change(f"/cart/items/{key}", remove=True),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Cart")
        page = yield Click(steps.one(page, "button", "Remove", draw.params["title"]))
        yield steps.answer(page, draw)


class ApplyCoupon(Template):
    """A coupon, and the total that it leads to."""

    name = "apply_coupon"
    phrasings = (
        "Apply the coupon {code} to my cart and tell me the new total.",
        "I have the coupon code {code}. Use it in my cart. What is the total then?",
        "Enter {code} as the coupon in the cart and report the total afterwards.",
        "With the coupon {code}, how much is my cart in total? Leave the coupon applied.",
    )
    max_turns = 9

    def draw(self, world: World, rng: random.Random) -> Draw:
        cart = world["state"]["cart"]
        subtotal = totals(dict(world), cart).subtotal
        coupons = world["shop"]["coupons"]
        code = draws.pick(rng, list(coupons), lambda code: coupons[code]["minimum"] <= subtotal, "coupon")
        total = totals(dict(world), {**cart, "coupon": code}).total
        return Draw({"code": code}, changes=(Change("/cart/coupon", code),), answer=draws.money(total))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Cart")
        page = yield from apply_coupon(page, draw.params["code"])
        yield steps.answer(page, draw)
