"""Roles, accessible names, values and states: small HTML snippets and the rows that they are read as."""

from __future__ import annotations

import json

import pytest

from tests.lab import Lab

# (role, name, value, states) of every node; a row of two stands for no value and no states.
Row = tuple[str, str] | tuple[str, str, str | None] | tuple[str, str, str | None, str]

TABLE: dict[str, tuple[str, list[Row]]] = {
    "label for": ('<label for="a">E-mail</label><input id="a" value="x">', [("textbox", "E-mail", "x")]),
    "label around": ("<label>City <input></label>", [("textbox", "City", "")]),
    "label around, text behind": (
        '<label><input type="checkbox" checked> News</label>',
        [("checkbox", "News", None, "checked")],
    ),
    "two labels": ('<label for="a">A</label><label for="a">B</label><input id="a">', [("textbox", "A B", "")]),
    "label before aria-label": ('<label>X <input aria-label="Search"></label>', [("textbox", "Search", "")]),
    "aria-labelledby wins": (
        '<b id="l">Left</b><i id="r" hidden>Right</i><button aria-labelledby="l r" aria-label="no">no</button>',
        [("text", "Left"), ("button", "Left Right")],
    ),
    "aria-label": ('<button aria-label="Close">×</button>', [("button", "Close")]),
    "empty aria-label": ('<button aria-label=" ">×</button>', [("button", "×")]),
    "alt": (
        '<a href="/"><img alt="Home"></a><img alt="A lamp"><img alt=""><img>',
        [("link", "Home"), ("img", "A lamp")],
    ),
    "title of a picture": ('<img title="Chart">', [("img", "Chart")]),
    "title": ('<button title="Bold"></button>', [("button", "Bold")]),
    "placeholder": ('<input placeholder="Search products">', [("textbox", "Search products", "")]),
    "title before placeholder": ('<input title="T" placeholder="P">', [("textbox", "T", "")]),
    "svg": (
        '<button><svg aria-label="Menu"></svg></button><a href="/"><svg><title>Up</title><path d="M0 0"/></svg></a>',
        [("button", "Menu"), ("link", "Up")],
    ),
    "svg of its own": (
        '<svg role="img" aria-label="Sales"></svg><svg><path d="M0 0h9v9z"/></svg><svg><text y="9">12 %</text></svg>',
        [("img", "Sales"), ("text", "12 %")],
    ),
    "fieldset": (
        "<fieldset><legend>Size</legend><label><input type=radio name=s> S</label></fieldset>",
        [("group", "Size"), ("radio", "S")],
    ),
    "legend with a control": (
        "<fieldset><legend><label><input type=checkbox> Ship elsewhere</label></legend></fieldset>",
        [("group", "Ship elsewhere"), ("checkbox", "Ship elsewhere")],
    ),
    "disabled fieldset": (
        "<fieldset disabled><button>Go</button></fieldset>",
        [("group", "", None, "disabled"), ("button", "Go", None, "disabled")],
    ),
    "table": (
        "<table><caption>Prices</caption><tr><th>Item<th>Price<tr><th scope=row>Lamp<td>$5</table>",
        [
            ("table", "Prices"),
            ("row", ""),
            ("columnheader", "Item"),
            ("columnheader", "Price"),
            ("row", ""),
            ("rowheader", "Lamp"),
            ("cell", "$5"),
        ],
    ),
    "cell with controls": (
        '<table><tr><td>Lamp <a href="/l">Edit</a> <select><option>1<option>2</select><textarea>x</textarea></table>',
        [
            ("table", ""),
            ("row", ""),
            ("cell", "Lamp Edit"),
            ("link", "Edit"),
            ("combobox", "", "1"),
            ("textbox", "", "x"),
        ],
    ),
    "cell with a drawn check box": (
        '<table><tr><td><label>Pick <input type="checkbox" style="display:none"></label></table>',
        [("table", ""), ("row", ""), ("cell", "Pick"), ("checkbox", "Pick")],
    ),
    "cell that is a place": (
        "<table><tr><td><h2>Lamp</h2><p>Bright</p><button>Buy</button></table>",
        [("table", ""), ("row", ""), ("cell", ""), ("heading", "Lamp"), ("text", "Bright"), ("button", "Buy")],
    ),
    "table that only lays out": ('<table role="presentation"><tr><td>a<td>b</table>', [("text", "a"), ("text", "b")]),
    "button content": (
        "<button><span>Add</span> <b>2</b> to<br>cart<span hidden> now</span><script>1</script></button>",
        [("button", "Add 2 to cart")],
    ),
    "nested inline": ("<p>one <b>t<i>w</i>o</b> <span><span>three</span></span></p>", [("text", "one two three")]),
    "inline drawn as blocks": (
        '<span style="display:block">a</span><span style="display:block">b</span>',
        [("text", "a b")],
    ),
    "br": ("<p>a<br>b</p>", [("text", "a b")]),
    "blocks": ("a<div>b<p>c</p>d</div>e", [("text", t) for t in "abcde"]),
    "text around a control": (
        "Total: <b>5</b> <a href='/'>kg</a> net",
        [("text", "Total: 5"), ("link", "kg"), ("text", "net")],
    ),
    "hidden parts": (
        '<p>a<span hidden>x</span><span style="display:none">x</span><span aria-hidden="true">x</span>'
        '<span style="visibility:hidden">x<i style="visibility:visible">b</i></span></p>'
        '<div style="visibility:hidden">x<button>x</button></div><div inert>x<button>x</button></div>',
        [("text", "ab")],
    ),
    "text for screen readers": (
        '<button>3 <span style="position:absolute;width:1px;height:1px;overflow:hidden">items</span></button>',
        [("button", "3 items")],
    ),
    "display contents": (
        '<div style="display:contents">a<button style="display:contents">b</button></div>',
        [("text", "a"), ("button", "b")],
    ),
    "content not rendered": ('<div style="content-visibility:hidden">x<button>x</button></div>', []),
    "details closed": (
        "<details><summary>More</summary>plain <p>para</p><button>x</button></details>",
        [("group", ""), ("button", "More", None, "collapsed")],
    ),
    "details open": (
        "<details open><summary>More</summary>plain <button>x</button></details>",
        [("group", ""), ("button", "More", None, "expanded"), ("text", "plain"), ("button", "x")],
    ),
    "select": (
        "<label>Size <select><option>S<option selected>M<option disabled>L<option hidden>XL</select></label>",
        [("combobox", "Size", "M")],
    ),
    "select with groups": (
        "<select aria-label=Pet><optgroup label=Big><option>Cow<option>Ox</optgroup>"
        "<optgroup label=No disabled><option>Cat</select>",
        [("combobox", "Pet", "Cow")],
    ),
    "list box": (
        "<select multiple aria-label=T><option selected>a<option selected>b<option>c</select>",
        [("listbox", "T", "a, b")],
    ),
    "kinds of input": (
        '<input type="number" value="3"><input type="range" value="7"><input type="search">'
        '<input type="date" value="2024-02-29">'
        '<input type="password" value="abc"><input type="hidden" value="no"><input type="submit"><input type="reset">'
        '<input type="button" value="Do"><input type="image" alt="Go">'
        '<input type="file"><input type="color" value="#ff0000">',
        [
            ("spinbutton", "", "3"),
            ("slider", "", "7"),
            ("searchbox", "", ""),
            ("date", "", "2024-02-29"),
            ("textbox", "", "•••"),
            ("button", "Submit"),
            ("button", "Reset"),
            ("button", "Do"),
            ("button", "Go"),
            ("file", "", ""),
            ("color", "", "#ff0000"),
        ],
    ),
    "states of fields": (
        '<input required readonly value="a"><input disabled value="b"><input type="radio" checked>'
        '<input aria-invalid="true">',
        [
            ("textbox", "", "a", "readonly required"),
            ("textbox", "", "b", "disabled"),
            ("radio", "", None, "checked"),
            ("textbox", "", "", "invalid"),
        ],
    ),
    "aria states": (
        '<div role="switch" aria-checked="true">Wi-Fi</div><div role="checkbox" aria-checked="mixed">All</div>'
        '<button aria-pressed="true" aria-expanded="false" aria-disabled="true">B</button>'
        '<a href="/" aria-current="page">P</a>'
        '<div role="tab" aria-selected="true">T</div>',
        [
            ("switch", "Wi-Fi", None, "checked"),
            ("checkbox", "All", None, "mixed"),
            ("button", "B", None, "collapsed disabled pressed"),
            ("link", "P", None, "current"),
            ("tab", "T", None, "selected"),
        ],
    ),
    "aria values": (
        '<div role="slider" aria-label="Volume" aria-valuenow="3" aria-valuetext="low"></div>'
        '<progress value="0.5"></progress>',
        [("slider", "Volume", "low"), ("progressbar", "", "0.5")],
    ),
    "output with a label": (
        '<label for="o">Sum</label><output id="o">42</output>',
        [("text", "Sum"), ("status", "Sum"), ("text", "42")],
    ),
    "message": (
        '<div role="alert">Wrong <b>code</b> <a href="/h">Help</a></div>',
        [("alert", "Wrong code Help"), ("link", "Help")],
    ),
    "message with a name": (
        '<div role="status" aria-label="Cart">2 items</div>',
        [("status", "Cart"), ("text", "2 items")],
    ),
    "contenteditable": (
        '<div contenteditable aria-label="Note">Dear <b>all</b></div><h2 contenteditable="true">Title</h2>',
        [("textbox", "Note", "Dear all"), ("textbox", "", "Title")],
    ),
    "roles given": (
        '<div role="wrong button">a</div><ul role="none"><li>b</ul><a href="/" role="presentation">c</a>'
        '<div role="gridcell">d</div>'
        '<p role="paragraph">e</p><nav role="nonsense">f</nav>',
        [
            ("button", "a"),
            ("listitem", ""),
            ("text", "b"),
            ("link", "c"),
            ("cell", "d"),
            ("text", "e"),
            ("navigation", ""),
            ("text", "f"),
        ],
    ),
    "landmarks": (
        "<header>a</header><main><header>b</header><section>c</section><section aria-label=S>d</section></main>"
        "<footer>e</footer>",
        [
            ("banner", ""),
            ("text", "a"),
            ("main", ""),
            ("text", "b"),
            ("text", "c"),
            ("region", "S"),
            ("text", "d"),
            ("contentinfo", ""),
            ("text", "e"),
        ],
    ),
    "heading with a link": ('<h3><a href="/l">Lamp</a></h3>', [("heading", "Lamp"), ("link", "Lamp")]),
    "terms": ("<dl><dt>Weight<dd>3 kg</dl>", [("term", "Weight"), ("definition", "3 kg")]),
    "figure": (
        '<figure><img alt="Map"><figcaption>Fig. 1: <a href="/m">here</a></figcaption></figure>',
        [("img", "Map"), ("text", "Fig. 1:"), ("link", "here")],
    ),
    "made to be clicked": (
        '<div onclick="1">a</div><div style="cursor:pointer"><b>b</b></div>'
        '<span style="cursor:pointer" aria-label="c">x</span>',
        [("clickable", "a"), ("clickable", "b"), ("clickable", "c")],
    ),
    "link without an address": ("<a>a</a><a name=x>b</a>", [("text", "ab")]),
    "no text of the page": (
        "<script>1</script><style>p{}</style><template><p>x</template><noscript>x</noscript><video>x</video><datalist><option>x</datalist>ok",
        [("text", "ok")],
    ),
    "form whose fields are named like properties": (
        "<form aria-label=F><input name=labels><input name=disabled><input name=inert><input name=title>"
        "<select name=role></select></form>",
        [("form", "F"), *[("textbox", "", "")] * 4, ("combobox", "", "")],
    ),
}


