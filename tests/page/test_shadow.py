"""Closed shadow roots are read and acted on like open ones, and what changes in any root is waited for."""

from __future__ import annotations

import pytest

from tests.lab import Lab

HOST = """<x-card></x-card><div id=plain></div><p>After</p><script>
const fill = (root, name) => {
  root.innerHTML = `<h2>${name}</h2><label>Amount <input></label><button>Pay ${name}</button><slot></slot>`;
  root.querySelector("button").onclick = () => {
    root.querySelector("h2").textContent = `${name} paid ${root.querySelector("input").value}`;
  };
};
customElements.define("x-card", class extends HTMLElement {
  constructor() { super(); fill(this.attachShadow({ mode: "MODE" }), "card"); }
});
fill(plain.attachShadow({ mode: "MODE" }), "plain");
</script>"""


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_what_is_in_a_shadow_root_is_read_and_works(lab: Lab, mode: str) -> None:
    tab = lab.open(HOST.replace("MODE", mode))
    assert [node.name for node in tab.now.nodes if node.role in ("heading", "button", "text")] == [
        "card",
        "Pay card",
        "plain",
        "Pay plain",
        "After",
    ]
    for place, name in enumerate(("card", "plain")):
        field = tab.now.find("textbox", "Amount")[place].ref
        assert tab.do(f'type({field}, "{place}5")') is None
        assert tab.now.find("textbox", "Amount")[place].value == f"{place}5"
        assert tab.do(f"click({tab.ref('button', f'Pay {name}')})") is None
        assert ("heading", f"{name} paid {place}5") in tab.rows()


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_what_changes_in_a_shadow_root_is_waited_for(lab: Lab, mode: str) -> None:
    tab = lab.open(
        HOST.replace("MODE", mode).replace(
            "</script>",
            """
      const later = document.createElement("section");
      const inner = later.attachShadow({ mode: "MODE" });
      inner.innerHTML = "<button>Start</button>";
      inner.querySelector("button").onclick = () => {
        let count = 0;
        const timer = setInterval(() => { inner.append(`${count} `); if (++count === 20) clearInterval(timer); }, 2);
      };
      document.body.append(later);
    </script>""".replace("MODE", mode),
        )
    )
    assert tab.do(f"click({tab.ref('button', 'Start')})") is None
    assert any(node.name.endswith(" 19") for node in tab.now.nodes)


def test_an_empty_element_is_examined_once(lab: Lab) -> None:
    tab = lab.open("<div style='height:20px'></div>" * 60 + "<p>Text")
    sent: list[str] = []
    send = tab.session.cdp.send

    async def count(method: str, params: dict[str, object] | None = None) -> object:
        sent.append(method)
        return await send(method, params)

    tab.session.cdp.send = count  # type: ignore[method-assign, assignment]
    tab.look()
    assert sent.count("DOM.describeNode") == 20  # those that were too many for the first walk
    sent.clear()
    tab.look()
    assert "DOM.describeNode" not in sent
