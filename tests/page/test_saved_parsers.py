"""A saved page is read alike through either library, whatever is in the file, however deep and large it is."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.page.saved import load_file, load_saved
from tests.page.test_names import TABLE
from tests.saved_snippets import SNIPPETS

PAGES = sorted((Path(__file__).parents[1] / "fixtures").glob("*.html"))
SECONDS = 20  # of computing: several times what the largest pages here take


def test_both_libraries_give_the_same() -> None:
    snippets = [html for html, _ in TABLE.values()] + list(SNIPPETS.values())
    for html in [*snippets, *(file.read_bytes() for file in PAGES)]:
        assert load_saved(html, parser="bs4") == load_saved(html)


TAGS = (
    "a b br button dd details div dl dt fieldset form h2 i img input label legend li math nav ol option p pre script "
    "section select span style summary svg table tbody td template textarea th title tr ul x-y"
).split()
ATTRIBUTES = (
    "href=/ id=i for=i aria-labelledby=i aria-label=l title=t hidden open disabled checked role=button role=none "
    'type=radio type=hidden style="display:none" style="cursor:pointer" alt=x name=n {x "y class'
).split(" ")
ODD = ["<!--", "-->", "<![CDATA[", "]]>", "<?x", "&amp", "&#0;", "&#xd800;", "<", ">", "</", "\r\n", "\xa0", "\0"]
PIECES = st.one_of(
    st.builds(
        lambda tag, rest: f"<{tag} {' '.join(rest)}>", st.sampled_from(TAGS), st.lists(st.sampled_from(ATTRIBUTES))
    ),
    st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"),
    st.sampled_from(ODD),
    st.text(st.characters(), max_size=8),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_text_is_read_by_both_libraries_alike(html: str) -> None:
    page = load_saved(html)
    assert load_saved(html, parser="bs4") == page
    assert [node.ref for node in page.nodes] == [f"e{place + 1}" for place in range(len(page.nodes))]
    for place, node in enumerate(page.nodes):
        assert -1 <= node.parent < place
        for said in (page.title, node.name, node.value or "", node.description, *node.options):
            assert said == " ".join(said.split())
            assert said.encode().decode() == said


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=200) | st.lists(PIECES, max_size=10).map(lambda some: "".join(some).encode("utf-16", "replace"))
)
def test_any_bytes_are_read_by_both_libraries_alike(html: bytes) -> None:
    assert load_saved(html, parser="bs4") == load_saved(html)


@pytest.mark.parametrize("parser", ["lxml", "bs4"])
@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Größe 大".encode(), "Größe 大"),
        ("<p>Größe 大".encode("utf-8-sig"), "Größe 大"),
        ("\ufeff<p>Größe 大".encode("utf-16-le"), "Größe 大"),
        ("\ufeff<p>Größe 大".encode("utf-16-be"), "Größe 大"),
        ("<meta charset=utf-8><p>Größe 大".encode(), "Größe 大"),
        ("<meta charset='ISO-8859-1'><p>Größe “5” €".encode("cp1252"), "Größe “5” €"),
        ("<!-- <meta charset=utf-8> --><meta charset=latin1><p>Größe".encode("latin-1"), "Größe"),
        ('<meta http-equiv=content-type content="text/html; charset=Shift_JIS"><p>日本①'.encode("cp932"), "日本①"),
        ("<meta charset=gb2312><p>镕".encode("gb18030"), "镕"),
        ("<meta charset=utf-16><p>Größe".encode(), "Größe"),
        ("<meta charset=nonsense><p>Größe".encode(), "Größe"),
        ("<meta charset=hex><p>Größe".encode(), "Größe"),
        ("<p>Größe €".encode("cp1252"), "Größe €"),
        ("<meta charset=utf-8><p>a\xff b".encode("latin-1"), "a\ufffd b"),
    ],
)
def test_bytes_are_decoded_as_they_declare(html: bytes, text: str, parser: str) -> None:
    page = load_saved(html, parser="bs4" if parser == "bs4" else "lxml")
    assert [node.name for node in page.nodes] == [text]


@pytest.mark.parametrize("declared", ["", "<meta charset=latin1>"])
def test_text_is_not_decoded_again(declared: str) -> None:
    for html in (
        f"{declared}<p>Größe 大",
        f"\ufeff{declared}<p>Größe 大",
        f"<?xml encoding='latin1'?>{declared}<p>Größe 大",
    ):
        for page in (load_saved(html), load_saved(html, parser="bs4")):
            assert [node.name for node in page.nodes] == ["Größe 大"]


def test_halves_of_surrogate_pairs_are_replaced_and_whole_ones_joined() -> None:
    html = "<p>a\ud83d b\udca1 c\ud83d\udca1</p>"
    for page in (load_saved(html), load_saved(html, parser="bs4")):
        assert [node.name for node in page.nodes] == ["a\ufffd b\ufffd c💡"]


def test_a_file_is_read_with_its_address(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes("<title>Größe</title><p>a".encode())
    page = load_file(file, "http://example.test/")
    assert (page.url, page.title, len(page.nodes)) == ("http://example.test/", "Größe", 1)
    assert page == load_file(file, "http://example.test/", "bs4")


@pytest.mark.parametrize("parser", ["lxml", "bs4"])
@pytest.mark.parametrize(
    ("html", "nodes"),
    [
        ("<div>" * 5000 + "x", 1),
        ("<span>x" * 5000, 1),
        ("<div role=button>x" * 5000, 5000),
        ("<section aria-label=s>x" * 5000, 10000),
        ("<label>" * 5000 + "<input>", 1),
        ("<label>x" * 2000 + "<input>", 1),
        ("<table><tr><td>" * 1700, 5100),
        ("<fieldset disabled><input>" * 2500, 5000),
        ("<details open><summary>a</summary>" * 2500, 5000),
        ("<svg>" * 5000 + "<text>x", 1),
        ("<div contenteditable=true>x" * 5000, 1),
    ],
)
def test_a_page_may_be_nested_as_deeply_as_it_likes(html: str, nodes: int, parser: str) -> None:
    begin = time.process_time()
    page = load_saved(html, parser="bs4" if parser == "bs4" else "lxml")
    assert len(page.nodes) == nodes
    assert time.process_time() - begin < SECONDS


@pytest.mark.parametrize("parser", ["lxml", "bs4"])
def test_a_large_page_takes_seconds(parser: str) -> None:
    row = "<tr><td>Item <b>one</b><td><a href=/x>Open</a><td><label>Amount <input></label>"
    html = f"<table>{row * 8000}</table>"
    begin = time.process_time()
    page = load_saved(html, parser="bs4" if parser == "bs4" else "lxml")
    assert len(page.nodes) == 1 + 6 * 8000
    assert time.process_time() - begin < SECONDS
