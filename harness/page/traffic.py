"""What a page is loading: the fetches under way, and a navigation that has led to no document yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.async_api import CDPSession


class Traffic:
    """Follows the network events of a page; `changed` is called after each, `stayed` when a navigation leads nowhere
    (an empty response, a download)."""

    def __init__(self, changed: Callable[[], None], stayed: Callable[[], None]) -> None:
        self.fetches: set[str] = set()  # under way, which a settled page has none of
        self.begun = 0  # fetches ever begun
        self._document: str | None = None  # the request of a navigation that has not led to a document yet
        self._changed = changed
        self._stayed = stayed

    async def open(self, cdp: CDPSession, main_frame: str) -> None:
        """Begin to listen."""
        self._main = main_frame
        cdp.on("Network.requestWillBeSent", self._on_request)
        cdp.on("Network.loadingFinished", self._on_end)
        cdp.on("Network.loadingFailed", self._on_end)
        await cdp.send("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})

    def clear(self) -> None:
        """A new document has begun."""
        self.fetches.clear()
        self._document = None

    def _on_request(self, event: dict[str, Any]) -> None:
        if event.get("type") in ("Fetch", "XHR"):
            self.fetches.add(event["requestId"])
            self.begun += 1
        elif event.get("type") == "Document" and event.get("frameId") == self._main:
            self._document = event["requestId"]

    def _on_end(self, event: dict[str, Any]) -> None:
        self.fetches.discard(event["requestId"])
        # Any other failure of a navigation leads to an error page.
        if event["requestId"] == self._document and event.get("errorText") == "net::ERR_ABORTED":
            self._document = None
            self._stayed()
        self._changed()
