"""BrowserGym's forms of a page, by its own code in an environment of its own: one process for all pages."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import IO

from harness.forms.live import Live
from harness.forms.matching import Form, axtree_form, html_form

LIMIT = 64 * 1024 * 1024  # bytes of the forms of one page
SAID = 500  # characters of what it said last
TIME = 120.0  # seconds for one page


class BrowserGymFailed(RuntimeError):
    """The other Python or its browser did not do its work; the message has what it said last."""


class BrowserGym:
    """Open it with `async with browsergym(python, chromium) as gym`."""

    def __init__(self, process: asyncio.subprocess.Process, said: IO[bytes], width: int, height: int) -> None:
        self._process = process
        self._said = said
        self._size = {"width": width, "height": height}

    async def forms(self, url: str, live: Live) -> tuple[Form, Form]:
        """The flattened accessibility tree and the pruned HTML of a page at an address that is still served."""
        assert self._process.stdin is not None and self._process.stdout is not None
        line = json.dumps({"url": url, "html": live.copy, **self._size}) + "\n"
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(line.encode())
            await self._process.stdin.drain()
        try:
            async with asyncio.timeout(TIME):
                answer = await self._process.stdout.readline()
        except TimeoutError as error:
            raise BrowserGymFailed(f"BrowserGym did not answer within {TIME:g} s for {url}") from error
        if not answer:
            self._said.seek(0)
            said = self._said.read().decode("utf-8", "replace").strip() or "it said nothing"
            raise BrowserGymFailed(f"BrowserGym ended at {url}: … {said[-SAID:]}")
        found = json.loads(answer)
        bids: dict[str, tuple[str, ...]] = {
            live.nodes[int(place)].ref: (bid,) for place, bid in found["bids"].items() if bid
        }
        return axtree_form(found["axtree"], bids), html_form(found["pruned"], bids)


@asynccontextmanager
async def browsergym(python: Path, chromium: Path, width: int, height: int) -> AsyncIterator[BrowserGym]:
    """A process of `python`, which has BrowserGym, with a browser that shows pages in this size (CSS pixels)."""
    resource = resources.files("harness.forms") / "browsergym_script.py"
    with resources.as_file(resource) as script, tempfile.TemporaryFile() as said:
        try:
            process = await asyncio.create_subprocess_exec(
                *(str(python), "-I", str(script), str(chromium)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=said,
                limit=LIMIT,
            )
        except OSError as error:
            raise BrowserGymFailed(f"{python} can't be run: {error.strerror or error}") from error
        try:
            yield BrowserGym(process, said, width, height)
        finally:
            assert process.stdin is not None
            process.stdin.close()  # the script ends with its input
            try:
                async with asyncio.timeout(10):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
