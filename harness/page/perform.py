"""Carries one action out: checks, hit test, trusted input, read-back.

An action either did what it says, verified by reading back, or the result is an ActionError and says why not. Nothing
that may have been dispatched is sent twice. The caller observes afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Error

from harness.page.action import (
    Action,
    AnswerDialog,
    Back,
    Check,
    Clear,
    Click,
    CloseTab,
    DoubleClick,
    Drag,
    Forward,
    Goto,
    Hover,
    NewTab,
    Press,
    Scroll,
    Select,
    SwitchTab,
    Type,
    Upload,
    Wait,
)
from harness.page.channel import DialogOpened, PageGone
from harness.page.errors import ActionError
from harness.page.refs import MAX_REF
from harness.page.session import PageSession
from harness.page.tabs import Tabs
from harness.page.target import Target, find

# Names of keys that are pressed by name; any other key is one printable character.
KEYS = frozenset(
    "Enter Escape Tab Backspace Delete ArrowUp ArrowDown ArrowLeft ArrowRight Home End PageUp PageDown Space "
    "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12".split()
)
MODIFIERS = ("Control", "Shift", "Alt")
CLIPBOARD = ("c", "v", "x")
MAX_TYPED = 200  # characters that a person would rather type than paste
DRAG_STEPS = 5  # moves of the mouse on the way: pages look at more than the first


async def perform(
    tabs: Tabs,
    action: Action,
    allowed_origins: tuple[str, ...],
    current_url: str,
    files: Mapping[str, Path] | None = None,
) -> ActionError | None:
    """Do the action in the active tab. None if it was done; an ActionError if it was not, or did not take.

    `files` are those that can be uploaded, by name.
    Raises PageGone or PageTimeout when the page itself fails: that is never the policy's mistake.
    """
    acting = tabs.active
    try:
        match action:
            case AnswerDialog():
                return await _dialog(acting, action)
            case SwitchTab(number):
                if tabs.switch(number):
                    return None
                return ActionError("NO_SUCH_TAB", f"there is no tab {number}, but {tabs.count} in all")
            case CloseTab():
                return None if await tabs.close() else ActionError("LAST_TAB", "this is the only tab")
        if acting.dialog is not None:
            return ActionError("DIALOG_OPEN", f"{acting.dialog.kind} {acting.dialog.message!r} is open")
        if isinstance(action, NewTab):
            return await _new_tab(tabs, action, allowed_origins, current_url)
        if isinstance(action, Upload):
            return await _upload(tabs, action, files or {})
        return await _in_page(acting, action, allowed_origins, current_url)
    except DialogOpened:
        return None  # what the action began goes on when the dialog has been answered
    except PageGone:
        if acting.page.is_closed() and tabs.count:
            return None  # the page has closed its own tab; another one is left
        raise
    except Error as error:
        raise PageGone(error.message) from error


async def _in_page(
    session: PageSession, action: Action, allowed_origins: tuple[str, ...], current_url: str
) -> ActionError | None:
    match action:
        case Click(ref) | DoubleClick(ref) | Hover(ref):
            return await _mouse(session, ref, action.verb)
        case Type():
            return await _type(session, action)
        case Clear(ref):
            return await _clear(session, ref)
        case Select(ref, option):
            target = find(session, ref)
            return target if isinstance(target, ActionError) else target.error(await target.call("select", option))
        case Check(ref, on):
            return await _check(session, ref, on)
        case Press(key):
            return await _press(session, key)
        case Scroll(direction, ref):
            return await _scroll(session, direction, ref)
        case Drag(ref, onto):
            return await _drag(session, ref, onto)
        case Goto(url):
            return await _goto(session, url, allowed_origins, current_url)
        case Back():
            return None if await session.travel(-1) else ActionError("NO_HISTORY", "this is the first page")
        case Forward():
            return None if await session.travel(1) else ActionError("NO_HISTORY", "this is the last page")
        case Wait():
            cap = session.caps.wait
            await session.call("harnessSettle.change", cap * 1000, time=cap)
            return None
    raise TypeError(f"no way to perform {action!r} in a page")


async def _mouse(session: PageSession, ref: str, verb: str) -> ActionError | None:
    target = find(session, ref)
    if isinstance(target, ActionError):
        return target
    place = await target.point()
    if isinstance(place, ActionError):
        return place
    mouse, x, y = session.page.mouse, place["x"], place["y"]
    match verb:
        case "double_click":
            await session.input(mouse.dblclick(x, y))
        case "hover":
            await session.input(mouse.move(x, y))
        case _:
            await session.input(mouse.click(x, y))
    return None


async def _type(session: PageSession, action: Type) -> ActionError | None:
    target = find(session, action.ref)
    if isinstance(target, ActionError):
        return target
    place = await target.point("editable")
    if isinstance(place, ActionError):
        return place
    if place["picked"]:
        error = target.error(await target.call("setValue", action.text))
        if error:
            return error
    else:
        if not place["focused"]:
            await session.input(session.page.mouse.click(place["x"], place["y"]))
        field = await target.call("selectAll")
        if "error" in field:
            return target.error(field)
        if action.text:
            await session.input(_keys(session, action.text))
        elif not field["empty"]:
            await session.input(session.page.keyboard.press("Delete"))
        error = target.error(await target.call("typed", action.text))
        if error:
            return error
    if action.submit:
        await session.input(session.page.keyboard.press("Enter"))
    return None


def _keys(session: PageSession, text: str) -> Coroutine[Any, Any, None]:
    """Typing by the keys of a keyboard; as if pasted what is long, or has characters that would move the focus or send
    a form."""
    keyboard = session.page.keyboard
    pasted = len(text) > MAX_TYPED or not text.isprintable()
    return keyboard.insert_text(text) if pasted else keyboard.type(text)


async def _clear(session: PageSession, ref: str) -> ActionError | None:
    error = await _type(session, Type(ref, ""))
    if error is None or error.code != "NOT_EDITABLE":
        return error
    target = find(session, ref)
    return target if isinstance(target, ActionError) else target.error(await target.call("deselect"))


async def _check(session: PageSession, ref: str, on: bool) -> ActionError | None:
    target = find(session, ref)
    if isinstance(target, ActionError):
        return target
    before = await target.call("checkable")
    if "error" in before:
        return target.error(before)
    if before["checked"] == on:
        return None
    if before["radio"] and not on:
        return ActionError("NOT_CHECKABLE", f"{before['title']} can't be set to off; set another one of its group")
    error = await _mouse(session, ref, "click")
    if error:
        return error
    after = await target.call("checkable")
    if "error" not in after and after["checked"] != on:
        return ActionError("NOT_APPLIED", f"{before['title']} did not change")
    return None  # gone from the page: it was clicked, and there is nothing left to compare with


async def _press(session: PageSession, keys: str) -> ActionError | None:
    names = keys.split("+")
    if keys == "+" or keys.endswith("++"):
        names = [*names[:-2], "+"]
    *modifiers, key = names
    if "Shift" in modifiers and len(key) == 1:
        key = key.upper()
    if key not in KEYS and not (len(key) == 1 and key.isprintable()):
        return ActionError("UNKNOWN_KEY", f"{key!r} is no key")
    for modifier in modifiers:
        if modifier not in MODIFIERS:
            return ActionError("UNKNOWN_KEY", f"{modifier!r} is no key that is held; those are {', '.join(MODIFIERS)}")
    if "Control" in modifiers and key.lower() in CLIPBOARD:
        # All contexts of a browser share it: another episode's text would be pasted.
        return ActionError("UNKNOWN_KEY", f"{keys} is not available: there is no clipboard; type the text instead")
    keyboard = session.page.keyboard
    # A character that no key of the keyboard gives is put in as text.
    known = len(key) > 1 or key.isascii()
    await session.input(keyboard.press("+".join((*modifiers, key))) if known else keyboard.insert_text(key))
    return None


async def _scroll(session: PageSession, direction: str, ref: str) -> ActionError | None:
    target = find(session, ref) if ref else Target.of_page(session)
    if isinstance(target, ActionError):
        return target
    place = await target.in_page(await target.call("scroll", direction))
    if isinstance(place, ActionError):
        return place
    await session.input(session.page.mouse.move(place["x"], place["y"]))
    await session.input(session.page.mouse.wheel(place["dx"], place["dy"]))
    cap = session.caps.wait
    return target.error(await target.call_page("scrolled", cap * 1000, time=cap))


async def _drag(session: PageSession, ref: str, onto: str) -> ActionError | None:
    targets, places = [], []
    for name in (ref, onto):
        target = find(session, name)
        if isinstance(target, ActionError):
            return target
        place = await target.point()
        if isinstance(place, ActionError):
            return place
        targets.append(target)
    for target in targets:  # to bring the second one into view may have moved the first one out of it
        place = await target.in_page(await target.call("point", True))
        if isinstance(place, ActionError):
            return ActionError("NOT_VISIBLE", f"{ref} and {onto} are never in view together")
        places.append((place["x"], place["y"]))
    start, end = places
    mouse = session.page.mouse
    await session.input(mouse.move(*start))
    await session.input(mouse.down())
    try:
        await session.input(mouse.move(*end, steps=DRAG_STEPS))
    finally:
        await session.input(mouse.up())
    return None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _address(session: PageSession, url: str, allowed_origins: tuple[str, ...], current_url: str) -> str | ActionError:
    """The full address, if it is an allowed one."""
    try:
        target = urljoin(current_url if _origin(current_url) in allowed_origins else session.address, url)
        origin = _origin(target)
    except ValueError:
        return ActionError("FORBIDDEN_URL", f"{url!r} is no address")
    if origin in allowed_origins:
        return target
    # Hosts without ports: these differ from run to run, and what the policy reads must not.
    hosts = ", ".join(urlsplit(allowed).hostname or "" for allowed in allowed_origins)
    return ActionError("FORBIDDEN_URL", f"{url!r} is outside {hosts}")


async def _goto(
    session: PageSession, url: str, allowed_origins: tuple[str, ...], current_url: str
) -> ActionError | None:
    target = _address(session, url, allowed_origins, current_url)
    if isinstance(target, ActionError):
        return target
    failure = await session.navigate(target)
    return ActionError("NAVIGATION_FAILED", f"{url!r}: {failure}") if failure else None


async def _new_tab(
    tabs: Tabs, action: NewTab, allowed_origins: tuple[str, ...], current_url: str
) -> ActionError | None:
    target = _address(tabs.active, action.url, allowed_origins, current_url) if action.url else ""
    if isinstance(target, ActionError):
        return target
    await tabs.new()
    failure = await tabs.active.navigate(target) if target else None
    return ActionError("NAVIGATION_FAILED", f"{action.url!r}: {failure}") if failure else None


async def _dialog(session: PageSession, action: AnswerDialog) -> ActionError | None:
    if session.dialog is None:
        return ActionError("NO_DIALOG", "no dialog is open")
    await session.answer_dialog(action.accept, action.text)
    return None


async def _upload(tabs: Tabs, action: Upload, files: Mapping[str, Path]) -> ActionError | None:
    session = tabs.active
    target = find(session, action.ref)
    if isinstance(target, ActionError):
        return target
    path = files.get(action.file)
    if path is None:
        names = ", ".join(map(repr, files)) or "there is none"
        return ActionError("FILE_NOT_FOUND", f"no file {action.file[:80]!r}; files: {names}")
    field = await target.handle("fileField")
    if field is not None:
        await session.send("DOM.setFileInputFiles", {"files": [str(path)], "objectId": field}, target.frame)
        names = await target.call("fileNames")
        if isinstance(names, list) and names != [path.name]:
            return ActionError("NOT_APPLIED", f"the field holds {names}")
        return None
    chooser = tabs.take_chooser()
    if chooser is None:
        return ActionError("NOT_A_FILE_FIELD", f"{action.ref[:MAX_REF]} is no file field, and no file chooser is open")
    await session.input(asyncio.wait_for(chooser.set_files(path), session.caps.action))
    return None
