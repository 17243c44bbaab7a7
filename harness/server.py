"""Serves a suite's sites on loopback, one origin each: http://NAME.localhost:PORT/.

Always: only 127.0.0.1 is listened on; only GET and HEAD are answered; nothing outside a site's folder and the suite's
shared folder is ever read, and of these only the kinds of file in CONTENT_TYPES (never Python). Paths:

    /                        index.html of the site, and its other static files
    /_shared/...             the suite's shared files
    /world/KEY.json?seed=N   world(N)[KEY] of the site as JSON, the same bytes on every machine

`SiteServer` runs `python -m harness.serve --announce` as a process of its own, so that the server takes no time from
the rollouts; that process ends when its standard input closes, hence also when its parent was killed.
"""

from __future__ import annotations

import asyncio
import hashlib
import html
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import threading
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple
from urllib.parse import unquote_to_bytes

from aiohttp import web

from harness.config import BrowserConfig
from harness.tasks.task import Site, Suite, World, load_suite

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
SHARED = "_shared"
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".gif": "image/gif",
}
FOR_EVER = "public, max-age=31536000, immutable"
ONE_EPISODE = "public, max-age=60"
ALWAYS_ASK = "no-cache"
WORLDS_KEPT = 64
WORLD_PARTS_KEPT = 512
WORLD_PATH = re.compile(r"/world/([A-Za-z0-9_-]{1,64})\.json")
SEED = re.compile(r"[0-9]{1,15}")

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em }}</style>
</head><body><main><h1>{title}</h1>{body}</main></body></html>
"""


class SiteServerError(RuntimeError):
    """The site server did not start; the message says what it printed."""


def origin(site: str, port: int) -> str:
    """The origin that a site is served under."""
    return f"http://{site}.localhost:{port}"


class File(NamedTuple):
    """A static file in memory; `stamp` tells whether the one on disk is still the same."""

    stamp: tuple[int, int, int]
    body: bytes
    etag: str
    content_type: str


class StaticFolder:
    """The files of one folder, each read once and again only when it changed on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._files: dict[str, File] = {}

    def file(self, path: str) -> File | None:
        """The file of a decoded URL path relative to the folder; None for whatever must not or cannot be served."""
        parts = path.split("/")
        if parts[-1] == "":
            parts[-1] = "index.html"
        if "\\" in path or "\0" in path or any(not part or part.startswith(".") for part in parts):
            return None
        content_type = CONTENT_TYPES.get(os.path.splitext(parts[-1])[1])
        if content_type is None:
            return None
        name = "/".join(parts)
        full = os.path.join(self.root, *parts)
        try:
            status = os.stat(full)
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            known = self._files.get(name)
            if known is not None and known.stamp == stamp:
                return known
            real = Path(full).resolve()
            if not real.is_relative_to(self.root) or not real.is_file() or real.suffix not in CONTENT_TYPES:
                return None
            body = real.read_bytes()
        except (OSError, ValueError):  # ValueError: a name that the file system cannot hold
            return None
        file = File(stamp, body, f'"{hashlib.sha256(body).hexdigest()[:20]}"', content_type)
        self._files[name] = file
        return file


class SiteFiles:
    """What one site serves: its static files and the parts of its worlds."""

    def __init__(self, site: Site) -> None:
        self.static = StaticFolder(site.root)
        self._world = lru_cache(WORLDS_KEPT)(site.world)
        self.world_part = lru_cache(WORLD_PARTS_KEPT)(self._world_part)

    def _world_part(self, seed: int, key: str) -> bytes | None:
        world: World = self._world(seed)
        return world_json(world[key]) if key in world else None


