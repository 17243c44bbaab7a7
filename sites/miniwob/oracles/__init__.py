"""Oracles by the name of their page: each is given the first snapshot and what the page asks for."""

from __future__ import annotations

from sites.miniwob.oracles import clicking

ORACLES = clicking.ORACLES
