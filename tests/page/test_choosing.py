"""Select boxes, check boxes and radio buttons: set as asked and read back, or an error that says why not."""

from __future__ import annotations

from tests.lab import Lab, Tab


def code(tab: Tab, action: str) -> str:
    error = tab.do(action)
    return error.code if error else ""


def test_an_option_is_chosen_by_its_label_and_the_page_reacts(lab: Lab) -> None:
    tab = lab.open(
        """<select id="size" aria-label="Size"><option value="1">Small<option value="2">Very  large
        <option label="Huge">x<option disabled>None</select><p id="said"></p>
        <script>
          const say = (event) => { said.textContent += `${event.type} ${size.value} `; };
          for (const kind of ["input", "change"]) size.addEventListener(kind, say);
        </script>"""
    )
    ref = tab.ref("combobox")
    assert tab.node("combobox").value == "Small"
    assert code(tab, f'select({ref}, "Very large")') == ""
    assert tab.node("combobox").value == "Very large"
    assert code(tab, f'select({ref}, "Very large")') == ""  # it is so already: nothing is said twice
    assert tab.js("() => said.textContent") == "input 2 change 2 "
    assert code(tab, f'select({ref}, "Huge")') == ""
    assert code(tab, f'select({ref}, "1")') == ""  # by value, for want of a label
    assert tab.node("combobox").value == "Small"


def test_a_missing_option_is_an_error_that_lists_the_others(lab: Lab) -> None:
    options = "".join(f"<option>o{k}" for k in range(30))
    tab = lab.open(
        "<select aria-label=Few><option>a<option>b<option disabled>c</select>"
        f"<select aria-label=Many>{options}</select>"
    )
    for wanted in ("c", "x", ""):
        error = tab.do(f'select({tab.ref("combobox", "Few")}, "{wanted}")')
        assert error is not None and error.code == "OPTION_NOT_FOUND"
        assert error.message == f'no option "{wanted}"; options: "a", "b"'
    error = tab.do(f'select({tab.ref("combobox", "Many")}, "x")')
    assert error is not None and error.message.endswith('"o19", … 10 more')
    assert [node.value for node in tab.now.find("combobox")] == ["a", "o0"]


def test_only_select_boxes_that_can_be_used_are_selected_from(lab: Lab) -> None:
    tab = lab.open(
        "<div role=combobox aria-label=A>x</div><button>B</button><select disabled aria-label=C><option>x</select>"
        "<select id=d aria-label=D><option>x</select>"
        "<select aria-label=E onchange='this.selectedIndex = 0'><option>x<option>y</select>"
    )
    assert code(tab, f'select({tab.ref("combobox", "A")}, "x")') == "NOT_A_SELECT"
    assert code(tab, f'select({tab.ref("button", "B")}, "x")') == "NOT_A_SELECT"
    assert code(tab, f'select({tab.ref("combobox", "C")}, "x")') == "DISABLED"
    ref = tab.ref("combobox", "D")
    tab.js("() => { d.hidden = true; }")
    assert code(tab, f'select({ref}, "x")') == "NOT_VISIBLE"
    assert code(tab, f'select({tab.ref("combobox", "E")}, "y")') == "NOT_APPLIED"


def test_a_select_box_may_be_drawn_anew_or_lead_away_on_change(lab: Lab) -> None:
    lab.put("/2", "<h1>Two</h1>")
    tab = lab.open(
        """<div id="app"></div>
        <select aria-label="Go" onchange="location = this.value"><option>-<option value="/2">Two</select>
        <script>
          const draw = (chosen) => {
            const option = (name) => `<option ${name === chosen ? "selected" : ""}>${name}`;
            app.innerHTML = `<select aria-label="Sort">${["Name", "Price"].map(option)}</select>`;
            app.firstChild.onchange = (event) => draw(event.target.value);
          };
          draw("Name");
        </script>"""
    )
    assert code(tab, f'select({tab.ref("combobox", "Sort")}, "Price")') == ""
    assert tab.node("combobox", "Sort").value == "Price"
    assert code(tab, f'select({tab.ref("combobox", "Go")}, "Two")') == ""
    assert tab.rows() == [("heading", "Two")]


def test_check_boxes_radio_buttons_and_switches_are_set_to_on_or_off(lab: Lab) -> None:
    tab = lab.open(
        """<label><input type="checkbox"> News</label>
        <label><input type="radio" name="s" checked> Small</label><label><input type="radio" name="s"> Large</label>
        <div role="switch" aria-checked="false" onclick="this.ariaChecked = this.ariaChecked !== 'true'">Wi-Fi</div>
        <label><input type="checkbox" onclick="event.preventDefault()"> Stubborn</label>
        <label><input type="checkbox" disabled> Off</label><button aria-pressed="false">Bold</button>
        <script>onclick = (event) => { if (event.target.matches("input")) document.title += "+"; };</script>"""
    )

    def checked() -> set[str]:
        return {node.name for node in tab.now.nodes if "checked" in node.states}

    assert code(tab, f"check({tab.ref('checkbox', 'News')})") == "" and checked() == {"News", "Small"}
    assert code(tab, f"check({tab.ref('checkbox', 'News')})") == "" and tab.now.title == "Lab+"
    assert code(tab, f"check({tab.ref('checkbox', 'News')}, on=false)") == "" and checked() == {"Small"}
    assert code(tab, f"check({tab.ref('radio', 'Large')})") == "" and checked() == {"Large"}
    assert code(tab, f"check({tab.ref('radio', 'Large')}, on=false)") == "NOT_CHECKABLE" and checked() == {"Large"}
    assert code(tab, f"check({tab.ref('switch', 'Wi-Fi')})") == "" and checked() == {"Large", "Wi-Fi"}
    assert code(tab, f"check({tab.ref('checkbox', 'Stubborn')})") == "NOT_APPLIED"
    assert code(tab, f"check({tab.ref('checkbox', 'Off')})") == "DISABLED"
    assert code(tab, f"check({tab.ref('button', 'Bold')})") == "NOT_CHECKABLE"
