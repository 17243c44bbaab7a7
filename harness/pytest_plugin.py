"""A pytest plugin: fixtures `sites`, `env` and `play`, with pytest-playwright's --headed, --slowmo, --tracing, --video.

    def test_oracle(play, sites):
        assert play(sites.suite.task("shop.add_to_cart.7")).reward == 1

`sites` is the running server (`sites.origin("shop")`, `sites.suite`); `env` a WebEnv whose calls return when done;
`play(task, policy=None)` plays a whole episode, by the task's oracle unless a policy is given. The suite is the ini
option `harness_suite`. Without a screen, --headed opens a virtual one (Xvfb).
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from harness.browser import Browser
from harness.chromium import find_chromium, require_ffmpeg
from harness.config import BrowserConfig, load_config, ms
from harness.context.compress import Compressor
from harness.context.observation import Observation
from harness.env import Step, WebEnv
from harness.page.action import Action
from harness.rollout.collect import Collector, Episode
from harness.server import SiteServer
from harness.tasks.evaluate import Final, Verdict
from harness.tasks.task import Suite, Task, load_suite
from harness.tracing import Tracing
from harness.trajectory import Trajectory
from policy.base import Policy
from policy.scripted import OraclePolicy

T = TypeVar("T")

# A command that ends when standard input closes, hence also when this process was killed.
WITH_STANDARD_INPUT = '"$@" & read _; kill $!; wait'


def pytest_addoption(parser: pytest.Parser) -> None:
    """The ini option."""
    parser.addini("harness_suite", "import string of the suite that the harness fixtures serve", default="sites")


def pytest_configure(config: pytest.Config) -> None:
    """Of two plugins' fixtures of one name the later one counts: after pytest-playwright's, whatever came first."""
    config.pluginmanager.register(_OwnPage(), "harness-own-page")


class _LoopThread:
    """An event loop in a thread of its own: pytest-playwright's synchronous API keeps the main thread's for itself."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="harness", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine, run in the loop. An interrupt cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class Sites:
    """The sites as served: their suite and their addresses."""

    def __init__(self, suite: Suite, server: SiteServer) -> None:
        self.suite = suite
        self.server = server

    def origin(self, site: str) -> str:
        """The origin of a site, such as http://shop.localhost:41234."""
        return self.server.origin(site)


class Env:
    """A WebEnv whose calls return when they are done."""

    def __init__(self, env: WebEnv, loop: _LoopThread) -> None:
        self.env = env
        self._loop = loop

    def reset(self, task: Task) -> Observation:
        """Begin a task; its first observation."""
        return self._loop.run(self.env.reset(task))

    def step(self, action: Action | str) -> Step:
        """Do one action."""
        return self._loop.run(self.env.step(action))

    def finish(self) -> tuple[Final, Verdict]:
        """Score the episode."""
        return self._loop.run(self.env.finish())


@pytest.fixture(scope="session")
def harness_config(pytestconfig: pytest.Config) -> BrowserConfig:
    """The browser's configuration, changed by the command line."""
    config = load_config()
    option = pytestconfig.getoption
    headed = bool(option("--headed", False))
    slow = float(option("--slowmo", 0) or 0) / 1000
    return dataclasses.replace(config, headless=config.headless and not headed, slow_mo=slow or config.slow_mo)


@pytest.fixture(scope="session")
def harness_screen(harness_config: BrowserConfig) -> Iterator[None]:
    """A screen for a headed browser: the one there is, else a virtual one."""
    if (
        harness_config.headless
        or sys.platform != "linux"
        or os.environ.get("DISPLAY")
        or os.environ.get("WAYLAND_DISPLAY")
    ):
        yield
        return
    program = shutil.which("Xvfb")
    if program is None:
        pytest.exit("--headed needs a screen: none is there, and Xvfb is not installed", returncode=2)
    read, write = os.pipe()
    size = f"{harness_config.width + 80}x{harness_config.height + 160}x24"
    process = subprocess.Popen(
        [
            "sh",
            "-c",
            WITH_STANDARD_INPUT,
            "sh",
            program,
            "-displayfd",
            str(write),
            "-screen",
            "0",
            size,
            "-nolisten",
            "tcp",
        ],
        pass_fds=(write,),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,  # Ctrl-C is for pytest, which closes the browser first
    )
    assert process.stdin is not None
    os.close(write)
    try:
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()  # comes when the screen is ready
        if not number:
            pytest.exit("--headed needs a screen: none is there, and Xvfb did not start", returncode=2)
        os.environ["DISPLAY"] = f":{number}"
        yield
        del os.environ["DISPLAY"]
    finally:
        process.stdin.close()
        process.wait()


