"""Frames: what is in them is read in its place and acted on, wherever they are and whatever process they are in."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from tests.lab import START, Lab

INNER = f"""{START}<body><h2>Pay</h2><label>Card <input id=card></label>
<select aria-label=Year><option>2027<option>2028</select><label><input type=checkbox> Save</label>
<button onclick="document.title = 'paid ' + card.value; said.textContent = 'Thank you'">Pay now</button>
<p id=said></p>"""


def use(lab: Lab, page: str) -> None:
    tab = lab.open(page)
    rows = tab.rows()
    assert rows[0] == ("heading", "Shop")
    assert rows.index(("heading", "Pay")) > rows.index(("heading", "Shop"))
    assert rows[-1] == ("button", "Leave"), "the frame's content stands in its place"
    frame = tab.now.nodes[tab.now.index(tab.ref("heading", "Pay")) or 0].parent
    assert tab.now.nodes[frame].role == "iframe"
    assert tab.do(f'type({tab.ref("textbox", "Card")}, "4000")') is None
    assert tab.node("textbox", "Card").value == "4000"
    assert tab.do(f'select({tab.ref("combobox", "Year")}, "2028")') is None
    assert tab.node("combobox", "Year").value == "2028"
    assert tab.do(f"check({tab.ref('checkbox', 'Save')})") is None
    assert "checked" in tab.node("checkbox", "Save").states
    before = tab.ref("button", "Pay now")
    assert tab.do(f"click({before})") is None
    assert ("text", "Thank you") in tab.rows()
    assert tab.ref("button", "Pay now") == before
    assert len({node.ref for node in tab.now.nodes}) == len(tab.now.nodes)


@pytest.mark.parametrize("host", ["same", "other"])
def test_what_is_in_a_frame_has_refs_and_works(lab: Lab, host: str) -> None:
    lab.put("/inner", INNER)
    origin = lab.origin if host == "same" else lab.other_origin
    use(lab, f"<h1>Shop</h1><iframe src='{origin}/inner' width=500 height=300></iframe><button>Leave</button>")


def test_frames_in_frames_of_other_sites_work(lab: Lab) -> None:
    lab.put("/inner", INNER)
    lab.put("/middle", f"{START}<body><p>Middle</p><iframe src='{lab.origin}/inner' width=480 height=280></iframe>")
    use(
        lab,
        f"<h1>Shop</h1><iframe src='{lab.other_origin}/middle' width=600 height=400></iframe><button>Leave</button>",
    )


def test_a_frame_written_by_the_page_itself_is_read(lab: Lab) -> None:
    tab = lab.open(
        """<h1>Shop</h1><iframe id=a srcdoc="<button onclick='this.textContent += 1'>In srcdoc</button>"></iframe>
        <iframe id=b></iframe><script>
        b.contentDocument.body.innerHTML = "<button>In an empty one</button>";
        b.contentDocument.querySelector("button").onclick = (event) => { event.target.textContent += "2"; };
        </script>"""
    )
    assert tab.do(f"click({tab.ref('button', 'In srcdoc')})") is None
    assert tab.do(f"click({tab.ref('button', 'In an empty one')})") is None
    assert ("button", "In srcdoc1") in tab.rows()
    assert ("button", "In an empty one2") in tab.rows()


def test_a_frameset_is_read(lab: Lab) -> None:
    for name in ("left", "right"):
        lab.put(f"/{name}", f"<button onclick='this.textContent += 1'>{name}</button>")
    tab = lab.open("<!doctype html><frameset cols='50%,50%'><frame src=/left><frame src=/right></frameset>")
    for name in ("left", "right"):
        assert tab.do(f"click({tab.ref('button', name)})") is None
        assert ("button", f"{name}1") in tab.rows()


def test_what_is_out_of_sight_in_a_frame_is_brought_into_view(lab: Lab) -> None:
    button = "<button onclick='this.textContent = 1'>Deep</button>"
    lab.put("/inner", f"{START}<body><div style='height:3000px'></div>{button}<div style='height:3000px'></div>")
    for height in (200, 7000):
        for origin in (lab.origin, lab.other_origin):
            tab = lab.open(
                f"<div style='height:2000px'></div><iframe src='{origin}/inner' width=400 height={height}></iframe>"
            )
            assert tab.do(f"click({tab.ref('button', 'Deep')})") is None
            assert ("button", "1") in tab.rows()


def test_a_frame_that_is_covered_is_not_clicked(lab: Lab) -> None:
    lab.put("/inner", "<button onclick='document.title = 1'>Pay</button>")
    tab = lab.open(
        "<iframe src=/inner style='position:absolute;inset:0' title=Payment></iframe>"
        "<div style='position:fixed;inset:0'>Cookies?</div>"
    )
    error = tab.do(f"click({tab.ref('button', 'Pay')})")
    assert error is not None and error.code == "CLICK_INTERCEPTED"
    assert error.message == 'div "Cookies?" lies over iframe "Payment"'


def test_a_frame_that_is_not_to_be_seen_is_not_read(lab: Lab) -> None:
    lab.put("/inner", "<button>Pay</button>")
    tab = lab.open("<iframe src=/inner style='display:none'></iframe><iframe src=/inner hidden></iframe><p>Text")
    assert tab.rows() == [("text", "Text")]


def test_a_ref_in_a_frame_that_was_drawn_anew_is_stale(lab: Lab) -> None:
    lab.put("/inner", "<button>Pay</button>")
    for change in ("f.contentWindow.location.reload()", "f.remove()", "f.src = '/inner?2'"):
        for origin in (lab.origin, lab.other_origin):
            if "contentWindow" in change and origin == lab.other_origin:
                continue
            tab = lab.open(f"<iframe id=f src='{origin}/inner'></iframe>")
            old = tab.ref("button", "Pay")
            tab.js(f"() => {{ {change} }}")
            tab.look()
            error = tab.do(f"click({old})")
            assert error is not None and error.code == "STALE_REF", (change, error)
            if "remove" not in change:
                assert tab.do(f"click({tab.ref('button', 'Pay')})") is None


def test_a_frame_that_goes_to_another_site_and_back_is_read_each_time(lab: Lab) -> None:
    lab.put("/a", "<button>A</button>")
    lab.put("/b", "<button>B</button>")
    tab = lab.open("<iframe id=f src=/a></iframe>")
    for place, name in ((f"{lab.other_origin}/b", "B"), (f"{lab.origin}/a", "A"), (f"{lab.other_origin}/b", "B")):
        tab.js(f"() => {{ f.src = '{place}'; }}")
        tab.look()
        assert [row for row in tab.rows() if row[0] == "button"] == [("button", name)]
        assert tab.do(f"click({tab.ref('button', name)})") is None


def test_a_frame_whose_page_never_comes_leaves_the_rest_in_reach(lab: Lab) -> None:
    async def hang(_: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        raise AssertionError

    lab.put("/hang", hang)
    tab = lab.open("<iframe id=f></iframe><button>Go</button>")
    for origin in (lab.origin, lab.other_origin):
        tab.js(f"() => {{ f.src = '{origin}/hang'; }}")
        tab.look(0.5)
        assert ("button", "Go") in tab.rows()
    assert tab.do(f"click({tab.ref('button')})", 0.5) is None
