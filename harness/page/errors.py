"""Typed action errors: a code to branch on, the cause in words, and a hint that a policy can use."""

from __future__ import annotations

from dataclasses import dataclass

HINTS = {
    "STALE_REF": "the element is gone; choose one of the page as it is now",
    "NOT_FOUND": "no element ever had this ref; use a ref of the page as it is now",
    "NOT_VISIBLE": "the element can't be seen; open what hides it first",
    "DISABLED": "the element is disabled; fill in or choose what it waits for",
    "READONLY": "the field can't be edited",
    "CLICK_INTERCEPTED": "something lies over the element; close it or act on it first",
    "NOT_EDITABLE": "only text fields are typed in, and emptied, besides lists in which several can be chosen",
    "NOT_A_SELECT": "select works on select boxes only; click the element instead",
    "OPTION_NOT_FOUND": "use one of the options named",
    "NOT_CHECKABLE": "check works on check boxes, radio buttons and switches only",
    "NOT_APPLIED": "the page did not take the input over",
    "INVALID_VALUE": "use the form that this kind of field wants",
    "UNKNOWN_KEY": "use a single character or a key name such as Enter, Escape, ArrowDown, Control+a",
    "FORBIDDEN_URL": "only the site's own addresses can be visited",
    "NO_HISTORY": "there is no page to go to in this direction",
    "NOT_A_FILE_FIELD": "upload works on file fields, and where a click has opened a file chooser",
    "FILE_NOT_FOUND": "use one of the files named",
    "DIALOG_OPEN": "answer the dialog first: dialog(accept=true) or dialog(accept=false)",
    "NO_DIALOG": "there is nothing to answer; go on with the page",
    "NO_SUCH_TAB": "use the number of a tab that is listed",
    "LAST_TAB": "the only tab can't be closed",
    "NO_MATCH": "look for other words, or scroll or go to where they may be",
    "NOT_SCROLLABLE": "nothing there can be scrolled in this direction",
    "PARSE_ERROR": "write one action of the grammar",
    "NAVIGATION_FAILED": "the address could not be loaded",
}


@dataclass(frozen=True)
class ActionError:
    """What went wrong with one action. A value, not an exception: a policy reads it in its next observation."""

    code: str
    message: str

    @property
    def hint(self) -> str:
        """One line on what to do instead."""
        return HINTS[self.code]

    def __str__(self) -> str:
        return f"{self.code}: {self.message} ({self.hint})"
