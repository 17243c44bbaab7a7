"""How much a line matters to this task, now: words shared with the instruction, recency, and what kind of line it is.

Knows words, roles, states, structure and history; nothing of any site. Deterministic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from harness.context.observation import Past
from harness.context.passes import ACTIONABLE, Line
from harness.context.words import content
from harness.page.snapshot import Node

FIELDS = frozenset("textbox searchbox spinbutton combobox checkbox radio switch slider listbox file date time".split())
QUIET_PLACES = frozenset(("contentinfo", "complementary"))
URGENT = frozenset(("alert", "status"))

OWN_WORDS = 3.0
CONTEXT_WORDS = 1.2
ROLE = {"button": 0.9, "link": 0.4, "heading": 0.5, "text": 0.0, "combobox": 1.3, "radio": 1.0, "checkbox": 0.6}
FIELD = 1.0
FEW = 12
HEAD_OF_ITEM = 0.9  # the line that names an item of a list
MANY = 4  # controls repeated in so many items are worth keeping only where the item matters


def is_certain(line: Line, last_ref: str, few_changes: bool) -> bool:
    """Lines that survive any budget before all others: focus, messages, the last target, what just changed.

    Where much has changed at once (`few_changes` is false: a list was drawn again), change alone says little.
    """
    return (
        "focused" in line.node.states
        or "invalid" in line.node.states
        or line.node.role in URGENT
        or line.node.ref == last_ref
        or (line.mark != "" and few_changes)
        or (line.node.role == "heading" and line.node.level == 1)
    )


def holds_text(node: Node, text: str) -> bool:
    """Whether a node's name, value, description or options have this text; case and white space do not count."""
    wanted = " ".join(text.split()).casefold()
    return any(wanted in part.casefold() for part in (node.name, node.value or "", node.description, *node.options))


def few_changed(lines: Sequence[Line]) -> bool:
    """Whether so few lines are new or changed that each of them matters."""
    return sum(line.mark != "" for line in lines) <= FEW


def scores(lines: Sequence[Line], intent: str, history: Sequence[Past]) -> list[float]:
    """The relevance of each line, in the order given; larger is more relevant."""
    wanted = content(intent)
    own = [content(" ".join((line.name, line.value or "", *line.options))) for line in lines]
    around = [content(" ".join(line.context)) for line in lines]
    frequency = Counter(word for words in own for word in words & wanted)
    # A word of the task that stands in few lines tells more (inverse document frequency over the page).
    weight = {word: 1.0 / math.log2(1.0 + frequency.get(word, 0.0) + 1.0) for word in wanted}
    done = {(past.role, past.name) for past in history}
    repeated = Counter((line.node.role, line.name) for line in lines)
    result = []
    for place, line in enumerate(lines):
        role = line.node.role
        score = ROLE.get(role, FIELD if role in FIELDS else 0.6 if role in ACTIONABLE else 0.1)
        if role in ACTIONABLE and repeated[(role, line.name)] >= MANY:
            score = 0.1
        elif place + 1 < len(lines) and lines[place + 1].context[-1:] == (line.name,):
            score = max(score, HEAD_OF_ITEM)
        mine = own[place] & wanted
        if mine:
            score += OWN_WORDS * sum(weight[word] for word in mine) / math.sqrt(len(own[place]))
        near = (around[place] & wanted) - mine
        if near:
            score += CONTEXT_WORDS * sum(weight[word] for word in near) / math.sqrt(len(around[place]))
        if (role, line.name) in done:
            score += 0.3
        if line.mark:
            score += 0.2
        if any(label in QUIET_PLACES for label in line.context):
            score -= 0.5
        result.append(score - 0.3 * place / len(lines))
    return result
