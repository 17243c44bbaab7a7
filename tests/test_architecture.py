"""Who may import whom: an arrow never runs upward, and nothing that learns knows a site."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("harness", "policy", "sites")

# Each room, and the rooms that it may import from; its own files are its own business. A room is a module or a package;
# the longest name that fits counts.
ROOMS: dict[str, set[str]] = {
    # the ground
    "harness": set(),
    "harness.config": set(),
    "harness.tasks": set(),
    "harness.page": set(),
    "harness.statistics": set(),
    # above it, rooms of one subject
    "harness.chromium": {"harness.config"},
    "harness.browser": {"harness.config", "harness.chromium", "harness.page.caps"},
    "harness.floor": {"harness.browser", "harness.config"},
    "harness.tracing": {"harness.config"},
    "harness.server": {"harness.config", "harness.tasks"},
    "harness.context": {"harness.page", "harness.tasks"},
    "harness.forms": {"harness.context", "harness.page"},
    "harness.trajectory": {"harness.context", "harness.tasks"},
    "harness.report": {"harness.statistics"},
    "harness.runs": {"harness.trajectory"},
    "harness.env": {
        *("harness.browser", "harness.config", "harness.context", "harness.page", "harness.tasks"),
        *("harness.tracing", "harness.trajectory"),
    },
    "harness.rollout": {
        *("harness.env", "harness.browser", "harness.chromium", "harness.config", "harness.context", "harness.server"),
        *("harness.tasks", "harness.tracing", "harness.trajectory", "policy.base"),
    },
    # what is trained
    "policy": {
        *("harness.trajectory", "harness.context", "harness.tasks"),
        *("harness.page.action", "harness.page.grammar"),
    },
    "policy.base": {"harness.trajectory", "harness.context", "harness.tasks"},
    "policy.loss": set(),
    "policy.checkpoint": set(),
    # the mock sites
    "sites": {"harness.tasks", "harness.page.action", "harness.page.snapshot"},
    # the commands, which bring it all together
    **{
        f"harness.{command}": {"harness", "policy"}
        for command in ("train", "eval", "serve", "bench", "compare", "install", "command", "pytest_plugin")
    },
}


def modules() -> dict[str, Path]:
    """The modules of the packages by name."""
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


@cache
def imports(name: str) -> set[str]:
    """The modules of the project that a module imports, wherever in its file."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None and not node.level, f"{name} has a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & MODULES.keys()) or {node.module}
    return {module for module in found if module.partition(".")[0] in (*PACKAGES, "tests")}


def is_in(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


@cache
def room_of(module: str) -> str:
    return max((room for room in ROOMS if is_in(module, room)), key=len)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_only_from_its_own_room_and_from_those_below(name: str) -> None:
    room = room_of(name)
    allowed = {room, *ROOMS[room]}
    assert room != "harness" or name == "harness", f"{name} has no room of its own in this test"
    assert [module for module in sorted(imports(name)) if not any(is_in(module, below) for below in allowed)] == []


def test_nothing_but_a_command_is_above_a_command() -> None:
    commands = {room for room, below in ROOMS.items() if below == {"harness", "policy"}}
    for name in MODULES:
        above = {module for module in imports(name) if room_of(module) in commands}
        assert not above or room_of(name) in commands, name


@pytest.mark.parametrize("name", sorted(name for name in MODULES if is_in(name, "harness") or is_in(name, "policy")))
def test_the_harness_and_the_policies_know_no_suite(name: str) -> None:
    assert not any(is_in(module, "sites") or is_in(module, "tests") for module in imports(name))


def test_the_rooms_have_no_circle() -> None:
    def below(room: str, path: tuple[str, ...]) -> None:
        assert room not in path, " -> ".join((*path, room))
        for next_room in {room_of(module) for name in MODULES if room_of(name) == room for module in imports(name)}:
            if next_room != room:
                below(next_room, (*path, room))

    for room in ROOMS:
        below(room, ())


LEARNED = ("pointer", "features", "batch", "choices", "learner", "loss", "checkpoint", "base")
PLAIN = {"words", "tasks", "world", "search", "help", "contact", "home", "index", "colour", "add", "remove", "note"}


@cache
def words_of_the_sites() -> set[str]:
    """Names of sites, their pages, their templates and their parameters, but not words that anybody uses."""
    names = {"shop", "cart", "checkout", "wishlist", "coupon", "product", "order", "address", "template", "oracle"}
    for path in (ROOT / "sites").rglob("*"):
        if path.suffix == ".html":
            names.add(path.stem)
        if path.suffix == ".py" and "tasks" in path.parts:
            names |= set(re.findall(r'^    name = "([a-z_]+)"', path.read_text("utf-8"), re.MULTILINE))
    return names - PLAIN


@pytest.mark.parametrize("name", LEARNED)
def test_what_is_trained_holds_no_word_of_a_site(name: str) -> None:
    words = words_of_the_sites()
    assert len(words) > 20
    tree = ast.parse((ROOT / "policy" / f"{name}.py").read_text("utf-8"))
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in explained]
    said = {word for node in texts for word in re.findall(r"[a-z_]+", str(node.value).lower())}
    assert said & words == set()


@pytest.mark.parametrize("name", sorted(name for name in MODULES if not is_in(name, "sites")))
def test_no_site_is_named_in_the_code_of_the_harness(name: str) -> None:
    """But in examples and in the defaults of the commands."""
    for node in ast.walk(ast.parse(MODULES[name].read_text("utf-8"))):
        if isinstance(node, ast.If | ast.IfExp | ast.Compare | ast.Match):
            constants = {
                inner.value
                for inner in ast.walk(node.test if isinstance(node, ast.If | ast.IfExp) else node)
                if isinstance(inner, ast.Constant)
            }
            assert not constants & {"shop", "sites", "demo"}
