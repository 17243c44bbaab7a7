"""The site server: one origin per site, nothing outside a site's folder, no process left behind."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from aiohttp import web

from harness.config import BrowserConfig
from harness.server import LOOPBACK, SiteServer, SiteServerError, make_app, world_json
from harness.tasks.task import Site, Suite, load_suite

SUITE = "tests.fixture_suite"
PROJECT = Path(__file__).parent.parent
LIMIT = 30.0


@dataclass
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes


def ask(port: int, target: str, *, host: str = "demo.localhost", method: str = "GET", **headers: str) -> Reply:
    """One request whose target is sent exactly as written."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=LIMIT)
    try:
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", f"{host}:{port}" if host else "")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        response = connection.getresponse()
        return Reply(response.status, response.headers, response.read())
    finally:
        connection.close()


@pytest.fixture(scope="module")
def server() -> Iterator[SiteServer]:
    with SiteServer(SUITE) as server:
        yield server


@contextmanager
def served(suite: Suite, cache: bool = True) -> Iterator[int]:
    """The port of a server in a thread of this process, for suites that have no import string."""
    loop = asyncio.new_event_loop()
    runner = web.AppRunner(make_app(suite, cache=cache), access_log=None, shutdown_timeout=0.1)

    async def start() -> int:
        await runner.setup()
        await web.TCPSite(runner, LOOPBACK, 0).start()
        return int(runner.addresses[0][1])

    port = loop.run_until_complete(start())
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        yield port
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(LIMIT)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(LIMIT)
        loop.close()


def small_suite(root: Path, shared: Path | None = None, world: Any = lambda seed: {"state": {}}) -> Suite:
    return Suite("small", [Site("demo", root, world), Site("other", root, world)], shared=shared)


def wait_until(condition: Any) -> bool:
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


# What is served


def test_the_root_is_the_index_page(server: SiteServer) -> None:
    root, index = ask(server.port, "/?seed=7"), ask(server.port, "/index.html")
    assert root.status == index.status == 200
    assert root.body == index.body == (PROJECT / "tests/fixtures/demo/index.html").read_bytes()
    assert root.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("a.html", "text/html; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.json", "application/json; charset=utf-8"),
        ("a.svg", "image/svg+xml"),
        ("a.png", "image/png"),
        ("a.ico", "image/x-icon"),
        ("with space é.html", "text/html; charset=utf-8"),
    ],
)
def test_each_kind_of_file_has_its_content_type(tmp_path: Path, name: str, content_type: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with served(small_suite(tmp_path)) as port:
        reply = ask(port, "/" + name.replace(" ", "%20").replace("é", "%C3%A9"))
    assert (reply.status, reply.headers["Content-Type"], reply.body) == (200, content_type, b"x")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


def test_shared_files_are_served_to_every_site(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "shared" / "deep").mkdir(parents=True)
    (tmp_path / "shared" / "deep" / "store.js").write_text("1")
    (tmp_path / "secret.js").write_text("2")
    with served(small_suite(tmp_path / "site", tmp_path / "shared")) as port:
        for host in ("demo.localhost", "other.localhost", "DEMO.localhost"):
            assert ask(port, "/_shared/deep/store.js", host=host).body == b"1"
        assert ask(port, "/_shared/../secret.js").status == 404
        assert ask(port, "/_shared/deep").status == 404
        assert ask(port, "/_shared/").status == 404
        assert ask(port, "/_shared").status == 404


def test_a_page_that_is_not_there_is_a_friendly_404(server: SiteServer) -> None:
    reply = ask(server.port, "/no%3Cb%3E.html")
    assert reply.status == 404
    assert b"Page not found" in reply.body
    assert b"no&lt;b&gt;.html" in reply.body
    assert reply.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "shop.localhost", "demo.localhost.evil.com", "<b>", ""])
def test_an_unknown_host_lists_the_sites_as_links(server: SiteServer, host: str) -> None:
    reply = ask(server.port, "/", host=host)
    assert reply.status == 404
    assert f"href='http://demo.localhost:{server.port}/?seed=0'".encode() in reply.body
    assert b"<b>" not in reply.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_only_get_and_head_are_answered(server: SiteServer, method: str) -> None:
    reply = ask(server.port, "/", method=method)
    assert reply.status == 405
    assert reply.headers["Allow"] == "GET, HEAD"


