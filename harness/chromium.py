"""Finds the Chromium to run: a pure look-up that starts, downloads and changes nothing.

Order: the configuration's `executablePath`, Playwright's own build of the installed Playwright version, the system's
`chromium-headless-shell`, `chromium`, `google-chrome`. The headless shell comes first since it is the fastest; it has
no windows, so that for a headed run it is passed over, wherever it was named.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import playwright

from harness.config import BrowserConfig, Channel

SHELL: Channel = "chromium-headless-shell"
SYSTEM_NAMES: dict[Channel, tuple[str, ...]] = {
    "chromium-headless-shell": ("chromium-headless-shell", "chrome-headless-shell"),
    "chromium": ("chromium", "chromium-browser"),
    "chrome": ("google-chrome", "google-chrome-stable"),
}
OWN_BUILDS: dict[Channel, tuple[str, tuple[str, ...]]] = {
    "chromium-headless-shell": (
        "chromium_headless_shell",
        ("*/chrome-headless-shell", "*/headless_shell", "*/chrome-headless-shell.exe", "*/headless_shell.exe"),
    ),
    "chromium": ("chromium", ("*/chrome", "*/chrome.exe", "*/*.app/Contents/MacOS/*")),
}
FFMPEG_NAMES = {"darwin": "ffmpeg-mac", "win32": "ffmpeg-win64.exe"}
INSTALL = "python -m harness.install"


class BrowserNotFound(RuntimeError):
    """No Chromium, or no program that encodes videos, was found; the message is one line that says what to type."""


def find_chromium(config: BrowserConfig, headed: bool | None = None) -> Path:
    """The executable to launch. `headed` None: as the configuration says.

    Raises BrowserNotFound if there is none, or if the configured one is missing or cannot show a window.
    """
    if headed is None:
        headed = not config.headless
    if config.executable_path is not None:
        found = shutil.which(config.executable_path)
        if found is None:
            raise BrowserNotFound(
                f"use.launchOptions.executablePath is {config.executable_path!r}, which is no program; "
                f"correct it, or remove it and type: {INSTALL}"
            )
        if not (headed and _is_shell(Path(found))):
            return Path(found)
    channels: tuple[Channel, ...] = (SHELL, "chromium", "chrome")
    if config.channel is not None:
        channels = (config.channel,)
    for path in (*_own_builds(channels), *_system_browsers(channels)):
        if not (headed and _is_shell(path)):
            return path
    if config.channel is not None:
        raise BrowserNotFound(
            f"no {config.channel} found{' that can show a window' if headed else ''}; "
            f"remove use.launchOptions.channel to take any Chromium, or type: {INSTALL}"
        )
    raise BrowserNotFound(f"no Chromium found{' that can show a window' if headed else ''}; type: {INSTALL}")


def _is_shell(path: Path) -> bool:
    return any(name in path.name for name in ("headless-shell", "headless_shell"))


def _own_builds(channels: tuple[Channel, ...]) -> Iterator[Path]:
    """Playwright's builds of exactly the revision that the installed Playwright was made for."""
    revisions = _revisions()
    for channel in channels:
        if channel in OWN_BUILDS and channel in revisions:
            folder, patterns = OWN_BUILDS[channel]
            build = _builds_folder() / f"{folder}-{revisions[channel]}"
            for pattern in patterns:
                yield from (path for path in sorted(build.glob(pattern)) if _runs(path))


def ffmpeg_place() -> Path | None:
    """Where Playwright looks for the program that encodes videos, whether it is there or not."""
    revision = _revisions().get("ffmpeg")
    if revision is None:
        return None
    return _builds_folder() / f"ffmpeg-{revision}" / FFMPEG_NAMES.get(sys.platform, "ffmpeg-linux")


def require_ffmpeg() -> None:
    """BrowserNotFound if videos can't be recorded."""
    place = ffmpeg_place()
    if place is not None and not _runs(place):
        raise BrowserNotFound(f"videos need ffmpeg, which is not installed; type: {INSTALL}")


def _package() -> Path:
    return Path(playwright.__file__).parent / "driver" / "package"


def _revisions() -> dict[str, str]:
    """The revision of each program that the installed Playwright was made for, by name."""
    try:
        browsers = json.loads((_package() / "browsers.json").read_text(encoding="utf-8"))["browsers"]
        return {browser["name"]: browser["revision"] for browser in browsers}
    except (OSError, ValueError, LookupError, TypeError):
        return {}  # another layout of the package: the system's browsers are left


def _builds_folder() -> Path:
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if chosen == "0":
        return _package() / ".local-browsers"
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "ms-playwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ms-playwright"


def _system_browsers(channels: tuple[Channel, ...]) -> Iterator[Path]:
    for channel in channels:
        for name in SYSTEM_NAMES[channel]:
            found = shutil.which(name)
            if found is not None:
                yield Path(found)


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
