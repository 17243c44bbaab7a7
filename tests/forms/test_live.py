"""The forms of a live page: the very elements in them, and a copy that shows the same without the page's scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

import harness.forms
from harness.forms.live import Live, live_forms, unmarked
from harness.forms.target import Target
from harness.page.snapshot import Snapshot
from tests.lab import START, Lab, Tab

RESTORE = (Path(harness.forms.__file__).parent / "restore.js").read_text("utf-8")
PAGE = """
<h1>Order</h1>
<ul><li>Oslo <button>Add</button></li><li>Bergen <button>Add</button></li></ul>
<label>Name <input id="who"></label> <label>Text <textarea id="text">old</textarea></label>
<label><input type="checkbox" id="gift" checked> Gift</label>
<label><input type="checkbox" id="some"> Some</label>
<label>By <select id="by"><option>Car<option>Foot</select></label>
<iframe srcdoc="<button>Inner</button>"></iframe>
<div id="list"></div>
<dialog id="ask"><p>Sure?</p><button id="yes">Yes</button></dialog>
<script>list.innerHTML = "<a href=/x>Drawn later</a>"</script>
"""
CHANGES = """
who.value = 'Ann "A" <b>'; text.value = '\\nnew'; gift.checked = false; some.indeterminate = true;
by.selectedIndex = 1; document.querySelector("iframe").contentDocument.body.append("added");
"""


def taken(lab: Lab, tab: Tab, targets: Sequence[Target] = ()) -> Live:
    return lab.loop.run(live_forms(tab.session, targets))


def rows(page: Snapshot) -> list[tuple[Any, ...]]:
    return [(n.parent, n.role, n.name, n.value, sorted(n.states), n.options, n.tag) for n in page.nodes]


def show_copy(lab: Lab, tab: Tab, copy: str) -> Snapshot:
    async def answer(request: web.Request) -> web.Response:
        headers = {"Content-Security-Policy": "script-src 'none'"}
        return web.Response(text=copy, content_type="text/html", headers=headers)

    lab.put("/copy", answer)
    assert lab.loop.run(tab.session.navigate(f"{lab.origin}/copy")) is None
    tab.look()
    lab.loop.run(tab.page.frames[0].evaluate(RESTORE))
    return tab.look()


def test_the_copy_shows_what_the_page_shows_and_the_page_is_left_alone(lab: Lab) -> None:
    tab = lab.open(PAGE)
    tab.js(CHANGES)
    before = tab.look()
    live = taken(lab, tab)
    assert tab.look() == before and "harness-copy" not in tab.js("document.documentElement.outerHTML")
    assert rows(show_copy(lab, tab, live.copy)) == rows(before)
    assert tab.node("textbox", "Name").value == 'Ann "A" <b>'


def test_the_copy_has_the_open_dialog_and_the_focus(lab: Lab) -> None:
    tab = lab.open(PAGE)
    tab.js("ask.showModal(); yes.focus()")
    before = tab.look()
    copied = show_copy(lab, tab, taken(lab, tab).copy)
    assert rows(copied) == rows(before)
    assert "focused" in tab.node("button", "Yes").states and not copied.find("heading", "Order")


def test_the_html_is_the_page_s_own_and_the_element_is_known_in_each_form(lab: Lab) -> None:
    tab = lab.open(PAGE)
    second = tab.now.find("button", "Add")[1]
    live = taken(lab, tab, [Target((second,))])
    assert live.html.text == lab.loop.run(tab.page.content())
    for form in (live.html, live.aria):
        end = form.ends[second.ref]
        assert form.text[:end].count("Bergen") == 1, form.text[:end]
    assert live.copy.count('harness-copy="target-0"') == 1


def test_what_is_in_a_frame_is_found_by_its_name(lab: Lab) -> None:
    tab = lab.open(PAGE)
    target = Target((tab.node("button", "Inner"),))
    live = taken(lab, tab, [target])
    end = live.aria.end(target)
    assert end is not None and "Inner" in live.aria.text[:end].splitlines()[-1]


def test_marks_are_taken_out_and_leave_their_places() -> None:
    html, ends = unmarked('<p><a href="x" harness-copy="target-0 target-2">A</a><b harness-copy="target-1">B</b></p>')
    assert html == '<p><a href="x">A</a><b>B</b></p>'
    assert {name: html[:end] for name, end in ends.items()} == {
        "0": '<p><a href="x">',
        "2": '<p><a href="x">',
        "1": '<p><a href="x">A</a><b>',
    }


def test_the_start_of_a_page_is_kept(lab: Lab) -> None:
    live = taken(lab, lab.open("<p>Hello"))
    assert live.html.text.startswith("<!DOCTYPE html>") and START.startswith("<!doctype html>")
