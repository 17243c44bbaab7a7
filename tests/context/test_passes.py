"""Each pass on its own, on snapshots written by hand."""

from __future__ import annotations

from collections.abc import Callable

from harness.context import passes
from harness.context.passes import MAX_OPTIONS, MAX_TEXT, Line, Page, lines_of
from harness.context.words import content, count_tokens
from harness.page.snapshot import Snapshot
from tests.snapshots import Tree, node, page


def after(
    run: Callable[[Page], None], snapshot: Snapshot, previous: Snapshot | None = None, intent: str = ""
) -> list[Line]:
    """The lines that are left when only this pass has run."""
    work = Page(snapshot, previous, content(intent))
    passes.take_lines(work)
    if run is not passes.take_lines:
        run(work)
    return [line for line in work.lines if not line.dropped]


def names(lines: list[Line]) -> list[str]:
    return [line.name for line in lines]


def test_containers_are_no_lines_but_select_boxes_are() -> None:
    snapshot = page(
        node("main", "M", node("list", "L", node("listitem", "I", node("link", "a")))),
        node("listbox", "ARIA", node("option", "b")),
        node("listbox", "native", tag="select", value="x"),
        node("text", "c"),
    )
    assert names(after(passes.take_lines, snapshot)) == ["a", "b", "native", "c"]


def test_what_has_nothing_to_read_and_nothing_to_act_on_is_dropped() -> None:
    snapshot = page(node("cell"), node("img"), node("button"), node("textbox", value=""), node("meter", value="3"))
    assert [line.node.role for line in after(passes.drop_empty, snapshot)] == ["button", "textbox", "meter"]


def test_what_only_holds_what_is_listed_below_it_is_dropped() -> None:
    snapshot = page(
        node("heading", "Lamp", node("link", "Lamp")),
        node("cell", "Lamp $5", node("link", "Lamp")),
        node("cell", "Edit  Delete", node("button", "Edit"), node("button", "Delete")),
        node("columnheader", "Date", node("button", "Date")),
        node("heading", "Alone"),
        node("listitem", "", node("text", "Text")),
    )
    lines = after(passes.drop_holders, snapshot)
    assert [(line.node.role, line.name) for line in lines] == [
        ("link", "Lamp"),
        ("cell", "Lamp $5"),
        ("link", "Lamp"),
        ("button", "Edit"),
        ("button", "Delete"),
        ("button", "Date"),
        ("heading", "Alone"),
        ("text", "Text"),
    ]


def test_text_that_repeats_a_link_a_picture_or_its_own_container_is_dropped() -> None:
    snapshot = page(
        node("link", "Lamp"),
        node("img", "Lamp"),
        node("text", "Lamp"),
        node("group", "Size", node("text", "Size"), node("text", "S")),
        node("link", "Lamp"),
    )
    assert names(after(passes.drop_repeated_text, snapshot)) == ["Lamp", "S", "Lamp"]


def test_two_texts_that_happen_to_be_equal_both_stay() -> None:
    snapshot = page(node("text", "Open"), node("text", "3"), node("text", "3"))
    assert names(after(passes.drop_repeated_text, snapshot)) == ["Open", "3", "3"]


def test_a_description_stands_on_the_line_of_its_field_only() -> None:
    snapshot = page(
        node("textbox", "Password", value="", description="Eight signs"),
        node("text", "Eight signs"),
        node("text", "Else"),
    )
    lines = after(passes.drop_descriptions, snapshot)
    assert [(line.name, line.description) for line in lines] == [("Password", "Eight signs"), ("Else", "")]


def contexts(snapshot: Snapshot) -> dict[str, tuple[str, ...]]:
    return {line.name: line.context for line in after(passes.set_context, snapshot)}


def test_the_context_is_the_path_of_labels_above_a_line() -> None:
    snapshot = page(
        node("navigation", "", node("list", "", node("listitem", "", node("link", "Home")))),
        node(
            "main",
            "",
            node("region", "Results", node("article", "", node("heading", "Oslo Lamp"), node("button", "Add"))),
            node("form", "Address", node("group", "Country", node("radio", "Norway"))),
            node("table", "Prices", node("row", "", node("rowheader", "Lamp"), node("cell", "$5"))),
        ),
    )
    assert contexts(snapshot) == {
        "Home": ("navigation",),  # an item is not named by its only line
        "Oslo Lamp": ("Results",),
        "Add": ("Results", "Oslo Lamp"),
        "Norway": ("Address", "Country"),
        "Lamp": ("Prices",),
        "$5": ("Prices", "Lamp"),
    }


def test_a_heading_holds_for_what_follows_it_where_it_stands() -> None:
    snapshot = page(
        node("text", "before"),
        node(
            "main",
            "",
            node("heading", "Shop", level=1),
            node("text", "first of all"),
            node("heading", "Help", level=2),
            node(
                "region",
                "Topics",
                node("text", "topics"),
                node("heading", "Reviews", level=3),
                node("text", "good"),
                node("list", "", node("listitem", "", node("link", "first"), node("text", "more"))),
                node("heading", "Questions", level=3),
                node("text", "why"),
            ),
            node("text", "behind"),
        ),
        node("text", "outside"),
    )
    assert contexts(snapshot) == {
        "before": (),
        "Shop": (),
        "first of all": (),  # the title of a page holds for all of it, and is not said again
        "Help": (),
        "topics": ("Help", "Topics"),
        "Reviews": ("Topics",),
        "good": ("Topics", "Reviews"),
        "first": ("Topics", "Reviews"),
        "more": ("Topics", "Reviews", "first"),
        "Questions": ("Topics",),
        "why": ("Topics", "Questions"),
        "behind": ("Help",),
        "outside": (),
    }


