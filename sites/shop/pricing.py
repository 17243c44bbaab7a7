"""What a cart costs: the same sums in Python that ``cart.js`` does in the page, for evaluators and tests.

All amounts are integer cents. ``discount`` is on the subtotal, rounded half up; delivery by the standard way is free
from ``shop["freeDeliveryFrom"]`` of subtotal, before the discount.
"""

from typing import Any, NamedTuple


class Totals(NamedTuple):
    """The sums at the foot of a cart, in cents."""

    subtotal: int
    discount: int
    delivery: int
    total: int


def line_id(product: str, size: str, colour: str) -> str:
    """Return the key of a cart or order line, such as ``p12|M|blue``; size is empty where there is none."""
    return f"{product}|{size}|{colour}"


def totals(world: dict[str, Any], cart: dict[str, Any], delivery: str = "standard") -> Totals:
    """Return the sums of ``cart`` (``state["cart"]``) with the delivery option of that id."""
    prices = {product["id"]: product["price"] for product in world["products"]}
    shop = world["shop"]
    subtotal = sum(prices[line["product"]] * line["quantity"] for line in cart["items"].values())
    discount = 0
    coupon = shop["coupons"].get(cart["coupon"])
    if coupon and subtotal >= coupon["minimum"]:
        discount = (subtotal * coupon["value"] + 50) // 100 if coupon["kind"] == "percent" else coupon["value"]
        discount = min(discount, subtotal)
    price = next(option["price"] for option in shop["delivery"] if option["id"] == delivery)
    if not cart["items"] or (delivery == "standard" and subtotal >= shop["freeDeliveryFrom"]):
        price = 0
    return Totals(subtotal, discount, price, subtotal - discount + price)
