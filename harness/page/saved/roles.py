"""What kind of thing an element of a saved page is: its role; the counterpart of roles.js."""

from __future__ import annotations

from harness.page.saved.document import Document, is_active
from harness.page.saved.text import picture_name, split
from harness.page.saved.tree import Element


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROLES = _words(
    "alert alertdialog application article banner button cell checkbox columnheader combobox complementary "
    "contentinfo definition dialog document feed figure form grid group heading img link list listbox listitem "
    "log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option "
    "progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider "
    "spinbutton status switch tab table tablist tabpanel term textbox timer toolbar tooltip tree treegrid "
    "treeitem"
)
# Roles that say nothing beyond their content: the element counts as one without a role.
PLAIN = _words(
    "none presentation generic paragraph blockquote caption code deletion emphasis insertion mark strong "
    "subscript superscript time"
)
SAME_ROLE = {"gridcell": "cell", "image": "img", "directory": "list"}
# Roles whose name is their content; what is inside is not listed again unless it can be acted on.
LEAF = _words(
    "button link heading option tab menuitem menuitemcheckbox menuitemradio cell columnheader rowheader term "
    "definition switch checkbox radio treeitem"
)
# By the type of an input; every other type is a text box.
INPUT_ROLES = {
    "button": "button",
    "submit": "button",
    "reset": "button",
    "image": "button",
    "checkbox": "checkbox",
    "radio": "radio",
    "range": "slider",
    "number": "spinbutton",
    "search": "searchbox",
    "file": "file",
    "hidden": "",
    "date": "date",
    "time": "time",
    "color": "color",
    "month": "month",
    "week": "week",
    "datetime-local": "datetime-local",
}
TAG_ROLES = {
    "article": "article",
    "aside": "complementary",
    "button": "button",
    "dd": "definition",
    "details": "group",
    "dialog": "dialog",
    "dt": "term",
    "fieldset": "group",
    "form": "form",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "frame": "iframe",
    "iframe": "iframe",
    "li": "listitem",
    "main": "main",
    "menu": "list",
    "meter": "meter",
    "nav": "navigation",
    "ol": "list",
    "option": "option",
    "output": "status",
    "progress": "progressbar",
    "search": "search",
    "table": "table",
    "textarea": "textbox",
    "ul": "list",
}
_SECTIONS = _words("article aside main nav section")


def _given_role(el: Element) -> str | None:
    """The role that the author gave, None if there is none."""
    for word in split(el.get("role").lower()):
        role = SAME_ROLE.get(word, word)
        if role in ROLES:
            return role
        if role in PLAIN:
            return None if is_active(el) else ""
    return None


def role_of(page: Document, el: Element) -> str:
    """The role of an element, "" if it has none."""
    given = _given_role(el)
    if given is not None:
        return given
    if page.is_editable(el) and not (el.parent is not None and page.is_editable(el.parent)):
        return "textbox"
    if el.name == "svg":
        return "img" if picture_name(el) else ""
    if el.foreign:
        return ""
    match el.name:
        case "a" | "area":
            return "link" if el.has("href") else ""
        case "input":
            return INPUT_ROLES.get(el.get("type").lower(), "textbox")
        case "select":
            return "listbox" if is_list_box(el) else "combobox"
        case "img":
            return "img" if picture_name(el) else ""
        case "section":
            return "region" if el.has("aria-label") or el.has("aria-labelledby") else ""
        case "header" | "footer":
            if any(above.name in _SECTIONS for above in el.ancestors()):
                return ""
            return "banner" if el.name == "header" else "contentinfo"
        case "summary":
            return "button" if el.parent is not None and el.parent.is_html("details") else ""
        case "tr" | "td" | "th":
            return _table_role(el)
    return TAG_ROLES.get(el.name, "")


def is_list_box(select: Element) -> bool:
    """Whether a select shows its options at once."""
    size = select.get("size").strip()
    return select.has("multiple") or (size.isdecimal() and int(size) > 1)


def _table_role(el: Element) -> str:
    table = next((above for above in el.ancestors() if above.name == "table"), None)
    if table is not None and table.get("role") in PLAIN:
        return ""  # a table that only lays out
    if el.name == "tr":
        return "row"
    if el.name == "td":
        return "cell"
    return "rowheader" if el.get("scope").lower() in ("row", "rowgroup") else "columnheader"