def test_a_label_is_said_once_on_a_path() -> None:
    snapshot = page(
        node("region", "Cart", node("list", "Cart", node("listitem", "", node("link", "a"), node("text", "b"))))
    )
    assert contexts(snapshot)["b"] == ("Cart", "a")


def marks(before: Snapshot | None, now: Snapshot) -> dict[str, str]:
    return {line.node.ref: line.mark for line in after(passes.mark_changes, now, before)}


def test_a_cell_and_what_is_in_it_say_their_column() -> None:
    def row(first: str, second: str, *inside: Tree) -> Tree:
        return node("row", "", node("rowheader", first), node("cell", second), node("cell", "", *inside))

    head = node("row", "", *(node("columnheader", name) for name in ("Way", "Price", "Choice")))
    inner = node("table", "", node("row", "", node("columnheader", "Inner"), node("cell", "alone")))
    snapshot = page(
        node("cell", "outside"),
        node(
            "table",
            "",
            node("rowgroup", "", head),
            node("rowgroup", "", row("Fast", "£9", node("button", "Take", description="Next day"))),
            row("Slow", "£4", node("list", "", node("listitem", "", node("link", "More"))), inner),
        ),
        node("table", "", node("row", "", node("rowheader", "Weight"), node("cell", "2 kg"))),
    )
    said = {line.name: line.description for line in after(passes.set_columns, snapshot) if line.name}
    assert said == {
        **dict.fromkeys(("Way", "Price", "Choice", "Fast", "Slow", "Weight", "2 kg", "outside", "Inner"), ""),
        "£9": "Price",
        "£4": "Price",
        "Take": "Next day",
        "More": "Choice",
        "alone": "",
    }


def test_what_is_new_or_changed_since_the_turn_before_is_marked() -> None:
    before = page(node("button", "a"), node("textbox", "b", value=""), node("checkbox", "c"), node("link", "d"))
    now = page(
        node("button", "a"),
        node("textbox", "b", value="x"),
        node("checkbox", "c", states="checked"),
        node("link", "e", ref="e9"),
        node("link", "d", states="focused", ref="e4"),
    )
    assert marks(before, now) == {"e1": "", "e2": "changed", "e3": "changed", "e9": "new", "e4": ""}
    assert set(marks(None, now).values()) == {""}


def test_another_page_has_nothing_marked() -> None:
    assert marks(page(node("link", "a")), page(node("link", "b", ref="e7"), node("link", "c", ref="e8"))) == {
        "e7": "",
        "e8": "",
    }


LONG = " ".join(f"word{k}" for k in range(200))


def test_long_text_is_cut_to_its_beginning_or_around_the_words_of_the_task() -> None:
    snapshot = page(node("text", LONG), node("textbox", "T", value=LONG, description=LONG), node("text", "short"))
    plain = after(passes.cut_long_text, snapshot)
    assert plain[0].name == " ".join(LONG.split()[:MAX_TEXT]) + " …"
    assert plain[1].value == plain[1].description == plain[0].name
    assert plain[2].name == "short"
    (found, *_) = after(passes.cut_long_text, snapshot, intent="where is word120 and word130?")
    assert found.name.startswith("… ") and found.name.endswith(" …")
    assert "word120 " in found.name and "word130 " in found.name
    assert count_tokens(found.name) == MAX_TEXT + 2
    twice = f"word1 again word1 {LONG} lamp {LONG} oak"  # of two words one each is more than of one word two
    (line,) = after(passes.cut_long_text, page(node("text", twice)), intent="word1 lamp oak word199")
    assert "word199 lamp" in line.name and "again" not in line.name


def test_labels_are_cut_as_the_lines_that_they_repeat() -> None:
    snapshot = page(node("article", "", node("heading", LONG), node("button", "Buy")))
    heading, button = lines_of(snapshot, None, "")
    assert button.context == (heading.name,) and count_tokens(heading.name) == MAX_TEXT + 1


def test_long_option_lists_keep_the_chosen_one_those_of_the_task_and_the_first() -> None:
    options = tuple(f"Country {k}" for k in range(60))
    snapshot = page(
        node("combobox", "Country", value="Country 41", options=options), node("combobox", options=options[:12])
    )
    folded, whole = after(passes.fold_options, snapshot, intent="send it to country 57")
    assert len(folded.options) == MAX_OPTIONS and folded.more_options == 60 - MAX_OPTIONS
    assert {"Country 41", "Country 57", "Country 0", "Country 1"} <= set(folded.options)
    assert list(folded.options) == sorted(folded.options, key=options.index)
    assert (whole.options, whole.more_options) == (options[:12], 0)
