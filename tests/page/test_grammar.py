"""The grammar of actions: what is formatted parses to the same action, and anything else says where it goes wrong."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.page.action import (
    ACTIONS,
    DIRECTIONS,
    Action,
    Answer,
    AnswerDialog,
    Back,
    Check,
    Click,
    Drag,
    GiveUp,
    Goto,
    Press,
    Scroll,
    Select,
    SwitchTab,
    Type,
)
from harness.page.dialect import do_help, format_do
from harness.page.errors import HINTS, ActionError
from harness.page.grammar import format_action, grammar_help, parse_action
from harness.page.reader import ParseError

REFS = st.integers(1, 10**12).map("e{}".format)


def actions_of(kind: type[Action]) -> st.SearchStrategy[Action]:
    """Any action of a kind."""
    hints = get_type_hints(kind)
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for field in dataclasses.fields(kind):
        if field.name in ("ref", "onto"):
            fields[field.name] = REFS
        elif field.name == "direction":
            fields[field.name] = st.sampled_from(DIRECTIONS)
        elif hints[field.name] is int:
            fields[field.name] = st.integers(0, 10**9 - 1)
        else:
            fields[field.name] = st.booleans() if hints[field.name] is bool else st.text()
    return st.builds(kind, **fields)


@settings(max_examples=150, deadline=None)
@given(st.one_of([actions_of(kind) for kind in ACTIONS]))
@example(Type("e1", 'say "hi" \\ # // \n\t\x00 \u2028 )', submit=True))
@example(Answer("\\"))
def test_what_is_formatted_parses_to_the_same_action(action: Action) -> None:
    for form in (format_action(action), format_do(action)):
        assert parse_action(form) == action, form
        assert parse_action(f" \n{form}\t ") == action, form


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet='clicktyperwa_(e12, "true=\\)\n'),
        st.from_regex(r"[a-z_]{2,6}\([^)]{0,12}\)"),
        st.from_regex(r"(do|exit)\((action=\"(Click|Type|Drag)\",?)?( ?(element|argument|message)=[^)]{0,9},?){0,3}\)"),
    )
)
@example('type(e1, "\\ud800")')
@example('type(e1, "\\u12")')
@example("click(e" + "9" * 5000 + ")")
@example("click(e１２)")
@example("click(e1")
@example('scroll("sideways")')
@example("\ud800")
@example('exit(message="\ud800")')
@example('do(action="Click", element="' + "9" * 5000 + '")')
@example('do(action="Switch Tab", argument="' + "9" * 5000 + '")')
@example("do(action='Type', argument='\\')")
@example("# do(")
@example("do(")
def test_any_text_is_an_action_or_an_error_with_a_place_in_it(text: str) -> None:
    result = parsed(text)
    if isinstance(result, ParseError):
        assert 0 <= result.position <= len(text)
        assert str(result.position) in str(result) and result.code in HINTS
    else:
        assert parse_action(format_action(result)) == parse_action(format_do(result)) == result
        assert format_action(result).encode() and format_do(result).encode()


def parsed(text: str) -> Action | ParseError:
    try:
        return parse_action(text)
    except ParseError as error:
        return error


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("click(e12)", Click("e12")),
        ('type(e3, "blue lamp", submit=true)', Type("e3", "blue lamp", submit=True)),
        ('type(e3,"a",true)', Type("e3", "a", submit=True)),
        ('type( e3 , submit = true , "a" )', Type("e3", "a", submit=True)),
        ('type(e3, "C# \\"quoted\\" \\\\ \\u00e9 \\ud83d\\udca1")', Type("e3", 'C# "quoted" \\ é 💡')),
        ('select(e4, "Blue (dark), size=2")', Select("e4", "Blue (dark), size=2")),
        ("check(e5)", Check("e5")),
        ("check(e5, on=false)", Check("e5", on=False)),
        ('press("\\"")', Press('"')),
        ('goto("/a?b=c#d")', Goto("/a?b=c#d")),
        ("answer()", Answer()),
        ('answer("")', Answer()),
        ('answer("line\nbreak")', Answer("line\nbreak")),
        ('scroll("down")', Scroll("down")),
        ('do(action="Click", element="7")', Click("e7")),
        ('do(action="Click", element="e7")', Click("e7")),
        ("do(action='Type', argument='it\\'s \"here\"', element='7')", Type("e7", 'it\'s "here"')),
        ('do( element = "7", argument="a # b", action="Search" )', Type("e7", "a # b", submit=True)),
        ('do(action="Select Dropdown Option", argument="Blue", element="4")', Select("e4", "Blue")),
        ('do(action="Uncheck", element="5")', Check("e5", on=False)),
        ('do(action="Press Enter")', Press("Enter")),
        ('do(action="Press", argument="Enter")', Press("Enter")),
        ('do(action="Scroll Down")', Scroll("down")),
        ('do(action="Scroll Left", element="5")', Scroll("left", "e5")),
        ('do(action="Drag", element="5", target="6")', Drag("e5", "e6")),
        ('do(action="Switch Tab", argument="2")', SwitchTab(2)),
        ('do(action="Accept Dialog", argument="Ada")', AnswerDialog(True, "Ada")),
        ('do(action="Dismiss Dialog")', AnswerDialog(False)),
        ('do(action="Give Up")', GiveUp()),
        ("go_backward()", Back()),
        ('exit(message="$25, \\"about\\" # it")', Answer('$25, "about" # it')),
        ("exit()", Answer()),
        ('# Element: the "Reports" link (of 3)\n# and why\n\ndo(action="Click", element="7") # do it', Click("e7")),
    ],
)
def test_the_text_form_is_read_as_it_looks(text: str, action: Action) -> None:
    assert parse_action(text) == action


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "starts with its name"),
        ("Click(e1)", 0, "starts with its name"),
        ("jump(e1)", 0, "unknown action 'jump'; known: click, double_click"),
        ("click e1", 6, "expected '('"),
        ("click()", 7, "click needs ref"),
        ('click("e1")', 6, "expected an element"),
        ("click(e0)", 6, "expected an element"),
        ("click(e01)", 6, "expected an element"),
        ("click(e1, e2)", 10, "click takes 1 argument"),
        ("click(e1) click(e2)", 10, "expected the end"),
        ("click(e1) # the button", 10, "expected the end"),
        ("click(e1", 8, "expected ','"),
        ("type(e1, blue)", 9, "text in double quotes"),
        ("type(e1, 'blue')", 9, "text in double quotes"),
        ('type(e1, "blue)', 9, "text in double quotes"),
        ('type(e1, "a\\x")', 11, "bad escape"),
        ('type(e1, "a\\udc00b")', 9, "surrogate"),
        ('type(e1, "a", submit=1)', 14, "expected true or false"),
        ('type(e1, "a", send=true)', 14, "no flag 'send'"),
        ('type(e1, "a", submit=true, submit=true)', 27, "given twice"),
        ('type(e1, "a" + "b")', 13, "expected ','"),
        ('scroll("aside")', 0, "must be"),
        ('do(action="Right Click", element="7")', 10, "unknown action 'Right Click'; known: Click, Double Click"),
        ('do(element="7")', 14, 'needs action="'),
        ('do(action="Click")', 17, 'Click needs element="'),
        ('do(action="Click", element="seven")', 27, "number of an element"),
        ('do(action="Click", element="7", argument="a")', 41, "Click takes no 'argument'"),
        ('do(action="Press Enter", argument="a")', 34, "Press Enter takes no 'argument'"),
        ('do(action="Click", element="7", element="8")', 32, "given twice"),
        ('do(action="Switch Tab", argument="two")', 33, "number of a tab"),
        ("do(action=Click)", 10, "text in double quotes"),
        ('do("Click", "7")', 3, "expected a keyword"),
        ('do(action="Click", element="7"', 30, "expected ','"),
        ('do(action="Click", element="7"); exit()', 31, "expected the end"),
        ('do(action="Type", argument="a" + "b", element="7")', 31, "expected ','"),
        ('exit(answer="blue")', 12, "exit takes no 'answer'"),
        ('exit(message="a\\x")', 15, "bad escape"),
        ("# click it\nclick(e1)", 0, "starts with its name"),
        ("type(e1, __import__('os').system('x'))", 9, "text in double quotes"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, position: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_action(text)
    assert (caught.value.position, message in str(caught.value)) == (position, True), str(caught.value)


def test_text_is_never_evaluated() -> None:
    for text in ("{1+1}", "%s", "$(id)", "`id`", "__import__('os')", "${x}", "\\x41"):
        action = Type("e1", text)
        assert parse_action(format_action(action)) == action
        assert json.dumps(text, ensure_ascii=False) in format_action(action)
        assert parse_action(format_do(action)) == action


def test_the_help_shows_every_action_in_a_form_that_parses() -> None:
    lines = grammar_help().splitlines()
    assert len(lines) == len(ACTIONS)
    for line, kind in zip(lines, ACTIONS, strict=True):
        form, _, meaning = line.partition(": ")
        assert meaning == kind.__doc__
        assert isinstance(parse_action(form.replace('"direction"', '"up"')), kind)


def test_the_help_of_the_second_dialect_shows_every_action_in_forms_that_parse() -> None:
    kinds = set()
    for line in do_help().splitlines():
        form, _, meaning = line.partition(": ")
        assert meaning
        kinds.add(type(parse_action(form)))
    assert kinds == set(ACTIONS)


def test_every_error_has_a_hint() -> None:
    for code, hint in HINTS.items():
        error = ActionError(code, "what was wrong")
        assert str(error) == f"{code}: what was wrong ({hint})"
