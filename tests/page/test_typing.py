"""Typing: exactly the text arrives, the page hears of it, and what a field refuses is an error."""

from __future__ import annotations

import pytest

from harness.page.action import Action, Press, Type
from tests.lab import Lab, Tab

TRACK = """
<script>
  const state = {};
  const heard = [];
  for (const kind of ["input", "change"]) addEventListener(kind, (event) => {
    state[event.target.id] = event.target.value ?? event.target.textContent;
    heard.push(event.type);
  }, true);
</script>
"""


def code(tab: Tab, action: str | Action) -> str:
    error = tab.do(action)
    return error.code if error else ""


def test_exactly_the_text_arrives_and_the_page_hears_of_it(lab: Lab) -> None:
    tab = lab.open(f'<input id="a" value="old text" aria-label="Field"><textarea id="b"></textarea>{TRACK}')
    field = tab.ref("textbox", "Field")
    for text in ("blue lamp", "Ünï — “quoted” 日本語 👩‍💻 é", 'a "b" \\ # // <b>', "  two  spaces ", "x", ""):
        assert tab.do(Type(field, text)) is None
        assert tab.js("() => [a.value, state.a]") == [text, text]
    area = tab.ref("textbox", "")
    for text in ("one\ntwo\n", "tab\there"):
        assert tab.do(Type(area, text)) is None
        assert tab.js("() => [b.value, state.b]") == [text, text]


def test_the_first_letter_is_there_when_a_handler_draws_anew_on_each_input(lab: Lab) -> None:
    tab = lab.open(
        """<div id="app"></div><script>
        let text = "";
        const draw = () => {
          app.innerHTML = `<input aria-label="Name"><p>Hello ${text}</p>`;
          const field = app.querySelector("input");
          field.value = text;
          field.oninput = () => { text = field.value; draw(); app.querySelector("input").focus(); };
        };
        draw();
        </script>"""
    )
    assert tab.do(f'type({tab.ref("textbox")}, "Ada")') is None  # the field itself is another one now
    assert ("text", "Hello Ada") in tab.rows()
    assert tab.node("textbox").value == "Ada"


def test_a_field_that_goes_away_while_it_is_typed_in_is_an_error(lab: Lab) -> None:
    tab = lab.open("<div id=app><input aria-label=A oninput=\"app.innerHTML = '<input aria-label=B>'\"></div>")
    assert code(tab, Type(tab.ref("textbox", "A"), "Ada")) == "NOT_APPLIED"
    assert tab.node("textbox").name == "B"


def test_rich_text_is_replaced_as_a_whole(lab: Lab) -> None:
    tab = lab.open('<div contenteditable id="e" aria-label="Note">old <b>rich</b> text</div>' + TRACK)
    assert tab.do(f'type({tab.ref("textbox")}, "new  text")') is None
    assert tab.node("textbox").value == "new text"
    assert tab.js("() => state.e.replaceAll('\\u00a0', ' ')") == "new  text"
    assert tab.do(f'type({tab.ref("textbox")}, "")') is None
    assert tab.node("textbox").value == ""


def test_what_a_field_refuses_is_an_error(lab: Lab) -> None:
    tab = lab.open(
        '<input aria-label="Short" maxlength="3"><input aria-label="Fixed" readonly value="f">'
        '<input aria-label="Off" disabled>'
        '<input aria-label="Count" type="number"><button>B</button><input type="checkbox" aria-label="C"><p>text</p>'
        '<input aria-label="Numeric" oninput="this.value = this.value.replace(/[^0-9]/g, \'\')">'
        '<div contenteditable="false">D</div><input aria-label="Away" onfocus="this.blur()">'
    )
    assert code(tab, Type(tab.ref("textbox", "Short"), "abc")) == ""
    assert code(tab, Type(tab.ref("textbox", "Short"), "abcd")) == "INVALID_VALUE"
    assert code(tab, Type(tab.ref("textbox", "Fixed"), "x")) == "READONLY"
    assert tab.node("textbox", "Fixed").value == "f"
    assert code(tab, Type(tab.ref("textbox", "Off"), "x")) == "DISABLED"
    for text in ("abc", "12a", "1,5", "--1", "1e", " "):
        assert code(tab, Type(tab.ref("spinbutton"), text)) == "INVALID_VALUE", text
    for text in ("12", "-1.5", "1e3", "0.10"):
        assert code(tab, Type(tab.ref("spinbutton"), text)) == "", text
        assert tab.node("spinbutton").value == text
    for ref in (tab.ref("button"), tab.ref("checkbox"), tab.ref("text", "text"), tab.ref("text", "D")):
        assert code(tab, Type(ref, "x")) == "NOT_EDITABLE"
    error = tab.do(Type(tab.ref("textbox", "Numeric"), "12ab"))
    assert error is not None and error.code == "NOT_APPLIED" and '"12"' in error.message


