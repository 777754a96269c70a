"""The largest budget that fits a number of bytes."""

from __future__ import annotations

from collections.abc import Callable

from edgeolk.checks import MOST, check_int
from edgeolk.lean import TYPE_CHECKING

_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9}

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def parse_bytes(size: int | str) -> int:
    """Bytes of a size such as ``65536``, ``"64KiB"`` or ``"64 kB"``.

    Page: docs/reference.md.

    Parameters
    ----------
    size : int or str
        Bytes, or a number with the unit B, KiB, MiB, GiB (powers of 1024), kB, MB or GB (powers of
        1000). Case does not matter; a fraction of a byte is dropped.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        Not a size.
    """
    if isinstance(size, str):
        unit = size.strip().lstrip("0123456789.")
        digits, point, decimals = size.strip().removesuffix(unit).partition(".")
        numbers = (digits, decimals) if point else (digits,)
        if all(map(str.isdecimal, numbers)) and unit.strip().upper() in _UNITS:
            parts = 10 ** len(decimals)
            nbytes = int(digits + decimals) * _UNITS[unit.strip().upper()] // parts
            return check_int("ram", nbytes, 0, 2**62)
        raise ValueError(f"ram must be bytes, or a size such as '64KiB' or '64kB', got {size!r}")
    return check_int("ram", size, 0, 2**62)


def _smallest(configure: Callable[[int], T], cap: int) -> int:
    """The smallest budget that is accepted: a parameter made from B may need a large one."""
    refused, accepted = 0, 1
    while True:
        try:
            configure(accepted)
        except ValueError:
            if accepted > max(cap, 2) or accepted == MOST:
                raise
            refused, accepted = accepted, min(2 * accepted, MOST)
        else:
            break
    while accepted - refused > 1:
        middle = (refused + accepted) // 2
        try:
            configure(middle)
        except ValueError:
            refused = middle
        else:
            accepted = middle
    return accepted


def fit(
    configure: Callable[[int], T],
    nbytes: Callable[[T], int],
    ram: int | str,
    most: int = MOST - 1,
    *,
    leaner: Callable[[int], T] | None = None,
    without: bool = False,
    instead: Callable[[T, int], str] = lambda made, cap: "",
) -> T:
    """The configuration with the largest budget, up to ``most``, whose plan fits.

    ``nbytes``, the bytes of its plan, must not decrease with the budget. ``leaner`` configures
    where not even the smallest budget fits; ``without`` says whether a budget of 0 will do there,
    which is tried first. It is a ValueError if not even the smallest
    budget fits, with the words that ``instead`` has for it and the bytes there are.
    """
    cap = parse_bytes(ram)
    smallest = _smallest(configure, cap)
    least = nbytes(configure(smallest))
    if least > cap and without:
        smallest, least = 0, nbytes(configure(0))
        if least <= cap:
            return configure(0)
    if least > cap and leaner is not None:
        configure = leaner
        smallest = _smallest(configure, cap)
        least = nbytes(configure(smallest))
    if least > cap:
        more = instead(configure(smallest), cap)
        raise ValueError(f"ram must be at least {least} bytes for this model, got {cap}{more}")
    low, high = smallest, smallest + 1
    while high <= most and nbytes(configure(high)) <= cap:
        low, high = high, min(2 * high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if nbytes(configure(middle)) <= cap:
            low = middle
        else:
            high = middle
    return configure(low)