def test_head_has_the_headers_of_get_and_no_body(server: SiteServer) -> None:
    get, head = ask(server.port, "/demo.js"), ask(server.port, "/demo.js", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    for name in ("Content-Length", "Content-Type", "ETag", "Cache-Control"):
        assert head.headers[name] == get.headers[name]


# What is never served


OUTSIDE = [
    "/../outside.html",
    "/./index.html",
    "/%2e%2e/outside.html",
    "/%2E%2E%2Foutside.html",
    "/sub/../../outside.html",
    "/sub/..%2f..%2foutside.html",
    "/..\\outside.html",
    "/..%5Coutside.html",
    "/%252e%252e/outside.html",
    "//etc/hostname.html",
    "//outside.html",
    "/sub//page.html",
    "/%00",
    "/index.html%00.css",
    "/%00/../index.html",
    "/link.html",
    "/linked/outside.html",
    "/tasks.py",
    "/tasks.py/",
    "/renamed.html",
    "/.hidden.html",
    "/.git/index.html",
    "/index.html/",
    "/sub",
    "/noindex/",
    "/INDEX.PY",
    "/%FF.html",
    "/" + "a" * 5000 + ".html",
    "/index.html?x#/../outside.html",
    "/" + "%2e%2e/" * 12 + "etc/passwd",
]


@pytest.mark.parametrize("target", OUTSIDE)
def test_nothing_outside_the_folder_is_served(tmp_path: Path, target: str) -> None:
    root = tmp_path / "site"
    for folder in ("sub", "noindex", ".git"):
        (root / folder).mkdir(parents=True)
    (tmp_path / "outside.html").write_text("SECRET")
    for name in ("tasks.py", ".hidden.html", ".git/index.html"):
        (root / name).write_text("SECRET")
    (root / "index.html").write_text("fine")
    (root / "sub" / "page.html").write_text("fine")
    (root / "link.html").symlink_to(tmp_path / "outside.html")
    (root / "linked").symlink_to(tmp_path)
    (root / "renamed.html").symlink_to(root / "tasks.py")
    with served(small_suite(root)) as port:
        reply = ask(port, target)
    assert b"SECRET" not in reply.body
    if "?" not in target:
        assert reply.status == 404


@pytest.mark.parametrize(
    "line",
    [b"GET http://demo.localhost/../outside.html HTTP/1.1", b"GET ../outside.html HTTP/1.1", b"OPTIONS * HTTP/1.1"],
)
def test_a_target_that_is_no_path_gets_nothing(server: SiteServer, line: bytes) -> None:
    with socket.create_connection((LOOPBACK, server.port), timeout=LIMIT) as connection:
        connection.sendall(line + b"\r\nHost: demo.localhost\r\nConnection: close\r\n\r\n")
        answer = connection.makefile("rb").readline()
    assert re.match(rb"HTTP/1\.[01] 4\d\d ", answer)


def test_only_the_loopback_address_is_listened_on(server: SiteServer) -> None:
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", server.port), timeout=LIMIT)


# The world


def test_the_world_is_served_byte_for_byte(server: SiteServer) -> None:
    world = load_suite(SUITE).sites["demo"].world(7)
    for key in ("things", "state"):
        reply = ask(server.port, f"/world/{key}.json?seed=7")
        expected = json.dumps(world[key], ensure_ascii=False, separators=(",", ":")).encode()
        assert (reply.status, reply.body) == (200, expected)
        assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
        assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_a_leading_zero_or_another_parameter_does_not_change_the_world(server: SiteServer) -> None:
    plain = ask(server.port, "/world/state.json?seed=7").body
    assert ask(server.port, "/world/state.json?as=guest&seed=007").body == plain
    assert ask(server.port, "/world/state.json?seed=8").body != plain


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/world/state.json", 400),
        ("/world/state.json?seed=", 400),
        ("/world/state.json?seed=x", 400),
        ("/world/state.json?seed=-1", 400),
        ("/world/state.json?seed=1.0", 400),
        ("/world/state.json?seed=%D9%A3", 400),
        ("/world/state.json?seed=1&seed=2", 400),
        ("/world/state.json?seed=" + "9" * 400, 400),
        ("/world/none.json?seed=1", 404),
        ("/world/__class__.json?seed=1", 404),
        ("/world/state?seed=1", 404),
        ("/world/a/state.json?seed=1", 404),
        ("/world/?seed=1", 404),
    ],
)
def test_a_bad_seed_or_key_is_answered_with_a_plain_line(server: SiteServer, target: str, status: int) -> None:
    reply = ask(server.port, target)
    assert reply.status == status
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert reply.body.count(b"\n") == 1


def test_a_world_is_made_once_for_all_its_parts(tmp_path: Path) -> None:
    made = []

    def world(seed: int) -> dict[str, Any]:
        made.append(seed)
        return {"state": {"b": 1, "a": "é"}, "more": [seed]}

    with served(small_suite(tmp_path, world=world)) as port:
        assert ask(port, "/world/state.json?seed=3").body == '{"b":1,"a":"é"}'.encode()
        assert ask(port, "/world/more.json?seed=3").body == b"[3]"
        assert ask(port, "/world/state.json?seed=3").status == 200
    assert made == [3]


def test_a_world_that_fails_says_so(tmp_path: Path) -> None:
    def world(seed: int) -> dict[str, Any]:
        raise KeyError("lamp")

    with served(small_suite(tmp_path, world=world)) as port:
        reply = ask(port, "/world/state.json?seed=3")
        assert (reply.status, reply.body) == (500, b"the world of seed 3 cannot be made: KeyError: 'lamp'\n")
        assert reply.headers["Cache-Control"] == "no-store"


def test_world_json_refuses_what_is_no_json() -> None:
    assert world_json({"b": 1, "a": [True, None]}) == b'{"b":1,"a":[true,null]}'
    with pytest.raises(ValueError, match="Out of range"):
        world_json(float("nan"))