class _OwnPage:
    """pytest-playwright's own `page` runs in the same Chromium as the harness."""

    @pytest.fixture(scope="session")
    def browser_type_launch_args(
        self,
        browser_type_launch_args: dict[str, Any],
        browser_name: str,
        harness_config: BrowserConfig,
        harness_screen: None,
    ) -> dict[str, Any]:
        """What pytest-playwright has, with the Chromium of the configuration unless another browser is asked for."""
        options = dict(browser_type_launch_args)
        if browser_name != "chromium" or "channel" in options:
            return options
        return options | {
            "executable_path": str(find_chromium(harness_config)),
            "headless": harness_config.headless,
            "slow_mo": ms(harness_config.slow_mo),
            "args": ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *harness_config.args],
        }


@pytest.fixture(scope="session")
def sites(pytestconfig: pytest.Config, harness_config: BrowserConfig) -> Iterator[Sites]:
    """The suite's sites, served on a free port for the whole session."""
    name = pytestconfig.getini("harness_suite")
    with SiteServer(name, harness_config) as server:
        yield Sites(load_suite(name), server)


@pytest.fixture(scope="session")
def harness_loop() -> Iterator[_LoopThread]:
    """The thread in which the harness runs."""
    loop = _LoopThread()
    yield loop
    loop.stop()


@pytest.fixture(scope="session")
def harness_browser(
    pytestconfig: pytest.Config,
    sites: Sites,
    harness_config: BrowserConfig,
    harness_screen: None,
    harness_loop: _LoopThread,
) -> Iterator[Browser]:
    """One Chromium for the whole session."""
    if pytestconfig.getoption("--video", "off") != "off":
        require_ffmpeg()
    browser = Browser(harness_config, sites.server.origins)
    harness_loop.run(browser.__aenter__())
    yield browser
    harness_loop.run(browser.close())


@pytest.fixture
def harness_tracing(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> Tracing:
    """Traces and videos as --tracing and --video ask, in a folder of the test below --output."""
    option = pytestconfig.getoption
    folder = Path(option("--output", None) or "test-results") / request.node.name.replace("/", "-")
    return Tracing(option("--tracing", "off") or "off", folder, option("--video", "off") or "off", request.node.name)


@pytest.fixture
def env(
    request: pytest.FixtureRequest,
    sites: Sites,
    harness_browser: Browser,
    harness_tracing: Tracing,
    harness_loop: _LoopThread,
) -> Iterator[Env]:
    """An environment with a context of its own. What was recorded is kept if the test failed, or if all is kept."""
    web = WebEnv(harness_browser, sites.origin, Compressor(), harness_tracing)
    yield Env(web, harness_loop)
    report = getattr(request.node, "rep_call", None)  # left by pytest-playwright
    harness_loop.run(web.close(keep_trace=report is None or report.failed))


@pytest.fixture
def play(
    sites: Sites, harness_browser: Browser, harness_tracing: Tracing, harness_loop: _LoopThread
) -> Callable[..., Trajectory]:
    """`play(task, policy=None, seed=0)`: one whole episode."""
    collector = Collector(harness_browser, sites.origin, Compressor(), contexts=1, tracing=harness_tracing)

    def run(task: Task, policy: Policy | None = None, seed: int = 0) -> Trajectory:
        chosen = policy or OraclePolicy(sites.suite)
        return harness_loop.run(collector.collect(chosen, [Episode(task, seed=seed)]))[0]

    return run
