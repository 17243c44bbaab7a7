"""The report page: its statistics, and that every state of a run gives a sensible, safe page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from harness.report.__main__ import main
from harness.report.charts import nice_ticks
from harness.report.page import write_report
from harness.report.reading import STAGES
from harness.statistics import difference_interval, moving_mean, wilson_interval


def evaluation(stage: str, successes: int, episodes: int = 100, **changes: Any) -> dict[str, Any]:
    half = successes // 2
    by_template = {"shop.buy": [half, episodes // 2], "forum.reply": [successes - half, episodes // 2]}
    line = {
        "stage": stage,
        "split": "test",
        "mode": "greedy",
        "episodes": episodes,
        "successes": successes,
        "failed": 0,
        "mean_turns": 6.25,
        "tokens_per_turn": 812.4,
        "by_template": by_template,
    }
    return {**line, **changes}


def step(phase: str, number: int, **scalars: float) -> dict[str, Any]:
    return {"phase": phase, "step": number, "time_s": 30.0 * number, "loss": 1 / (number + 1), **scalars}


def write_lines(file: Path, lines: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A whole run: 40 steps of each phase, an evaluation of every kind."""
    run = tmp_path / "quick"
    run.mkdir()
    (run / "settings.json").write_text(json.dumps({"seed": 7, "mgrpo": {"beta": 0.001, "clip": [0.2, 0.28]}}))
    cloning = [step("clone", i, entropy=2.0) for i in range(40)]
    scalars = {"reward": 0.5, "frac_reward_zero_std": 0.25, "num_turns": 6, "invalid_action_rate": 0.03}
    scalars |= {"clip_ratio/low_mean": 0.01, "clip_ratio/high_mean": 0.02, "step_time/rollout": 30}
    learning = [step("mgrpo", i, **scalars, failed=i % 2, unknown=1) for i in range(40)]
    write_lines(run / "metrics.jsonl", cloning + learning)
    evaluations = [
        evaluation(stage, successes, split=split, mode=mode)
        for stage, successes in zip(STAGES, (2, 40, 70), strict=True)
        for split in ("test", "heldout")
        for mode in ("greedy", "sampled")
    ]
    write_lines(run / "evaluations.jsonl", evaluations)
    return run


