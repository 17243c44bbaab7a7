"""Where a form of a page shows what is needed, and what is left of it when it is cut."""

from __future__ import annotations

import pytest

from harness.context.words import count_tokens
from harness.forms.matching import Form, aria_form, aria_refs, axtree_form, cut, html_form
from harness.forms.measure import measure_form
from harness.forms.target import Target
from harness.page.snapshot import Node

ARIA = """\
- generic [active] [ref=e1]:
  - heading "Lamps" [level=1] [ref=e2]
  - list [ref=e3]:
    - listitem [ref=e4]:
      - link "Oslo lamp" [ref=e5] [cursor=pointer]:
        - /url: /p/1
      - text: £4.50 each
      - button "Add" [ref=e6]
    - listitem [ref=e7]:
      - 'link "Set: \\"two\\" lamps" [ref=e8]'
      - button "Add" [ref=e9]
  - textbox "Note" [ref=e10]:
    - /placeholder: for us
    - text: ring twice
  - paragraph [ref=e11]:
    - text: Take exit 19 towards
    - strong [ref=e12]: Pittsburgh
"""
AXTREE = """\
RootWebArea 'Shop', focused
\t[3] heading 'Lamps'
\t[5] link 'Oslo lamp'
\tStaticText '£4.50 each'
\t[7] button 'Add'
\t[9] link "Bo's lamp"
\t[11] button 'Add', disabled=True
\t[12] textbox 'Note' value='ring twice'
\tStaticText 'Take exit 19 towards'
\t[14] strong ''
\t\tStaticText 'Pittsburgh'
"""
HTML = """\
<head><title>Shop</title><style>a { color: red }</style><script>const name = "secret <b>";</script></head>
<body><h1>Lamps</h1><a href="/p/1">Oslo <b>lamp</b></a> £4.50 each <button bid="7">Add</button>
<a href="/p/2">Bo's lamp</a><button bid="11">Add</button><input aria-label="Note" value="ring twice">
<!-- hidden --><p>Take exit 19 towards <strong>Pittsburgh</strong></p></body>
"""
FORMS = {"aria": aria_form(ARIA), "axtree": axtree_form(AXTREE), "html": html_form(HTML)}


def named(role: str, name: str, ref: str = "e1") -> Target:
    return Target((Node(ref, -1, role, name),))


def told(form: Form, target: Target) -> str | None:
    """The last line of what has to be read until the target is there."""
    end = form.end(target)
    return None if end is None else form.text[:end].splitlines()[-1].strip()


@pytest.mark.parametrize("tokens", [0, 1, 5, 40, 10_000])
def test_a_cut_text_has_that_many_tokens_and_is_the_beginning(tokens: int) -> None:
    left = cut(ARIA, tokens)
    assert ARIA.startswith(left)
    assert count_tokens(left) == min(tokens, count_tokens(ARIA))


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("text", ["£4.50 each", "ring  Twice", "Take exit 19 towards Pittsburgh", "Pittsburgh"])
def test_a_text_is_there_once_the_form_is_cut_after_its_last_word(name: str, text: str) -> None:
    depth = FORMS[name].depth(Target(text=text))
    assert depth is not None
    assert cut(FORMS[name].text, depth).rstrip().casefold().endswith(text.casefold().split()[-1])


def test_escaped_signs_are_read() -> None:
    assert html_form("<p>Salt &amp; pepper</p>").end(Target(text="salt & pepper")) is not None
    assert html_form('<img alt="Salt &amp; pepper">').end(Target(text="salt & pepper")) is not None
    assert axtree_form("[3] button 'Ann\\'s \"lamp\"'").end(named("button", 'Ann\'s "lamp"')) is not None


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("text", ["secret", "hidden", "color: red", "Shop floor", "19 Pittsburgh"])
def test_what_the_page_does_not_say_is_not_found(name: str, text: str) -> None:
    assert FORMS[name].end(Target(text=text)) is None


def test_an_element_is_found_by_role_and_name_even_where_its_name_was_said_before() -> None:
    assert told(FORMS["aria"], named("link", "Oslo lamp")) == '- link "Oslo lamp" [ref=e5] [cursor=pointer]:'
    assert told(FORMS["aria"], named("link", 'Set: "two" lamps')) == '- \'link "Set: \\"two\\" lamps" [ref=e8]\''
    assert told(FORMS["axtree"], named("link", "Bo's lamp")) == '[9] link "Bo\'s lamp"'
    early = aria_form('- text: Save it\n- button "Save"\n')
    assert told(early, named("button", "Save")) == '- button "Save"'


def test_an_element_of_another_role_is_found_by_its_name_alone_in_favour_of_the_form() -> None:
    assert told(FORMS["aria"], named("clickable", "Pittsburgh")) == "- strong [ref=e12]: Pittsburgh"
    assert told(FORMS["html"], named("link", "Oslo lamp")) is not None
    assert told(FORMS["aria"], named("button", "Remove")) is None


def test_without_a_name_any_of_the_role_will_do() -> None:
    assert told(FORMS["axtree"], named("textbox", "")) == "[12] textbox 'Note' value='ring twice'"
    assert told(FORMS["axtree"], named("slider", "")) is None


def test_the_very_element_is_told_from_others_of_its_name() -> None:
    target = named("button", "Add", "e40")
    assert told(axtree_form(AXTREE), target) == "[7] button 'Add'"
    assert told(axtree_form(AXTREE, {"e40": ("11",)}), target) == "[11] button 'Add', disabled=True"
    assert aria_form(ARIA, {"e40": ("e9",)}).end(target) == ARIA.index("[ref=e9]") + len("[ref=e9]")
    assert html_form(HTML, {"e40": ("11",)}).end(target) == HTML.index('<button bid="11">') + len('<button bid="11">')
    # what the form does not show is looked for by its name
    assert told(axtree_form(AXTREE, {"e40": ("77",)}), target) == "[7] button 'Add'"


def test_boxes_tell_the_element_of_its_role_among_those_in_the_same_place() -> None:
    boxed = "- listitem [ref=e4] [box=10,20.4,100,30]:\n  - button [ref=e5] [box=10,20,100,30]\n"
    assert aria_refs(boxed, "button", (10, 20, 100, 30)) == ("e5",)
    assert aria_refs(boxed, "clickable", (10, 20, 100, 30)) == ("e4", "e5")
    assert aria_refs(boxed, "button", (10, 20, 100, 40)) == ()


def test_an_option_is_found_by_itself() -> None:
    form = aria_form('- combobox "By" [ref=e1]:\n  - option "Car" [selected]\n  - option "Foot"\n')
    node = Node("e9", -1, "combobox", "By", options=("Car", "Foot"))
    assert told(form, Target((node,), option="Foot")) == '- option "Foot"'
    assert told(form, Target((node,), option="Boat")) is None


def test_a_measure_needs_all_targets_and_its_tokens_keep_to_the_budget() -> None:
    form = axtree_form(AXTREE)
    targets = (named("heading", "Lamps"), named("textbox", "Note"))
    deepest = form.depth(targets[1])
    assert deepest is not None
    measured = measure_form(form, targets, [deepest - 1, deepest, 10_000])
    assert [kept.found for kept in measured.at.values()] == [False, True, True]
    assert [kept.tokens for kept in measured.at.values()] == [deepest - 1, deepest, count_tokens(AXTREE)]
    assert measured.whole.found
    assert not measure_form(form, (*targets, Target(text="nowhere")), [10_000]).at[10_000].found
