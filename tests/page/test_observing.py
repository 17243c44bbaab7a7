"""Observing a page never changes it, and nothing of the observer can be seen from the page."""

from __future__ import annotations

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
