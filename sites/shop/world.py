"""The shop's world: catalogue, reviews, shop facts and initial app state, from a seed.

Holds always: the world is a pure function of the seed (one ``random.Random(f"shop:{seed}")``; no clock, no hash
order, no floats in the result). Money is integer cents, ratings are integer tenths, dates are ISO strings.
Product titles are unique within a world, and prices are unique within a category.
"""

import functools
import random
from datetime import date, timedelta
from typing import Any

from sites.shop import words
from sites.shop.customer import initial_state

PRODUCTS_PER_CATEGORY = 40
BRANDS_PER_WORLD = 14
BRANDS_PER_CATEGORY = 6
PRICE_ENDINGS = (0, 50, 90, 95, 99)
REVIEW_COUNTS = (3, 3, 3, 3, 3, 4, 4, 4, 5, 7)
STAR_PROFILES = ((5, 5, 5), (5, 5, 4), (5, 5, 4), (5, 4, 4), (5, 4, 3), (4, 4, 3), (5, 3, 2), (4, 2, 1))
FREE_DELIVERY_FROM = (5000, 6000, 7500, 8000, 10000)


@functools.lru_cache(maxsize=32)
def world(seed: int) -> dict[str, Any]:
    """Return the world of ``seed``; treat it as read-only, it is cached.

    Keys: ``products`` (list), ``reviews`` (product id -> list), ``shop`` (facts), ``state`` (initial app state).
    """
    rng = random.Random(f"shop:{seed}")
    today = date(2025, 2, 1) + timedelta(days=rng.randrange(300))
    products, reviews = _catalogue(rng, today)
    return {
        "products": products,
        "reviews": reviews,
        "shop": _shop_facts(rng, today, products),
        "state": initial_state(rng, today, products),
    }


def _catalogue(rng: random.Random, today: date) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Draw all products, in their featured order, and their reviews."""
    brands = _brands(rng)
    slots = [category for category in words.CATEGORIES for _ in range(PRODUCTS_PER_CATEGORY)]
    rng.shuffle(slots)
    brands_of = {category: rng.sample(brands, BRANDS_PER_CATEGORY) for category in words.CATEGORIES}
    titles: set[str] = set()
    prices: set[tuple[str, int]] = set()
    products = []
    reviews = {}
    for number, category in enumerate(slots, start=1):
        product = _product(rng, f"p{number}", category, brands_of[category], today, titles, prices)
        notes = _reviews(rng, date.fromisoformat(product["added"]), today)
        product["rating"] = (sum(note["stars"] for note in notes) * 10 * 2 + len(notes)) // (2 * len(notes))
        product["reviews"] = len(notes)
        products.append(product)
        reviews[product["id"]] = notes
    return products, reviews


def _brands(rng: random.Random) -> list[str]:
    brands: list[str] = []
    while len(brands) < BRANDS_PER_WORLD:
        name = f"{_name(rng)} {rng.choice(words.BRAND_ENDS)}".strip()
        if name not in brands:
            brands.append(name)
    return brands


def _name(rng: random.Random) -> str:
    return rng.choice(words.NAME_STARTS) + rng.choice(words.NAME_ENDS)


def _title(rng: random.Random, nouns: list[str], taken: set[str]) -> str:
    """Draw a title of two to four words that no other product of this world has."""
    while True:
        line = rng.choice(words.LINE_WORDS) if rng.random() < 0.4 else _name(rng)
        modifier = rng.choice(words.MODIFIERS) + " " if rng.random() < 0.35 else ""
        title = f"{line} {modifier}{rng.choice(nouns)}"
        if title not in taken:
            taken.add(title)
            return title


def _product(
    rng: random.Random,
    product_id: str,
    category: str,
    brands: list[str],
    today: date,
    titles: set[str],
    prices: set[tuple[str, int]],
) -> dict[str, Any]:
    kind = words.CATEGORIES[category]
    low, high = kind["price"]
    # The product of two uniform draws leans to the cheap end, as real price lists do.
    price = low + int((high - low) * rng.random() * rng.random()) // 100 * 100 + rng.choice(PRICE_ENDINGS)
    while (category, price) in prices:
        price += 100
    prices.add((category, price))
    weight = rng.randint(*kind["weight"])
    extra, values = kind["extra"]
    has_sizes = category == "clothing" or rng.random() < 0.5
    return {
        "id": product_id,
        "title": _title(rng, kind["nouns"], titles),
        "category": category,
        "brand": rng.choice(brands),
        "price": price,
        "was": price + price * rng.choice((10, 15, 20, 25, 30)) // 100 if rng.random() < 0.12 else 0,
        "colours": rng.sample(kind["colours"], rng.choice((1, 1, 2, 3, 4))),
        "sizes": list(kind["sizes"]) if has_sizes else [],
        "stock": rng.choice((0, rng.randint(1, 5), *(rng.randint(6, 60) for _ in range(8)))),
        "added": (today - timedelta(days=rng.randint(1, 700))).isoformat(),
        "specs": {
            "Material": rng.choice(kind["materials"]),
            "Weight": f"{weight} g" if weight < 1000 else f"{weight // 1000}.{weight % 1000 // 100} kg",
            "Warranty": rng.choice(("1 year", "2 years", "3 years", "5 years", "10 years")),
            extra: rng.choice(values),
        },
    }


def _reviews(rng: random.Random, added: date, today: date) -> list[dict[str, Any]]:
    """Draw a product's reviews, newest first."""
    profile = rng.choice(STAR_PROFILES)
    days = (today - added).days
    notes = []
    for age in sorted(rng.randrange(days) for _ in range(rng.choice(REVIEW_COUNTS))):
        stars = rng.choice(profile)
        notes.append(
            {
                "author": f"{rng.choice(words.FIRST_NAMES)} {rng.choice(words.LAST_NAMES)[0]}.",
                "stars": stars,
                "title": rng.choice(words.REVIEW_TITLES[stars]),
                "text": f"{rng.choice(words.REVIEW_OPENINGS[stars])}, {rng.choice(words.REVIEW_ENDINGS[stars])}",
                "date": (today - timedelta(days=age)).isoformat(),
            }
        )
    return notes


