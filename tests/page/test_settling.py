"""A snapshot is of a page that has come to rest, and the wait for it has a cap."""

from __future__ import annotations

import asyncio
import statistics
import time

import pytest
from aiohttp import web

from harness.page.action import Type
from tests.lab import Lab

SHORT = 0.4  # seconds, a cap that a test can wait for


def slow(seconds: float, text: str = "arrived") -> object:
    """A handler that answers after a time, as a busy server does."""

    async def answer(_: web.Request) -> web.Response:
        await asyncio.sleep(seconds)
        return web.Response(text=text)

    return answer


def test_a_page_at_rest_is_read_within_milliseconds(lab: Lab) -> None:
    tab = lab.open("<button>x</button>" * 50)
    settled, walked = [], []
    for _ in range(15):
        assert tab.look().settled
        settled.append(tab.session.timings["settle"])
        walked.append(tab.session.timings["walk"])
    # The machine may be busy with other things, so the quickest and the median count, and generously.
    assert min(settled) < 0.02 and statistics.median(settled) < 0.2
    assert min(walked) < 0.02


def test_what_a_page_fetches_after_it_was_loaded_is_waited_for(lab: Lab) -> None:
    lab.put("/data", slow(0.15))  # type: ignore[arg-type]
    page = """<p id="p">waiting</p><script>
      const get = () => fetch("/data").then((reply) => reply.text());
      onload = () => setTimeout(() => get().then(get).then((text) => { p.textContent = text; }), 0);
    </script>"""
    tab = lab.open(page)
    assert tab.rows() == [("text", "arrived")] and tab.now.settled
    assert lab.asked.count("/data") == 2


def test_what_a_click_fetches_is_waited_for_by_either_way_of_fetching(lab: Lab) -> None:
    lab.put("/data", slow(0.15))  # type: ignore[arg-type]
    tab = lab.open(
        """<button id="f">fetch</button><button id="x">XHR</button><button id="i">image</button><p id="p"></p><script>
        f.onclick = async () => { p.textContent = `f ${await (await fetch("/data")).text()}`; };
        x.onclick = () => {
          const request = new XMLHttpRequest();
          request.onload = () => { p.textContent = `x ${request.responseText}`; };
          request.open("GET", "/data");
          request.send();
        };</script>"""
    )
    tab.do(f"click({tab.ref('button', 'fetch')})")
    assert tab.rows()[-1] == ("text", "f arrived")
    tab.do(f"click({tab.ref('button', 'XHR')})")
    assert tab.rows()[-1] == ("text", "x arrived")


def test_a_failed_fetch_is_not_waited_for(lab: Lab) -> None:
    tab = lab.open(
        """<p id="p"></p><script>
        const none = fetch("/none").then((reply) => { p.textContent = reply.status; });
        none.then(() => fetch("http://x.test/")).catch(() => p.append("!"));</script>"""
    )
    assert tab.rows() == [("text", "404!")] and tab.now.settled


def test_a_page_that_never_rests_is_read_at_the_cap_and_said_to_be_unsettled(lab: Lab) -> None:
    tab = lab.open("<p id=p>0</p><button>Stop</button>")
    tab.js("() => { window.timer = setInterval(() => { p.textContent = Number(p.textContent) + 1; }, 1); }")
    start = time.perf_counter()
    page = tab.look(SHORT)
    assert not page.settled and ("button", "Stop") in tab.rows()
    assert SHORT <= time.perf_counter() - start < SHORT + tab.session.caps.snapshot
    tab.js("() => clearInterval(window.timer)")
    assert tab.look().settled


@pytest.mark.parametrize("how", ["hang", "poll"])
def test_a_fetch_that_never_ends_and_one_after_the_other_are_read_at_the_cap(lab: Lab, how: str) -> None:
    lab.put("/data", slow(60 if how == "hang" else 0.02))  # type: ignore[arg-type]
    tab = lab.open("<button>Stay</button>")
    tab.js("() => { const poll = () => fetch('/data').then(poll, () => {}); poll(); }")
    start = time.perf_counter()
    page = tab.look(SHORT)
    assert SHORT <= time.perf_counter() - start < SHORT + tab.session.caps.snapshot
    assert tab.rows() == [("button", "Stay")]
    assert not page.settled


def test_what_is_marked_busy_is_waited_for_if_it_can_be_seen(lab: Lab) -> None:
    tab = lab.open(
        """<div aria-busy="true" hidden>never done</div><main id="m" aria-busy="true">wait</main><script>
        setTimeout(() => { m.textContent = "done"; m.removeAttribute("aria-busy"); }, 200);</script>"""
    )
    assert tab.rows() == [("main", ""), ("text", "done")] and tab.now.settled


