"""Carries one action out: checks, hit test, trusted input, read-back.

An action either did what it says, verified by reading back, or the result is an ActionError and says why not. Nothing
that may have been dispatched is sent twice. The caller observes afterwards.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Error

from harness.page.action import (
    REF_PATTERN,
    Action,
    Answer,
    Back,
    Check,
    Click,
    Forward,
    GiveUp,
    Goto,
    Press,
    Scroll,
    Select,
    Type,
    Wait,
)
from harness.page.errors import ActionError
from harness.page.session import PageGone, PageSession

# Names of keys that are pressed by name; any other key is one printable character.
KEYS = frozenset(
    "Enter Escape Tab Backspace Delete ArrowUp ArrowDown ArrowLeft ArrowRight Home End PageUp PageDown Space".split()
)

MAX_REF = 16  # characters; a page never has as many elements as would need more


async def perform(
    session: PageSession, action: Action, allowed_origins: tuple[str, ...], current_url: str
) -> ActionError | None:
    """Do the action in the page. None if it was done; an ActionError if it was not, or did not take.

    Raises PageGone or PageTimeout when the page itself fails: that is never the policy's mistake.
    """
    try:
        match action:
            case Click(ref):
                return await _click(session, ref)
            case Type():
                return await _type(session, action)
            case Select(ref, option):
                return await _in_page(session, "harnessTouch.select", ref, option)
            case Check(ref, on):
                return await _check(session, ref, on)
            case Press(key):
                return await _press(session, key)
            case Scroll(direction):
                return await _scroll(session, direction)
            case Goto(url):
                return await _goto(session, url, allowed_origins, current_url)
            case Back():
                return None if await session.travel(-1) else ActionError("NO_HISTORY", "this is the first page")
            case Forward():
                return None if await session.travel(1) else ActionError("NO_HISTORY", "this is the last page")
            case Wait() | Answer() | GiveUp():
                return None
    except Error as error:
        raise PageGone(error.message) from error
    raise TypeError(f"no way to perform {action!r}")


def _error(result: Any) -> ActionError | None:
    return ActionError(*result["error"]) if "error" in result else None


def _number(session: PageSession, ref: str) -> int | ActionError:
    number = int(ref[1:]) if REF_PATTERN.fullmatch(ref) and len(ref) <= MAX_REF else session.known_refs
    if number >= session.known_refs:
        return ActionError("NOT_FOUND", f"there never was an element {ref[:MAX_REF]}")
    return number


async def _in_page(session: PageSession, function: str, ref: str, *arguments: Any) -> ActionError | None:
    number = _number(session, ref)
    if isinstance(number, ActionError):
        return number
    return _error(await session.call(function, number, *arguments))


async def _click(session: PageSession, ref: str) -> ActionError | None:
    number = _number(session, ref)
    if isinstance(number, ActionError):
        return number
    place = await session.call("harnessTouch.point", number)
    if "error" in place:
        return _error(place)
    await session.input(session.page.mouse.click(place["x"], place["y"]))
    return None


async def _type(session: PageSession, action: Type) -> ActionError | None:
    number = _number(session, action.ref)
    if isinstance(number, ActionError):
        return number
    place = await session.call("harnessTouch.editable", number)
    if "error" in place:
        return _error(place)
    if place["picked"]:
        error = _error(await session.call("harnessTouch.setValue", number, action.text))
        if error:
            return error
    else:
        if not place["focused"]:
            await session.input(session.page.mouse.click(place["x"], place["y"]))
        field = await session.call("harnessTouch.selectAll", number)
        if "error" in field:
            return _error(field)
        if action.text:
            await session.input(session.page.keyboard.insert_text(action.text))
        elif not field["empty"]:
            await session.input(session.page.keyboard.press("Delete"))
        error = _error(await session.call("harnessTouch.typed", number, action.text))
        if error:
            return error
    if action.submit:
        await session.input(session.page.keyboard.press("Enter"))
    return None


async def _check(session: PageSession, ref: str, on: bool) -> ActionError | None:
    number = _number(session, ref)
    if isinstance(number, ActionError):
        return number
    before = await session.call("harnessTouch.checkable", number)
    if "error" in before:
        return _error(before)
    if before["checked"] == on:
        return None
    if before["radio"] and not on:
        return ActionError("NOT_CHECKABLE", f"{before['title']} can't be set to off; set another one of its group")
    error = await _click(session, ref)
    if error:
        return error
    after = await session.call("harnessTouch.checkable", number)
    if "error" not in after and after["checked"] != on:
        return ActionError("NOT_APPLIED", f"{before['title']} did not change")
    return None  # gone from the page: it was clicked, and there is nothing left to compare with


async def _press(session: PageSession, key: str) -> ActionError | None:
    if key not in KEYS and not (len(key) == 1 and key.isprintable()):
        return ActionError("UNKNOWN_KEY", f"{key!r} is no key")
    # A character that no key of the keyboard gives is put in as text.
    known = len(key) > 1 or key.isascii()
    await session.input(session.page.keyboard.press(key) if known else session.page.keyboard.insert_text(key))
    return None


async def _scroll(session: PageSession, direction: str) -> ActionError | None:
    place = await session.call("harnessTouch.scroll", direction)
    await session.input(session.page.mouse.move(place["x"], place["y"]))
    await session.input(session.page.mouse.wheel(0, place["by"]))
    return None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


async def _goto(
    session: PageSession, url: str, allowed_origins: tuple[str, ...], current_url: str
) -> ActionError | None:
    try:
        target = urljoin(current_url if _origin(current_url) in allowed_origins else session.address, url)
        origin = _origin(target)
    except ValueError:
        return ActionError("FORBIDDEN_URL", f"{url!r} is no address")
    if origin not in allowed_origins:
        # Hosts without ports: these differ from run to run, and what the policy reads must not.
        hosts = ", ".join(urlsplit(allowed).hostname or "" for allowed in allowed_origins)
        return ActionError("FORBIDDEN_URL", f"{url!r} is outside {hosts}")
    failure = await session.navigate(target)
    return ActionError("NAVIGATION_FAILED", f"{url!r}: {failure}") if failure else None
