"""Nothing an agent or a page does reaches beyond the sites, and no two contexts share anything."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest
from aiohttp import web

from harness.page.action import Goto
from tests.lab import Lab, Tab


class Door:
    """A port of this machine that is listened on; `knocks` counts who came."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.port = self.socket.getsockname()[1]

    @property
    def knocks(self) -> int:
        count = 0
        while True:
            try:
                self.socket.accept()[0].close()
            except BlockingIOError:
                return count
            count += 1


@pytest.fixture
def door() -> Iterator[Door]:
    door = Door()
    yield door
    door.socket.close()


def test_the_door_tells_of_a_connection(door: Door) -> None:
    with socket.create_connection(("127.0.0.1", door.port)):
        assert door.knocks == 1
    assert door.knocks == 0


def test_only_addresses_of_the_sites_can_be_gone_to(lab: Lab, door: Door) -> None:
    tab = lab.open("<h1>Home</h1>")
    urls = [
        "file:///etc/passwd",
        "javascript:document.title='x'",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "about:blank",
        "chrome://version",
        f"view-source:{lab.origin}/",
        f"blob:{lab.origin}/x",
        "https://example.com/",
        "//example.com/",
        f"http://elsewhere.localhost:{lab.port}/",
        f"http://lab.localhost:{door.port}/",
        f"http://127.0.0.1:{lab.port}/",
        f"http://127.0.0.1:{door.port}/",
        "http://lab.localhost/",
        f"https://lab.localhost:{lab.port}/",
        f"{lab.origin}@127.0.0.1:{door.port}/",
        f"http://user:word@lab.localhost:{lab.port}/",
        f"{lab.origin}\\@127.0.0.1:{door.port}/",
        f"http://127.0.0.1:{door.port}\\@lab.localhost:{lab.port}/",
        "http://[",
        "http://\ud800/",
    ]
    for url in urls:
        error = tab.do(Goto(url))
        assert error is not None and error.code == "FORBIDDEN_URL", url
        assert tab.now.url == f"{lab.origin}/"
    assert tab.now.title == "Lab"
    assert door.knocks == 0


def test_addresses_of_the_site_may_be_relative(lab: Lab) -> None:
    lab.put("/shelf/two", "<h1>Two</h1>")
    tab = lab.open("<h1>Home</h1>")
    for url in (
        "/shelf/two",
        "shelf/two?x=1#y",
        f"{lab.origin}/shelf/two",
        f"HTTP://LAB.localhost:{lab.port}/shelf/two",
    ):
        assert tab.do(Goto(url)) is None
        assert tab.rows() == [("heading", "Two")], url
        assert tab.do(Goto("/")) is None
    assert tab.do(Goto("#part")) is None
    assert tab.now.url == f"{lab.origin}/#part"
    assert tab.do(Goto("/\\127.0.0.1/")) is None  # a path of this host, however it looks
    assert tab.now.url.startswith(f"{lab.origin}/")


def links(lab: Lab, door: Door) -> dict[str, str]:
    return {
        "host": f"http://elsewhere.localhost:{lab.port}/",
        "port": f"http://lab.localhost:{door.port}/",
        "number": f"http://127.0.0.1:{door.port}/",
        "six": f"http://[::1]:{door.port}/",
        "name": f"http://localhost:{door.port}/",
    }


def test_a_link_out_of_the_sites_is_not_followed(lab: Lab, door: Door) -> None:
    there = links(lab, door)
    anchors = "".join(f"<a href='{url}'>{name}</a> " for name, url in there.items())
    tab = lab.open(f"{anchors}<form method=post action='{there['number']}'><button>post</button></form>")
    before = tab.now.nodes
    for name in [*there, "post"]:
        assert tab.do(f"click({tab.ref('button' if name == 'post' else 'link', name)})") is None
        assert tab.now.refused == there.get(name, there["number"])
        assert [node.ref for node in tab.now.nodes] == [node.ref for node in before] and tab.now.settled
        assert tab.look().refused == ""
    tab.js(f"() => {{ location.href = {there['host']!r}; }}")
    assert tab.look().refused == there["host"]
    assert door.knocks == 0
    assert "elsewhere" not in " ".join(lab.asked)


