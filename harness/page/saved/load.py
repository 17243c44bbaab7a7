"""A saved page: the snapshot of an HTML file without a browser, so that what reads snapshots can be worked on offline.

`load_saved` gives the same snapshot through lxml and through Beautiful Soup. The latter uses its tree builder "lxml",
which runs the same parser as lxml itself: "html.parser" closes no element that the author left open, so its trees
would be others.

Nodes are those of the walk in the browser for the same file, but for what HTML alone cannot tell:

- Boxes and scroll are zero; the page is as before any script, form entry or click.
- Of styles only those of the browser, of attributes and of `style` attributes are known. What style sheets hide is
  listed, and what they make a block or clickable is not seen as such.
- Malformed HTML is repaired otherwise: what stands between the rows of a table stays there instead of going before it,
  formatting elements that overlap are cut short instead of going on, and `<div/>` is taken for a whole element. Even in
  sound HTML the parser ends some elements early: a link before a table or set of fields in it, bold text before a
  paragraph, an address before a list or header. A browser also nests at most 512 levels deep and sets what is deeper
  side by side.
- Where no encoding is declared, UTF-8 is tried before the Western default that a browser takes.
- Shadow roots that the HTML declares, summaries that are popovers, names of colours in colour inputs, and text that
  CSS writes are not known.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from harness.page.saved.document import Document
from harness.page.saved.text import clean
from harness.page.saved.tree import Parser, parse
from harness.page.saved.walk import Walk
from harness.page.snapshot import Snapshot

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CHARSET = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_HEAD = 4096  # bytes in which an encoding may be declared
# Browsers read these names as those of larger encodings.
_LARGER = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "tis-620": "cp874", "shift_jis": "cp932"}
_LARGER |= {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "big5": "big5hkscs"}
# and these, which a file that can be searched for its declaration cannot be in, as others.
_LARGER |= {"utf-16": "utf-8", "utf-16-le": "utf-8", "utf-16-be": "utf-8", "utf-32": "utf-8"}
_NO_ENCODINGS = {"idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7"}  # to a browser


def load_saved(html: str | bytes, url: str = "", parser: Parser = "lxml") -> Snapshot:
    """The snapshot of a page; refs count from e1 in document order."""
    text = html if isinstance(html, str) else _decode(html)
    document = Document(parse(_well_formed(text), parser))
    return Snapshot(url, clean(document.title), Walk(document).run())


def load_file(path: Path, url: str = "", parser: Parser = "lxml") -> Snapshot:
    """The snapshot of a saved file."""
    return load_saved(path.read_bytes(), url, parser)


def _well_formed(text: str) -> str:
    """The text without what a browser's parser would drop: a lone half of a surrogate pair, a null character."""
    text = text.removeprefix("\ufeff").replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _decode(html: bytes) -> str:
    """The text of a file: by its byte order mark, else by what it declares, else UTF-8 or the Western default."""
    for mark, encoding in _MARKS:
        if html.startswith(mark):
            return html[len(mark) :].decode(encoding, "replace")
    declared = _CHARSET.search(_COMMENT.sub(b"", html[:_HEAD]))
    if declared:
        encoding = _codec(declared[1].decode("ascii", "replace"))
        if encoding:
            return html.decode(encoding, "replace")
    try:
        return html.decode("utf-8")
    except UnicodeDecodeError:
        return html.decode("cp1252", "replace")


def _codec(label: str) -> str:
    """The codec of an encoding's name in HTML, "" if there is none for text."""
    try:
        name = codecs.lookup(label).name
        "".encode(name)
    except LookupError:
        return ""  # unknown, or no encoding of text
    return "" if name in _NO_ENCODINGS else _LARGER.get(name, name)
