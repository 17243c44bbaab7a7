"""Clicking: trusted input where the element is, or an error and no input at all."""

from __future__ import annotations

import pytest

from tests.lab import Lab, Tab

COUNT = """
<script>
  const events = [];
  let moved = false; // Chromium also sends a move of its own accord, after a page was drawn
  for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "focusin"]) {
    addEventListener(kind, (event) => events.push(event), true);
  }
  addEventListener("mousemove", (event) => { if (b.contains(event.target)) moved = event.isTrusted; }, true);
  const kinds = () => events.map((event) => event.type);
</script>
"""


def kinds(tab: Tab) -> list[str]:
    return list(tab.js("() => kinds()"))


def test_a_click_is_the_whole_trusted_sequence_of_a_mouse(lab: Lab) -> None:
    tab = lab.open(f"<button id=b>Go <b>on</b></button>{COUNT}")
    assert tab.do(f"click({tab.ref('button')})") is None
    assert kinds(tab) == ["pointerdown", "mousedown", "focusin", "pointerup", "mouseup", "click"]
    assert tab.js("() => moved")
    assert tab.js("() => events.every((event) => event.isTrusted && b.contains(event.target))")
    assert tab.js("() => [events.at(-1).detail, events.at(-1).button, events.at(-1).pointerType]") == [1, 0, "mouse"]
    assert tab.do(f"click({tab.ref('button')})") is None
    assert kinds(tab).count("click") == 2


@pytest.mark.parametrize(
    ("cover", "name"),
    [
        ('<div style="position:fixed;inset:0">Cookies?</div>', 'div "Cookies?"'),
        (
            '<dialog open style="position:fixed;inset:0;width:100%;height:100%;margin:0" aria-label="Sale"></dialog>',
            'dialog "Sale"',
        ),
        ('<a href="/x" style="position:absolute;inset:0">Offer</a>', 'link "Offer"'),
    ],
)
def test_what_is_covered_is_not_clicked_and_the_error_names_the_blocker(lab: Lab, cover: str, name: str) -> None:
    tab = lab.open(f"<button>Buy</button>{cover}{COUNT}")
    error = tab.do(f"click({tab.ref('button', 'Buy')})")
    assert error is not None and error.code == "CLICK_INTERCEPTED"
    assert error.message == f'{name} lies over button "Buy"'
    assert kinds(tab) == []
    assert tab.now.url == f"{lab.origin}/"


def test_missing_invisible_disabled_and_covered_are_told_apart(lab: Lab) -> None:
    tab = lab.open(
        "<button id=a>a</button><button id=b>b</button><button disabled>c</button><button aria-disabled=true>d</button>"
        f"<button id=e>e</button><fieldset disabled><button>f</button></fieldset>{COUNT}"
    )
    refs = {name: tab.ref("button", name) for name in "abcdef"}
    tab.js("() => { a.remove(); b.style.display = 'none'; e.style.visibility = 'hidden'; }")
    codes = {}
    for name, ref in refs.items():
        error = tab.do(f"click({ref})")
        codes[name] = error.code if error else ""
    assert codes == {
        "a": "STALE_REF",
        "b": "NOT_VISIBLE",
        "c": "DISABLED",
        "d": "DISABLED",
        "e": "NOT_VISIBLE",
        "f": "DISABLED",
    }
    assert kinds(tab) == []


def test_what_is_off_screen_is_scrolled_into_view_and_clicked(lab: Lab) -> None:
    tab = lab.open(
        "<button>top</button><div style='width:4000px;height:3000px'></div>"
        "<button style='margin-left:3000px'>far</button>"
        "<div id=box style='height:60px;overflow:auto'><div style='height:900px'></div><button>inner</button></div>"
        "<header style='position:fixed;top:0;left:0;right:0;height:80px;background:#fff'>bar</header>"
        "<script>addEventListener('click', (event) => { document.title = event.target.textContent; });</script>"
    )
    for name in ("far", "inner", "top"):
        error = tab.do(f"click({tab.ref('button', name)})")
        if name == "top":  # under the bar, and nothing can bring it out
            assert error is not None and error.code == "CLICK_INTERCEPTED" and error.message.startswith('banner "bar"')
        else:
            assert error is None
            assert tab.now.title == name


def test_what_a_sticky_bar_hides_is_brought_out_from_under_it(lab: Lab) -> None:
    tab = lab.open(
        "<header style='position:sticky;top:0;height:80px;background:#fff'>bar</header><div style='height:600px'></div>"
        "<button onclick='document.title = \"hit\"'>Buy</button><div style='height:3000px'></div>"
    )
    tab.js("() => scrollTo(0, 640)")
    assert tab.do(f"click({tab.ref('button')})") is None
    assert tab.now.title == "hit"