def test_a_redirect_out_of_the_sites_leads_nowhere_and_there_is_a_way_back(lab: Lab, door: Door) -> None:
    url = links(lab, door)["number"]

    async def redirect(_: web.Request) -> web.StreamResponse:
        raise web.HTTPFound(url)

    lab.put("/away", redirect)
    tab = lab.open("<a href='/away'>out</a>")
    assert tab.do(f"click({tab.ref('link')})") is None
    assert tab.now.title == f"{url} could not be reached"
    assert tab.now.nodes == ()
    assert tab.do("back()") is None
    assert tab.now.url == f"{lab.origin}/"
    assert door.knocks == 0


def test_scripts_of_a_page_reach_no_other_port(lab: Lab, door: Door) -> None:
    tab = lab.open("<h1>Home</h1>")
    for url in links(lab, door).values():
        result = tab.js(
            f"""async () => {{
              const url = "{url}";
              const failed = (promise) => promise.then(() => "reached", () => "failed");
              const loaded = (tag, name) => new Promise((resolve) => {{
                const el = document.createElement(tag);
                el.onload = () => resolve("reached");
                el.onerror = () => resolve("failed");
                el[name] = url;
                document.head.append(el);
              }});
              const socket = new Promise((resolve) => {{
                const ws = new WebSocket(url.replace("http", "ws"));
                ws.onopen = () => resolve("reached");
                ws.onerror = () => resolve("failed");
              }});
              navigator.sendBeacon(url, "x");
              const frame = document.createElement("iframe");
              const framed = new Promise((resolve) => {{ frame.onload = () => resolve("failed"); }});
              frame.src = url;
              document.body.append(frame);
              const fetched = failed(fetch(url, {{ mode: "no-cors" }}));
              return Promise.all([fetched, loaded("img", "src"), loaded("script", "src"), socket, framed]);
            }}"""
        )
        assert result == ["failed"] * 5, url
    assert door.knocks == 0


def test_a_new_window_reaches_nothing_either(lab: Lab, door: Door) -> None:
    url = links(lab, door)["number"]
    tab = lab.open(f"<a href='{url}' target='_blank'>out</a><button onclick='window.open(\"{url}\")'>open</button>")
    for role in ("link", "button"):
        assert tab.do(f"click({tab.ref(role)})") is None
        assert tab.now.refused == url and tab.now.tabs == ()
        assert tab.now.url == f"{lab.origin}/" and tab.now.settled
    assert door.knocks == 0


def test_contexts_share_no_cookies_and_no_storage(lab: Lab) -> None:
    lab.put("/", "<h1>Home</h1><input aria-label=Name>")
    write = """(name) => {
      document.cookie = `who=${name}; path=/`;
      localStorage.setItem("who", name);
      sessionStorage.setItem("who", name);
      return new Promise((resolve) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = resolve;
      }).then(() => caches.open(name)).then(() => true, () => true);
    }"""
    read = """async () => [
      document.cookie, localStorage.getItem("who"), localStorage.length, sessionStorage.getItem("who"),
      (await indexedDB.databases()).map((base) => base.name).join(), document.querySelector("input").value,
    ]"""

    async def one(tab: Tab, name: str, written: asyncio.Barrier) -> list[object]:
        await tab.page.evaluate(write, name)
        assert await tab.act(f'type({tab.ref("textbox")}, "{name}")') is None
        await written.wait()
        return list(await tab.page.evaluate(read))

    tabs = [lab.open("<h1>Home</h1><input aria-label=Name>") for _ in range(8)]

    async def all_at_once() -> list[list[object]]:
        written = asyncio.Barrier(len(tabs))
        return await asyncio.gather(*(one(tab, f"n{k}", written) for k, tab in enumerate(tabs)))

    assert lab.loop.run(all_at_once()) == [[f"who=n{k}", f"n{k}", 1, f"n{k}", f"n{k}", f"n{k}"] for k in range(8)]
    fresh = lab.open("<h1>Home</h1><input aria-label=Name>")
    assert fresh.js(read) == ["", None, 0, None, "", ""]
