"""The initial app state of a shop world: its customer, their addresses, orders, cart and wish list.

Everything a user can change is in this one document; what the shop itself says is elsewhere in the world.
Collections are objects keyed by id, so that two states compare without regard to order.
"""

import random
from datetime import date, timedelta
from typing import Any

from sites.shop import words
from sites.shop.pricing import line_id

PAYMENTS = ("card", "card", "card", "Gift card", "Pay on delivery")
DELIVERY_PRICES = {"standard": 495, "express": 1290, "pickup": 0}


def initial_state(rng: random.Random, today: date, products: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the app state at the start: signed in, a part-filled cart and wish list, a history of orders."""
    first, last = rng.choice(words.FIRST_NAMES), rng.choice(words.LAST_NAMES)
    name, email = f"{first} {last}", f"{first}.{last}@example.com".lower()
    addresses = _addresses(rng, name)
    available = [product for product in products if product["stock"] >= 6]
    cart = {}
    for product in rng.sample(available, rng.choice((2, 3))):
        key, line = _line(rng, product)
        cart[key] = line
    return {
        "session": {"user": email},
        "account": {
            "name": name,
            "email": email,
            "password": f"{rng.choice(words.PASSWORD_WORDS)}-{rng.choice(words.PASSWORD_WORDS)}-{rng.randint(10, 99)}",
            "phone": f"07{rng.randrange(100, 1000)} {rng.randrange(100000, 1000000)}",
            "newsletter": rng.random() < 0.5,
        },
        "addresses": addresses,
        "orders": _orders(rng, today, available, addresses, email),
        "cart": {"items": cart, "coupon": None},
        "wishlist": {product["id"]: True for product in rng.sample(available, rng.choice((2, 3)))},
        "compare": {},
        "messages": {},
        "checkout": None,
    }


def _addresses(rng: random.Random, owner: str) -> dict[str, dict[str, Any]]:
    count = rng.choice((2, 3))
    default = rng.randrange(count)
    addresses = {}
    for index, label in enumerate(("Home", *rng.sample(words.ADDRESS_LABELS[1:], count - 1))):
        addresses[f"a{index + 1}"] = {
            "label": label,
            "name": owner,
            "street": (f"{rng.randint(1, 240)} {rng.choice(words.STREET_NAMES)} {rng.choice(words.STREET_ENDS)}"),
            "city": rng.choice(words.CITY_STARTS) + rng.choice(words.CITY_ENDS),
            "postcode": f"{rng.choice('BCDEGHLMNSW')}{rng.randint(1, 29)} {rng.randint(1, 9)}{_letters(rng)}",
            "country": words.COUNTRIES[0] if index == 0 else rng.choice(words.COUNTRIES),
            "default": index == default,
        }
    return addresses


def _letters(rng: random.Random) -> str:
    return rng.choice("ABDEFGHJLN") + rng.choice("PQRSTUWXYZ")


def _line(rng: random.Random, product: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Draw a cart line of ``product``: its key and its content."""
    size = rng.choice(product["sizes"]) if product["sizes"] else ""
    colour = rng.choice(product["colours"])
    quantity = rng.choice((1, 1, 1, 2, 3))
    return line_id(product["id"], size, colour), {
        "product": product["id"],
        "size": size,
        "colour": colour,
        "quantity": quantity,
    }


def _orders(
    rng: random.Random,
    today: date,
    products: list[dict[str, Any]],
    addresses: dict[str, dict[str, Any]],
    email: str,
) -> dict[str, dict[str, Any]]:
    """Draw 12 to 16 orders on different days; the newest are still processing, then shipped, then delivered."""
    count = rng.randint(12, 16)
    days = sorted(rng.sample(range(1, 4), 1) + rng.sample(range(4, 15), 4) + rng.sample(range(15, 500), count - 5))
    processing, shipped = rng.choice((3, 4)), rng.choice((1, 2))
    number = rng.randint(1040, 4900)
    orders = {}
    for age, position in zip(reversed(days), reversed(range(count)), strict=True):
        if position < processing:
            status = "Processing"
        elif position < processing + shipped:
            status = "Shipped"
        else:
            status = rng.choice(("Delivered", "Delivered", "Delivered", "Cancelled"))
        items: dict[str, dict[str, Any]] = {}
        subtotal = 0
        for product in rng.sample(products, rng.choice((1, 1, 2, 3))):
            key, line = _line(rng, product)
            items[key] = {**line, "price": product["price"]}
            subtotal += product["price"] * line["quantity"]
        address = addresses[rng.choice(list(addresses))]
        delivery = rng.choice(tuple(DELIVERY_PRICES))
        payment = rng.choice(PAYMENTS)
        orders[f"o{number}"] = {
            "date": (today - timedelta(days=age)).isoformat(),
            "status": status,
            "email": email,
            "items": items,
            "address": {part: address[part] for part in ("name", "street", "city", "postcode", "country")},
            "delivery": delivery,
            "payment": f"Card ending {rng.randrange(1000, 10000)}" if payment == "card" else payment,
            "coupon": None,
            "discount": 0,
            "total": subtotal + DELIVERY_PRICES[delivery],
        }
        number += rng.randint(1, 9)
    return orders
