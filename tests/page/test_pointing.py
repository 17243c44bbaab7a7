"""Hovering, double clicks, drags, clearing and scrolling: as a person's mouse does them, and read back."""

from __future__ import annotations

from tests.lab import Lab


def test_a_list_of_several_choices_is_chosen_from_and_emptied(lab: Lab) -> None:
    tab = lab.open(
        "<select multiple aria-label=L onchange='document.title = selectedOptions.length'>"
        "<option selected>A<option>B<option>C</select><select aria-label=S><option>A</select>"
    )
    box = tab.ref("listbox")
    assert tab.do(f'select({box}, "C")') is None
    assert (tab.node("listbox").value, tab.now.title) == ("A, C", "2")
    assert tab.do(f"clear({box})") is None
    assert (tab.node("listbox").value, tab.now.title) == ("", "0")
    assert tab.do(f"clear({tab.ref('combobox')})").code == "NOT_EDITABLE"  # type: ignore[union-attr]


def test_hovering_opens_what_opens_under_the_mouse(lab: Lab) -> None:
    tab = lab.open(
        """<style>ul { display: none } nav:hover ul { display: block }</style>
        <nav aria-label=Main><button>Shop</button><ul><li><a href=#lamps>Lamps</a></ul></nav>"""
    )
    assert tab.now.find("link") == []
    assert tab.do(f"hover({tab.ref('button', 'Shop')})") is None
    assert tab.do(f"click({tab.ref('link', 'Lamps')})") is None
    assert tab.now.url.endswith("#lamps")


def test_a_double_click_is_one(lab: Lab) -> None:
    tab = lab.open(
        "<button id=b>x</button><script>b.ondblclick = (e) => { document.title = `twice ${e.detail}`; }</script>"
    )
    assert tab.do(f"double_click({tab.ref('button')})") is None
    assert tab.now.title == "twice 2"


def test_clearing_empties_a_field(lab: Lab) -> None:
    tab = lab.open(
        "<input aria-label=Name value=Bo><textarea aria-label=Note>a\nb</textarea><input aria-label=R readonly value=x>"
    )
    for name in ("Name", "Note"):
        assert tab.do(f"clear({tab.ref('textbox', name)})") is None
        assert tab.node("textbox", name).value == ""
    assert tab.do(f"clear({tab.ref('textbox', 'R')})").code == "READONLY"  # type: ignore[union-attr]


LISTS = """<ul id=l>{items}</ul><script>
let held = null;
l.onmousedown = (event) => {{ held = event.target; event.preventDefault(); }};
l.onmouseup = (event) => {{ if (held) event.target.after(held); held = null; }};
</script>"""
HTML5 = """<p id=a draggable=true role=button>Card</p>
<div id=z role=group aria-label=Done style="min-height:50px">Drop here</div>
<script>
a.ondragstart = (event) => event.dataTransfer.setData("text/plain", "card");
z.ondragover = (event) => event.preventDefault();
z.ondrop = (event) => { event.preventDefault(); z.textContent = "Got " + event.dataTransfer.getData("text/plain"); };
</script>"""


def test_a_drag_by_mouse_events_and_one_of_the_browsers_own_both_drop(lab: Lab) -> None:
    items = "".join(f"<li role=option>{name}" for name in "abc")
    tab = lab.open(LISTS.format(items=items))
    assert tab.do(f"drag({tab.ref('option', 'a')}, {tab.ref('option', 'c')})") is None
    assert [node.name for node in tab.now.find("option")] == ["b", "c", "a"]
    tab = lab.open(HTML5)
    assert tab.do(f"drag({tab.ref('button', 'Card')}, {tab.ref('group', 'Done')})") is None
    assert ("text", "Got card") in tab.rows()


def test_a_drag_to_what_is_never_in_view_together_is_refused(lab: Lab) -> None:
    tab = lab.open("<button>a</button><div style='height:5000px'></div><button>b</button>")
    error = tab.do(f"drag({tab.ref('button', 'a')}, {tab.ref('button', 'b')})")
    assert error is not None and error.code == "NOT_VISIBLE"
    error = tab.do(f"drag({tab.ref('button', 'a')}, e999)")
    assert error is not None and error.code == "NOT_FOUND"


AREA = """<div id=box style="height:100px;width:200px;overflow:auto" aria-label=Mail role=list>{rows}</div>
<div style="height:{below}px"></div>"""


def test_a_scroll_moves_the_page_or_the_area_around_an_element(lab: Lab) -> None:
    rows = "".join(f"<div role=listitem>row {k}</div>" for k in range(100))
    tab = lab.open(AREA.format(rows=rows, below=3000))
    assert tab.do('scroll("down")') is None
    assert tab.now.scroll[0] > 500 and tab.js("() => box.scrollTop") == 0
    item = tab.ref("text", "row 1")
    assert tab.do(f'scroll("down", {item})') is None
    assert 80 <= tab.js("() => box.scrollTop") <= 100
    assert tab.do(f'scroll("up", {item})') is None
    assert tab.js("() => box.scrollTop") == 0
    error = tab.do(f'scroll("left", {item})')
    assert error is not None and error.code == "NOT_SCROLLABLE"


def test_a_page_that_cannot_scroll_scrolls_the_area_on_it(lab: Lab) -> None:
    rows = "".join(f"<div role=listitem>row {k}</div>" for k in range(100))
    tab = lab.open(AREA.format(rows=rows, below=0))
    assert tab.do('scroll("down")') is None
    assert tab.js("() => box.scrollTop") > 80
    error = tab.do('scroll("right")')
    assert error is not None and error.code == "NOT_SCROLLABLE" and "right" in error.message


def test_a_scroll_that_the_page_forbids_is_not_applied(lab: Lab) -> None:
    tab = lab.open(
        "<div style='height:3000px'></div><script>"
        "addEventListener('wheel', (event) => event.preventDefault(), { passive: false })</script>"
    )
    error = tab.do('scroll("down")')
    assert error is not None and error.code == "NOT_APPLIED"


def test_waiting_catches_what_comes_late(lab: Lab) -> None:
    tab = lab.open(
        """<input aria-label=City id=c><ul id=l role=listbox></ul><script>
        const draw = () => { l.innerHTML = "<li role=option onmousedown='c.value = textContent'>Oslo"; };
        c.oninput = () => setTimeout(draw, 600);
        </script>"""
    )
    assert tab.do(f'type({tab.ref("textbox")}, "Os")') is None
    if not tab.now.find("option"):
        assert tab.do("wait()") is None
    assert tab.do(f"click({tab.ref('option', 'Oslo')})") is None
    assert tab.node("textbox").value == "Oslo"