def test_text_for_a_field_that_takes_no_focus_goes_nowhere_else(lab: Lab) -> None:
    tab = lab.open(
        '<input aria-label="A" value="keep"><input aria-label="B" onfocus="document.querySelector(\'input\').focus()">'
    )
    assert code(tab, Type(tab.ref("textbox", "B"), "lost")) == "NOT_APPLIED"
    assert [node.value for node in tab.now.find("textbox")] == ["keep", ""]


def test_fields_with_a_picker_take_values_of_their_own_form_only(lab: Lab) -> None:
    kinds = {
        "date": ("2024-02-29", ["2023-02-29", "29.02.2024", "tomorrow"]),
        "time": ("09:30", ["9:30", "25:00"]),
        "month": ("2024-02", ["2024-13"]),
        "week": ("2024-W07", ["W07"]),
        "datetime-local": ("2024-02-29T09:30", ["2024-02-29"]),
        "color": ("#FF8800", ["red"]),
        "range": ("70", ["700", "much"]),
    }
    tab = lab.open("".join(f'<input type="{kind}" id="{kind}" aria-label="{kind}">' for kind in kinds) + TRACK)
    for kind, (good, bad) in kinds.items():
        ref = next(node.ref for node in tab.now.nodes if node.name == kind)
        assert code(tab, Type(ref, good)) == ""
        kept = good.lower() if kind == "color" else good
        assert tab.js(f"() => state['{kind}']") == kept
        for text in bad:
            assert code(tab, Type(ref, text)) == "INVALID_VALUE", (kind, text)
        assert next(node.value for node in tab.now.nodes if node.name == kind) == kept
    assert tab.js("() => heard").count("change") == len(kinds)


def test_submit_presses_enter_and_the_snapshot_is_of_the_page_it_leads_to(lab: Lab) -> None:
    form = "<form action='/found'><input name='q' aria-label='Search'></form><h1 id=h></h1>"
    lab.put("/found", form + "<script>h.textContent = new URLSearchParams(location.search).get('q')</script>")
    tab = lab.open(form)

    async def submit(text: str) -> tuple[str, list[str]]:
        error = await tab.act(Type(tab.ref("textbox"), text, submit=True))
        return str(error), [node.name for node in tab.now.find("heading")]

    async def fifty() -> list[tuple[str, list[str]]]:
        return [await submit(f"query {turn}") for turn in range(50)]

    assert lab.loop.run(fifty()) == [("None", [f"query {turn}"]) for turn in range(50)]
    assert len(lab.asked) == 51  # each form was sent once


def test_submit_reaches_a_date_field_and_a_handler_in_the_page(lab: Lab) -> None:
    tab = lab.open(
        """<form id=f><input type="date" aria-label="Day"><input aria-label="Name"><button>Go</button></form><script>
        f.onsubmit = (event) => {
          event.preventDefault();
          document.title += "+" + f.elements[0].value + f.elements[1].value;
        };</script>"""
    )
    assert tab.do(f'type({tab.ref("date")}, "2024-02-29", submit=true)') is None
    assert tab.do(f'type({tab.ref("textbox")}, "x", submit=true)') is None
    assert tab.now.title == "Lab+2024-02-29+2024-02-29x"