def test_suggestions_that_come_a_while_after_typing_are_in_the_snapshot(lab: Lab) -> None:
    tab = lab.open(
        """<input role="combobox" id="q" aria-label="Search"><ul id="list" role="listbox"></ul><script>
        let timer;
        q.oninput = () => {
          list.ariaBusy = "true";
          clearTimeout(timer);
          timer = setTimeout(() => {
            list.innerHTML = ["lamp", "ladder"].map((word) => `<li role="option">${q.value} ${word}</li>`).join("");
            list.ariaBusy = "false";
          }, 100);
        };</script>"""
    )
    assert tab.do(Type(tab.ref("combobox"), "blue")) is None
    assert [node.name for node in tab.now.find("option")] == ["blue lamp", "blue ladder"]


def test_a_slow_page_is_waited_for_after_a_click(lab: Lab) -> None:
    async def late(_: web.Request) -> web.Response:
        await asyncio.sleep(0.2)
        return web.Response(text="<!doctype html><h1>Late</h1><img src=/late.png>", content_type="text/html")

    lab.put("/late", late)
    lab.put("/late.png", slow(0.1, ""))  # type: ignore[arg-type]
    tab = lab.open(
        "<a href='/late'>go</a><button onclick='setTimeout(() => { location = \"/late\"; }, 0)'>jump</button>"
    )
    for role in ("link", "button"):
        assert tab.do(f"click({tab.ref(role)})") is None
        assert tab.rows() == [("heading", "Late")] and tab.now.settled
        assert tab.do("back()") is None
        assert tab.now.find("link")


def test_a_chain_of_documents_is_followed_to_its_end(lab: Lab) -> None:
    async def redirect(_: web.Request) -> web.Response:
        raise web.HTTPFound("/c")

    lab.put("/a", "<script>location.replace('/b')</script>")
    lab.put("/b", redirect)
    lab.put("/c", "<!doctype html><meta http-equiv=refresh content='0;url=/d'>")
    lab.put("/d", "<h1>End</h1>")
    tab = lab.open("<a href='/a'>go</a>")
    tab.do(f"click({tab.ref('link')})")
    tab.look()
    assert tab.rows() == [("heading", "End")]


def test_a_navigation_that_leads_nowhere_is_not_waited_for(lab: Lab) -> None:
    async def empty(_: web.Request) -> web.Response:
        return web.Response(status=204)

    async def file(_: web.Request) -> web.Response:
        return web.Response(body=b"x", headers={"Content-Disposition": "attachment; filename=x.bin"})

    lab.put("/empty", empty)
    lab.put("/file", file)
    tab = lab.open(
        "<a href='/empty'>empty</a><a href='/file'>file</a><a href='/file' download>saved</a>"
        "<a href='mailto:a@b'>mail</a>"
    )
    refs = [tab.ref("link", name) for name in ("empty", "file", "saved", "mail")]
    for ref in refs:
        assert tab.do(f"click({ref})") is None
        assert tab.now.settled and [node.ref for node in tab.now.nodes] == refs


def test_a_click_that_a_page_answers_itself_stays(lab: Lab) -> None:
    tab = lab.open(
        """<a href="/x">router</a><p id="p"></p><script>
        navigation.addEventListener("navigate", (event) => {
          if (event.canIntercept) event.intercept({ handler: async () => { p.textContent = location.pathname; } });
        });</script>"""
    )
    for _ in range(2):  # the second time it leads to where it is, and replaces the entry
        assert tab.do(f"click({tab.ref('link')})") is None
        assert tab.rows() == [("link", "router"), ("text", "/x")] and tab.now.settled
        assert tab.now.url == f"{lab.origin}/x"


def test_an_animation_that_ends_soon_is_waited_for(lab: Lab) -> None:
    tab = lab.open(
        """<style>@keyframes come { from { left: -500px } to { left: 0 } } @keyframes turn { to { rotate: 360deg } }
        button { position: relative } .come { animation: come 300ms } i { animation: turn 1s infinite }
        b { animation: turn 60s }</style><button>Move</button><i>spinner</i><b>slow</b>
        <script>const button = document.querySelector("button");
        button.onclick = () => { button.className = "come"; };
        button.onanimationend = () => { document.title = "ended"; };</script>"""
    )
    assert tab.now.settled
    assert tab.do(f"click({tab.ref('button')})") is None
    assert tab.now.settled and tab.now.title == "ended"
