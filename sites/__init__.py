"""The mock web apps and their tasks: `suite()` gives them all."""

from __future__ import annotations

from pathlib import Path

from harness.tasks.task import Site, Suite
from sites.shop.tasks import TEMPLATES as SHOP
from sites.shop.world import world as shop_world

ROOT = Path(__file__).parent


def suite() -> Suite:
    """Every site's tasks."""
    return Suite("sites", [Site("shop", ROOT / "shop", shop_world, SHOP)], shared=ROOT / "_shared")
