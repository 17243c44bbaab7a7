"""A page that is read without a browser holds what a browser shows of it."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any

import pytest

from harness.page.saved import load_saved, roles
from harness.page.snapshot import Snapshot
from tests.lab import START, Lab
from tests.page.test_names import TABLE
from tests.saved_snippets import SNIPPETS

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "tests" / "fixtures").glob("*.html"))
SHEETS_AND_SCRIPTS = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL)
TABLES = {"names": {title: html for title, (html, _) in TABLE.items()}, "saved": SNIPPETS}


def rows(page: Snapshot) -> list[tuple[Any, ...]]:
    """All of every node but its ref, its box, and what depends on where it is drawn."""
    return [
        (
            n.parent,
            n.role,
            n.name,
            n.value,
            sorted(n.states - {"covered", "offscreen"}),
            n.level,
            n.options,
            n.tag,
            n.description,
        )
        for n in page.nodes
    ]


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_a_whole_page_is_read_as_in_a_browser(lab: Lab, file: Path) -> None:
    html = SHEETS_AND_SCRIPTS.sub("", file.read_text("utf-8"))
    seen = lab.open(html).now
    read = load_saved(html, seen.url)
    assert rows(read) == rows(seen)
    assert (read.url, read.title) == (seen.url, seen.title)
    assert [node.ref for node in read.nodes] == [node.ref for node in seen.nodes]


@pytest.mark.parametrize("table", TABLES)
def test_elements_are_read_as_in_a_browser(lab: Lab, table: str) -> None:
    tab = lab.open()
    wrong = []
    for title, html in TABLES[table].items():
        seen = [str(row) for row in rows(tab.fill(html))]
        read = [str(row) for row in rows(load_saved(f"{START}<body>{html}"))]
        if seen != read:
            wrong.append("\n".join((title, *difflib.ndiff(read, seen))))
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize(
    "html",
    [
        "",
        " \n",
        "text <b>only</b>",
        "<title> A \n title </title>b<title>c</title>",
        "<svg><title>drawing</title></svg><title>page</title>",
        "<html><head><title>a</title></head></html>",
        "<head><noscript><p>a</p></noscript><title>b</title></head><body>c",
        "<frameset><frame></frameset>",
        '<body style="visibility:hidden">a<p style="visibility:visible">b</p>',
        '<html style="cursor:pointer"><body><p style="cursor:pointer">a</p>',
        "<body contenteditable>a<p>b</p><p contenteditable>c</p>",
        "<p>a<input><button autofocus>b</button><input autofocus>",
        "<div autofocus>a</div><input disabled autofocus><input hidden autofocus><h2 tabindex=0 autofocus>b</h2>",
        "<p inert><input autofocus></p><p contenteditable autofocus>c</p>",
        "<?xml version='1.0'?><!DOCTYPE html SYSTEM 'x'><p>a",
        "<p>a\0b</p>",
    ],
)
def test_odd_documents_are_read_as_in_a_browser(lab: Lab, html: str) -> None:
    seen = lab.open("<!doctype html>" + html).now
    read = load_saved("<!doctype html>" + html)
    assert (read.title, rows(read)) == (seen.title, rows(seen))


@pytest.mark.parametrize("name", ["ROLES", "PLAIN", "LEAF"])
def test_the_roles_are_those_of_the_walk_in_the_browser(name: str) -> None:
    source = (ROOT / "harness" / "page" / "roles.js").read_text("utf-8")
    (words,) = re.findall(rf"const {name} = words\((.*?)\);", source, re.DOTALL)
    assert set(" ".join(re.findall(r'"([^"]*)"', words)).split()) == getattr(roles, name)
