"""Dialogs of the browser's own: part of what is observed, answered by the policy, and nothing hangs behind them."""

from __future__ import annotations

import time

import pytest

from harness.page.snapshot import Dialog
from tests.lab import START, Lab

ASK = """<button onclick="said.textContent = String(confirm('Really?'))">Delete</button>
<button onclick="said.textContent = String(prompt('Name?', 'Bo'))">Ask</button>
<button onclick="alert('Done'); said.textContent = 'read'">Tell</button><p id=said></p>"""


@pytest.mark.parametrize(
    ("button", "dialog", "answer", "said"),
    [
        ("Delete", Dialog("confirm", "Really?"), "dialog(accept=true)", "true"),
        ("Delete", Dialog("confirm", "Really?"), "dialog(accept=false)", "false"),
        ("Ask", Dialog("prompt", "Name?", "Bo"), 'dialog(accept=true, "Åsa")', "Åsa"),
        ("Ask", Dialog("prompt", "Name?", "Bo"), "dialog(accept=false)", "null"),
        ("Tell", Dialog("alert", "Done"), "dialog(accept=true)", "read"),
    ],
)
def test_a_dialog_is_shown_and_answered(lab: Lab, button: str, dialog: Dialog, answer: str, said: str) -> None:
    tab = lab.open(ASK)
    before = tab.now
    assert tab.do(f"click({tab.ref('button', button)})") is None
    assert tab.now.dialog == dialog
    assert tab.rows() == [("alert", dialog.message)]
    assert tab.do(answer) is None
    assert tab.now.dialog is None
    assert ("text", said) in tab.rows()
    assert [node.ref for node in tab.now.nodes[:3]] == [node.ref for node in before.nodes[:3]]


def test_nothing_else_can_be_done_while_a_dialog_is_open(lab: Lab) -> None:
    tab = lab.open(ASK)
    delete = tab.ref("button", "Delete")
    assert tab.do(f"click({delete})") is None
    start = time.perf_counter()
    for action in (
        f"click({delete})",
        f'type({delete}, "x")',
        'press("Enter")',
        'scroll("down")',
        'goto("/")',
        "wait()",
    ):
        error = tab.do(action)
        assert error is not None and error.code == "DIALOG_OPEN" and "Really?" in error.message
    assert tab.do(f"click({tab.ref('alert')})").code == "DIALOG_OPEN"  # type: ignore[union-attr]
    assert time.perf_counter() - start < 2
    assert tab.do("dialog(accept=true)") is None
    assert ("text", "true") in tab.rows()
    assert tab.do("dialog(accept=true)").code == "NO_DIALOG"  # type: ignore[union-attr]


def test_dialogs_one_after_another_are_answered_one_by_one(lab: Lab) -> None:
    tab = lab.open("<button onclick=\"alert('a'); document.title = String(confirm('b')) + prompt('c')\">Ask</button>")
    assert tab.do(f"click({tab.ref('button')})") is None
    for message, answer in (
        ("a", "dialog(accept=true)"),
        ("b", "dialog(accept=true)"),
        ("c", 'dialog(accept=true, "d")'),
    ):
        assert tab.now.dialog is not None and tab.now.dialog.message == message
        assert tab.do(answer) is None
    assert tab.now.title == "trued"


def test_a_dialog_that_opens_while_the_page_loads_or_later_is_shown(lab: Lab) -> None:
    tab = lab.open(f"{START}<body><script>alert('Welcome')</script><h1>Home</h1>")
    assert tab.now.dialog == Dialog("alert", "Welcome")
    assert tab.do("dialog(accept=true)") is None
    assert tab.rows() == [("heading", "Home")]
    tab.js("() => { setTimeout(() => alert('Later'), 30); }")
    assert tab.do("wait()") is None
    if tab.now.dialog is None:  # nothing changed for so long that the page was read before
        tab.look()
    assert tab.now.dialog == Dialog("alert", "Later")


@pytest.mark.parametrize(
    ("html", "action"),
    [
        ("<input aria-label=X oninput=\"alert('hm')\">", 'type(REF, "a")'),
        ("<select aria-label=X onchange=\"alert('hm')\"><option>a<option>b</select>", 'select(REF, "b")'),
        ("<input type=checkbox aria-label=X onchange=\"alert('hm')\">", "check(REF)"),
        ("<input type=date aria-label=X onchange=\"alert('hm')\">", 'type(REF, "2027-01-02")'),
        ("<button aria-label=X onmouseover=\"alert('hm')\">x</button>", "hover(REF)"),
    ],
)
def test_an_action_that_opens_a_dialog_on_the_way_returns(lab: Lab, html: str, action: str) -> None:
    tab = lab.open(html)
    ref = tab.now.find(tuple("textbox combobox checkbox date button".split()), "X")[0].ref
    assert tab.do(action.replace("REF", ref)) is None
    assert tab.now.dialog == Dialog("alert", "hm")
    assert tab.do("dialog(accept=true)") is None
    assert tab.now.dialog is None and tab.now.nodes


def test_leaving_a_page_that_asks_is_the_policys_choice(lab: Lab) -> None:
    lab.put("/two", "<h1>Two</h1>")
    tab = lab.open("<input aria-label=Note><script>onbeforeunload = (event) => event.preventDefault()</script>")
    assert tab.do(f'type({tab.ref("textbox")}, "unsaved")') is None
    assert tab.do('goto("/two")') is None
    assert tab.now.dialog is not None and tab.now.dialog.kind == "beforeunload"
    assert tab.do("dialog(accept=false)") is None
    assert tab.node("textbox").value == "unsaved"
    assert tab.do('goto("/two")') is None
    assert tab.do("dialog(accept=true)") is None
    assert tab.rows() == [("heading", "Two")]


def test_a_dialog_in_a_frame_is_shown(lab: Lab) -> None:
    lab.put("/inner", ASK)
    for origin in (lab.origin, lab.other_origin):
        tab = lab.open(f"<iframe src='{origin}/inner' height=200></iframe>")
        assert tab.do(f"click({tab.ref('button', 'Delete')})") is None
        assert tab.now.dialog is not None
        assert tab.do("dialog(accept=true)") is None
        # Chromium keeps dialogs of frames of other sites shut.
        assert ("text", "true" if origin == lab.origin else "false") in tab.rows() or origin != lab.origin
