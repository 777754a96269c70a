"""The memory plan of a model, its longest step, and the largest budget that fits into bytes."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from edgeolk.checks import check_int
from edgeolk.configuration.arguments import Choice, Configure
from edgeolk.configuration.layout import layout, region_table, total
from edgeolk.configuration.regions import Region
from edgeolk.configuration.settings import Settings


@dataclass(frozen=True)
class Plan:
    """Memory of a model, to the byte; the model need not exist.

    Page: docs/reference.md.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm, or "custom".
    n_features, budget : int
        Dimension d and the maximum number of support vectors, B; for a feature basis, the number
        of frequencies, D.
    dtype : str
        Storage type of the support vectors, or of the weights of structured features.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose, element, shape)``, offsets from the start of the block.
        Scratch regions that are never in use together may overlap.
    nbytes : int
        Total, exactly what a learner takes.
    longest_step : str
        The cost of the longest step as a formula in B and d, and when it happens.
    coefficients : str
        Type of the coefficients.
    gamma_rows : int
        Rows from which the kernel width is computed; 0 if it is given or follows the rows.
    width_follows : bool
        Whether the kernel width follows the rows.
    kernel : str
        Why there is no kernel, and from how many bytes on one is worth more; "" if there is one.
    chosen : mapping
        The options whose defaults depend on the bytes, by name, as a learner takes them.
    """

    algorithm: str
    n_features: int
    budget: int
    dtype: str
    regions: tuple[Region, ...]
    nbytes: int
    longest_step: str
    coefficients: str = "float64"
    gamma_rows: int = 0
    width_follows: bool = False
    kernel: str = ""
    chosen: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def _title(self) -> str:
        title = f"{self.algorithm}: d = {self.n_features}, B = {self.budget}, {self.dtype}"
        if self.coefficients != "float64":
            title += f", coefficients {self.coefficients}"
        return title

    @property
    def _facts(self) -> dict[str, str]:
        """Properties below the regions, by name."""
        facts = {"longest step": self.longest_step}
        if self.kernel:
            facts["kernel"] = self.kernel
        if self.gamma_rows:
            facts["kernel width"] = f"from the first {self.gamma_rows} rows"
        if self.width_follows:
            facts["kernel width"] = "follows the rows"
        return facts

    def __str__(self) -> str:
        table = region_table(self._title, self.regions, self.nbytes)
        return "\n".join([table, *(f"{name:<18}  {text}" for name, text in self._facts.items())])

    def _repr_html_(self) -> str:
        """A map of the block and a table, which notebooks show."""
        from edgeolk.configuration.notebook import plan_html

        return plan_html(self._title, self.regions, self.nbytes, self._facts)


def plan_of(config: Settings) -> Plan:
    """The plan of a checked configuration.

    Raises ValueError: the block would exceed what this machine can address.
    """
    regions = layout(config)
    nbytes = total(regions)
    if nbytes > sys.maxsize:
        raise ValueError(f"a model of {nbytes} bytes cannot be addressed; reduce budget")
    return Plan(
        config.name,
        config.n_features,
        config.budget,
        config.dtype.name.lower(),
        regions,
        nbytes,
        config.longest_step,
        config.coefficients.name.lower(),
        config.preprocessing.gamma_rows,
        config.preprocessing.follows,
        _without_kernel(config),
        config.chosen_by_size,
    )


def _without_kernel(config: Settings) -> str:
    """Why a configuration has no kernel, "" if it has one."""
    if config.budget:
        return ""
    smallest = config.smallest_kernel
    if smallest is None:
        return "none: 32 frequencies do not fit"
    text = f"none: a linear model of {config.n_features} inputs is worth more here"
    if config.preprocessing.has_one_scale:
        return f"{text}, with one scale for all inputs (scale='common')"
    return f"{text}; a kernel pays from {total(layout(smallest)):,} bytes"


_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9}


class RamError(ValueError):
    """Not even the smallest model fits; ``least`` bytes, and no fewer, hold one."""

    def __init__(self, message: str, least: int) -> None:
        super().__init__(message)
        self.least = least

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (str(self), self.least)  # processes send each other exceptions


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

    Examples
    --------
    >>> import edgeolk as ek
    >>> ek.parse_bytes("64KiB")
    65536
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


def _smallest(configure: Configure, sizes: range) -> int:
    """The smallest valid budget: a parameter computed from B may need a large one."""

    def accepts(size: int) -> bool:
        try:
            configure(size)
        except ValueError:
            return False
        return True

    refused, size = sizes.start - 1, sizes.start
    while not accepts(size):
        if size == sizes[-1]:
            configure(size)  # raises with the reason
        refused, size = size, min(max(1, 2 * size), sizes[-1])
    return _first_that_holds(accepts, refused + 1, size)


def smallest_bytes(choice: Choice) -> int:
    """The bytes of the smallest plan of a choice of ``fit``."""
    configure, sizes = choice
    return _nbytes(configure(_smallest(configure, sizes)))


def _largest(configure: Configure, sizes: range, cap: int) -> Settings | None:
    """The configuration with the largest budget that fits; None if not even the smallest does."""
    smallest = _smallest(configure, sizes)
    if _nbytes(configure(smallest)) > cap:
        return None
    high = smallest + 1
    while high in sizes and _nbytes(configure(high)) <= cap:
        smallest, high = high, min(2 * high, sizes.stop)
    first_too_large = _first_that_holds(lambda n: _nbytes(configure(n)) > cap, smallest + 1, high)
    return configure(first_too_large - 1)


def first_that_fits(choices: Sequence[Choice], cap: int) -> Settings | None:
    """The configuration with the largest budget of the first of ``choices`` that fits, or None."""
    for configure, sizes in choices:
        try:
            largest = _largest(configure, sizes, cap)
        except ValueError:  # no budget works with such a default
            continue
        if largest is not None:
            return largest
    return None


def fit(choices: Sequence[Choice], ram: int | str) -> Settings:
    """The configuration with the largest budget of the first of ``choices`` that fits.

    A choice is a function that configures, and the budgets that it may have; the bytes of its plan
    must not decrease with the budget. Defaults that follow ``ram`` make several choices. The last
    one must not follow it, and must take the fewest bytes: so every ``ram`` from its smallest plan
    on fits, and none below.

    Raises RamError if nothing fits, with the number of bytes that would.
    """
    cap = parse_bytes(ram)
    if (found := first_that_fits(choices[:-1], cap)) is not None:
        return found
    configure, sizes = choices[-1]
    largest = _largest(configure, sizes, cap)
    if largest is not None:
        return largest
    min_bytes = smallest_bytes((configure, sizes))
    raise RamError(f"ram must be at least {min_bytes} bytes for this model, got {cap}", min_bytes)
