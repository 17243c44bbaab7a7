"""Whole pages: what a policy reads of tests/fixtures/NAME.html is tests/fixtures/NAME.txt.

`UPDATE_GOLDEN=1 pytest tests/context/test_golden.py` writes the texts anew; read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from harness.context.compress import Compressor
from tests.lab import Lab

PAGES = sorted((Path(__file__).parents[1] / "fixtures").glob("*.html"))
BUDGETS = (1000, 80)


def test_there_are_pages() -> None:
    assert len(PAGES) >= 5


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_a_page_is_read_as_the_text_beside_it(lab: Lab, file: Path) -> None:
    html = file.read_text("utf-8")
    (intent,) = re.findall(r'<meta name="intent" content="([^"]+)">', html)
    tab = lab.open(html)
    first_ref = int(tab.now.nodes[0].ref[1:])
    assert first_ref == 1  # so that the refs in the text are always the same
    parts = []
    for budget in BUDGETS:
        seen = Compressor(budget).observe(tab.now, None, intent, (), 10)
        parts.append(f"== {seen.title}: {intent}\n== {seen.tokens} of {budget} tokens\n{seen.text}\n")
    text = "\n".join(parts)
    expected = file.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(text, "utf-8")
    assert text == expected.read_text("utf-8")
