"""Checking out what is in the cart at the start, signed in or as a guest."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from harness.page.action import Click, Type
from harness.page.snapshot import Snapshot
from harness.tasks.evaluate import Change
from harness.tasks.task import Draw, Oracle, Template, World
from sites.shop.pricing import totals
from sites.shop.tasks import draws, steps

ADDRESS_PARTS = ("name", "street", "city", "postcode", "country")


def placed_order(
    world: World, email: str, address: Mapping[str, Any], delivery: str, payment: str
) -> tuple[Change, Change]:
    """What placing the order of the initial cart changes: the new order, and the empty cart."""
    cart, products = world["state"]["cart"], draws.by_id(world)
    number = max(int(order[1:]) for order in world["state"]["orders"]) + 1
    sums = totals(dict(world), cart, delivery)
    order = {
        "date": world["shop"]["today"],
        "status": "Processing",
        "email": email,
        "items": {key: {**line, "price": products[line["product"]]["price"]} for key, line in cart["items"].items()},
        "address": {part: address[part] for part in ADDRESS_PARTS},
        "delivery": delivery,
        "payment": payment,
        "coupon": None,
        "discount": 0,
        "total": sums.total,
    }
    return Change(f"/orders/o{number}", order), Change("/cart", {"items": {}, "coupon": None})


def go_on(page: Snapshot) -> steps.Steps:
    """To the next step of the checkout."""
    return (yield Click(steps.one(page, "button", "Continue")))


class CheckoutSaved(Template):
    """A saved address, a way of delivery, and one of three ways to pay."""

    name = "checkout_saved"
    phrasings = (
        "Check out my cart: deliver to my {label} address, delivery {delivery}, payment {payment}.",
        "Place the order for what is in my cart. Address: {label}. Delivery: {delivery}. Payment: {payment}.",
        "Buy everything in my cart and have it sent to my address {label}. Way of delivery: {delivery}. "
        "Pay by this: {payment}.",
    )
    max_turns = 20

    def draw(self, world: World, rng: random.Random) -> Draw:
        state, shop = world["state"], world["shop"]
        address = rng.choice(list(state["addresses"].values()))
        delivery = rng.choice(shop["delivery"])
        total = totals(dict(world), state["cart"], delivery["id"]).total
        method = rng.choice(("Card", "Gift card", "Pay on delivery"))
        gifts = [code for code, balance in shop["giftCards"].items() if balance >= total]
        if method == "Gift card" and not gifts:
            method = "Pay on delivery"
        fields: tuple[tuple[str, str], ...] = ()
        text, kept = method, method
        if method == "Card":
            number = str(rng.randrange(4 * 10**15, 5 * 10**15))
            expiry, code = f"{rng.randint(1, 12):02}/{rng.randint(27, 32)}", f"{rng.randrange(1000):03}"
            fields = (("Card number", number), ("Expiry date", expiry), ("Security code", code))
            text = f"Card, number {number}, expiry date {expiry}, security code {code}"
            kept = f"Card ending {number[-4:]}"
        elif method == "Gift card":
            fields = (("Gift card code", rng.choice(gifts)),)
            text = f"Gift card, code {fields[0][1]}"
        return Draw(
            {"label": address["label"], "delivery": delivery["name"], "payment": text},
            changes=placed_order(world, state["session"]["user"], address, delivery["id"], kept),
            extra={"method": method, "fields": fields},
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Cart")
        page = yield Click(steps.one(page, "link", "Go to checkout"))
        page = yield from steps.choose_radio(page, draw.params["label"], "Deliver to")
        page = yield from go_on(page)
        page = yield from steps.choose_radio(page, draw.params["delivery"], "Way of delivery")
        page = yield from go_on(page)
        page = yield from steps.choose_radio(page, draw.extra["method"], "Pay by")
        page = yield from steps.fill(page, draw.extra["fields"])
        page = yield from go_on(page)
        page = yield Click(steps.one(page, "button", "Place order"))
        yield steps.answer(page, draw)


class GuestCheckout(Template):
    """The longest way: a guest gives everything."""

    name = "guest_checkout"
    phrasings = (
        "Check out as a guest with the email {email}. Deliver to {name}, {street}, {city}, {postcode}, {country} by "
        "{delivery}, and choose Pay on delivery.",
        "Order what is in the cart without signing in. Email: {email}. Full name: {name}. Street and number: {street}. "
        "City: {city}. Postcode: {postcode}. Country: {country}. Delivery: {delivery}. Payment: Pay on delivery.",
        "Buy the cart for {name} ({email}), who lives at {street} in {city}, postcode {postcode}, {country}. "
        "Delivery {delivery}, payment Pay on delivery, no account.",
    )
    max_turns = 25

    def draw(self, world: World, rng: random.Random) -> Draw:
        address = draws.new_address(rng)
        first, last = address["name"].lower().split()
        email = f"{first}.{last}@example.org"
        delivery = rng.choice(world["shop"]["delivery"])
        return Draw(
            {"email": email, "delivery": delivery["name"], **address},
            changes=placed_order(world, email, address, delivery["id"], "Pay on delivery"),
            guest=True,
        )

    def oracle(self, page: Snapshot, draw: Draw) -> Oracle:
        page = yield from steps.open_tool(page, "Cart")
        page = yield Click(steps.one(page, "link", "Go to checkout"))
        page = yield Type(steps.one(page, "textbox", "Email"), draw.params["email"])
        page = yield from steps.fill_address(page, draw.params)
        page = yield from go_on(page)
        page = yield from steps.choose_radio(page, draw.params["delivery"], "Way of delivery")
        page = yield from go_on(page)
        page = yield from steps.choose_radio(page, "Pay on delivery", "Pay by")
        page = yield from go_on(page)
        page = yield Click(steps.one(page, "button", "Place order"))
        yield steps.answer(page, draw)
