"""Oracles by the name of their page: each is given the first snapshot and what the page asks for.

Pages that are missing here need what the actions or the snapshots don't have: a shape's colour, a drag, a place in a
picture.
"""

from __future__ import annotations

from sites.miniwob.oracles import clicking, dates, forms, keys, mail, reading
from sites.miniwob.oracles.steps import Play

ORACLES: dict[str, Play] = {
    **clicking.ORACLES,
    **dates.ORACLES,
    **forms.ORACLES,
    **keys.ORACLES,
    **mail.ORACLES,
    **reading.ORACLES,
}