@pytest.mark.parametrize("key", ["a", "é", "あ", "👍", "Space", "#", '"', "\\"])
def test_a_key_is_pressed_where_the_focus_is(lab: Lab, key: str) -> None:
    tab = lab.open("<input aria-label=A autofocus>")
    tab.do(f"click({tab.ref('textbox')})")
    assert tab.do(Press(key)) is None
    assert tab.js("() => document.querySelector('input').value") == {"Space": " "}.get(key, key)


def test_keys_do_what_they_do_and_unknown_ones_are_errors(lab: Lab) -> None:
    tab = lab.open(
        "<input aria-label=A><input aria-label=B>"
        "<script>addEventListener('keydown', (event) => { document.title += ' ' + event.key; })</script>"
    )
    tab.do(f"click({tab.ref('textbox', 'A')})")
    assert tab.do('press("Tab")') is None
    assert "focused" in tab.node("textbox", "B").states
    for key in ("Escape", "ArrowDown", "Enter"):
        assert tab.do(f'press("{key}")') is None
    assert tab.now.title == "Lab Tab Escape ArrowDown Enter"
    for key in (
        "",
        "Foo",
        "Control+",
        "Meta+a",
        "+a",
        "Control+Foo",
        "a+b",
        "ab",
        "\n",
        "Meta",
        "Control+c",
        "Control+V",
    ):
        assert code(tab, Press(key)) == "UNKNOWN_KEY", key


def test_keys_are_pressed_while_others_are_held(lab: Lab) -> None:
    tab = lab.open("<input aria-label=A value='one two'><input aria-label=B value='keep'>")
    field = "() => document.querySelector('input').value"
    tab.do(f"click({tab.ref('textbox', 'A')})")
    for keys, value in (
        ("Control+a", "one two"),
        ("+", "+"),
        ("Shift+x", "+X"),
        ("Shift+ArrowLeft", "+X"),
        ("Backspace", "+"),
        ("Control+z", "+X"),
        ("Shift++", "+X+"),
    ):
        assert tab.do(Press(keys)) is None
        if keys == "Control+z":
            tab.do('press("End")')
        assert tab.js(field) == value, keys
    tab.do('press("Tab")')
    tab.do('press("Shift+Tab")')
    assert "focused" in tab.node("textbox", "A").states


def test_a_page_hears_the_keys_of_what_is_typed(lab: Lab) -> None:
    tab = lab.open(
        """<input aria-label=A><script>
        const heard = [];
        for (const kind of ["keydown", "keypress", "input", "keyup"]) {
          document.querySelector("input").addEventListener(kind, (event) => {
            heard.push(`${kind} ${event.key ?? event.data} ${event.isTrusted}`);
          });
        }</script>"""
    )
    assert tab.do(Type(tab.ref("textbox"), "aé")) is None
    assert tab.js("() => heard") == [f"{kind} a true" for kind in ("keydown", "keypress", "input", "keyup")] + [
        "input é true"  # no key of this keyboard gives it
    ]


def test_keys_of_typed_text_neither_send_a_form_nor_move_the_focus(lab: Lab) -> None:
    tab = lab.open("<form action='/away'><input aria-label=A><textarea aria-label=B></textarea></form>")
    assert tab.do(Type(tab.ref("textbox", "B"), "one\ttwo\nthree")) is None
    assert tab.node("textbox", "B").value == "one two three"
    assert code(tab, Type(tab.ref("textbox", "A"), "a\nb")) == "NOT_APPLIED"
    assert tab.session.url == f"{lab.origin}/"


def test_scrolling_moves_the_page_by_a_screen(lab: Lab) -> None:
    tab = lab.open("<div style='height:5000px'>tall</div>")
    assert tab.now.scroll[0] == 0
    places = []
    for direction in ("down", "down", "up"):
        assert tab.do(f'scroll("{direction}")') is None
        places.append(tab.now.scroll[0])
    assert places == [720, 1440, 720]
