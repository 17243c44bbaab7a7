"""Reads `playwright.config.json`: how the browser is run, and every timeout of the project.

The file uses the key names of Playwright Test; what Playwright has no name for stands under the one key `harness`.
A key that is not known here, at any depth, or a value of the wrong type or out of range is a ConfigError that names
the file, the key and the mend: nothing in the file is ever ignored.

Times are milliseconds in the file, as in Playwright, and seconds in BrowserConfig, as in asyncio; `ms` converts back.
No timeout may be 0 ("wait for ever" in Playwright), since every wait has a cap.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn, cast

CONFIG_FILE = "playwright.config.json"
DAY_MS = 86_400_000

Record = Literal["off", "on", "retain-on-failure"]
RECORD: tuple[Record, ...] = ("off", "on", "retain-on-failure")
Channel = Literal["chromium", "chromium-headless-shell", "chrome"]
CHANNELS: tuple[Channel, ...] = ("chromium", "chromium-headless-shell", "chrome")


class ConfigError(ValueError):
    """The configuration file cannot be used; the message names the file, the key and what to write instead."""


@dataclass(frozen=True)
class BrowserConfig:
    """How the browser is run. All times are seconds; the comment behind a field is its key in the file."""

    headless: bool = True  # use.headless
    width: int = 1280  # use.viewport.width, CSS pixels
    height: int = 800  # use.viewport.height, CSS pixels
    locale: str = "en-US"  # use.locale
    timezone: str = "UTC"  # use.timezoneId
    trace: Record = "off"  # use.trace
    video: Record = "off"  # use.video
    action_timeout: float = 5.0  # use.actionTimeout: each call and each input of an action
    navigation_timeout: float = 15.0  # use.navigationTimeout: a navigation, until the document is loaded
    executable_path: str | None = None  # use.launchOptions.executablePath: a path, or a name to look up in PATH
    channel: Channel | None = None  # use.launchOptions.channel: which of the installed browsers to take
    args: tuple[str, ...] = ()  # use.launchOptions.args: further switches for Chromium
    slow_mo: float = 0.0  # use.launchOptions.slowMo: a pause before each call of Playwright's
    launch_timeout: float = 30.0  # use.launchOptions.timeout: from the start of Chromium until it answers
    workers: int = 1  # workers: processes with a browser each; a number, or a share of the cores such as "50%"
    retries: int = 2  # retries: how often an episode is begun again after a failure of the infrastructure
    timeout: float = 120.0  # timeout: a whole episode
    output_dir: Path = Path("test-results")  # outputDir: traces and videos; relative to the file's folder
    settle_timeout: float = 5.0  # harness.settleTimeout: the longest wait for a page to become quiet
    quiet_time: float = 0.004  # harness.quietTime: how long a page must do nothing to count as quiet
    wait_timeout: float = 1.0  # harness.waitTimeout: the longest time that `wait` waits for a change
    snapshot_timeout: float = 10.0  # harness.snapshotTimeout: reading a page, however busy it is
    server_timeout: float = 20.0  # harness.serverTimeout: until the site server listens
    close_timeout: float = 5.0  # harness.closeTimeout: an orderly end of a browser or server; then it is killed


def ms(seconds: float) -> float:
    """Seconds as the milliseconds that Playwright's calls take."""
    return seconds * 1000.0


def load_config(path: Path | None = None) -> BrowserConfig:
    """The configuration in `path`; without one, `playwright.config.json` of the current folder, else the defaults.

    Raises ConfigError for a file that is missing (where `path` names one), is not JSON, or says something unknown.
    """
    if path is None:
        path = Path(CONFIG_FILE)
        if not path.exists():
            return BrowserConfig()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        data = json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # JSONDecodeError is a ValueError
        raise ConfigError(f"{path}: is not valid JSON: {error}") from error
    return BrowserConfig(**dict(_read(path, data, SCHEMA, "")))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {key!r} stands twice in one object")
    return dict(pairs)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


# Readers: a value of the file -> a value of the field. A ValueError says what the value must be.

Reader = Callable[[Any, Path], Any]


def _boolean(value: Any, file: Path) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _text(value: Any, file: Path) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a string that is not empty")
    return value


