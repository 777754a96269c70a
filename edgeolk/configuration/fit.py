"""The largest budget that fits into a number of bytes, or what would fit if no budget does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from edgeolk.checks import MAX_SIZE, check_int
from edgeolk.configuration.layout import layout, total
from edgeolk.configuration.settings import Settings
from edgeolk.lean import replace
from edgeolk.preprocessing.scaling import COMMON_CLIP, INSIDE

_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9}

#: A budget -> its settings; raises ValueError if they are invalid.
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


def _first_that_holds(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number from ``low`` for which a monotone ``holds`` is true, or ``high``."""
    return low + bisect_left(range(low, high), True, key=holds)


def _nbytes(config: Settings) -> int:
    return total(layout(config))


def _smallest(configure: Configure, cap: int) -> int:
    """The smallest valid budget: a parameter computed from B may need a large one."""

    def accepts(size: int) -> bool:
        try:
            configure(size)
        except ValueError:
            return False
        return True

    refused, size = 0, 1
    while not accepts(size):
        if size > max(cap, 2) or size == MAX_SIZE:
            configure(size)  # raises with the reason
        refused, size = size, min(2 * size, MAX_SIZE)
    return _first_that_holds(accepts, refused + 1, size)


def _alternatives(config: Settings, cap: int) -> str:
    """Alternatives that take less than the smallest of these models, as text; "" if there are none.

    One scale for all inputs, or fewer classes.
    """
    text = ""
    preprocessing = config.preprocessing
    if preprocessing.method not in (0, INSIDE["common"]):
        common = replace(preprocessing, method=INSIDE["common"], clip=COMMON_CLIP, window=0)
        common_bytes = _nbytes(replace(config, preprocessing=common))
        if common_bytes < _nbytes(config):
            text += f"; or {common_bytes} with scale='common' if all inputs have the same unit"
    beyond = _first_that_holds(
        lambda n: _nbytes(replace(config, columns=n)) > cap, 2, config.columns
    )
    if beyond > 2:
        text += f"; or at most {beyond - 1} classes per block"
    return text


def fit(
    configure: Configure,
    ram: int | str,
    max_budget: int = MAX_SIZE - 1,
    *,
    fallback: Configure | None = None,
    allow_zero: bool = False,
) -> Settings:
    """The configuration with the largest budget, up to ``max_budget``, whose plan fits.

    The bytes of a plan must not decrease with the budget. If not even the smallest budget fits, a
    budget of 0 is tried (with ``allow_zero``), then ``fallback`` instead of ``configure``. Raises
    ValueError if nothing fits, with the number of bytes that would.
    """
    cap = parse_bytes(ram)
    smallest = _smallest(configure, cap)
    min_bytes = _nbytes(configure(smallest))
    if min_bytes > cap and allow_zero:
        smallest, min_bytes = 0, _nbytes(configure(0))
        if min_bytes <= cap:
            return configure(0)
    if min_bytes > cap and fallback is not None:
        configure = fallback
        smallest = _smallest(configure, cap)
        min_bytes = _nbytes(configure(smallest))
    if min_bytes > cap:
        more = _alternatives(configure(smallest), cap)
        raise ValueError(f"ram must be at least {min_bytes} bytes for this model, got {cap}{more}")
    high = smallest + 1
    while high <= max_budget and _nbytes(configure(high)) <= cap:
        smallest, high = high, min(2 * high, max_budget + 1)
    beyond = _first_that_holds(lambda size: _nbytes(configure(size)) > cap, smallest + 1, high)
    return configure(beyond - 1)
