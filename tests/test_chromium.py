"""Chromium is looked for in a fixed order; when none is there, one line says what to type."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import playwright
import pytest

from harness import install as installer
from harness.chromium import BrowserNotFound, ffmpeg_place, find_chromium, require_ffmpeg
from harness.config import BrowserConfig

PROJECT = Path(__file__).parent.parent
DEFAULT = BrowserConfig()


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Puts a program there, in a world where no other browser is installed."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "own"))

    def put(name: str, mode: int = 0o755) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(mode)
        return path

    return put


def own(kind: str) -> str:
    """Where Playwright puts its own build."""
    browsers = json.loads((Path(playwright.__file__).parent / "driver/package/browsers.json").read_text())["browsers"]
    revision = next(browser["revision"] for browser in browsers if browser["name"] == "chromium")
    return {
        "shell": f"own/chromium_headless_shell-{revision}/chrome-headless-shell-linux64/chrome-headless-shell",
        "full": f"own/chromium-{revision}/chrome-linux64/chrome",
    }[kind]


def test_the_order_is_configured_then_playwrights_own_then_the_systems(put: Callable[..., Path]) -> None:
    names = ["bin/google-chrome", "bin/chromium", "bin/chromium-headless-shell", own("full"), own("shell")]
    for name in names:  # each is preferred to the ones before it
        path = put(name)
        assert find_chromium(DEFAULT) == path
    mine = put("mine/chromium")
    assert find_chromium(BrowserConfig(executable_path=str(mine))) == mine
    assert find_chromium(BrowserConfig(executable_path="google-chrome")).name == "google-chrome"


def test_a_headed_run_passes_the_headless_shell_over(put: Callable[..., Path]) -> None:
    shell = put("bin/chromium-headless-shell")
    put(own("shell"))
    with pytest.raises(BrowserNotFound, match="no Chromium found that can show a window"):
        find_chromium(DEFAULT, headed=True)
    full = put("bin/chromium")
    assert find_chromium(DEFAULT, headed=True) == full
    assert find_chromium(BrowserConfig(headless=False)) == full
    assert find_chromium(BrowserConfig(executable_path=str(shell)), headed=True) == full
    assert find_chromium(BrowserConfig(headless=False), headed=False).name == "chrome-headless-shell"


def test_a_channel_takes_only_that_browser(put: Callable[..., Path]) -> None:
    put("bin/chromium-headless-shell")
    with pytest.raises(BrowserNotFound, match=r"no chrome found; remove use\.launchOptions\.channel"):
        find_chromium(BrowserConfig(channel="chrome"))
    chrome = put("bin/google-chrome-stable")
    assert find_chromium(BrowserConfig(channel="chrome")) == chrome


def test_without_any_one_line_says_what_to_type(put: Callable[..., Path]) -> None:
    put("bin/chromium", 0o644)  # no program
    put(own("shell").replace("headless_shell-", "headless_shell-0"))  # another revision than this Playwright's
    with pytest.raises(BrowserNotFound) as caught:
        find_chromium(DEFAULT)
    assert str(caught.value) == "no Chromium found; type: python -m harness.install"


def test_a_configured_browser_that_is_missing_is_not_replaced(put: Callable[..., Path], tmp_path: Path) -> None:
    put("bin/chromium")
    for missing in (str(tmp_path / "gone"), str(put("mine", 0o644)), str(tmp_path), "no-such-browser"):
        with pytest.raises(BrowserNotFound, match=r"executablePath is .* which is no program"):
            find_chromium(BrowserConfig(executable_path=missing))


def install(*args: str, cwd: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness.install", *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_the_install_command_names_what_is_there_and_changes_nothing() -> None:
    done = install()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Chromium: {find_chromium(DEFAULT, headed=False)}\nffmpeg: {ffmpeg_place()}\n"


def test_the_install_command_does_not_replace_a_configured_browser(tmp_path: Path) -> None:
    config = tmp_path / "playwright.config.json"
    config.write_text('{"use": {"launchOptions": {"executablePath": "./gone"}}}')
    done = install("--config", str(config))
    assert (done.returncode, done.stdout) == (1, "")
    assert "executablePath is" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_install_command_reports_a_wrong_configuration(tmp_path: Path) -> None:
    config = tmp_path / "playwright.config.json"
    config.write_text('{"use": {"headles": true}}')
    done = install("--config", str(config))
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'use.headless'?" in done.stderr


def test_where_ffmpeg_can_not_be_downloaded_the_systems_stands_in_for_it(
    put: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installer, "run", lambda command, limit: False)
    assert "videos can't be recorded" in installer.install_ffmpeg()
    with pytest.raises(BrowserNotFound, match=r"^videos need ffmpeg, .*; type: python -m harness\.install$"):
        require_ffmpeg()
    program, place = put("bin/ffmpeg"), ffmpeg_place()
    assert place is not None
    assert installer.install_ffmpeg() == f"ffmpeg: {place}"
    assert place.resolve() == program
    require_ffmpeg()
    program.unlink()
    with pytest.raises(BrowserNotFound):
        require_ffmpeg()
    assert installer.install_ffmpeg().startswith("ffmpeg: none")