def world_json(value: Any) -> bytes:
    """The bytes that a part of a world is served as. Keys stay in order of insertion. ValueError for NaN."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")


def make_app(suite: Suite, *, cache: bool = True) -> web.Application:
    """The web application that serves all sites of a suite, chosen by the Host header.

    `cache` False: browsers must ask again each time, for a person who edits the files.
    """
    sites = {f"{name}.localhost": SiteFiles(site) for name, site in suite.sites.items()}
    shared = StaticFolder(suite.shared) if suite.shared is not None else None
    static_caching, world_caching = (ONE_EPISODE, FOR_EVER) if cache else (ALWAYS_ASK, ALWAYS_ASK)

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.method not in ("GET", "HEAD"):
            return _line(405, "only GET and HEAD are answered here", {"Allow": "GET, HEAD"})
        host = request.headers.get("Host", "").lower().partition(":")[0]
        site = sites.get(host)
        if site is None:
            return _no_such_site(host, suite, request)
        path = _decoded_path(request)
        if path is None:
            return _no_such_page(request.raw_path)
        if path.startswith("/world/"):
            return _world(site, path, request, world_caching)
        if path.startswith(f"/{SHARED}/"):
            file = shared.file(path[len(SHARED) + 2 :]) if shared is not None else None
        else:
            file = site.static.file(path[1:])
        if file is None:
            return _no_such_page(path)
        headers = {"ETag": file.etag, "Cache-Control": static_caching, "X-Content-Type-Options": "nosniff"}
        if file.etag in [tag.strip().removeprefix("W/") for tag in _asked_tags(request)]:
            return web.Response(status=304, headers=headers)
        return web.Response(body=file.body, headers={"Content-Type": file.content_type, **headers})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    return app


def _decoded_path(request: web.Request) -> str | None:
    """The path of a request, decoded exactly once; None if it is not an absolute path in UTF-8.

    The path is taken as it was sent: `request.path` has its dots resolved already, so that what was asked for and
    what is answered could differ.
    """
    raw = request.raw_path.partition("?")[0].partition("#")[0]
    if not raw.startswith("/"):
        return None
    try:
        return unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None


def _asked_tags(request: web.Request) -> list[str]:
    asked = request.headers.get("If-None-Match")
    return asked.split(",") if asked else []


def _world(site: SiteFiles, path: str, request: web.Request, caching: str) -> web.Response:
    match = WORLD_PATH.fullmatch(path)
    if match is None:
        return _line(404, "world data is at /world/KEY.json?seed=N")
    seeds = request.query.getall("seed", [])
    if len(seeds) != 1 or not SEED.fullmatch(seeds[0]):
        return _line(400, "world data needs one seed, a whole number: /world/KEY.json?seed=7")
    seed = int(seeds[0])
    try:
        body = site.world_part(seed, match[1])
    except Exception as error:  # a mistake of the site, which its author must see and no other request may suffer from
        logger.exception("the world of seed %d cannot be made", seed)
        return _line(500, f"the world of seed {seed} cannot be made: {type(error).__name__}: {error}")
    if body is None:
        return _line(404, f"the world has no part {match[1]!r}")
    return web.Response(
        body=body,
        headers={
            "Content-Type": CONTENT_TYPES[".json"],
            "Cache-Control": caching,
            "X-Content-Type-Options": "nosniff",
        },
    )


def _line(status: int, text: str, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=status, text=text + "\n", headers={"Cache-Control": "no-store", **(headers or {})})


def _page(status: int, title: str, body: str) -> web.Response:
    text = PAGE.format(title=html.escape(title), body=body)
    return web.Response(
        status=status, text=text, content_type="text/html", charset="utf-8", headers={"Cache-Control": "no-store"}
    )


def _no_such_page(path: str) -> web.Response:
    shown = html.escape(path if len(path) <= 200 else path[:200] + "…")
    return _page(
        404, "Page not found", f"<p>There is nothing at <code>{shown}</code>.</p><p><a href='/'>Home page</a></p>"
    )


def _no_such_site(host: str, suite: Suite, request: web.Request) -> web.Response:
    port = request.transport.get_extra_info("sockname")[1] if request.transport is not None else 80
    links = "".join(f"<li><a href='{origin(name, port)}/?seed=0'>{html.escape(name)}</a></li>" for name in suite.sites)
    shown = html.escape(host[:200]) or "(no host)"
    return _page(404, "No such site", f"<p>No site is served as <code>{shown}</code>.</p><ul>{links}</ul>")


class SiteServer:
    """A process that serves a suite: `async with SiteServer("sites") as server:`, or plain `with`.

    `suite` is the suite's import string. Whatever happens to this process, the server does not outlive it.
    SiteServerError if it does not listen within `config.server_timeout`.
    """

    def __init__(self, suite: str, config: BrowserConfig | None = None) -> None:
        self.suite = suite
        self.sites = tuple(load_suite(suite).sites)
        self._config = config or BrowserConfig()
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[str] | None = None
        self._port: int | None = None

    @property
    def port(self) -> int:
        """The port that is listened on."""
        if self._port is None:
            raise SiteServerError("the site server has not been started")
        return self._port

    @property
    def origins(self) -> tuple[str, ...]:
        """The origin of each site."""
        return tuple(self.origin(site) for site in self.sites)

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process is not None and self._process.poll() is None

    def origin(self, site: str) -> str:
        """The origin of a site: "http://shop.localhost:PORT". KeyError for an unknown one."""
        if site not in self.sites:
            raise KeyError(f"no site {site!r} in suite {self.suite!r}; known: {', '.join(self.sites)}")
        return origin(site, self.port)

    def __enter__(self) -> SiteServer:
        self._start()
        try:
            self._wait_until_it_listens()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    async def __aenter__(self) -> SiteServer:
        self._start()
        try:
            await asyncio.to_thread(self._wait_until_it_listens)
        except BaseException:
            self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._stop)

    def _start(self) -> None:
        if self._process is not None:
            raise SiteServerError("the site server runs already")
        command = [sys.executable, "-P", "-m", "harness.serve", "--announce", "--port", "0", "--suite", self.suite]
        # The suite must be found as this process found it; a process group of its own keeps Ctrl-C away from it.
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115, closed by _stop
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
            process_group=0 if os.name == "posix" else None,
        )

    def _wait_until_it_listens(self) -> None:
        process, errors = self._process, self._errors
        assert process is not None and process.stdout is not None and errors is not None
        cap = threading.Timer(self._config.server_timeout, process.kill)
        cap.start()
        try:
            line = process.stdout.readline().strip()
        finally:
            cap.cancel()
        if line.isdecimal():
            self._port = int(line)
            return
        process.kill()
        process.wait()
        errors.seek(0)
        said = errors.read().strip() or f"nothing was heard of it for {self._config.server_timeout:g} s"
        raise SiteServerError(f"the site server of suite {self.suite!r} did not start: {said}")

    def _stop(self) -> None:
        process, self._process, self._port = self._process, None, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None and self._errors is not None
        process.stdin.close()
        try:
            process.wait(self._config.close_timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        self._errors.close()
