"""Elements without semantics are offered if the page's scripts listen to clicks on them, and their holders are not."""

from __future__ import annotations

from tests.lab import Lab

ORDER = """<div id=app><ul><li>Soup <span class=plus>+</span> <span class=count>0</span></li>
<li>Bread <span class=plus>+</span> <span class=count>0</span></li></ul><p>Choose</p></div>
<script>
  app.addEventListener("click", () => { document.title += "!"; });
  for (const plus of document.querySelectorAll(".plus")) plus.addEventListener("mousedown", () => {
    plus.nextElementSibling.textContent = Number(plus.nextElementSibling.textContent) + 1;
  });
</script>"""


def test_what_a_script_listens_to_clicks_on_is_offered(lab: Lab) -> None:
    tab = lab.open(ORDER)
    plus = tab.now.find("clickable", "+")
    assert len(plus) == 2 and len(tab.now.find("clickable")) == 2
    assert tab.do(f"click({plus[1].ref})") is None
    assert tab.now.find("text", "1")
    assert [node.ref for node in tab.now.find("clickable", "+")] == [node.ref for node in plus]


def test_each_of_several_neighbours_is_offered_by_itself(lab: Lab) -> None:
    tab = lab.open(
        """<div style="cursor:pointer"><span>Reply</span> <span>Forward</span></div>
        <svg width=90 height=30><rect width=20 height=20></rect><circle cx=50 cy=10 r=10></circle></svg>
        <script>for (const el of document.querySelectorAll("span, rect, circle")) {
          el.addEventListener("click", () => { document.title = el.textContent || el.tagName; });
        }</script>"""
    )
    assert tab.rows() == [("clickable", "Reply"), ("clickable", "Forward"), ("clickable", ""), ("clickable", "")]
    for node, title in zip(tab.now.nodes, ("Reply", "Forward", "rect", "circle"), strict=True):
        assert tab.do(f"click({node.ref})") is None
        assert tab.now.title == title


def test_listeners_that_come_and_go_are_noticed(lab: Lab) -> None:
    tab = lab.open("<div id=a>Later</div><button>Go</button>")
    assert tab.rows() == [("text", "Later"), ("button", "Go")]
    tab.js("() => { window.heard = () => { document.title = 'heard'; }; a.addEventListener('click', heard); }")
    tab.look()
    assert tab.do(f"click({tab.ref('clickable', 'Later')})") is None
    assert tab.now.title == "heard"
    tab.js("() => { a.removeEventListener('click', heard); }")
    assert ("text", "Later") in [(node.role, node.name) for node in tab.look().nodes]


def test_listeners_in_frames_are_noticed(lab: Lab) -> None:
    lab.put("/inner", ORDER)
    tab = lab.open(f"<iframe src='{lab.origin}/inner'></iframe><iframe src='{lab.other_origin}/inner'></iframe>")
    plus = tab.now.find("clickable", "+")
    assert len(plus) == 4
    for node in plus:
        assert tab.do(f"click({node.ref})") is None
    assert len(tab.now.find("text", "1")) == 4


def test_a_page_that_hides_its_elements_from_scripts_is_read_without_hints(lab: Lab) -> None:
    tab = lab.open(
        """<div id=a>Plain</div><button>Go</button><script>
        a.addEventListener("click", () => {});
        document.createTreeWalker = () => { throw new Error("no"); };
        </script>"""
    )
    assert tab.rows() == [("text", "Plain"), ("button", "Go")]