def _texts(value: Any, file: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError("a list of strings")
    return tuple(value)


def _folder(value: Any, file: Path) -> Path:
    return file.parent / _text(value, file)


def _executable(value: Any, file: Path) -> str:
    name = _text(value, file)
    return str(file.parent.absolute() / name) if "/" in name or os.sep in name else name


def _one_of(known: tuple[str, ...]) -> Reader:
    def read(value: Any, file: Path) -> str:
        if value not in known:
            raise ValueError("one of " + ", ".join(f'"{name}"' for name in known))
        return cast(str, value)

    return read


def _whole(low: int, high: int) -> Reader:
    def read(value: Any, file: Path) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return value

    return read


def _milliseconds(low: int) -> Reader:
    def read(value: Any, file: Path) -> float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or not low <= value <= DAY_MS:
            raise ValueError(f"milliseconds, a number from {low} to {DAY_MS}")
        return float(value) / 1000.0

    return read


def _workers(value: Any, file: Path) -> int:
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]?%|100%", value):
        return max(1, (os.cpu_count() or 1) * int(value[:-1]) // 100)
    try:
        return cast(int, _whole(1, 1024)(value, file))
    except ValueError as error:
        raise ValueError('a whole number from 1 to 1024 or a share of the cores such as "50%"') from error


@dataclass(frozen=True)
class _Key:
    field: str
    read: Reader


Schema = Mapping[str, "_Key | Schema"]

SCHEMA: Schema = {
    "use": {
        "headless": _Key("headless", _boolean),
        "viewport": {
            "width": _Key("width", _whole(100, 10_000)),
            "height": _Key("height", _whole(100, 10_000)),
        },
        "locale": _Key("locale", _text),
        "timezoneId": _Key("timezone", _text),
        "trace": _Key("trace", _one_of(RECORD)),
        "video": _Key("video", _one_of(RECORD)),
        "actionTimeout": _Key("action_timeout", _milliseconds(1)),
        "navigationTimeout": _Key("navigation_timeout", _milliseconds(1)),
        "launchOptions": {
            "executablePath": _Key("executable_path", _executable),
            "channel": _Key("channel", _one_of(CHANNELS)),
            "args": _Key("args", _texts),
            "slowMo": _Key("slow_mo", _milliseconds(0)),
            "timeout": _Key("launch_timeout", _milliseconds(1)),
        },
    },
    "workers": _Key("workers", _workers),
    "retries": _Key("retries", _whole(0, 100)),
    "timeout": _Key("timeout", _milliseconds(1)),
    "outputDir": _Key("output_dir", _folder),
    "harness": {
        "settleTimeout": _Key("settle_timeout", _milliseconds(1)),
        "quietTime": _Key("quiet_time", _milliseconds(0)),
        "waitTimeout": _Key("wait_timeout", _milliseconds(1)),
        "snapshotTimeout": _Key("snapshot_timeout", _milliseconds(1)),
        "serverTimeout": _Key("server_timeout", _milliseconds(1)),
        "closeTimeout": _Key("close_timeout", _milliseconds(1)),
    },
}


def _read(file: Path, data: Any, schema: Schema, prefix: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(data, dict):
        where = prefix.rstrip(".") or "the file"
        raise ConfigError(f"{file}: {where} must be an object {{...}}, not {_shown(data)}")
    for name, value in data.items():
        key = prefix + name
        known = schema.get(name)
        if known is None:
            raise ConfigError(f"{file}: unknown key {key!r}; {_nearest(name, schema, prefix)}")
        if not isinstance(known, _Key):
            yield from _read(file, value, known, key + ".")
            continue
        try:
            yield known.field, known.read(value, file)
        except ValueError as error:
            raise ConfigError(f"{file}: {key!r} must be {error}, not {_shown(value)}") from error


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _paths(schema: Schema, prefix: str = "") -> Iterator[str]:
    for name, known in schema.items():
        yield prefix + name
        if not isinstance(known, _Key):
            yield from _paths(known, f"{prefix}{name}.")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower())


def _likeness(name: str, path: str) -> float:
    return difflib.SequenceMatcher(None, _plain(name), _plain(path)).ratio()


def _nearest(name: str, schema: Schema, prefix: str) -> str:
    """What to write for an unknown key: the same name elsewhere, else one like it here, else one like it anywhere."""
    here, everywhere = [prefix + known for known in schema], list(_paths(SCHEMA))
    for candidates, least in ((everywhere, 1.0), (here, 0.6), (everywhere, 0.75)):
        path = max(candidates, key=lambda path: _likeness(name, path))
        if _likeness(name, path) >= least:
            return f"did you mean {path!r}?"
    return "known here: " + ", ".join(repr(path) for path in here)
