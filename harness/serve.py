"""python -m harness.serve: serves the sites of a suite, for a person's browser."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from dataclasses import dataclass

import tyro
from aiohttp import web

from harness.server import LOOPBACK, make_app, origin
from harness.tasks.task import Suite, UnknownTask, load_suite

SEED_SHOWN = 7
BACKLOG = 1024


@dataclass(frozen=True)
class Args:
    port: int = 8000
    """The port on 127.0.0.1; 0 takes a free one."""
    suite: str = "sites"
    """Import string of the suite: PACKAGE or PACKAGE:FUNCTION."""
    announce: bool = False
    """For a parent process: print nothing but the port, ignore Ctrl-C, and end when standard input closes."""


async def serve(suite: Suite, listener: socket.socket, announce: bool) -> None:
    """Serve until cancelled."""
    runner = web.AppRunner(make_app(suite, cache=announce), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.SockSite(runner, listener, backlog=BACKLOG).start()
        port = listener.getsockname()[1]
        if announce:
            print(port, flush=True)
        else:
            for site in suite.sites:
                print(origin(site, port) + suite.first_page(site, SEED_SHOWN))
            print("Ctrl-C ends", flush=True)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def listen(port: int) -> socket.socket:
    """A socket bound to the port. OSError if it cannot be had, OverflowError if it is no port."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere the option would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
    except BaseException:
        listener.close()
        raise
    return listener


def end_with_standard_input() -> None:
    """End this process at once when standard input closes: the parent has stopped the server, or is gone."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def main() -> int:
    args = tyro.cli(Args, description=__doc__)
    if args.announce:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=end_with_standard_input, daemon=True).start()
    try:
        suite = load_suite(args.suite)
        listener = listen(args.port)
    except UnknownTask as error:
        print(error, file=sys.stderr)
        return 2
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        print(f"cannot listen on port {args.port}: {reason}; choose another with --port", file=sys.stderr)
        return 2
    try:
        asyncio.run(serve(suite, listener, args.announce))
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
