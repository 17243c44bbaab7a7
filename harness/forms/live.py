"""The forms of others of a page that is open in the browser: raw HTML, and Playwright's aria snapshot.

Nothing of it changes the page: the HTML is that of a twin, and the elements are those of the harness's own walk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from harness.forms.matching import Form, aria_form, aria_refs, html_form
from harness.forms.target import Target
from harness.page.session import PageSession
from harness.page.snapshot import Node

_COPY = (resources.files("harness.forms") / "copy.js").read_text("utf-8")
_MARK = re.compile(r" harness-copy=\"([^\"]*)\"")


@dataclass(frozen=True)
class Live:
    """The forms of a page; `copy` is a page for another browser, in which the element of `nodes[N]` is marked N."""

    html: Form
    aria: Form
    copy: str
    nodes: tuple[Node, ...]


async def live_forms(session: PageSession, targets: Sequence[Target]) -> Live:
    """The forms of the page as it is now. Playwright's Error, or RuntimeError, if it can't be read."""
    nodes = tuple(node for target in targets for node in target.nodes)
    world = session.frames.main.world or ""
    places = [session.refs.place(node.ref) for node in nodes]
    # What is in a frame is not marked: it is found by its role and name.
    own = [str(place[1]) if place is not None and place[0] == world else "0" for place in places]
    result = await session.evaluate(None, world, f"{_COPY}\nharnessCopy([{', '.join(own)}].map(harnessWalk.nodeOf))")
    raw, ends = unmarked(result["html"])
    marked = {node.ref: ends[str(place)] for place, node in enumerate(nodes) if str(place) in ends}
    aria = await session.page.aria_snapshot(mode="ai")
    boxed = await session.page.aria_snapshot(mode="ai", boxes=True) if nodes else ""
    refs = {node.ref: aria_refs(boxed, node.role, node.box) for node in nodes}
    return Live(html_form(raw, ends=marked), aria_form(aria, refs), result["copy"], nodes)


def unmarked(html: str) -> tuple[str, dict[str, int]]:
    """The HTML without its marks, and where the start tag of each marked element ends in it, by the mark's number."""
    parts: list[str] = []
    ends: dict[str, int] = {}
    length = last = 0
    for match in _MARK.finditer(html):
        parts.append(html[last : match.start()])
        length += match.start() - last
        last = match.end()
        for word in match[1].split():
            ends[word.removeprefix("target-")] = length + 1  # the mark was the last attribute of its tag
    return "".join([*parts, html[last:]]), ends
