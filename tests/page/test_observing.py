"""Observing a page never changes it, and nothing of the observer can be seen from the page."""

from __future__ import annotations

from harness.context.compress import Compressor
from tests.lab import Lab

PAGE = """
<div style="height:900px">top</div>
<form id="form">
  <input id="name" value="default" aria-label="Name"><textarea id="note">text</textarea>
  <label>On <input id="on" type="checkbox" checked></label>
  <label>Off <input id="off" type="checkbox" style="display:none"></label>
  <select id="size"><option>S<option selected>M</select><div id="edit" contenteditable>rich</div>
  <details id="more"><summary>More</summary>hidden</details><button id="send">Send</button>
</form>
<div id="box" style="height:50px;overflow:auto"><div style="height:500px">inner</div></div>
<div style="height:3000px">bottom</div>
<script>
  const seen = [];
  new MutationObserver((records) => seen.push(...records.map((record) => record.type))).observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true });
  for (const kind of ["scroll", "focusin", "focusout", "blur", "focus", "input", "change", "select", "selectionchange",
    "click", "mousemove", "pointermove", "mouseover", "keydown", "resize", "toggle", "error", "message"]) {
    addEventListener(kind, (event) => seen.push(event.type), true);
    document.addEventListener(kind, (event) => seen.push(event.type), true);
  }
</script>
"""
STATE = """() => {
  const fields = [...document.querySelectorAll("input,textarea,select")];
  const selection = getSelection();
  return {
    html: document.documentElement.outerHTML,
    values: fields.map((field) => [field.value, field.checked, field.defaultValue, field.defaultChecked]),
    options: [...size.options].map((option) => [option.selected, option.defaultSelected]),
    scroll: [scrollX, scrollY, box.scrollTop],
    active: document.activeElement.id,
    caret: [selection.anchorNode?.parentNode?.id, selection.anchorOffset, selection.focusOffset, note.selectionStart],
    open: more.open,
    history: history.length,
    globals: Object.getOwnPropertyNames(window).sort(),
    seen: [...seen],
  };
}"""