def test_a_link_of_two_lines_is_clicked_on_its_text(lab: Lab) -> None:
    tab = lab.open(
        "<p style='width:300px'>" + "word " * 9 + "<a href='/two'>a link which goes on in the line below it</a></p>"
    )
    lab.put("/two", "<h1>Two</h1>")
    assert tab.do(f"click({tab.ref('link')})") is None
    assert tab.rows() == [("heading", "Two")]


def test_an_element_without_a_box_of_its_own_is_clicked_on_its_content(lab: Lab) -> None:
    tab = lab.open("<button style='display:contents' onclick='document.title = \"hit\"'>Go</button>")
    assert tab.do(f"click({tab.ref('button')})") is None
    assert tab.now.title == "hit"


@pytest.mark.parametrize(
    "style",
    [
        "opacity:0",
        "display:none",
        "visibility:hidden",
        "appearance:none",
        "position:absolute;opacity:0;width:0;height:0",
        "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)",
    ],
)
def test_a_check_box_drawn_by_its_label_is_offered_and_toggles(lab: Lab, style: str) -> None:
    tab = lab.open(
        f"""<label><input type="checkbox" style="{style}" id="gift"><span style="padding:9px">Gift</span></label>
        <div><input type="checkbox" id="two" style="{style}"><label for="two">Two</label></div>{COUNT}"""
    )
    for name in ("Gift", "Two"):
        assert tab.node("checkbox", name).states == frozenset()
        for on, states in ((True, {"checked"}), (True, {"checked"}), (False, set())):
            assert tab.do(f"check({tab.ref('checkbox', name)}, on={'true' if on else 'false'})") is None
            assert tab.node("checkbox", name).states - {"focused"} == states
    assert tab.js("() => events.filter((event) => event.type == 'change').every((event) => event.isTrusted)")


def test_a_click_takes_the_page_where_a_link_leads(lab: Lab) -> None:
    lab.put("/two", "<h1>Two</h1>")
    tab = lab.open("<a href='/two'><h2>Card</h2><p>with text</p></a>")
    assert tab.do(f"click({tab.ref('link', 'Card with text')})") is None
    assert tab.now.url.endswith("/two") and tab.rows() == [("heading", "Two")]
    assert tab.do("forward()").code == "NO_HISTORY"  # type: ignore[union-attr]
    assert tab.do("back()") is None
    assert tab.do("back()").code == "NO_HISTORY"  # type: ignore[union-attr]
    assert tab.do("forward()") is None
    assert tab.rows() == [("heading", "Two")]


MODAL = """
<main><button>Behind</button><p>Text</p></main><div id="side" inert><button>Never</button></div>
"""
OUTER = """<dialog id="outer">
  <h2>Sure?</h2><button onclick="inner.showModal()">Yes</button><button onclick="outer.close()">No</button>
</dialog>"""
INNER = '<dialog id="inner" aria-label="Really"><button onclick="inner.close()">OK</button></dialog>'


def test_a_modal_dialog_is_all_there_is_while_it_is_open(lab: Lab) -> None:
    # The order in the document need not be the order of opening.
    for page in (MODAL + OUTER + INNER, INNER + MODAL + OUTER):
        tab = lab.open(page)
        assert tab.rows() == [("main", ""), ("button", "Behind"), ("text", "Text")]
        behind = tab.ref("button", "Behind")
        tab.js("() => outer.showModal()")
        tab.look()
        assert tab.rows() == [("dialog", ""), ("heading", "Sure?"), ("button", "Yes"), ("button", "No")]
        error = tab.do(f"click({behind})")
        assert error is not None and error.code == "CLICK_INTERCEPTED"
        tab.do(f"click({tab.ref('button', 'Yes')})")
        assert tab.rows() == [("dialog", "Really"), ("button", "OK")]
        tab.do(f"click({tab.ref('button', 'OK')})")
        assert tab.rows()[1] == ("heading", "Sure?")
        tab.do(f"click({tab.ref('button', 'No')})")
        assert tab.ref("button", "Behind") == behind


def test_a_dialog_that_is_not_modal_leaves_the_rest_in_reach(lab: Lab) -> None:
    tab = lab.open(MODAL + OUTER)
    tab.js("() => outer.show()")
    tab.look()
    assert {("button", "Behind"), ("button", "Yes")} <= set(tab.rows())


def test_what_is_covered_in_part_or_is_no_rectangle_is_clicked_where_it_is_met(lab: Lab) -> None:
    tab = lab.open(
        """<style>* { margin: 0 } #b { width: 200px; height: 100px }
        #over { position: absolute; left: 40px; top: 20px; width: 120px; height: 60px; background: red }</style>
        <button id=b onclick="document.title = 'button'">Below</button><div id=over>over</div>
        <svg width=200 height=200>
          <path d="M0 0 H200 V20 H20 V200 H0 Z" onclick="document.title = 'path'"></path>
        </svg>"""
    )
    assert tab.do(f"click({tab.ref('button')})") is None
    assert tab.now.title == "button"
    assert tab.do(f"click({tab.ref('clickable')})") is None
    assert tab.now.title == "path"
