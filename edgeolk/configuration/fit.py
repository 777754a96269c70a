"""The largest budget that fits a number of bytes, and what would fit where none does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from edgeolk.checks import MOST, check_int
from edgeolk.configuration.layout import layout, total
from edgeolk.configuration.settings import Settings
from edgeolk.lean import replace
from edgeolk.preprocessing.scaling import COMMON_CLIP, INSIDE

_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9}

#: A budget -> what is made with it; ValueError where that is refused.
Configure = Callable[[int], Settings]


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


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number from ``low`` on that it ``holds`` for, as for all above; else ``high``."""
    return low + bisect_left(range(low, high), True, key=holds)


def _nbytes(config: Settings) -> int:
    return total(layout(config))


def _smallest(configure: Configure, cap: int) -> int:
    """The smallest budget that is accepted: a parameter made from B may need a large one."""

    def accepts(size: int) -> bool:
        try:
            configure(size)
        except ValueError:
            return False
        return True

    refused, size = 0, 1
    while not accepts(size):
        if size > max(cap, 2) or size == MOST:
            configure(size)  # says why
        refused, size = size, min(2 * size, MOST)
    return _first(accepts, refused + 1, size)


def _instead(config: Settings, cap: int) -> str:
    """What takes less than the smallest of these models, in words; "" for nothing.

    One scale for all inputs, or fewer classes.
    """
    said = ""
    prepared = config.preprocessing
    if prepared.method not in (0, INSIDE["common"]):
        common = replace(prepared, method=INSIDE["common"], clip=COMMON_CLIP, window=0)
        alike = _nbytes(replace(config, preprocessing=common))
        if alike < _nbytes(config):
            said += f"; or {alike} with scale='common' if all inputs have the same unit"
    beyond = _first(lambda n: _nbytes(replace(config, columns=n)) > cap, 2, config.columns)
    if beyond > 2:
        said += f"; or at most {beyond - 1} classes per block"
    return said


def fit(
    configure: Configure,
    ram: int | str,
    most: int = MOST - 1,
    *,
    leaner: Configure | None = None,
    without: bool = False,
) -> Settings:
    """The configuration with the largest budget, up to ``most``, whose plan fits.

    The bytes of its plan must not decrease with the budget. ``leaner`` configures where not even
    the smallest budget fits; ``without`` says whether a budget of 0 will do there, which is tried
    first. It is a ValueError if not even the smallest budget fits; it says what would.
    """
    cap = parse_bytes(ram)
    smallest = _smallest(configure, cap)
    least = _nbytes(configure(smallest))
    if least > cap and without:
        smallest, least = 0, _nbytes(configure(0))
        if least <= cap:
            return configure(0)
    if least > cap and leaner is not None:
        configure = leaner
        smallest = _smallest(configure, cap)
        least = _nbytes(configure(smallest))
    if least > cap:
        more = _instead(configure(smallest), cap)
        raise ValueError(f"ram must be at least {least} bytes for this model, got {cap}{more}")
    high = smallest + 1
    while high <= most and _nbytes(configure(high)) <= cap:
        smallest, high = high, min(2 * high, most + 1)
    beyond = _first(lambda size: _nbytes(configure(size)) > cap, smallest + 1, high)
    return configure(beyond - 1)
