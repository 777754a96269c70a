"""Formats of figures; an undefined figure is a dash."""

from __future__ import annotations

from firmware_sim.metrics.base import Number


def rounded(value: float, form: str) -> str:
    """Return a number in a format; what is 0 there has no minus."""
    text = f"{value:{form}}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def percent(value: Number) -> str:
    """Return a share in percent."""
    return "-" if value is None else f"{rounded(100 * value, '.2f')} %"


def short(value: Number) -> str:
    """Return a number with four significant digits."""
    return "-" if value is None else rounded(value, ".4g")


def thousandths(value: Number) -> str:
    """Return a number with three decimals."""
    return "-" if value is None else rounded(value, ".3f")


def count(value: Number) -> str:
    """Return an integer with thousands separators."""
    return "-" if value is None else f"{value:,.0f}"


def duration(seconds: Number) -> str:
    """Return a duration in a suitable unit."""
    if seconds is None:
        return "-"
    for unit, length in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"