def expected(row: Row) -> tuple[str, str, str | None, str]:
    role, name, *rest = row
    return (role, name, rest[0] if rest else None, str(rest[1]) if len(rest) > 1 else "")


def test_elements_are_read_as_the_table_says(lab: Lab) -> None:
    tab = lab.open()
    wrong = {}
    for title, (html, rows) in TABLE.items():
        page = tab.fill(html)
        read = [(node.role, node.name, node.value, " ".join(sorted(node.states))) for node in page.nodes]
        if read != [expected(row) for row in rows]:
            wrong[title] = read
    assert wrong == {}


def test_open_shadow_roots_and_slots_are_read_where_they_are_drawn(lab: Lab) -> None:
    tab = lab.open(
        """
        <x-card><span slot="head">Oslo</span><button>Buy</button><i slot="none">never</i></x-card>
        <x-button>Save</x-button>
        <script>
          const define = (name, html) => customElements.define(name, class extends HTMLElement {
            constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = html; }
          });
          define("x-card", "<h2><slot name=head>fallback</slot></h2>$5 <slot></slot><slot name=foot>no foot</slot>" +
            "<label for=q>Quantity</label><input id=q>");
          define("x-button", "<button><slot></slot> now</button>");
        </script>
        """
    )
    assert tab.rows() == [
        ("heading", "Oslo"),
        ("text", "$5"),
        ("button", "Buy"),
        ("text", "no foot"),
        ("textbox", "Quantity"),
        ("button", "Save now"),
    ]
    assert tab.do(f'type({tab.ref("textbox")}, "4")') is None
    assert tab.node("textbox").value == "4"
    assert "focused" in tab.node("textbox").states


