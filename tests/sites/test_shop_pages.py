"""The shop's static pages: each is complete without a build step, and asks for nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

SITES = Path(__file__).parents[2] / "sites"
SHOP = SITES / "shop"
PAGES = sorted(SHOP.glob("*.html"))
MODULES = sorted([*SHOP.rglob("*.js"), *(SITES / "_shared").glob("*.js")])
IMPORT = re.compile(r'^\s*(?:import|export)\s[^"]*?from "([^"]+)"', re.MULTILINE)
LINK = re.compile(r'["`](/[a-z-]+\.html)')


def at_url(url: str) -> Path:
    return SITES / url[1:] if url.startswith("/_shared/") else SHOP / url[1:]


def url_of(path: Path) -> str:
    return f"/{path.relative_to(SITES if '_shared' in path.parts else SHOP)}"


def imports_of(module: Path) -> set[str]:
    """The URLs of all modules that a module needs, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        current = waiting.pop()
        for name in IMPORT.findall(current.read_text("utf-8")):
            url = name if name.startswith("/") else url_of((current.parent / name).resolve())
            if url not in found:
                found.add(url)
                waiting.append(at_url(url))
    return found


def test_there_are_pages() -> None:
    assert len(PAGES) >= 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_busy_until_drawn_and_preloads_exactly_its_modules(page: Path) -> None:
    soup = BeautifulSoup(page.read_text("utf-8"), "lxml")
    assert soup.html is not None and soup.html["lang"] == "en"
    assert soup.select_one("main#main")["aria-busy"] == "true"  # type: ignore[index]
    assert soup.title is not None and soup.title.text.strip()
    scripts = [str(script["src"]) for script in soup.select("script")]
    assert len(scripts) == 1
    preloads = [str(link["href"]) for link in soup.select("link[rel=modulepreload]")]
    assert sorted(preloads) == sorted(imports_of(at_url(scripts[0])))
    sheets = [str(link["href"]) for link in soup.select("link[rel=stylesheet]")]
    assert all(at_url(url).is_file() for url in (*scripts, *preloads, *sheets))


@pytest.mark.parametrize("module", MODULES, ids=url_of)
def test_a_module_links_to_pages_that_exist_and_never_parses_data_as_html(module: Path) -> None:
    text = module.read_text("utf-8")
    assert [url for url in LINK.findall(text) if not at_url(url).is_file()] == []
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


@pytest.mark.parametrize("module", MODULES, ids=url_of)
def test_only_the_store_touches_local_storage(module: Path) -> None:
    if module.name != "store.js":
        assert "localStorage" not in module.read_text("utf-8")


@pytest.mark.parametrize("module", MODULES, ids=url_of)
def test_a_module_says_what_it_is_about(module: Path) -> None:
    assert module.read_text("utf-8").startswith("/**")