class Page(HTMLParser):
    """A page's text, tags and attributes; fails on tags that don't match."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text, self.tags, self.attributes, self.open = "", [], [], []  # type: ignore[var-annotated]
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "wbr") and not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "circle", "polyline"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.mark.parametrize(
    ("successes", "episodes", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
        (0, 0, 0.0, 1.0),
    ],
)
def test_the_wilson_interval_has_the_published_values(successes: int, episodes: int, low: float, high: float) -> None:
    assert wilson_interval(successes, episodes) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize("counts", [(-1, 5), (6, 5), (0, -1)])
def test_impossible_counts_have_no_interval(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="successes of"):
        wilson_interval(*counts)


@pytest.mark.parametrize(
    ("after", "before", "low", "high"),
    [  # Newcombe 1998 (differences), table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 10), 0.6075, 1.0),
        ((0, 10), (0, 10), -0.2775, 0.2775),
    ],
)
def test_the_difference_interval_has_the_published_values(
    after: tuple[int, int], before: tuple[int, int], low: float, high: float
) -> None:
    assert difference_interval(before, after) == pytest.approx((low, high), abs=1e-4)


def test_the_moving_mean_looks_back_only() -> None:
    assert moving_mean([1, 2, 6, 10], 2) == [1, 1.5, 4, 8]
    assert moving_mean([3, 5], 1) == [3, 5]
    assert moving_mean([], 4) == []


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 1, [0, 0.25, 0.5, 0.75, 1]),
        (0.1, 8.2, [0, 2.5, 5, 7.5, 10]),
        (-0.04, 0.04, [-0.04, -0.02, 0, 0.02, 0.04]),
        (0, 0, [0, 0.25, 0.5, 0.75, 1]),
    ],
)
def test_ticks_are_round_and_hold_the_range(low: float, high: float, ticks: list[float]) -> None:
    assert nice_ticks(low, high) == pytest.approx(ticks)


@pytest.mark.parametrize("value", [5.0, -5.0, 1e-12, -3e7])
def test_a_constant_has_ticks_too(value: float) -> None:
    ticks = nice_ticks(value, value)
    assert ticks[0] <= value <= ticks[-1] and ticks[0] < ticks[-1]


def test_a_whole_run_gives_a_whole_page(run_dir: Path) -> None:
    path = write_report(run_dir)
    assert path == run_dir / "report.html"
    page = Page(path)
    for part in (
        "M-GRPO raised success on test tasks from 40% to 70%.",
        "+30.0 points, 95% interval +16.",
        "Before any training the policy solved 2%.",
        "60\u201378%70/1006.25 turns812 tokens/turn",
        "Behaviour cloning, step by step",
        "M-GRPO, step by step",
        "Mean reward",
        "Groups with equal rewards",
        "Invalid actions",
        "20 in all",
        "Held-out tasks by template",
        "20/50",
        "mgrpo.clip",
        "[0.2, 0.28]",
    ):
        assert part in page.text, part
    assert "What is missing" not in page.text
    assert "not run" not in page.text
    assert page.tags.count("svg") == 2 + 8


def test_the_page_needs_nothing_but_itself(run_dir: Path) -> None:
    page = Page(write_report(run_dir))
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert not {"src", "href", "srcset"} & {name for name, _ in page.attributes}
    assert not re.search(r"https?:|url\(|@import", page.source)


def test_the_same_files_give_the_same_page(run_dir: Path) -> None:
    first = write_report(run_dir).read_bytes()
    assert write_report(run_dir).read_bytes() == first
    assert sorted(file.name for file in run_dir.iterdir()) == [
        "evaluations.jsonl",
        "metrics.jsonl",
        "report.html",
        "settings.json",
    ]


def test_text_from_the_files_is_escaped(tmp_path: Path) -> None:
    run = tmp_path / "<script>alert(1)</script>$body".replace("/", "_")
    run.mkdir()
    bad = '"><script>alert(1)</script>\ud800'
    (run / "settings.json").write_text(json.dumps({bad: bad, "list": [bad], "nested": {bad: {bad: None}}}))
    write_lines(run / "evaluations.jsonl", [evaluation(STAGES[0], 3, by_template={bad: [1, 2]})])
    page = Page(write_report(run))
    assert "script" not in page.tags
    assert '"><script>alert(1)</script>' in page.text


def test_an_empty_run_says_what_is_missing(tmp_path: Path) -> None:
    page = Page(write_report(tmp_path))
    assert "No evaluation has been recorded yet." in page.text
    for name in ("settings.json", "metrics.jsonl", "evaluations.jsonl"):
        assert f"There is no {name}." in page.text
    assert page.text.count("not run") == 12


def test_a_run_with_cloning_only_says_what_is_not_there_yet(run_dir: Path) -> None:
    write_lines(run_dir / "metrics.jsonl", [step("clone", i) for i in range(3)])
    write_lines(run_dir / "evaluations.jsonl", [evaluation(STAGES[0], 2), evaluation(STAGES[1], 40)])
    page = Page(write_report(run_dir))
    assert "Cloning raised success on test tasks from 2% to 40%." in page.text
    assert "No step of M-GRPO is recorded yet." in page.text
    assert "No evaluation after M-GRPO is recorded yet." in page.text
    assert "M-GRPO, step by step" not in page.text


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([evaluation(STAGES[0], 2)], "Before cloning the policy solves 2% of the test tasks."),
        (
            [evaluation(STAGES[1], 40), evaluation(STAGES[2], 40)],
            "M-GRPO left success on test tasks at 40%.",
        ),
        (
            [evaluation(STAGES[1], 40), evaluation(STAGES[2], 38)],
            "M-GRPO lowered success on test tasks from 40%",
        ),
        (
            [evaluation(STAGES[0], 0), evaluation(STAGES[2], 38)],
            "Cloning and M-GRPO raised success on test tasks from 0% to 38%.",
        ),
        (
            [evaluation(stage, 10 * i, split="heldout") for i, stage in enumerate(STAGES)]
            + [evaluation(STAGES[2], 70)],
            "M-GRPO raised success on held-out tasks from 10% to 20%.",
        ),
        ([evaluation(STAGES[1], 0, episodes=0, by_template={})], "After cloning no episode on test tasks"),
    ],
)
def test_the_headline_says_what_happened(run_dir: Path, lines: list[dict[str, Any]], sentence: str) -> None:
    write_lines(run_dir / "evaluations.jsonl", lines)
    assert sentence in Page(write_report(run_dir)).text


def test_a_difference_that_may_be_chance_is_called_so(run_dir: Path) -> None:
    write_lines(run_dir / "evaluations.jsonl", [evaluation(STAGES[1], 40), evaluation(STAGES[2], 42)])
    assert "the difference may be chance" in Page(write_report(run_dir)).text


def test_unreadable_lines_are_passed_over_and_counted(run_dir: Path) -> None:
    with (run_dir / "metrics.jsonl").open("ab") as file:
        file.write(b'[1]\n{"phase": "mgrpo"}\n\xff\xfe\n\n{"phase": "mgrpo", "step": 40, "rew')
    with (run_dir / "evaluations.jsonl").open("a") as file:
        for bad in (
            evaluation(STAGES[0], 5, episodes=4),
            evaluation("halfway", 5),
            evaluation(STAGES[0], 5, by_template=None),
        ):
            file.write(json.dumps(bad) + "\n")
    (run_dir / "settings.json").write_text("{")
    text = Page(write_report(run_dir)).text
    assert "metrics.jsonl: 4 lines could not be read." in text
    assert "evaluations.jsonl: 3 lines could not be read." in text
    assert "settings.json can't be read." in text
    assert "from 40% to 70%" in text


def test_values_that_are_no_finite_numbers_are_passed_over(run_dir: Path) -> None:
    values: list[Any] = [float("nan"), float("inf"), None, "high", True, 0.5, 0.75]
    write_lines(run_dir / "metrics.jsonl", [step("mgrpo", i, reward=value) for i, value in enumerate(values)])
    page = Page(write_report(run_dir))
    assert "0.75" in page.text and "nan" not in page.source.lower()


def test_after_a_resume_the_last_line_counts(run_dir: Path) -> None:
    lines = [step("clone", i, entropy=9.0) for i in range(3)] + [step("clone", i, entropy=1.5) for i in range(4)]
    write_lines(run_dir / "metrics.jsonl", lines)
    write_lines(run_dir / "evaluations.jsonl", [evaluation(STAGES[0], 2), evaluation(STAGES[0], 4)])
    text = Page(write_report(run_dir)).text
    assert "4 steps" in text and "Entropy1.5" in text
    assert "4/100" in text and "2/100" not in text


def test_one_step_and_very_many_steps_both_draw(run_dir: Path) -> None:
    write_lines(run_dir / "metrics.jsonl", [step("clone", 5)] + [step("mgrpo", i) for i in range(20_000)])
    page = Page(write_report(run_dir))
    assert page.tags.count("circle") == 1
    assert len(page.source) < 100_000


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="no such run folder"):
        write_report(tmp_path / "none")


def test_the_command_writes_the_page_and_prints_its_path(run_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(run_dir)])
    assert capsys.readouterr().out.strip() == str(run_dir / "report.html")
    assert (run_dir / "report.html").exists()
