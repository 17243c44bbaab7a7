"""MiniWoB++ as a suite: the pages of the package `miniwob`, served locally. `--suite miniwob`.

The pages are an optional extra. They are served as they are; the hooks in template.py begin and score their episodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.tasks.task import Site, Suite, UnknownTask
from sites.miniwob.template import TEMPLATES


def pages() -> Path:
    """The folder of the installed pages. The package is found, not imported: its own needs are not the harness's."""
    spec = find_spec("miniwob")
    folder = Path(spec.origin or "").parent / "html" if spec is not None else None
    if folder is None or not folder.is_dir():
        raise UnknownTask("the suite miniwob needs the pages of MiniWoB++; type: pip install -e '.[miniwob]'")
    return folder


def world(seed: int) -> Mapping[str, Any]:
    """Nothing: each page makes up its own world from the seed."""
    return {}


def suite() -> Suite:
    """A template for each page. UnknownTask, with what to type, if the pages are not installed."""
    return Suite("miniwob", [Site("miniwob", pages(), world, TEMPLATES)])
