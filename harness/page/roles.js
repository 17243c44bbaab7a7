// What kind of thing an element is: its role. Only reads; runs in an isolated world.
"use strict";

globalThis.harnessRoles = (() => {
  const { pictureName } = globalThis.harnessText;
  const words = (text) => new Set(text.split(" "));

  const ROLES = words(
    "alert alertdialog application article banner button cell checkbox columnheader combobox complementary " +
      "contentinfo definition dialog document feed figure form grid group heading img link list listbox listitem " +
      "log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option " +
      "progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider " +
      "spinbutton status switch tab table tablist tabpanel term textbox timer toolbar tooltip tree treegrid " +
      "treeitem",
  );
  // Roles that say nothing beyond their content: the element counts as one without a role.
  const PLAIN = words(
    "none presentation generic paragraph blockquote caption code deletion emphasis insertion mark strong " +
      "subscript superscript time",
  );
  const SAME_ROLE = { gridcell: "cell", image: "img", directory: "list" };
  // Roles whose name is their content; what is inside is not listed again unless it can be acted on.
  const LEAF = words(
    "button link heading option tab menuitem menuitemcheckbox menuitemradio cell columnheader rowheader term " +
      "definition switch checkbox radio treeitem",
  );
  const ACTIVE =
    "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio]," +
    "[role=option],[role=tab],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=switch]," +
    "[role=combobox],[role=slider],[contenteditable],[tabindex],[onclick]";
  const INPUT_ROLES = {
    button: "button",
    submit: "button",
    reset: "button",
    image: "button",
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "spinbutton",
    search: "searchbox",
    file: "file",
    hidden: "",
    date: "date",
    time: "time",
    color: "color",
    month: "month",
    week: "week",
    "datetime-local": "datetime-local",
  };
  const TAG_ROLES = {
    ARTICLE: "article",
    ASIDE: "complementary",
    BUTTON: "button",
    DD: "definition",
    DETAILS: "group",
    DIALOG: "dialog",
    DT: "term",
    FIELDSET: "group",
    FORM: "form",
    FRAME: "iframe",
    H1: "heading",
    H2: "heading",
    H3: "heading",
    H4: "heading",
    H5: "heading",
    H6: "heading",
    IFRAME: "iframe",
    LI: "listitem",
    MAIN: "main",
    MENU: "list",
    METER: "meter",
    NAV: "navigation",
    OL: "list",
    OPTION: "option",
    OUTPUT: "status",
    PROGRESS: "progressbar",
    SEARCH: "search",
    TABLE: "table",
    TEXTAREA: "textbox",
    UL: "list",
  };

  // The role that the author gave, null if there is none.
  function givenRole(el) {
    const given = el.getAttribute("role");
    if (!given) return null;
    for (const word of given.toLowerCase().split(/\s+/)) {
      const role = SAME_ROLE[word] ?? word;
      if (ROLES.has(role)) return role;
      if (PLAIN.has(role)) return el.matches(ACTIVE) ? null : "";
    }
    return null;
  }

  function roleOf(el) {
    const given = givenRole(el);
    if (given !== null) return given;
    if (el.isContentEditable && !el.parentElement?.isContentEditable) return "textbox";
    const tag = el.tagName;
    switch (tag) {
      case "A":
      case "AREA":
        return el.hasAttribute("href") ? "link" : "";
      case "INPUT":
        return INPUT_ROLES[el.type] ?? "textbox";
      case "SELECT":
        return el.multiple || el.size > 1 ? "listbox" : "combobox";
      case "IMG":
      case "svg":
        return pictureName(el) ? "img" : "";
      case "SECTION":
        return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") ? "region" : "";
      case "HEADER":
      case "FOOTER":
        if (el.closest("article,aside,main,nav,section")) return "";
        return tag === "HEADER" ? "banner" : "contentinfo";
      case "SUMMARY":
        return el.parentElement?.tagName === "DETAILS" ? "button" : "";
      case "TR":
      case "TD":
      case "TH":
        return tableRole(el, tag);
      default:
        return TAG_ROLES[tag] ?? "";
    }
  }

  function tableRole(el, tag) {
    if (PLAIN.has(el.closest("table")?.getAttribute("role"))) return ""; // a table that only lays out
    if (tag === "TR") return "row";
    if (tag === "TD") return "cell";
    return el.scope === "row" || el.scope === "rowgroup" ? "rowheader" : "columnheader";
  }

  return { ACTIVE, LEAF, roleOf };
})();
