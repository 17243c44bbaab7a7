"""A ref lives as long as its element, and never silently means another one."""

from __future__ import annotations

from harness.page.action import Click
from tests.lab import Lab

LIST = """
<h1>Things</h1><input aria-label="Filter">
<ul id="list"></ul><p id="clicked"></p>
<script>
  const names = ["kettle", "lamp", "rope"];
  const draw = () => { list.innerHTML = names.map((name) => `<li><button>${name}</button></li>`).join(""); };
  list.addEventListener("click", (event) => { clicked.textContent += event.target.textContent + " "; });
  draw();
</script>
"""


def test_refs_stay_while_other_elements_come_go_and_change(lab: Lab) -> None:
    tab = lab.open(LIST)
    before = {name: tab.ref("button", name) for name in ("kettle", "lamp", "rope")}
    heading = tab.ref("heading")
    tab.js("() => { list.prepend(list.lastChild); list.append(document.createElement('li')); }")
    tab.js("() => { document.querySelector('h1').textContent = 'New'; }")
    tab.js("() => document.querySelector('input').remove()")
    tab.look()
    assert {name: tab.ref("button", name) for name in before} == before
    assert tab.ref("heading", "New") == heading


def test_refs_outlive_a_garbage_collection(lab: Lab) -> None:
    tab = lab.open(LIST)
    before = [node.ref for node in tab.now.nodes]
    lab.loop.run(tab.session.send("HeapProfiler.collectGarbage"))
    assert [node.ref for node in tab.look().nodes] == before
    lab.loop.run(tab.session.send("HeapProfiler.collectGarbage"))
    assert tab.do(Click(tab.ref("button", "lamp"))) is None
    assert ("text", "lamp") in tab.rows()


def test_a_ref_of_a_list_drawn_anew_is_stale_and_nothing_is_clicked(lab: Lab) -> None:
    tab = lab.open(LIST)
    old = [tab.ref("button", name) for name in ("kettle", "lamp", "rope")]
    tab.js("() => { names.reverse(); draw(); }")
    for ref in old:
        for action in (f"click({ref})", f'type({ref}, "x")', f'select({ref}, "x")', f"check({ref})"):
            error = tab.do(action)
            assert error is not None and error.code == "STALE_REF" and ref in error.message
    assert tab.js("() => clicked.textContent") == ""
    new = [tab.ref("button", name) for name in ("kettle", "lamp", "rope")]
    assert not set(new) & set(old)
    assert tab.do(f"click({new[0]})") is None
    assert tab.js("() => clicked.textContent") == "kettle "


def test_a_ref_that_was_never_given_is_not_found(lab: Lab) -> None:
    tab = lab.open(LIST)
    largest = max(int(node.ref[1:]) for node in tab.now.nodes)
    for ref in (f"e{largest + 1}", "e" + "9" * 15, "e" + "9" * 5000, "x", "", "e0", "e-1", "e1.5"):
        error = tab.do(Click(ref))
        assert error is not None and error.code == "NOT_FOUND"


def test_refs_never_repeat_across_documents(lab: Lab) -> None:
    tab = lab.open('<a href="/two">two</a><a href="#here" id="here">here</a>')
    lab.put("/two", '<a href="/">one</a><p>second</p>')
    given: dict[str, int] = {}

    def note(document: int) -> None:
        for node in tab.now.nodes:
            assert given.setdefault(node.ref, document) == document, f"{node.ref} means something else now"

    note(0)
    first = tab.ref("link", "two")
    assert tab.do(f"click({tab.ref('link', 'here')})") is None
    assert tab.ref("link", "two") == first  # the same document still
    actions = ["two", "one", "two", "back()", "back()", "forward()", 'goto("/")', 'goto("/two")', "back()"]
    for document, action in enumerate(actions, start=1):
        assert tab.do(action if "(" in action else f"click({tab.ref('link', action)})") is None
        note(document)
        assert len(tab.now.nodes) >= 2
    error = tab.do(f"click({first})")
    assert error is not None and error.code == "STALE_REF"


def test_a_text_has_a_ref_too_and_a_click_on_it_meets_its_element(lab: Lab) -> None:
    tab = lab.open(
        """<p id="p">plain <b>text</b></p><x-a></x-a><script>
        document.onmousedown = (event) => { if (p.contains(event.target)) p.append("!"); };
        customElements.define("x-a", class extends HTMLElement { constructor() {
          super();
          this.attachShadow({ mode: "open" }).append("in a root");
          document.onclick = (event) => { if (event.target === this) document.title = "hit"; };
        } });</script>"""
    )
    assert tab.do(f"click({tab.ref('text', 'plain text')})") is None
    assert tab.rows()[0] == ("text", "plain text!")
    assert tab.do(f"click({tab.ref('text', 'in a root')})") is None
    assert tab.now.title == "hit"
