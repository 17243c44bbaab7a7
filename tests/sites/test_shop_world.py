"""The shop's world: the same for a seed everywhere, whole, within its size limits, and different between seeds."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from typing import Any

import pytest

from sites.shop.pricing import line_id, totals
from sites.shop.world import world

SEEDS = (0, 1, 2, 77, 123456)
STATUSES = {"Processing", "Shipped", "Delivered", "Cancelled"}
ADDRESS_PARTS = {"name", "street", "city", "postcode", "country"}


def canonical(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.fixture(params=SEEDS)
def shop_world(request: pytest.FixtureRequest) -> dict[str, Any]:
    return world(request.param)


@pytest.mark.parametrize("seed", [1, 977])
def test_a_world_is_the_same_bytes_in_processes_with_different_hash_seeds(seed: int) -> None:
    code = (
        "import hashlib, json; from sites.shop.world import world;"
        f"text = json.dumps(world({seed}), ensure_ascii=False, separators=(',', ':'));"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for hash_seed in ("0", "4711")
    }
    assert prints == {hashlib.sha256(canonical(world(seed))).hexdigest()}


def test_a_world_survives_json_and_holds_no_floats(shop_world: dict[str, Any]) -> None:
    def refuse(text: str) -> float:
        raise AssertionError(f"a float: {text}")

    assert json.loads(canonical(shop_world), parse_float=refuse) == shop_world


def test_sizes_stay_within_what_a_page_may_load(shop_world: dict[str, Any]) -> None:
    assert len(canonical(shop_world["products"])) < 120_000
    assert len(canonical(shop_world["reviews"])) < 200_000
    assert len(canonical(shop_world["state"])) < 20_000


def test_products_are_whole_and_unmistakable(shop_world: dict[str, Any]) -> None:
    products = shop_world["products"]
    categories = [category["id"] for category in shop_world["shop"]["categories"]]
    assert len(products) >= 300
    assert len({product["id"] for product in products}) == len(products)
    assert len({product["title"] for product in products}) == len(products)
    assert len({(product["category"], product["price"]) for product in products}) == len(products)
    for product in products:
        assert product["category"] in categories
        assert 2 <= len(product["title"].split()) <= 4
        assert product["price"] > 0 and (product["was"] == 0 or product["was"] > product["price"])
        assert 10 <= product["rating"] <= 50
        assert product["colours"] and len(set(product["colours"])) == len(product["colours"])
        assert product["stock"] >= 0
        assert {"Material", "Weight", "Warranty"} < set(product["specs"])
        assert product["added"] < shop_world["shop"]["today"]


def test_ratings_are_the_means_of_the_reviews(shop_world: dict[str, Any]) -> None:
    for product in shop_world["products"]:
        reviews = shop_world["reviews"][product["id"]]
        assert 3 <= len(reviews) <= 8
        assert product["reviews"] == len(reviews)
        assert abs(product["rating"] - 10 * sum(review["stars"] for review in reviews) / len(reviews)) <= 0.5
        assert [review["date"] for review in reviews] == sorted((review["date"] for review in reviews), reverse=True)


def test_the_initial_state_refers_to_what_exists_and_can_be_bought(shop_world: dict[str, Any]) -> None:
    state = shop_world["state"]
    products = {product["id"]: product for product in shop_world["products"]}
    assert state["session"]["user"] == state["account"]["email"]
    assert 2 <= len(state["cart"]["items"]) <= 3
    assert 2 <= len(state["wishlist"]) <= 3
    assert state["compare"] == state["messages"] == {}
    assert state["checkout"] is None and state["cart"]["coupon"] is None
    assert set(state["wishlist"]) <= set(products)
    bought = [order["items"] for order in state["orders"].values()]
    for items in (state["cart"]["items"], *bought):
        for key, line in items.items():
            product = products[line["product"]]
            assert key == line_id(line["product"], line["size"], line["colour"])
            assert line["colour"] in product["colours"]
            assert line["size"] in (product["sizes"] or [""])
            assert 1 <= line["quantity"] <= product["stock"]


def test_addresses_have_one_default_and_unlike_labels(shop_world: dict[str, Any]) -> None:
    addresses = shop_world["state"]["addresses"].values()
    assert 2 <= len(addresses) <= 3
    assert sum(address["default"] for address in addresses) == 1
    assert len({address["label"] for address in addresses}) == len(addresses)
    assert all(set(address) == ADDRESS_PARTS | {"label", "default"} for address in addresses)


def test_orders_are_many_dated_in_order_and_add_up(shop_world: dict[str, Any]) -> None:
    orders = shop_world["state"]["orders"]
    assert 12 <= len(orders) <= 16
    by_number = sorted(orders.items(), key=lambda entry: int(entry[0][1:]))
    dates = [order["date"] for _, order in by_number]
    assert dates == sorted(set(dates)) and dates[-1] < shop_world["shop"]["today"]
    assert sum(order["status"] == "Processing" for order in orders.values()) >= 3
    for order in orders.values():
        assert order["status"] in STATUSES
        assert set(order["address"]) == ADDRESS_PARTS
        assert order["payment"] in ("Gift card", "Pay on delivery") or re.fullmatch(
            r"Card ending \d{4}", order["payment"]
        )
        subtotal = sum(line["price"] * line["quantity"] for line in order["items"].values())
        assert order["total"] - subtotal + order["discount"] in (0, 495, 1290)


def test_the_shop_offers_a_reduced_deal_and_two_kinds_of_coupons(shop_world: dict[str, Any]) -> None:
    shop = shop_world["shop"]
    products = {product["id"]: product for product in shop_world["products"]}
    assert products[shop["deal"]]["was"] > 0
    assert {coupon["kind"] for coupon in shop["coupons"].values()} == {"percent", "fixed"}
    assert [option["id"] for option in shop["delivery"]] == ["standard", "express", "pickup"]
    assert len(shop["hours"]) == 7


def test_totals_take_coupon_and_free_delivery_into_account() -> None:
    products = [{"id": "p1", "price": 1010}]
    coupons = {
        "TEN": {"kind": "percent", "value": 15, "minimum": 0},
        "BIG": {"kind": "fixed", "value": 1500, "minimum": 3000},
    }
    delivery = [{"id": "standard", "price": 500}, {"id": "express", "price": 900}]
    tiny = {
        "products": products,
        "shop": {"coupons": coupons, "delivery": delivery, "freeDeliveryFrom": 3000},
    }

    def sums(quantity: int, coupon: str | None, way: str = "standard") -> tuple[int, ...]:
        line = {"product": "p1", "size": "", "colour": "red", "quantity": quantity}
        return tuple(totals(tiny, {"items": {"p1||red": line}, "coupon": coupon}, way))

    assert sums(1, None) == (1010, 0, 500, 1510)
    assert sums(1, "TEN") == (1010, 152, 500, 1358)  # 151.5 rounds up
    assert sums(1, "BIG") == (1010, 0, 500, 1510)  # below the coupon's minimum
    assert sums(3, "BIG") == (3030, 1500, 0, 1530)
    assert sums(3, None, "express") == (3030, 0, 900, 3930)


def test_worlds_of_other_seeds_hold_mostly_other_titles_people_and_streets() -> None:
    known: set[str] = set()
    for seed in range(40):
        known |= {product["title"] for product in world(seed)["products"]}
    unseen = {product["title"] for product in world(10_001)["products"]}
    assert len(unseen - known) > 0.95 * len(unseen)
    accounts = [world(seed)["state"]["account"]["name"] for seed in range(40)]
    assert len(set(accounts)) > 35


def test_a_world_is_drawn_quickly() -> None:
    start = time.process_time()
    for seed in range(500_000, 500_010):
        world(seed)
    assert (time.process_time() - start) / 10 < 0.1  # some 15 ms on one core; the limit allows for slow machines
