"""An episode that the page itself keeps: it begins it, says what is asked, and ends it with a score.

These few values are read in the page's own world, because it is the page that holds them.
"""

from __future__ import annotations

from typing import Any

from playwright.async_api import Error

from harness.page.channel import DialogOpened, PageGone
from harness.page.session import PageSession


class PageEpisode:
    """The episode of one document. Make it with `await PageEpisode.begin(session, …)` when the page has loaded."""

    def __init__(self, session: PageSession, document: float, intent: str, done: str, score: str) -> None:
        self.intent = intent
        self._session = session
        self._document = document
        # A later document, even at the same address, has begun an episode of its own, which is not the one asked for.
        self._state = f"performance.timeOrigin === {document!r} ? [Boolean({done}), Number({score})] : null"

    @classmethod
    async def begin(cls, session: PageSession, setup: str, intent: str, done: str, score: str) -> PageEpisode:
        """Run `setup` and read `intent`; `done` and `score` are expressions for later."""
        try:
            document = await _value(session, f"(async () => {{ {setup}; return performance.timeOrigin }})()")
            said = await _value(session, intent)
        except DialogOpened as error:
            raise PageGone("the page opened a dialog before its episode") from error
        except Error as error:
            raise PageGone(f"the page did not begin its episode: {error.message}") from error
        if not isinstance(said, str) or not said.strip():
            raise RuntimeError(f"the page asks for nothing: {said!r}")
        return cls(session, document, " ".join(said.split()), done, score)

    async def score(self) -> float | None:
        """The page's score once it has ended the episode, 0 if its document was left; None while it goes on.

        A tab that was closed has been left too. PageGone if the page has crashed."""
        try:
            state = await _value(self._session, self._state)
        except DialogOpened:
            return None  # nothing in the page goes on behind it
        except PageGone:
            if not self._session.page.is_closed():
                raise
            state = None
        except Error:  # the document was left at this moment
            state = None
        if state is None:
            return 0.0
        done, score = state
        return float(score or 0) if done else None  # null stands for what is no number


async def _value(session: PageSession, expression: str) -> Any:
    """The JSON value of an expression, awaited, in the page's own world. RuntimeError if it throws."""
    params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    result = await session.send("Runtime.evaluate", params)
    if "exceptionDetails" in result:
        details = result["exceptionDetails"]
        raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
    return result["result"].get("value")