def test_observing_leaves_the_page_as_it_was(lab: Lab) -> None:
    tab = lab.open(PAGE)
    tab.js("() => { form.elements.name.value = 'mine'; on.checked = false; size.selectedIndex = 0; }")
    tab.js("() => { note.focus(); note.select(); }")
    tab.js("() => { scrollTo(0, 400); box.scrollTop = 30; }")
    tab.js("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    tab.js("() => { seen.length = 0; }")
    before = tab.js(STATE)
    assert before["scroll"] == [0, 400, 30] and before["active"] == "note"
    for _ in range(3):
        tab.look()
    assert tab.node("textbox", "Name").value == "mine"
    after = tab.js(STATE)
    assert after == before
    assert after["seen"] == []


def test_a_form_can_still_be_reset_to_its_defaults(lab: Lab) -> None:
    tab = lab.open(PAGE)
    tab.do(f'type({tab.ref("textbox", "Name")}, "mine")')
    tab.do(f"check({tab.ref('checkbox', 'On')}, on=false)")
    tab.do(f'select({tab.ref("combobox")}, "S")')
    assert tab.node("textbox", "Name").value == "mine"
    tab.js("() => form.reset()")
    tab.look()
    assert tab.node("textbox", "Name").value == "default"
    assert tab.node("checkbox", "On").states == {"checked"}
    assert tab.node("combobox").value == "M"


def test_the_page_cannot_see_the_observer(lab: Lab) -> None:
    tab = lab.open("<script>window.before = Object.getOwnPropertyNames(window).length</script><button>x</button>")
    for name in (
        "harnessText",
        "harnessRoles",
        "harnessNames",
        "harnessWalk",
        "harnessTouch",
        "harnessSettle",
        "harnessObserve",
    ):
        assert tab.js(f"() => typeof {name}") == "undefined"
    assert tab.js("() => Object.getOwnPropertyNames(window).length - window.before") == 1  # `before` itself


def test_a_page_that_replaces_the_browsers_own_functions_is_read_all_the_same(lab: Lab) -> None:
    tab = lab.open(
        """<button>Real</button><script>
        const lie = () => { throw new Error("caught"); };
        for (const name of ["getAttribute", "hasAttribute", "matches", "closest", "querySelector", "checkVisibility",
          "getBoundingClientRect", "getClientRects"]) Element.prototype[name] = lie;
        window.getComputedStyle = document.elementFromPoint = JSON.stringify = lie;
        Object.defineProperty(Node.prototype, "childNodes", { get: lie });
        String.prototype.trim = String.prototype.replace = Array.prototype.push = lie;
        addEventListener("click", () => document.title = "clicked");
        </script>"""
    )
    assert tab.rows() == [("button", "Real")]
    assert tab.do(f"click({tab.ref('button')})") is None
    assert tab.now.title == "clicked"


def test_what_is_out_of_sight_and_what_lies_under_something_is_told(lab: Lab) -> None:
    tab = lab.open(
        """<style>
          body { margin: 0; height: 3000px }
          #bar { position: fixed; z-index: 1; top: 0; width: 100%; height: 40px; background: #eee }
          #area { height: 50px; overflow: auto; margin-top: 80px }
          #veil { position: absolute; left: 0; top: 300px; width: 300px; height: 50px; background: #eee }
          .placed { position: absolute }
        </style>
        <div id=bar>bar</div>
        <button class=placed style="top:10px">Under the bar</button>
        <button class=placed style="top:45px">Comes out</button>
        <div id=area><button>Shown</button><p style="height:400px"></p><button>Scrolled out</button></div>
        <button class=placed style="top:310px; left:10px">Veiled</button><div id=veil></div>
        <button class=placed style="top:340px; left:250px; width: 200px">Veiled in part</button>
        <button class=placed style="top:2000px">Below</button>"""
    )
    tab.js("() => scrollTo(0, 5)")
    tab.look()
    assert "covered" in tab.node("button", "Under the bar").states  # nothing can be scrolled that far down
    tab.js("() => scrollTo(0, 20)")
    tab.look()
    states = {node.name: node.states & {"offscreen", "covered"} for node in tab.now.find("button")}
    assert {name: set(found) for name, found in states.items() if found} == {
        "Under the bar": {"covered"},
        "Scrolled out": {"offscreen"},
        "Veiled": {"covered"},
        "Below": {"offscreen"},
    }
    for name in ("Scrolled out", "Below", "Comes out", "Veiled in part"):  # actions get there by themselves
        assert tab.do(f"click({tab.ref('button', name)})") is None, name
    tab.js("() => { scrollTo(0, 0); area.scrollTop = 0; bar.style.height = '100%'; }")
    tab.look()
    assert "covered" in tab.node("button", "Shown").states


def test_areas_that_are_scrolled_by_themselves_say_where_they_stand(lab: Lab) -> None:
    rows = "".join(f"<li>row {k}</li>" for k in range(50))
    tab = lab.open(
        f"""<ul id=list style="height:100px; overflow:auto" aria-label=Rows>{rows}</ul>
        <div style="width:100px; overflow-x:scroll"><p style="width:450px">wide</p></div>
        <div style="overflow:auto">nothing to scroll</div><textarea>a</textarea>"""
    )
    assert [(node.role, node.name) for node in tab.now.nodes if node.scroll] == [("list", "Rows"), ("scrollarea", "")]
    down, side = (node for node in tab.now.nodes if node.scroll)
    assert down.scroll is not None and down.scroll[:2] == (0, 100) and down.scroll[2] > 800
    assert side.scroll is not None and side.scroll[0] == 0 and side.scroll[2] == 450
    assert tab.do(f'scroll("down", {down.ref})') is None
    moved = tab.node("list").scroll
    assert moved is not None and 50 < moved[0] <= 100
    seen = Compressor().observe(tab.now, None, "", (), 9)
    assert f"{down.ref} list Rows - screen 2 of" in seen.text
    assert f"{side.ref} scrollarea - screen 1 of 5" in seen.text