def test_options_are_those_that_can_be_chosen(lab: Lab) -> None:
    tab = lab.open(TABLE["select"][0])
    assert tab.node("combobox").options == ("S", "M")
    tab.fill(TABLE["select with groups"][0])
    assert tab.node("combobox").options == ("Cow", "Ox")


def test_headings_have_their_level_and_fields_their_description(lab: Lab) -> None:
    tab = lab.open(
        '<h1>A</h1><h4>B</h4><div role="heading" aria-level="3">C</div><div role="heading">D</div>'
        '<input aria-describedby="d"><small id="d">Eight <b>characters</b></small>'
    )
    assert [node.level for node in tab.now.find("heading")] == [1, 4, 3, 2]
    assert tab.node("textbox").description == "Eight characters"


def test_invalid_is_said_once_the_user_has_tried(lab: Lab) -> None:
    tab = lab.open('<form><input aria-label="Name" required><button>Send</button></form>')
    assert tab.node("textbox").states == {"required"}
    tab.do(f"click({tab.ref('button')})")
    assert tab.node("textbox").states == {"required", "invalid", "focused"}


@pytest.mark.parametrize(
    "text",
    [
        "\\ud83d",
        "a\\ud83d b",
        "\\udca1x",
        "a\\u0000b\\u0007\\u001b[1m\\u009f",
        "a" + "\\ud83d\\udca1" * 1500,
        "\\u2028\\u200b\\ufeff\\u00ad",
    ],
)
def test_odd_characters_never_break_what_reads_the_page(lab: Lab, text: str) -> None:
    script = f"""
        <h1 id="h">x</h1><input id="i"><textarea id="t"></textarea><select><option id="o">x</select>
        <div role="slider" id="s" aria-valuenow="1">x</div><button id="b">x</button>
        <script>
          const text = "{text}";
          h.firstChild.data = document.title = i.value = t.value = o.textContent = text;
          for (const name of ["aria-label", "title", "aria-valuetext", "aria-description", "role"]) {{
            s.setAttribute(name, text);
            b.setAttribute(name, text);
          }}
        </script>"""
    page = lab.open(script).now
    texts = [
        page.title,
        *(t for node in page.nodes for t in (node.role, node.name, node.value or "", node.description, *node.options)),
    ]
    for said in texts:
        assert json.loads(json.dumps(said, ensure_ascii=False).encode()) == said
        assert said == " ".join(said.split())
        assert said.isprintable()
