"""What pyproject.toml says is what the code needs: each import is declared and pinned, each data file is shipped."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from harness.server import CONTENT_TYPES

ROOT = Path(__file__).parent.parent
PACKAGES = ("harness", "policy", "sites")
FOREIGN = "browsergym_script.py"  # runs in another environment
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def declared(*, dev: bool) -> dict[str, str]:
    """Names of the declared distributions, each with its requirement."""
    project = PROJECT["project"]
    requirements = [*project["dependencies"], *(project["optional-dependencies"]["dev"] if dev else [])]
    return {re.split(r"[^A-Za-z0-9._-]", text)[0].lower(): text for text in requirements}


def imported(folder: str) -> set[str]:
    """Top-level names of the modules that the files of a folder import, wherever in the file."""
    names = set()
    for path in (ROOT / folder).rglob("*.py"):
        if path.name == FOREIGN:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {*PACKAGES, "tests"}


def undeclared(folder: str, *, dev: bool) -> set[str]:
    owners = importlib.metadata.packages_distributions()
    known = declared(dev=dev)
    return {name for name in imported(folder) if not any(owner.lower() in known for owner in owners.get(name, [name]))}


def test_every_import_of_the_packages_is_a_declared_dependency() -> None:
    assert set().union(*(undeclared(folder, dev=False) for folder in PACKAGES)) == set()


def test_every_import_of_the_tests_is_a_declared_dependency() -> None:
    assert undeclared("tests", dev=True) == set()


def test_every_dependency_is_pinned_to_one_version() -> None:
    for requirement in declared(dev=True).values():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9a-z.]*", requirement), requirement


def test_every_kind_of_data_file_is_shipped() -> None:
    shipped = {pattern.removeprefix("*") for pattern in PROJECT["tool"]["setuptools"]["package-data"]["*"]}
    assert set(CONTENT_TYPES) <= shipped
    for folder in PACKAGES:
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert {path.suffix for path in files} <= shipped | {".py"}
