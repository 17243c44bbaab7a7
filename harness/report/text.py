"""Numbers and sentences as the page says them."""

from __future__ import annotations

import math

MINUS = "\u2212"


def sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def percent(rate: float) -> str:
    return f"{rate * 100:.1f}".removesuffix(".0") + "%"


def points(difference: float) -> str:
    return f"{difference * 100:+.1f}".replace("-", MINUS)


def short(value: float) -> str:
    """Three digits, without needless zeros: 0.125, 12.5, 1,250, 3.1e-5."""
    if value and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}".replace("-", MINUS)
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:,.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", MINUS)


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
