"""python -m harness.install: makes sure that a Chromium is there, and installs one only if none is; ffmpeg, too.

Tried in this order: what is installed already, Playwright's own download, the system's package manager (apt). At the
end stands either a line per browser that was found, or one line that says what to type. ffmpeg encodes videos and
nothing else needs it, so that its absence is said and is no error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tyro

from harness.chromium import BrowserNotFound, ffmpeg_place, find_chromium
from harness.config import CONFIG_FILE, BrowserConfig, ConfigError, load_config

DOWNLOAD_LIMIT = 300.0
APT_LIMIT = 900.0
PACKAGES = ("chromium-headless-shell", "chromium", "xvfb", "xauth")


@dataclass(frozen=True)
class Args:
    config: Path | None = None
    """The configuration file; default: playwright.config.json of the current folder, if there is one."""
    headed: bool = False
    """Ask for a browser that can show windows too, not only for one that runs headless."""


def found(config: BrowserConfig, headed: bool) -> list[Path]:
    """The browsers that a headless and, if asked for, a headed run would use. BrowserNotFound if one is missing."""
    return [find_chromium(config, headed=mode) for mode in ([False, True] if headed else [False])]


def run(command: list[str], limit: float) -> bool:
    """Whether a command ended well within `limit` seconds; it is shown before it runs."""
    print("+", " ".join(command), flush=True)
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, timeout=limit, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return False


def as_root() -> list[str] | None:
    """The words before a command that needs root; None if root is not to be had without a password."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo is None:
        return None
    if subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode:
        return None
    return [sudo, "-n"]


def by_playwright() -> bool:
    """Playwright's own builds; the libraries that they need too, where root can be had."""
    with_deps = ["--with-deps"] if as_root() is not None else []
    command = [sys.executable, "-m", "playwright", "install", *with_deps, "chromium-headless-shell", "chromium"]
    return run(command, DOWNLOAD_LIMIT)


def by_apt() -> bool:
    """Debian's packages."""
    return apt_is_there() and apt_install(*PACKAGES)


def apt_is_there() -> bool:
    """Whether Debian's packages can be installed."""
    return as_root() is not None and shutil.which("apt-get") is not None


def apt_install(*packages: str) -> bool:
    """Whether Debian's packages of these names were installed."""
    root, environment = as_root() or [], ["env", "DEBIAN_FRONTEND=noninteractive"]
    install = [*root, *environment, "apt-get", "install", "-y", "--no-install-recommends", *packages]
    return run([*root, "apt-get", "update"], APT_LIMIT) and run(install, APT_LIMIT)


def install_ffmpeg() -> str:
    """What stands for ffmpeg where Playwright looks for it: its own download, else a link to the system's."""
    place = ffmpeg_place()
    if place is None:
        return "ffmpeg: this Playwright says not where it should be"
    if not place.exists():
        run([sys.executable, "-m", "playwright", "install", "ffmpeg"], DOWNLOAD_LIMIT)
    if not place.exists() and shutil.which("ffmpeg") is None and apt_is_there():
        apt_install("ffmpeg")
    program = shutil.which("ffmpeg")
    if not place.exists() and program is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)  # a link that leads nowhere
        place.symlink_to(program)
    return f"ffmpeg: {place}" if place.exists() else "ffmpeg: none could be installed; videos can't be recorded"


def what_to_type() -> str:
    """The one line for a person, when nothing worked."""
    if shutil.which("apt-get"):
        return f"no Chromium could be installed; type: sudo apt-get install {' '.join(PACKAGES)}"
    return f"no Chromium could be installed; install Chromium or Google Chrome, or name one in {CONFIG_FILE}"


def main() -> int:
    args = tyro.cli(Args, description=__doc__)
    try:
        config = load_config(args.config)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    for install in (None, by_playwright, by_apt):
        if install is not None:
            install()  # whether it helped is seen by looking, not by its exit code
        try:
            for path in found(config, args.headed):
                print(f"Chromium: {path}")
            print(install_ffmpeg())
            return 0
        except BrowserNotFound as error:
            if config.executable_path is not None and shutil.which(config.executable_path) is None:
                print(error, file=sys.stderr)  # a program that was named is not replaced by another
                return 1
    print(what_to_type(), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