# Caching


def test_an_unchanged_file_is_not_sent_twice(server: SiteServer) -> None:
    first = ask(server.port, "/demo.css")
    assert first.headers["Cache-Control"] == "public, max-age=60"
    for tag in (first.headers["ETag"], f'"x", W/{first.headers["ETag"]}'):
        second = ask(server.port, "/demo.css", If_None_Match=tag)
        assert (second.status, second.body) == (304, b"")
    assert ask(server.port, "/demo.css", If_None_Match='"x"').status == 200


def test_an_edited_file_is_served_anew(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("old")
    with served(small_suite(tmp_path)) as port:
        old = ask(port, "/")
        page.write_text("new!")
        new = ask(port, "/")
        page.unlink()
        assert ask(port, "/").status == 404
    assert (old.body, new.body) == (b"old", b"new!")
    assert old.headers["ETag"] != new.headers["ETag"]


def test_for_a_person_browsers_ask_each_time(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("x")
    with served(small_suite(tmp_path), cache=False) as port:
        assert ask(port, "/").headers["Cache-Control"] == "no-cache"
        assert ask(port, "/world/state.json?seed=1").headers["Cache-Control"] == "no-cache"


# The process


def test_the_origins_are_those_of_the_suite(server: SiteServer) -> None:
    assert server.alive
    assert server.origins == (f"http://demo.localhost:{server.port}",) == (server.origin("demo"),)
    with pytest.raises(KeyError, match="known: demo"):
        server.origin("shop")


def test_it_serves_inside_an_event_loop_and_is_gone_afterwards() -> None:
    async def run() -> tuple[int, int]:
        async with SiteServer(SUITE) as server:
            assert (await asyncio.to_thread(ask, server.port, "/plain.html")).status == 200
            assert server._process is not None
            return server.port, server._process.pid

    port, pid = asyncio.run(run())
    assert not exists(pid)
    with pytest.raises(OSError, match="refused"):
        ask(port, "/")


def test_it_can_be_started_again() -> None:
    server = SiteServer(SUITE)
    for _ in range(2):
        with server:
            assert ask(server.port, "/plain.html").status == 200
        assert not server.alive


def test_a_cancelled_start_leaves_no_process() -> None:
    server = SiteServer(SUITE)
    pids = []

    async def run() -> None:
        task = asyncio.ensure_future(server.__aenter__())
        await asyncio.sleep(0)
        assert server._process is not None
        pids.append(server._process.pid)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert not exists(pids[0])


def test_it_survives_an_interrupt_of_its_own() -> None:
    with SiteServer(SUITE) as server:
        assert server._process is not None
        server._process.send_signal(signal.SIGINT)
        assert ask(server.port, "/plain.html").status == 200


def test_it_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\n"
            "from harness.server import SiteServer\n"
            f"with SiteServer({SUITE!r}) as server:\n"
            "    print(server._process.pid, flush=True)\n"
            "    time.sleep(60)\n",
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert exists(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert wait_until(lambda: not exists(pid))


def test_a_server_that_does_not_start_in_time_is_an_error() -> None:
    server = SiteServer(SUITE, replace(BrowserConfig(), server_timeout=0.001))
    with pytest.raises(SiteServerError, match="nothing was heard of it"):
        server.__enter__()
    assert not server.alive
    with pytest.raises(SiteServerError, match="has not been started"):
        _ = server.port


def test_a_server_that_fails_says_what_it_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    server = SiteServer(SUITE)
    server.suite = "no.such.suite"
    with pytest.raises(SiteServerError, match=r"unknown suite 'no\.such\.suite'"):
        server.__enter__()


def exists(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


# The command


def command(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "harness.serve", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
    )


def test_the_command_prints_an_address_per_site_and_ends_quietly_on_ctrl_c() -> None:
    process = command("--port", "0", "--suite", SUITE)
    assert process.stdout is not None
    match = re.fullmatch(r"http://demo\.localhost:(\d+)/\?seed=7\n", process.stdout.readline())
    assert match is not None
    connection = http.client.HTTPConnection(LOOPBACK, int(match[1]), timeout=LIMIT)
    connection.request("GET", "/", headers={"Host": "demo.localhost"})
    assert connection.getresponse().read()  # and the connection stays open, as a browser's does
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LIMIT)
    connection.close()
    assert (process.returncode, errors) == (0, "")


def one_line_and_exit_2(*args: str) -> str:
    process = command(*args)
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 2
    assert errors.count("\n") == 1
    return errors


def test_a_port_in_use_is_one_clear_line() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = str(taken.getsockname()[1])
        errors = one_line_and_exit_2("--port", port, "--suite", SUITE)
    assert f"cannot listen on port {port}: Address already in use" in errors


def test_a_number_that_is_no_port_is_one_clear_line() -> None:
    assert "cannot listen on port 65536" in one_line_and_exit_2("--port", "65536", "--suite", SUITE)


def test_an_unknown_suite_is_one_clear_line() -> None:
    assert "unknown suite 'nowhere'" in one_line_and_exit_2("--port", "0", "--suite", "nowhere")
