"""Tabs, downloads and file choosers: followed and listed, and the page that opened them can be returned to."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web

from tests.lab import Lab

OPENERS = [
    "<a href=/two target=_blank>Open</a>",
    "<a href=/two target=_blank rel=opener>Open</a>",
    "<button onclick=\"window.open('/two')\">Open</button>",
    "<button onclick=\"window.open('/two', '', 'width=300,height=200')\">Open</button>",
    "<form action=/two target=_blank><button>Open</button></form>",
]


@pytest.mark.parametrize("opener", OPENERS)
def test_a_new_tab_is_followed_and_closing_it_returns_to_the_opener(lab: Lab, opener: str) -> None:
    lab.put("/two", "<!doctype html><title>Two</title><h1>Two</h1><button onclick='this.textContent += 1'>Go</button>")
    tab = lab.open(opener)
    assert tab.now.tabs == ()
    first = tab.now.nodes[-1].ref
    open_ref = tab.now.find(("link", "button"), "Open")[0].ref
    assert tab.do(f"click({open_ref})") is None
    assert ("heading", "Two") in tab.rows()
    assert [(info.number, info.title, info.active) for info in tab.now.tabs] == [(1, "Lab", False), (2, "Two", True)]
    assert tab.do(f"click({tab.ref('button')})") is None
    assert ("button", "Go1") in tab.rows()
    assert tab.do(f"click({open_ref})").code == "STALE_REF"  # type: ignore[union-attr]
    assert tab.do("switch_tab(1)") is None
    assert tab.now.nodes[-1].ref == first
    assert tab.do("switch_tab(2)") is None
    assert ("button", "Go1") in tab.rows()
    assert tab.do("close_tab()") is None
    assert tab.now.nodes[-1].ref == first and tab.now.tabs == ()
    assert tab.do("close_tab()").code == "LAST_TAB"  # type: ignore[union-attr]
    assert tab.do("switch_tab(2)").code == "NO_SUCH_TAB"  # type: ignore[union-attr]


def test_a_tab_that_closes_itself_returns_to_the_opener(lab: Lab) -> None:
    lab.put("/two", "<button onclick='window.close()'>Done</button>")
    tab = lab.open("<button onclick=\"window.open('/two')\">Open</button>")
    assert tab.do(f"click({tab.ref('button')})") is None
    assert tab.do(f"click({tab.ref('button', 'Done')})") is None
    assert tab.rows() == [("button", "Open")]


def test_a_tab_can_be_opened_at_an_address(lab: Lab) -> None:
    lab.put("/two", "<h1>Two</h1>")
    tab = lab.open("<h1>One</h1>")
    assert tab.do('new_tab("/two")') is None
    assert tab.rows() == [("heading", "Two")]
    assert tab.do("new_tab()") is None
    assert tab.now.nodes == () and len(tab.now.tabs) == 3
    assert tab.do('goto("/two")').code == "FORBIDDEN_URL"  # type: ignore[union-attr]
    assert tab.do(f'goto("{lab.origin}/two")') is None
    assert tab.rows() == [("heading", "Two")]
    assert tab.do("close_tab()") is None and tab.do("close_tab()") is None
    assert tab.rows() == [("heading", "One")]
    assert tab.do('new_tab("http://example.com/")').code == "FORBIDDEN_URL"  # type: ignore[union-attr]
    assert tab.now.tabs == ()


async def attachment(_: web.Request) -> web.StreamResponse:
    return web.Response(text="a,b\n1,2\n", headers={"Content-Disposition": 'attachment; filename="report.csv"'})


def test_a_download_is_reported_and_the_page_stays(lab: Lab) -> None:
    lab.put("/report", attachment)
    tab = lab.open("<h1>Reports</h1><a href=/report>Get it</a>")
    assert tab.do(f"click({tab.ref('link')})") is None
    assert tab.rows()[0] == ("heading", "Reports") and tab.now.settled
    tab.wait_for(lambda: bool(tab.tabs.downloads))
    assert tab.tabs.take_news() == ("download 'report.csv'",)
    received = tab.tabs.downloads[0]
    assert received.path is not None and received.path.read_text() == "a,b\n1,2\n"
    assert tab.do(f"click({tab.ref('link')})") is None


FORM = """<label>Photo <input type=file id=f onchange="said.textContent = f.files[0].name"></label>
<button onclick="pick.click()">Attach</button>
<input type=file id=pick hidden onchange="said.textContent = 'got ' + pick.files[0].name">
<p id=said></p>"""


def test_a_file_field_takes_an_upload(lab: Lab, tmp_path: Path) -> None:
    tab = lab.open(FORM)
    tab.files = {"cat.png": tmp_path / "cat.png"}
    tab.files["cat.png"].write_bytes(b"cat")
    field = tab.ref("file", "Photo")
    assert tab.do(f'upload({field}, "cat.png")') is None
    assert tab.node("file").value == "cat.png"
    assert ("text", "cat.png") in tab.rows()
    error = tab.do(f'upload({field}, "/etc/passwd")')
    assert error is not None and error.code == "FILE_NOT_FOUND" and "'cat.png'" in error.message


def test_a_file_chooser_that_a_click_has_opened_takes_an_upload(lab: Lab, tmp_path: Path) -> None:
    tab = lab.open(FORM)
    tab.files = {"cat.png": tmp_path / "cat.png"}
    tab.files["cat.png"].write_bytes(b"cat")
    button = tab.ref("button", "Attach")
    assert tab.do(f'upload({button}, "cat.png")').code == "NOT_A_FILE_FIELD"  # type: ignore[union-attr]
    assert tab.do(f"click({button})") is None
    tab.wait_for(lambda: tab.tabs.take_news() == ("a file chooser is open",))
    assert tab.do(f'upload({button}, "cat.png")') is None
    assert ("text", "got cat.png") in tab.rows()
