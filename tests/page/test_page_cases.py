"""Pages that agents have got wrong in public, rebuilt from the symptom; docs/page_cases.md lists all of them."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from harness.context.compress import Compressor
from harness.page.action import Select, Type
from harness.page.caps import Caps
from harness.page.channel import PageTimeout
from harness.page.saved import load_saved
from tests.lab import Lab, Tab

ROOT = Path(__file__).parents[2]


def code(tab: Tab, action: str | Type | Select) -> str:
    error = tab.do(action)
    return error.code if error else ""


def test_every_case_has_its_test() -> None:
    rows = [line for line in (ROOT / "docs" / "page_cases.md").read_text("utf-8").splitlines() if "::" in line]
    assert len(rows) == 28
    for row in rows:
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", row)
        assert named, row
        for file, name in named:
            assert f"def {name}(" in (ROOT / "tests" / file).read_text("utf-8"), (file, name)


def test_a_disabled_placeholder_is_no_choice_and_a_listbox_opens_with_new_options(lab: Lab) -> None:
    tab = lab.open(
        """<select aria-label="Plain"><option disabled selected value="">Choose one…<option>Red<option>Blue</select>
        <div id="box" role="combobox" tabindex="0" aria-label="Drawn" aria-expanded="false">Choose</div>
        <script>
        box.onclick = () => {
          box.setAttribute("aria-expanded", "true");
          box.insertAdjacentHTML("afterend", "<div role=listbox id=list><div role=option>Oslo</div>" +
            "<div role=option>Rome</div></div>");
          list.onclick = (event) => { box.textContent = event.target.textContent; list.remove(); };
        };
        </script>"""
    )
    assert tab.node("combobox", "Plain").options == ("Red", "Blue")
    assert code(tab, Select(tab.ref("combobox", "Plain"), "Choose one…")) == "OPTION_NOT_FOUND"
    assert code(tab, Select(tab.ref("combobox", "Plain"), "Blue")) == ""
    assert tab.node("combobox", "Plain").value == "Blue"
    before = tab.now
    assert not before.find("option")
    assert code(tab, f"click({tab.ref('combobox', 'Drawn')})") == ""
    marks = {element.name: element.mark for element in Compressor().observe(tab.now, before, "", (), 9).elements}
    assert (marks["Oslo"], marks["Rome"], marks["Plain"]) == ("new", "new", "")
    assert code(tab, f"click({tab.ref('option', 'Rome')})") == ""
    assert tab.js("box.textContent") == "Rome"


def test_typing_into_a_select_box_changes_nothing(lab: Lab) -> None:
    tab = lab.open('<select aria-label="Size"><option>Small<option>Medium<option>Large</select>')
    assert code(tab, Type(tab.ref("combobox"), "Large")) == "NOT_EDITABLE"
    assert tab.node("combobox").value == "Small"
    assert code(tab, Select(tab.ref("combobox"), "L")) == "OPTION_NOT_FOUND"
    assert tab.node("combobox").value == "Small"


def test_late_suggestions_are_chosen_by_the_whole_sequence_of_a_mouse(lab: Lab) -> None:
    tab = lab.open(
        """<input id="q" aria-label="City"><div id="menu"></div><script>
        let timer;
        q.oninput = () => {
          clearTimeout(timer);
          timer = setTimeout(() => { menu.innerHTML = '<div style="cursor:pointer">Oslo</div>'; }, 600);
        };
        q.onblur = () => { menu.innerHTML = ""; };  // so that a click that comes after the focus has gone is too late
        const heard = [];
        for (const kind of ["pointerdown", "mousedown", "mouseup", "click"])
          menu.addEventListener(kind, (event) => heard.push(`${event.isTrusted} ${kind}`));
        menu.onmousedown = (event) => { event.preventDefault(); q.value = event.target.textContent; };
        </script>"""
    )
    assert code(tab, Type(tab.ref("textbox"), "Os")) == ""
    assert code(tab, "wait()") == ""
    assert code(tab, f"click({tab.ref('clickable', 'Oslo')})") == ""
    assert tab.node("textbox").value == "Oslo"
    assert tab.js("heard") == ["true pointerdown", "true mousedown", "true mouseup", "true click"]


def test_options_made_of_div_and_span_have_refs_and_work(lab: Lab) -> None:
    tab = lab.open(
        """<div class="menu"><div class="row"><span>Small</span></div><div class="row"><span>Large</span></div></div>
        <p id="said"></p><script>
        for (const row of document.querySelectorAll(".row"))
          row.addEventListener("click", () => { said.textContent = `chose ${row.textContent}`; });
        </script>"""
    )
    assert [node.name for node in tab.now.find("clickable")] == ["Small", "Large"]
    assert code(tab, f"click({tab.ref('clickable', 'Large')})") == ""
    assert ("text", "chose Large") in tab.rows()


def test_a_framework_that_tracks_its_fields_hears_what_is_typed_and_set(lab: Lab) -> None:
    # As React does: a property on the element itself notes each value that a script sets, and an event that brings no
    # other value than the noted one is not told to the app.
    tab = lab.open(
        """<input aria-label="Name"><input type="date" aria-label="Day"><input type="checkbox" aria-label="On">
        <script>
        const state = {};
        for (const field of document.querySelectorAll("input")) {
          const key = field.type === "checkbox" ? "checked" : "value";
          const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, key);
          let noted = field[key];
          Object.defineProperty(field, key, {
            get() { return get.call(field); },
            set(value) { noted = value; set.call(field, value); },
          });
          for (const kind of ["input", "click"]) field.addEventListener(kind, () => {
            if (get.call(field) === noted) return;
            noted = get.call(field);
            state[field.ariaLabel] = noted;
          });
        }
        </script>"""
    )
    assert code(tab, Type(tab.ref("textbox", "Name"), "Ada")) == ""
    assert code(tab, Type(next(node.ref for node in tab.now.nodes if node.name == "Day"), "2026-02-01")) == ""
    assert code(tab, f"check({tab.ref('checkbox')}, on=true)") == ""
    assert tab.js("state") == {"Name": "Ada", "Day": "2026-02-01", "On": True}


@pytest.mark.parametrize("kind", ["date", "time", "range", "color", "text", "number"])
def test_a_field_that_may_only_be_read_is_not_changed(lab: Lab, kind: str) -> None:
    value = {"date": "2026-01-01", "time": "09:00", "range": "50", "color": "#ff0000", "text": "x", "number": "5"}[kind]
    other = {"date": "2026-01-02", "time": "10:00", "range": "60", "color": "#00ff00", "text": "y", "number": "6"}[kind]
    tab = lab.open(f'<input type="{kind}" aria-label="F" value="{value}" readonly>')
    field = next(node for node in tab.now.nodes if node.name == "F")
    # The browser's own picker of ranges and colours does not heed the attribute; a policy does.
    assert code(tab, Type(field.ref, other)) == "READONLY"
    assert tab.js("document.querySelector('input').value") == value


LARGE = "<main>" + "".join(f"<p>Row {k} <a href=#{k}>open {k}</a></p>" for k in range(20_000)) + "</main>"
SECONDS = 10  # for one look at the largest page here, on any machine


def test_a_page_of_a_hundred_thousand_nodes_is_read_in_bounded_time_and_tokens(lab: Lab) -> None:
    tab = lab.open(LARGE)
    start = time.monotonic()
    snapshot = tab.look()
    assert len(snapshot.nodes) == 40_001
    seen = Compressor(512).observe(snapshot, None, "Open row 12345: click open 12345", (), 9)
    assert time.monotonic() - start < SECONDS
    assert seen.tokens <= 512
    assert "open 12345" in [element.name for element in seen.elements]
    assert code(tab, f"click({tab.ref('link', 'open 12345')})") == ""
    assert tab.js("location.hash") == "#12345"


def test_pages_are_read_however_deep_they_are(lab: Lab) -> None:
    button = "<button onclick='document.title += 1'>Deepest</button>"
    deep = "<div>" * 5000 + button
    tab = lab.open(f"<p>Before</p>{deep}{'</div>' * 5000}<p>After</p>")
    assert code(tab, f"click({tab.ref('button', 'Deepest')})") == ""
    assert tab.now.title == "Lab1"
    assert load_saved(deep).find("button", "Deepest")
    # A parser stops at 512 levels, a script only where Chromium itself fails, at about 3,000.
    tab.show(
        """<p>Before</p><ul></ul><p>After</p><script>
        let deep = document.querySelector("ul");
        for (let level = 0; level < 2000; level++) {
          if (level === 700) deep = deep.appendChild(document.createElement("li"));
          if (level % 400 === 0) deep.append(`in ${level}`);
          const inner = document.createElement("div");
          deep.append(inner);
          if (level % 400 === 0) deep.append(`out ${level}`);
          deep = inner;
        }
        deep.innerHTML = "<button onclick='document.title += 1'>Deepest</button>";
        </script>"""
    )
    ways_in = [("text", f"in {level}") for level in range(0, 2000, 400)]
    ways_out = [("text", f"out {level}") for level in range(1600, -1, -400)]
    inner = [*ways_in[:2], ("listitem", ""), *ways_in[2:], ("button", "Deepest"), *ways_out]
    assert tab.rows() == [("text", "Before"), ("list", ""), *inner, ("text", "After")]
    parents = [tab.now.nodes[node.parent].role for node in tab.now.nodes if node.parent >= 0]
    assert parents == ["list", "list", "list", *["listitem"] * 7, "list", "list"]
    assert code(tab, f"click({tab.ref('button', 'Deepest')})") == ""
    assert tab.now.title == "Lab1"


def test_two_hundred_submits_each_show_the_new_page(lab: Lab) -> None:
    async def answer(request: web.Request) -> web.Response:
        count = int(request.query.get("n", 0)) + 1
        await asyncio.sleep((count % 7) * 0.002)  # answers come sooner and later
        form = f"<form><input name=n value={count} type=hidden><button>Go</button></form>"
        return web.Response(text=f"<!doctype html><h1>Page {count}</h1>{form}", content_type="text/html")

    lab.put("/form", answer)
    tab = lab.open('<a href="/form">Form</a>')
    assert code(tab, f"click({tab.ref('link')})") == ""
    for count in range(2, 202):
        assert code(tab, f"click({tab.ref('button', 'Go')})") == ""
        assert tab.node("heading").name == f"Page {count}" and tab.now.settled


def test_every_wait_is_as_long_as_it_was_configured(lab: Lab) -> None:
    async def hang(request: web.Request) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    lab.put("/hang", hang)
    busy = "<button onclick='const end = Date.now() + 600; while (Date.now() < end);'>Busy</button>"
    tab = lab.open(f"{busy}<p>still</p>")
    short = Caps(action=0.2, navigation=0.3, snapshot=0.2, wait=0.1)
    for action, seconds in ((f"click({tab.ref('button')})", short.action), ('goto("/hang")', short.navigation)):
        tab.session.caps = short
        start = time.monotonic()
        with pytest.raises(PageTimeout):
            tab.do(action)
        assert seconds <= time.monotonic() - start < 0.55
        tab.session.caps = lab.browser.caps
        tab.show(f"{busy}<p>still</p>")
    start = time.monotonic()
    tab.session.caps = replace(lab.browser.caps, wait=0.1)
    assert code(tab, "wait()") == ""
    assert 0.1 <= time.monotonic() - start < 0.5
    tab.session.caps = replace(lab.browser.caps, wait=6.0)  # longer than any action may take
    tab.js("setTimeout(() => document.querySelector('p').textContent = 'late', 5500)")
    assert code(tab, "wait()") == "" and ("text", "late") in tab.rows()