def _shop_facts(rng: random.Random, today: date, products: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw what the shop says about itself: deal, coupons, delivery, opening hours, help."""
    codes = rng.sample(words.COUPON_WORDS, 4)
    percents = rng.sample((5, 10, 15, 20, 25), 2)
    weekday_open, weekday_close = rng.choice((8, 9, 10)), rng.choice((17, 18, 19, 20))
    closed_day = rng.choice(("Sunday", "Monday", "Wednesday"))
    hours = []
    for day in words.DAYS:
        opens, closes = (10, 16) if day in ("Saturday", "Sunday") else (weekday_open, weekday_close)
        hours.append({"day": day, "hours": "Closed" if day == closed_day else f"{opens:02}:00 to {closes}:00"})
    deals = [product["id"] for product in products if product["was"] and product["stock"] > 5]
    return {
        "name": "Larkspur",
        "today": today.isoformat(),
        "deal": rng.choice(deals),
        "categories": [
            {"id": key, "name": kind["name"], "options": kind["options"]} for key, kind in words.CATEGORIES.items()
        ],
        "coupons": {
            f"{codes[0]}{percents[0]}": {"kind": "percent", "value": percents[0], "minimum": 0},
            f"{codes[1]}{percents[1]}": {"kind": "percent", "value": percents[1], "minimum": 0},
            f"{codes[2]}OFF": {"kind": "fixed", "value": rng.choice((500, 800, 1000)), "minimum": 0},
            f"{codes[3]}BIG": {"kind": "fixed", "value": rng.choice((1500, 2000)), "minimum": 15000},
        },
        "giftCards": {
            f"GIFT-{rng.randrange(1000, 10000)}-{rng.randrange(1000, 10000)}": balance for balance in (2000, 500000)
        },
        "freeDeliveryFrom": rng.choice(FREE_DELIVERY_FROM),
        "delivery": [
            {"id": "standard", "name": "Standard", "price": rng.choice((395, 450, 495, 595)), "time": "3 to 5 days"},
            {"id": "express", "name": "Express", "price": rng.choice((990, 1190, 1290, 1490)), "time": "Next day"},
            {"id": "pickup", "name": "Pick up in store", "price": 0, "time": "Ready in 2 hours"},
        ],
        "countries": list(words.COUNTRIES),
        "hours": hours,
        "help": {
            "phone": f"020 {rng.randrange(1000, 10000)} {rng.randrange(1000, 10000)}",
            "email": "care@larkspur.example",
            "store": (
                f"{rng.randint(1, 180)} {rng.choice(words.STREET_NAMES)} {rng.choice(words.STREET_ENDS)}, "
                f"{rng.choice(words.CITY_STARTS)}{rng.choice(words.CITY_ENDS)}"
            ),
            "returnDays": rng.choice((14, 21, 30, 45, 60, 100)),
            "refundDays": rng.choice((3, 5, 7, 10)),
            "cutOff": rng.choice(("12:00", "14:00", "16:00", "18:00")),
            "giftWrap": rng.choice((250, 300, 350, 400, 500)),
            "giftCardYears": rng.choice((1, 2, 3, 5)),
        },
    }
