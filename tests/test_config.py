"""playwright.config.json is read whole: what is known is used, what is not known is an error that says the mend."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from harness.config import SCHEMA, BrowserConfig, ConfigError, _Key, load_config, ms

PROJECT = Path(__file__).parent.parent


def written(folder: Path, data: Any) -> Path:
    path = folder / "playwright.config.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def message(folder: Path, data: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(written(folder, data))
    assert "playwright.config.json" in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_a_file_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_config() == BrowserConfig()


def test_the_file_of_the_current_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, {"use": {"headless": False}})
    monkeypatch.chdir(tmp_path)
    assert load_config().headless is False


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"other\.json: cannot be read: No such file"):
        load_config(tmp_path / "other.json")


def test_the_projects_own_file_states_the_defaults() -> None:
    config = load_config(PROJECT / "playwright.config.json")
    assert dataclasses.replace(config, output_dir=BrowserConfig.output_dir) == BrowserConfig()
    assert config.output_dir == PROJECT / "test-results"


def test_every_key_reaches_its_field(tmp_path: Path) -> None:
    data = {
        "use": {
            "headless": False,
            "viewport": {"width": 1000, "height": 700},
            "locale": "de-DE",
            "timezoneId": "Europe/Berlin",
            "trace": "on",
            "video": "retain-on-failure",
            "actionTimeout": 100,
            "navigationTimeout": 200,
            "launchOptions": {
                "executablePath": "bin/chromium",
                "channel": "chrome",
                "args": ["--lang=de"],
                "slowMo": 1.5,
                "timeout": 300,
            },
        },
        "workers": 3,
        "retries": 0,
        "timeout": 400,
        "outputDir": "out",
        "harness": {
            "settleTimeout": 500,
            "quietTime": 0,
            "waitTimeout": 550,
            "snapshotTimeout": 600,
            "serverTimeout": 700,
            "closeTimeout": 800,
        },
    }
    assert load_config(written(tmp_path, data)) == BrowserConfig(
        headless=False,
        width=1000,
        height=700,
        locale="de-DE",
        timezone="Europe/Berlin",
        trace="on",
        video="retain-on-failure",
        action_timeout=0.1,
        navigation_timeout=0.2,
        executable_path=str(tmp_path / "bin/chromium"),
        channel="chrome",
        args=("--lang=de",),
        slow_mo=0.0015,
        launch_timeout=0.3,
        workers=3,
        retries=0,
        timeout=0.4,
        output_dir=tmp_path / "out",
        settle_timeout=0.5,
        quiet_time=0.0,
        wait_timeout=0.55,
        snapshot_timeout=0.6,
        server_timeout=0.7,
        close_timeout=0.8,
    )


def test_every_field_has_exactly_one_key() -> None:
    def fields(schema: Any) -> list[str]:
        return [f for known in schema.values() for f in ([known.field] if isinstance(known, _Key) else fields(known))]

    assert sorted(fields(SCHEMA)) == sorted(field.name for field in dataclasses.fields(BrowserConfig))


@pytest.mark.parametrize(
    ("data", "key", "mend"),
    [
        ({"us": {}}, "'us'", "did you mean 'use'?"),
        ({"use": {"headles": True}}, "'use.headles'", "did you mean 'use.headless'?"),
        ({"use": {"action_timeout": 5}}, "'use.action_timeout'", "did you mean 'use.actionTimeout'?"),
        ({"use": {"viewport": {"widht": 1}}}, "'use.viewport.widht'", "did you mean 'use.viewport.width'?"),
        ({"actionTimeout": 5000}, "'actionTimeout'", "did you mean 'use.actionTimeout'?"),
        ({"use": {"slowMo": 5}}, "'use.slowMo'", "did you mean 'use.launchOptions.slowMo'?"),
        ({"harness": {"settletimeout": 5}}, "'harness.settletimeout'", "did you mean 'harness.settleTimeout'?"),
        ({"xyz": 1}, "'xyz'", "known here: 'use', 'workers'"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(tmp_path: Path, data: Any, key: str, mend: str) -> None:
    text = message(tmp_path, data)
    assert f"unknown key {key}" in text
    assert mend in text


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"use": {"headless": "true"}}, "use.headless"),
        ({"use": {"headless": 1}}, "use.headless"),
        ({"use": {"viewport": {"width": 99}}}, "use.viewport.width"),
        ({"use": {"viewport": {"width": 1280.5}}}, "use.viewport.width"),
        ({"use": {"viewport": {"height": True}}}, "use.viewport.height"),
        ({"use": {"trace": "maybe"}}, "use.trace"),
        ({"use": {"trace": ["on"]}}, "use.trace"),
        ({"use": {"locale": ""}}, "use.locale"),
        ({"use": {"actionTimeout": 0}}, "use.actionTimeout"),
        ({"use": {"actionTimeout": -1}}, "use.actionTimeout"),
        ({"use": {"actionTimeout": None}}, "use.actionTimeout"),
        ({"use": {"actionTimeout": True}}, "use.actionTimeout"),
        ({"use": {"actionTimeout": "5000"}}, "use.actionTimeout"),
        ({"use": {"launchOptions": {"args": "--no-sandbox"}}}, "use.launchOptions.args"),
        ({"use": {"launchOptions": {"args": [1]}}}, "use.launchOptions.args"),
        ({"use": {"launchOptions": {"channel": "msedge"}}}, "use.launchOptions.channel"),
        ({"workers": 0}, "workers"),
        ({"workers": "0%"}, "workers"),
        ({"workers": "150%"}, "workers"),
        ({"retries": -1}, "retries"),
        ({"timeout": 86_400_001}, "timeout"),
        ({"outputDir": 3}, "outputDir"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_key(tmp_path: Path, data: Any, key: str) -> None:
    assert f"{key!r} must be " in message(tmp_path, data)


@pytest.mark.parametrize("data", [{"use": 3}, {"use": None}, {"use": {"viewport": [1, 2]}}, [], 1])
def test_an_object_must_be_an_object(tmp_path: Path, data: Any) -> None:
    assert "must be an object" in message(tmp_path, data)


@pytest.mark.parametrize(
    "text", ["", "{", '{"timeout": NaN}', '{"timeout": 1, "timeout": 2}', '{"use": {}} // comment', "\x00"]
)
def test_what_is_not_strict_json_is_refused(tmp_path: Path, text: str) -> None:
    assert "is not valid JSON" in message(tmp_path, text)


def test_a_huge_number_is_out_of_range(tmp_path: Path) -> None:
    assert "'timeout' must be milliseconds" in message(tmp_path, '{"timeout": 1e999}')


def test_an_executable_without_a_slash_stays_a_name_to_look_up(tmp_path: Path) -> None:
    data = {"use": {"launchOptions": {"executablePath": "chromium"}}}
    assert load_config(written(tmp_path, data)).executable_path == "chromium"


def test_workers_may_be_a_share_of_the_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    assert load_config(written(tmp_path, {"workers": "50%"})).workers == 4
    assert load_config(written(tmp_path, {"workers": "1%"})).workers == 1


def test_times_convert_back_to_milliseconds() -> None:
    assert ms(BrowserConfig().quiet_time) == 4.0
    assert ms(BrowserConfig().action_timeout) == 5000.0


def test_a_configuration_pickles() -> None:
    config = BrowserConfig(args=("--a",))
    assert pickle.loads(pickle.dumps(config)) == config
