"""Prints BrowserGym's forms of pages; runs in an environment that has BrowserGym, and needs nothing of this project.

Reads a line of JSON for each page: `url`, `html` (a copy by copy.js), `width` and `height`. The copy is shown in place
of what is served at the address, so that its styles and pictures are the page's own; its scripts do not run, since the
page's state is in the copy already. Answers with a line: `axtree`, `pruned`, and `bids`, those of the marked elements.

BrowserGym 0.14.3 is made for Chromium 125. Later ones tell more in the accessibility tree, addresses and the lines that
text is broken into: its own options leave them out.
"""

import json
import os
import pathlib
import sys
from typing import Any

from browsergym.core.observation import _pre_extract, extract_dom_snapshot, extract_merged_axtree
from browsergym.utils.obs import (
    IGNORED_AXTREE_PROPERTIES,
    IGNORED_AXTREE_ROLES,
    flatten_axtree_to_str,
    flatten_dom_to_str,
    prune_html,
)
from playwright.sync_api import Browser, Page, Route, sync_playwright

TIMEOUT = 30_000  # milliseconds
RESTORE = (pathlib.Path(__file__).parent / "restore.js").read_text("utf-8")
BIDS = """() => Object.fromEntries(
  Object.entries(globalThis.harnessTargets).map(([place, element]) => [place, element.getAttribute("bid")]))"""


def show(page: Page, url: str, html: str) -> None:
    """Open the address with this in place of what is served there."""
    address = url.partition("#")[0]
    headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": "script-src 'none'"}

    def answer(route: Route) -> None:
        if route.request.is_navigation_request() and route.request.frame == page.main_frame:
            route.fulfill(body=html, headers=headers)
        else:
            route.continue_()

    page.route(lambda found: found == address, answer)
    page.goto(url, timeout=TIMEOUT)


def forms(browser: Browser, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one line."""
    page = browser.new_page(
        viewport={"width": request["width"], "height": request["height"]}, locale="en-US", timezone_id="UTC"
    )
    try:
        show(page, request["url"], request["html"])
        for frame in page.frames:
            frame.evaluate(RESTORE)
        _pre_extract(page)
        return {
            "axtree": flatten_axtree_to_str(
                extract_merged_axtree(page),
                ignored_roles=[*IGNORED_AXTREE_ROLES, "InlineTextBox"],
                ignored_properties=(*IGNORED_AXTREE_PROPERTIES, "url"),
            ),
            "pruned": prune_html(flatten_dom_to_str(extract_dom_snapshot(page))),
            "bids": page.evaluate(BIDS),
        }
    finally:
        page.close()


def main() -> None:
    """Answer until the input ends. The argument is the path of a Chromium."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    arguments = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=sys.argv[1], args=arguments)
        for line in sys.stdin:
            print(json.dumps(forms(browser, json.loads(line))), file=answers, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
