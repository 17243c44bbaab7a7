"""Steps that the oracles share: how one finds things on the shop's pages and gets from one to the next.

Each step looks only at the page it is given. What is not there is a LostWay that says what is missing. Refs are read
from the newest page, so an oracle hands each step the page that the step before returned.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from harness.page.action import Action, Answer, Check, Click, Ref, Select, Type
from harness.page.snapshot import Node, Snapshot
from harness.tasks.task import Draw

Steps = Generator[Action, Snapshot, Snapshot]
"""Actions that lead from one page to another: `page = yield from step(page, …)`."""

Role = str | Sequence[str]
SEARCH_BOX = ("combobox", "searchbox", "textbox")


class LostWay(LookupError):
    """What an oracle looks for is not on the page; the message names it and the page."""


def one(page: Snapshot, role: Role, name: str, within: str | None = None) -> Ref:
    """The only element of a role with this name. LostWay if there is none, or more than one."""
    return _only(page.find(role, name, within), page, role, name, within).ref


def starting(page: Snapshot, role: Role, start: str, within: str | None = None) -> Node:
    """The only element of a role whose name is `start`, or goes on after it: "Cart (3)" for "Cart"."""
    found = [node for node in page.find(role, within=within) if node.name.startswith(start)]
    exact = [node for node in found if node.name == start]
    return _only(exact or found, page, role, f"{start}…", within)


def shows(page: Snapshot, role: Role, name: str) -> bool:
    """Whether the page has such an element."""
    return bool(page.find(role, name))


def _only(found: list[Node], page: Snapshot, role: Role, name: str, within: str | None) -> Node:
    if len(found) == 1:
        return found[0]
    kind = role if isinstance(role, str) else " or ".join(role)
    place = f" within {within!r}" if within is not None else ""
    count = "no" if not found else f"not one but {len(found)} of"
    raise LostWay(f"{count} {kind} {name!r}{place} on {page.title!r} ({page.url})")


def answer(page: Snapshot, draw: Draw) -> Answer:
    """The closing action: the draw's answer, which must be part of a line of the page; "" if none is asked for."""
    if draw.answer is None:
        return Answer("")
    if not any(draw.answer in text for node in page.nodes for text in (node.name, node.value or "")):
        raise LostWay(f"the answer {draw.answer!r} is not to be read on {page.title!r} ({page.url})")
    return Answer(draw.answer)


def choose(page: Snapshot, label: str, value: str) -> Steps:
    """Choose `value` in the select box or the radio group `label`, unless it is chosen already."""
    boxes = page.find("combobox", label)
    if boxes:
        box = _only(boxes, page, "combobox", label, None)
        return page if box.value == value else (yield Select(box.ref, value))
    return (yield from choose_radio(page, value, label))


def choose_radio(page: Snapshot, start: str, group: str) -> Steps:
    """Choose the radio button of a group whose name begins so, unless it is chosen already."""
    button = starting(page, "radio", start, group)
    return page if "checked" in button.states else (yield Check(button.ref, True))


def fill(page: Snapshot, values: Sequence[tuple[str, str]]) -> Steps:
    """Type a value into each text field of these names."""
    for label, value in values:
        page = yield Type(one(page, "textbox", label), value)
    return page


def fill_address(page: Snapshot, address: Mapping[str, str]) -> Steps:
    """Fill in the fields of a postal address."""
    labels = {"name": "Full name", "street": "Street and number", "city": "City", "postcode": "Postcode"}
    page = yield from fill(page, [(label, address[part]) for part, label in labels.items()])
    return (yield Select(one(page, "combobox", "Country"), address["country"]))


def open_tool(page: Snapshot, label: str) -> Steps:
    """Follow a link at the top right: Sign in, My account, Wish list, Compare or Cart."""
    return (yield Click(starting(page, "link", label, "Your shop").ref))


def open_footer(page: Snapshot, label: str) -> Steps:
    """Follow a link at the foot of the page."""
    return (yield Click(one(page, "link", label, "Footer")))


def open_account(page: Snapshot, entry: str) -> Steps:
    """Go to a page of the account by its menu."""
    page = yield from open_tool(page, "My account")
    return (yield Click(one(page, "link", entry, "Account")))


def search(page: Snapshot, text: str) -> Steps:
    """Search for products with the box at the top."""
    return (yield Type(one(page, SEARCH_BOX, "Search products"), text, submit=True))


def open_product(page: Snapshot, title: str) -> Steps:
    """Search for a product by its title and open its page."""
    page = yield from search(page, title)
    return (yield Click(one(page, "link", title)))


def open_category(page: Snapshot, name: str) -> Steps:
    """Open a category from the bar at the top."""
    return (yield Click(one(page, "link", name, "Categories")))


def filter_brand(page: Snapshot, brand: str) -> Steps:
    """Show one brand's products only."""
    return (yield Check(starting(page, "checkbox", f"{brand} (", "Brand").ref, True))


def filter_stars(page: Snapshot, stars: str) -> Steps:
    """Show products rated so or better only."""
    return (yield Check(one(page, "radio", f"{stars} stars & up"), True))


def sort_by(page: Snapshot, order: str) -> Steps:
    """Sort a listing."""
    return (yield Select(one(page, "combobox", "Sort by"), order))


def first_product(page: Snapshot) -> Node:
    """The link of the first product of a listing."""
    cards = [index for index, node in enumerate(page.nodes) if node.role == "article"]
    for index in page.subtree(cards[0]) if cards else ():
        if page.nodes[index].role == "link":
            return page.nodes[index]
    raise LostWay(f"no product on {page.title!r} ({page.url})")


def find_order(page: Snapshot, order: str) -> Steps:
    """Go to where an order ("Order #1042") is listed: among the recent ones, else by paging through all."""
    page = yield from open_tool(page, "My account")
    if not shows(page, "link", order):
        page = yield Click(one(page, "link", "Orders", "Account"))
    while not shows(page, "link", order):
        page = yield Click(one(page, "link", "Older orders"))
    return page


def open_order(page: Snapshot, order: str) -> Steps:
    """Open the page of an order ("Order #1042")."""
    page = yield from find_order(page, order)
    return (yield Click(one(page, "link", order)))


def sign_in(page: Snapshot, email: str, password: str) -> Steps:
    """Sign in from any page; leads to the account's overview."""
    page = yield from open_tool(page, "Sign in")
    page = yield from fill(page, [("Email", email), ("Password", password)])
    return (yield Click(one(page, "button", "Sign in")))
