"""Snippets of HTML that a browser and either library read alike, by what is in them."""

from __future__ import annotations

SNIPPETS = {
    "what has no name": (
        "<button></button><button class=' icon  bin '><i class=x></i></button><a href=/><i class='fa fa-home'></i></a>"
        '<div onclick=x style="background-color:red"></div><div onclick=x style="background: #00f"></div>'
        '<div onclick=x style="background-color: hsl(0, 35%, 50%)" class=c></div><div onclick=x>named</div>'
        '<div onclick=x style="background-color: rgb(200, 230, 201)"></div><div onclick=x style="background:x"></div>'
        '<div onclick=x style="background-color:#101010"></div><div onclick=x style="background:#8844aa"></div>'
    ),
    "shapes without a name": (
        "<svg onclick=x><circle onclick=x r=5 fill=red></circle></svg><svg>"
        "<a></a><rect onclick=x width=5 height=5></rect><g fill=lime><polygon onclick=x points='0,0 5,5 5,0'></polygon>"
        "</g><path onclick=x fill=none stroke=blue d='M0 0 L5 5'></path><line onclick=x x2=5 y2=5 stroke=teal></line>"
        "<ellipse onclick=x rx=5 ry=4 style='fill:#ffa500' class=big></ellipse></svg>"
    ),
    "what takes the focus": (
        "<span tabindex=0 class=handle></span><div tabindex=0>a <b>b</b></div><div tabindex=-1>c</div><i tabindex>d</i>"
        "<div tabindex=0><ul><li>e</ul></div><div tabindex=0><button>f</button></div><p tabindex=2>g"
        f"<div tabindex=0>{'long ' * 20}</div><p><em tabindex=' 1x'>h</em>"
    ),
    "unclosed paragraphs and items": "<p>a<p>b<ul><li>c<li>d<ul><li>e</ul><li>f</ul>g",
    "unclosed cells": "<table><tr><td>a<td>b<tr><th>c<th scope=row>d</table>e",
    "tables in tables": "<table><tr><td>a<table><tr><td>b<tr><td>c</table>d<td>e</table>f",
    "table with all its parts": (
        "<table><caption>Cap <b>x</b></caption><colgroup><col></colgroup><thead><tr><th>h</thead>"
        "<tbody><tr><td>1</tbody><tfoot><tr><td>2</tfoot></table>"
    ),
    "caption with a link": "<table><caption>See <a href=/>here</a></caption><tr><td>x</table>",
    "stray end tags": "a</div></span>b</li></table>c",
    "attributes without quotes or values": "<input type=checkbox checked disabled name=a><a href=/x class=y>z</a>",
    "attributes with odd names": '<div @click="x" {foo a{b x:y=1>t</div>',
    "entities": (
        "<p>&amp;&lt;&eacute;&#233;&#xe9;&nbsp;&copy &#128; &hearts; &notit;</p>"
        '<a href=/ title="&quot;q&quot;">&euro;</a>'
    ),
    "soft hyphens and zero widths": "<p>a&shy;b&#8203;c&#xfeff;d&nbsp;&nbsp;e&#8232;f</p>",
    "comments": "a<!-- b -->c<p><!-- d -->e<!-- f --></p><!-- <p>g</p> -->",
    "upper case": "<DIV><A HREF='/x'>A</A><INPUT TYPE=CHECKBOX CHECKED></DIV>",
    "label around with other fields": "<label>a <select><option>x</select> b <input> c <button>d</button> e</label>",
    "label for another": "<label for=x>a <input id=y> b</label><input id=x>",
    "label for nothing": "<label for=none>a <input></label><label>b</label>",
    "label for what is hidden": (
        '<label>a <input type=radio hidden></label><label for=z style="display:none">b</label>'
        '<label for=z>c</label><input id=z type=checkbox style="visibility:hidden">'
        "<label for=h>d</label><input id=h hidden><label for=f>e</label><input type=file id=f hidden>"
    ),
    "label with deep control": "<label>a<span>b<i>c<input>d</i>e</span>f<div>g</div></label>",
    "label with a link": "<label>I accept the <a href=/t>terms</a> <input type=checkbox></label>",
    "nested labels": "<label>a<label>b<input></label>c</label>",
    "fieldsets": (
        "<fieldset disabled><legend>L <b>x</b></legend><input><select><option>o</select></fieldset>"
        "<fieldset disabled><legend><input> in</legend><legend>second<input></legend><button>b</button></fieldset>"
        "<fieldset disabled><div><fieldset><legend><input></legend></fieldset></div></fieldset><legend>alone</legend>"
    ),
    "radio groups": (
        "<form><input type=radio name=a checked><input type=radio name=a checked><input type=radio checked></form>"
        "<form><input type=radio name=a checked></form><input type=radio name=a checked>"
    ),
    "selects": (
        "<select><option disabled>a<option>b</select><select><option selected>a<option selected>b</select>"
        "<select size=2><option>a<option>b</select><select multiple></select><select></select>"
        "<select><option label=L>a<option label=''>b</select>"
        "<select><optgroup disabled label=g><option>a</optgroup><optgroup label=h hidden><option>b</select>"
        "<select><option><b>bold</b> text<option value=v></select>"
    ),
    "text areas": "<textarea>\n a <b>c</b> &amp;</textarea><textarea readonly required placeholder=p></textarea>",
    "definition lists": "<dl><dt>a<dd>b<dd>c <ul><li>d</ul><div><dt>e</dt><dd>f</dd></div></dl>",
    "named by others": (
        "<i id=a>A</i><i id=b hidden>B<script>1</script></i><i id=c aria-label=C>x</i>"
        '<button aria-labelledby="a b c none">y</button><input aria-labelledby=none title=t>'
        '<input aria-describedby="c a" aria-description=d><input aria-description=e>'
        "<i id=a>second</i>"
    ),
    "named by what is shut away": (
        "<details><summary id=s>S</summary><i id=d>D<b hidden>!</b></i></details>"
        "<button aria-labelledby=d>x</button><button aria-labelledby=s>x</button>"
        '<div style="display:contents" id=e>E<b hidden>!</b></div><button aria-labelledby=e>x</button>'
    ),
    "contenteditable": (
        '<div contenteditable>a<p>b</p><br>c<span hidden>d</span><b style="visibility:hidden">e</b></div>'
        "<div contenteditable=false>x<p contenteditable=true>y<i contenteditable=false>z</i></p></div>"
        "<p contenteditable=wrong>w</p><p contenteditable=PLAINTEXT-ONLY>v<button>b</button></p>"
    ),
    "drawings": (
        "<svg><title>Logo</title><path d=x /></svg><svg><g><text>t</text></g></svg><svg aria-label=l></svg>"
        "<button><svg><title>Close</title></svg></button><svg><circle r=1></svg>"
        "<svg><a href=/x><text>link</text></a></svg><svg role=img></svg>"
        "<svg><foreignObject><p>para <a href=/>l</a></p></foreignObject><text>u</text></svg>"
    ),
    "a drawing with styles": (
        "<svg><style>p{}</style><text visibility=hidden>a</text><text display=none>b</text><text>c</text></svg>"
    ),
    "formulas": "<p>a <math><mi>x</mi><mo>=</mo><mn>1</mn></math> b</p><math><mtext>c</mtext></math>",
    "pictures": (
        "<img alt=a><img alt=''><img><img title=t><img alt='' title=t><img aria-label=l alt=a>"
        "<a href=/><img alt=logo></a><p>x <img alt=y> z</p><map><area href=/ alt=m></map><picture><img alt=p></picture>"
    ),
    "details": (
        "<details>a</details><details open>a<summary>b</summary>c<summary>d</summary></details>"
        "<details><p>x</p><summary>first</summary><summary>second</summary></details><summary>alone</summary>"
        "<details><div><summary>in</summary></div></details><a href=/><details><summary>s</summary>t</details></a>"
    ),
    "dialogs": "<dialog>a</dialog><dialog open>b<button>c</button></dialog><div popover>d</div>",
    "templates and scripts": (
        "a<template><button>b</button><template>c</template></template>d<script>'<p>'</script><style>e</style>"
        "<noscript><p>f</p><a href=/>g</a></noscript>h<textarea><script></textarea>"
    ),
    "clickable": (
        '<span onclick=f()>a</span><div style="cursor:pointer"><p>b</p><span style="cursor:pointer">c</span></div>'
        '<div style="cursor:pointer"><i>1</i><i>2</i><i>3</i><i>4</i></div>'
        '<div style="CURSOR : Pointer !important; cursor: auto">d</div><a style="cursor:hand;cursor:pointer">e</a>'
        '<div style="cursor:pointer;cursor:hand">f</div><div style="cursor:inherit">g</div>'
        '<a href=/ role=list><span style="cursor:pointer">h</span></a>'
        '<label style="cursor:pointer">i</label><div style="cursor:pointer" role=none>j</div>'
    ),
    "hidden": (
        '<p hidden>a</p><p hidden=until-found>b</p><p hidden style="display:block">c</p><p style="display: none">d</p>'
        '<p style="display:none;display:wrong">e</p><p style="display:none!important;display:block">f</p>'
        '<p style="visibility:collapse">g<b style="visibility:visible">h</b></p><p inert>i</p><p aria-hidden=true>j</p>'
        '<p aria-hidden=false>k</p><p style="/* display:none */ color:red">l</p><p style="x:url(;display:none)">m</p>'
        '<p style="background:url(data:a;b);display:none">n</p><b style="visibility:hidden"><br>o</b>p'
    ),
    "laid out by inline styles": (
        '<p>a<span style="display:inline-block">b</span>c<i style="float:left">d</i>e</p>'
        '<p>e<i style="position:absolute">f</i>g</p>'
        '<div style="display:flex"><span>g</span><span>h</span>'
        '<div style="display:contents"><b>i</b><b>j</b></div></div>'
        '<div style="display:inline">k</div>l<p style="display:contents">m</p>n'
        '<button>o<i style="display:block">p</i>q</button>'
        '<div role=button><div style="display:inline">r</div><span style="display:grid">s</span></div>'
    ),
    "ruby": "<p><ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>c</p><button><ruby>a<rt>b</rt></ruby></button>",
    "inline elements of every kind": (
        "<p>a<abbr>b</abbr><kbd>c</kbd><font>d</font><x-y>e</x-y><output>f</output>g<meter value=0.5></meter>h"
        "<object>i</object>j<video>k</video><canvas>l</canvas><audio>m</audio>n<wbr>o<slot>p</slot><marquee>q</marquee></p>"
    ),
    "headings": (
        "<h1>a</h1><h6>b</h6><h2 aria-level=4>c</h2><h3 aria-level=x>d</h3><p role=heading>e</p>"
        "<p role=heading aria-level=' 5 '>f</p><h2 role=none>g</h2><h2><button>h</button></h2>"
    ),
    "roles": (
        "<p role='foo BUTTON link'>a</p><p role=directory>b</p><p role=image aria-label=i>c</p><p role=''>d</p>"
        "<button role=none>e</button><p role=constructor>f</p><p role=text>g</p><p role=status>h <a href=/>i</a></p>"
        "<p role=alert aria-label=x>j</p><p role=option tabindex=0>k<b onclick=1>l</b></p><p role=radio>m</p>"
    ),
    "landmarks": (
        "<header>a</header><article><header>b</header><footer>c</footer></article><nav>d</nav><aside>e</aside>"
        "<section aria-label=f>g</section><section aria-labelledby=z>h</section><search>i</search><main>j</main>"
        "<form>k</form><address>l</address><hgroup>m</hgroup><menu><li>n</menu><figure><figcaption>o</figcaption></figure>"
    ),
    "states": (
        "<div role=checkbox aria-checked=mixed>a</div><div role=tab aria-selected=true aria-busy=true>b</div>"
        "<button aria-pressed=mixed disabled>c</button><a href=/ aria-current=page aria-disabled=true>d</a>"
        "<input aria-invalid=grammar aria-required=true aria-readonly=true required readonly>"
        "<button aria-expanded=true aria-haspopup=menu>e</button><input aria-expanded=false aria-invalid=false>"
        "<input type=text checked><select required disabled><option>x</select>"
    ),
    "values": (
        "<div role=slider aria-valuenow=3></div><div role=slider aria-valuenow=3 aria-valuetext=three></div>"
        "<progress></progress><progress value=2></progress><progress value=0.1 max=x></progress>"
        "<progress value=30 max=100></progress><meter value=5 min=1 max=3></meter><meter></meter>"
        "<progress value=1e-7></progress><meter value=.5></meter>"
    ),
    "inputs of every type": "".join(
        f"<input type={kind}>"
        for kind in (
            "text email url tel search number range date time month week datetime-local color file checkbox radio "
            "password submit reset button image hidden wrong"
        ).split()
    ),
    "inputs whose values are cleaned": (
        "<input value=' a\nb '><input type=number value=' 3 '><input type=number value=1e3>"
        "<input type=number value=abc>"
        "<input type=number value=+1><input type=number value=.5><input type=number value=5.>"
        "<input type=range value=7 max=5><input type=range min=0 max=1 step=0.1 value=0.25><input type=range value=x>"
        "<input type=range step=any value=1.5><input type=range min=10 max=5>"
        "<input type=range min=1 max=10 step=4 value=8>"
        "<input type=color value=#ABCDEF><input type=color value=#abc><input type=color value=wrong>"
        "<input type=date value=2024-02-30><input type=date value=2024-02-29><input type=date value=2024-2-9>"
        "<input type=time value=9:00><input type=time value=09:00:30><input type=month value=2024-13>"
        "<input type=week value=2024-W10><input type=week value=2024-W60>"
        "<input type=datetime-local value='2024-01-02 03:04:00'>"
        "<input type=email value=' a@b '><input type=email multiple value=' a@b , c '><input type=url value=' x\n'>"
        "<input type=password value='a\nb'><input type=submit value=' Go '><input type=TEXT value=x>"
    ),
    "fields in an iframe's place": "<iframe title=t><p>x</p></iframe><object><input></object><embed>",
    "cells that are places": (
        "<table role=grid><tr><td><p>a</p><ul><li>b</ul><td role=gridcell>c<td><a href=/>d</a> e</table>"
        "<table role=none><tr><th>a<td>b<table><tr><td>c</table></table>"
    ),
    "links around blocks": "<a href=/><h3>a</h3><p>b</p><div onclick=1>c</div></a><a href=/x>d<div>e</div>f</a>",
    "items left open": (
        "<ul><li>a<div><li>b</div><li><p>c<li>d</ul><dl><dt>e<dd>f<p>g<dd>h</dd>i</dl><h1>j<h2>k</h2>l</h1>"
        "<button>m<button>n</button>o</button><ol><li>p<blockquote><li>q</blockquote>r</ol>"
    ),
    "edited text of every kind": (
        "<div contenteditable>a<ruby>b<rt>c</rt></ruby><i style='content-visibility:hidden;display:block'>d</i>"
        "<table><tr><td>e<td>f</table><svg><text>g</text></svg></div>"
        "<svg contenteditable><a href=/><text>h</text></a></svg>"
    ),
    "deeply nested": "<div>" * 100 + "x<button>y</button>" + "</div>" * 100,
    "text beyond the limit": f"<p>{'word ' * 600}</p><h1>{'😀' * 1500}</h1><h2>x{'😀' * 1500}</h2>",
}
