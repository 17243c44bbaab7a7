"""Past orders: reading them, cancelling one, ordering one again. The list of orders has several pages."""

from __future__ import annotations

import random
from typing import Any

from harness.page.action import Click
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop.pricing import totals
from sites.shop.tasks import draws, steps
from sites.shop.tasks.cart import apply_coupon


def pick_order(world: World, rng: random.Random, status: str | None = None) -> tuple[str, dict[str, Any]]:
    """An order, of this status if one is given: its id and its content."""
    orders: list[tuple[str, dict[str, Any]]] = list(world["state"]["orders"].items())
    return draws.pick(rng, orders, lambda order: status in (None, order[1]["status"]), f"order that is {status}")


def order_name(order: str) -> str:
    """What the shop calls an order of this id: "Order #1042"."""
    return f"Order #{order[1:]}"


def cart_after_again(world: World, order: dict[str, Any]) -> dict[str, Any]:
    """The lines of the cart once the order's lines have been added to it."""
    items = {key: dict(line) for key, line in world["state"]["cart"]["items"].items()}
    for key, line in order["items"].items():
        had = items.get(key, {}).get("quantity", 0)
        items[key] = {
            **{part: line[part] for part in ("product", "size", "colour")},
            "quantity": had + line["quantity"],
        }
    return items


class OrderStatus(Template):
    """A cell of the list of orders."""

    name = "order_status"
    phrasings = (
        "What is the status of {order}?",
        "Check where {order} stands: tell me its status.",
        "How far is {order} by now? Give the status that my account shows.",
        "In my account, find the status of {order}.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, order = pick_order(world, rng)
        return Draw({"order": order_name(key)}, answer=order["status"])

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.find_order(page, draw.params["order"])
        yield steps.answer(page, draw)


class OrderTotal(Template):
    """Another cell of it."""

    name = "order_total"
    phrasings = (
        "What was the total of {order}?",
        "How much did I pay for {order} in all?",
        "Find {order} in my account and tell me its total.",
        "I am doing my accounts and need the total of {order}.",
    )
    max_turns = 10

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, order = pick_order(world, rng)
        return Draw({"order": order_name(key)}, answer=draws.money(order["total"]))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.find_order(page, draw.params["order"])
        yield steps.answer(page, draw)


class OrderPayment(Template):
    """A line of the order's own page."""

    name = "order_payment"
    phrasings = (
        "How was {order} paid? Answer as the order says under Payment.",
        "Open {order} and tell me its payment.",
        "Which payment is noted in {order}?",
    )
    max_turns = 11

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, order = pick_order(world, rng)
        return Draw({"order": order_name(key)}, answer=order["payment"])

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_order(page, draw.params["order"])
        yield steps.answer(page, draw)


class OrderDelivery(Template):
    """A relative of the questions above: the way of delivery."""

    name = "order_delivery"
    heldout = True
    phrasings = (
        "Which way of delivery did {order} have?",
        "Open {order} and tell me how it was to be delivered: give the name of the delivery.",
        "Look at {order} in my account. What does it say after “Delivery:”?",
    )
    max_turns = 11

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, order = pick_order(world, rng)
        names = {way["id"]: way["name"] for way in world["shop"]["delivery"]}
        return Draw({"order": order_name(key)}, answer=names[order["delivery"]])

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_order(page, draw.params["order"])
        yield steps.answer(page, draw)


class CancelOrder(Template):
    """An order that is still processing, and a question to confirm."""

    name = "cancel_order"
    phrasings = (
        "Cancel {order}.",
        "I do not need {order} any more. Please cancel it.",
        "Stop {order}: open it in my account and cancel it.",
        "Call off {order} and confirm that you are sure.",
    )
    max_turns = 12

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, _ = pick_order(world, rng, "Processing")
        return Draw({"order": order_name(key)}, changes=(Change(f"/orders/{key}/status", "Cancelled"),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_order(page, draw.params["order"])
        page = yield Click(steps.one(page, "button", "Cancel order"))
        page = yield Click(steps.one(page, "button", "Yes, cancel it"))
        yield steps.answer(page, draw)


class Reorder(Template):
    """What was in an order, into the cart once more."""

    name = "reorder"
    phrasings = (
        "Order again what was in {order}: put it all in my cart.",
        "Buy {order} again. Just fill the cart, do not check out.",
        "Use “Order again” on {order}.",
        "I liked what came with {order}. Put the same items in my cart once more.",
    )
    max_turns = 11

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, order = pick_order(world, rng)
        return Draw({"order": order_name(key)}, changes=(Change("/cart/items", cart_after_again(world, order)),))

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_order(page, draw.params["order"])
        page = yield Click(steps.one(page, "button", "Order again"))
        yield steps.answer(page, draw)


class ReorderWithCoupon(Template):
    """Ordering again and a coupon together."""

    name = "reorder_with_coupon"
    heldout = True
    phrasings = (
        "Put what was in {order} into the cart again, then apply the coupon {code} there. What is the new total?",
        "Put the items of {order} into my cart once more, use the coupon code {code}, and tell me the total.",
        "Fill my cart with what was in {order}, enter the coupon {code}, and report the total of the cart.",
    )
    max_turns = 15

    def draw(self, world: World, rng: random.Random) -> Draw:
        key, order = pick_order(world, rng)
        items, coupons = cart_after_again(world, order), world["shop"]["coupons"]
        subtotal = totals(dict(world), {"items": items, "coupon": None}).subtotal
        code = draws.pick(rng, list(coupons), lambda code: coupons[code]["minimum"] <= subtotal, "coupon")
        cart = {"items": items, "coupon": code}
        return Draw(
            {"order": order_name(key), "code": code},
            changes=(Change("/cart", cart),),
            answer=draws.money(totals(dict(world), cart).total),
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_order(page, draw.params["order"])
        page = yield Click(steps.one(page, "button", "Order again"))
        page = yield from apply_coupon(page, draw.params["code"])
        yield steps.answer(page, draw)
