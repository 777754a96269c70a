"""Where every byte of a model goes, known before anything is built."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from edgeolk.catalogue import find
from edgeolk.config import ITEM_BYTES, MOST, QUERY_BYTES, Config, resolve, whole
from edgeolk.core.arena import ALIGNMENT
from edgeolk.core.header import HEADER_BYTES
from edgeolk.deadline import longest_step
from edgeolk.kernels import Kernel
from edgeolk.parts import Algorithm, Averaging, Basis, Dtype, Policy, Projection, Rows


class Region(NamedTuple):
    """A named part of the block: offset and size in bytes."""

    name: str
    offset: int
    nbytes: int
    purpose: str


class Kind(NamedTuple):
    """How large a region is for a configuration, and what it is for."""

    size: Callable[[Config], int]
    purpose: str


def _triangle(n: int) -> int:
    return n * (n + 1) // 2


def _factor_rows(config: Config) -> int:
    if config.parts["policy"] == Policy.ANCHOR:
        return min(config.budget, int(config.values["b0"]))
    return config.slots


def _gram_rows(config: Config) -> int:
    return config.budget // 2 if config.parts["policy"] == Policy.HALVE else config.budget


#: Regions in the order they lie in. State first; from "query" on, scratch.
KINDS: dict[str, Kind] = {
    "header": Kind(lambda c: HEADER_BYTES, "configuration, counters, generator state"),
    "support_vectors": Kind(
        lambda c: c.n_features * c.stride * ITEM_BYTES[c.dtype], "the ring, one row per feature"
    ),
    "coefficients": Kind(lambda c: 8 * c.coefficients, "dual coefficients over the common scale"),
    "quantum_scale": Kind(lambda c: 4 * c.n_features, "int8: step between levels, by feature"),
    "quantum_offset": Kind(lambda c: 4 * c.n_features, "int8: number at level 0, by feature"),
    "diagonal": Kind(lambda c: 8 * c.slots, "k(s, s) of each support vector"),
    "arrivals": Kind(lambda c: 8 * c.slots, "step of arrival of each support vector"),
    "norms": Kind(
        lambda c: QUERY_BYTES[c.dtype] * c.stride, "norm of each support vector, for sparse rows"
    ),
    "mean_start": Kind(lambda c: 8 * c.coefficients, "averaging: weight before each arrival"),
    "mean_sum": Kind(lambda c: 8 * c.coefficients, "averaging: sums settled so far"),
    "nearest": Kind(lambda c: 8 * c.budget, "slot of each one's nearest support vector"),
    "nearest_distance": Kind(lambda c: 8 * c.budget, "squared distance to it"),
    "nearest_kernel": Kind(lambda c: 8 * c.budget, "kernel with it"),
    "factor": Kind(
        lambda c: 8 * _triangle(_factor_rows(c)), "Gram matrix, or its factor's inverse, packed"
    ),
    "inverse": Kind(lambda c: 8 * _triangle(c.budget), "inverse of the Gram matrix, packed"),
    "scores": Kind(lambda c: 8 * c.slots, "f of each support vector over the common scale"),
    "feature_map": Kind(lambda c: 8 * c.budget**2, "eigenvectors, then the map to features"),
    "window": Kind(
        lambda c: c.n_features * c.window_stride * ITEM_BYTES[c.dtype], "last examples, for hints"
    ),
    "window_labels": Kind(lambda c: 8 * c.window_stride, "their labels"),
    "query": Kind(lambda c: c.n_features * QUERY_BYTES[c.dtype], "scratch: the example"),
    "nonzero_index": Kind(lambda c: 4 * c.n_features, "scratch: where the example is not zero"),
    "nonzero_value": Kind(
        lambda c: QUERY_BYTES[c.dtype] * c.n_features, "scratch: its numbers there"
    ),
    "column": Kind(lambda c: c.n_features * QUERY_BYTES[c.dtype], "scratch: one support vector"),
    "kernel_row": Kind(lambda c: 8 * c.coefficients, "scratch: k(s_i, x), or features of x"),
    "distance_row": Kind(lambda c: 8 * c.stride, "scratch: squared distances"),
    "mean_coefficients": Kind(
        lambda c: 8 * c.coefficients, "scratch: coefficients of the mean model"
    ),
    "gram": Kind(lambda c: 8 * _triangle(_gram_rows(c)), "scratch: factor of a Gram matrix"),
    "work": Kind(lambda c: 8 * c.slots, "scratch: vector of the linear algebra"),
    "work2": Kind(lambda c: 8 * c.slots, "scratch: a second one"),
    "order": Kind(lambda c: 4 * c.budget, "scratch: slots by size"),
}

#: What each budget policy needs beyond the ring.
POLICY_REGIONS: dict[Policy, tuple[str, ...]] = {
    Policy.SMALLEST: ("arrivals",),
    Policy.FORGETRON: ("column",),
    Policy.SIMPLE: ("kernel_row", "diagonal"),
    Policy.HALVE: ("kernel_row", "column", "gram", "work", "order"),
    Policy.SPAN: ("kernel_row", "factor", "work"),
    Policy.NEAREST: (
        *("kernel_row", "distance_row", "column", "diagonal"),
        *("nearest", "nearest_distance", "nearest_kernel"),
    ),
    Policy.PROJECT: ("kernel_row", "inverse", "work", "work2", "column"),
    Policy.UNBIASED_BY_SIZE: ("work", "diagonal"),
    Policy.LIGHTEST: ("arrivals", "diagonal"),
    Policy.LIGHTEST_PROJECT: (
        *("kernel_row", "factor", "gram", "work", "column"),
        *("arrivals", "diagonal"),
    ),
    Policy.MERGE: ("distance_row", "column", "arrivals", "work", "work2"),
    Policy.ANCHOR: ("kernel_row", "column", "factor", "work", "window", "window_labels"),
    Policy.FORGETRON_BASIC: ("column", "diagonal"),
    Policy.FORGETRON_GREEDY: ("kernel_row", "column", "arrivals", "scores", "work"),
}

#: What each basis needs beyond the ring.
BASIS_REGIONS: dict[Basis, tuple[str, ...]] = {
    Basis.FOURIER: ("kernel_row",),
    Basis.NYSTROM: ("kernel_row", "column", "feature_map", "work", "work2"),
}


def needed(config: Config) -> set[str]:
    """Names of the regions a configuration has."""
    names = {"header", "support_vectors", "coefficients", "query"}
    names.update(POLICY_REGIONS.get(Policy(config.parts["policy"]), ()))
    if config.parts["rows"] == Rows.SPARSE:
        names.update(("norms", "nonzero_index", "nonzero_value"))
    if config.dtype == Dtype.INT8:
        names.update(("quantum_scale", "quantum_offset"))
    names.update(BASIS_REGIONS.get(Basis(config.parts["basis"]), ()))
    if config.tracks_norm and config.removes:
        names.update(("column", "diagonal"))
    if config.parts["projection"] == Projection.COEFFICIENTS:
        names.add("diagonal")
    if config.parts["averaging"] == Averaging.MEAN:
        names.update(("mean_start", "mean_coefficients"))
        if config.rescales:
            names.add("mean_sum")
    if "factor" in names and _factor_rows(config) == 0:
        names.discard("factor")
    if config.kernel.normalised:
        names.discard("diagonal")
    return names


def layout(config: Config) -> tuple[Region, ...]:
    """Regions of a configuration, each on a 64-byte boundary, alignment slack last."""
    names = needed(config)
    regions = []
    offset = 0
    for name, kind in KINDS.items():
        if name in names:
            nbytes = -(-kind.size(config) // ALIGNMENT) * ALIGNMENT
            regions.append(Region(name, offset, nbytes, kind.purpose))
            offset += nbytes
    slack = "slack: any buffer serves, wherever it starts"
    return (*regions, Region("alignment", offset, ALIGNMENT, slack))


def region_table(title: str, regions: tuple[Region, ...], nbytes: int) -> str:
    """A plan as text."""
    lines = [title, f"{'region':<18}{'offset':>10}{'bytes':>12}  purpose"]
    lines += [f"{r.name:<18}{r.offset:>10}{r.nbytes:>12}  {r.purpose}" for r in regions]
    lines.append(f"{'total':<18}{'':>10}{nbytes:>12}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Plan:
    """Memory of a model that need not exist yet.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm, or "custom".
    n_features, budget : int
        Dimension d and the most support vectors ever held, B.
    dtype : str
        Storage type of the support vectors.
    regions : tuple of Region
        ``(name, offset, nbytes, purpose)``, offsets from the start of the block.
    nbytes : int
        Total, exactly what a learner takes.
    longest_step : str
        What the longest step costs, as a formula in B and d, and when it comes.
    """

    algorithm: str
    n_features: int
    budget: int
    dtype: str
    regions: tuple[Region, ...]
    nbytes: int
    longest_step: str

    def __str__(self) -> str:
        title = f"{self.algorithm}: d = {self.n_features}, B = {self.budget}, {self.dtype}"
        table = region_table(title, self.regions, self.nbytes)
        return f"{table}\n{'longest step':<18}  {self.longest_step}"


def plan_of(config: Config) -> Plan:
    """The plan of a checked configuration.

    Raises
    ------
    ValueError
        The block would exceed what this machine can address.
    """
    regions = layout(config)
    total = regions[-1].offset + regions[-1].nbytes
    if total > sys.maxsize:
        raise ValueError(f"a model of {total} bytes cannot be addressed; reduce budget")
    return Plan(
        config.name,
        config.n_features,
        config.budget,
        config.dtype.name.lower(),
        regions,
        total,
        longest_step(config),
    )


_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9}


def parse_bytes(size: int | str) -> int:
    """Bytes of a size such as ``65536``, ``"64KiB"`` or ``"64 kB"`` (1 KiB = 1024, 1 kB = 1000).

    Raises
    ------
    TypeError, ValueError
        Not a size.
    """
    if isinstance(size, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", size)
        if match and match[2].upper() in _UNITS:
            nbytes = int(Fraction(match[1]) * _UNITS[match[2].upper()])
            return whole("ram", nbytes, 0, 2**62)
        raise ValueError(f"ram must be bytes, or a size such as '64KiB' or '64kB', got {size!r}")
    return whole("ram", size, 0, 2**62)


def _smallest(configure: Callable[[int], Config], cap: int) -> int:
    """The smallest budget that has a meaning; a parameter made from B may need a large one."""
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


def fit(configure: Callable[[int], Config], ram: int | str) -> Config:
    """The configuration with the largest budget whose plan fits.

    Parameters
    ----------
    configure : callable
        Budget -> Config. The plan's total must not decrease with the budget.
    ram : int or str
        Bytes, or a size such as ``"64KiB"``.

    Raises
    ------
    ValueError
        Not even the smallest budget fits.
    """
    cap = parse_bytes(ram)

    def total(budget: int) -> int:
        slack = layout(configure(budget))[-1]
        return slack.offset + slack.nbytes

    smallest = _smallest(configure, cap)
    least = total(smallest)
    if least > cap:
        raise ValueError(f"ram must be at least {least} bytes for this model, got {cap}")
    low, high = smallest, smallest + 1
    while high < MOST and total(high) <= cap:
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        if total(middle) <= cap:
            low = middle
        else:
            high = middle
    return configure(low)


def _is_fourier(algorithm: Algorithm | str | None, params: dict[str, Any]) -> bool:
    if algorithm is None:
        return str(params.get("basis")).lower() in ("fourier", str(int(Basis.FOURIER)))
    return find(algorithm).parts.get("basis") == Basis.FOURIER


def choose(
    algorithm: Algorithm | str | None,
    *,
    n_features: int,
    budget: int | None,
    ram: int | str | None,
    kernel: Kernel | None,
    dtype: Any,
    seed: int,
    sparse: bool,
    params: dict[str, Any],
) -> Config:
    """A checked configuration from a budget or from a cap.

    Raises
    ------
    TypeError, ValueError
        See ``resolve`` and ``fit``.
    """
    params = dict(params)
    if _is_fourier(algorithm, params):
        # D features are the budget of a Fourier basis, by the name of its paper.
        features = params.pop("D", None)
        if features is not None and budget is not None:
            raise TypeError("give D= or budget=, which are the same here, and not both")
        budget = features if features is not None else budget
        if budget is None and ram is None:
            budget = 100
    if (budget is None) == (ram is None):
        raise TypeError("give budget= or ram=, and not both")

    def configure(size: int) -> Config:
        return resolve(
            algorithm,
            n_features=n_features,
            budget=size,
            kernel=kernel,
            dtype=dtype,
            seed=seed,
            sparse=sparse,
            params=params,
        )

    if budget is not None:
        return configure(budget)
    assert ram is not None
    return fit(configure, ram)


def plan(
    algorithm: Algorithm | str | None = None,
    *,
    n_features: int,
    budget: int | None = None,
    ram: int | str | None = None,
    kernel: Kernel | None = None,
    dtype: Any = "float32",
    seed: int = 0,
    sparse: bool = False,
    **params: Any,
) -> Plan:
    """Every region of a model with its bytes, without building it.

    Parameters
    ----------
    algorithm : str or Algorithm, optional
        A published algorithm; without it, a composition by ``update=``, ``loss=``, ``policy=``...
    n_features : int
        Dimension d.
    budget : int, optional
        The most support vectors ever held, B.
    ram : int or str, optional
        Bytes, or a size such as ``"64KiB"``: the plan of the largest B that fits.
    kernel, dtype, seed, sparse, **params
        As for ``Learner``.

    Returns
    -------
    Plan
        ``plan.nbytes`` is exactly ``Learner(...).nbytes``.

    Raises
    ------
    TypeError, ValueError
        As ``Learner`` would.
    """
    config = choose(
        algorithm,
        n_features=n_features,
        budget=budget,
        ram=ram,
        kernel=kernel,
        dtype=dtype,
        seed=seed,
        sparse=sparse,
        params=params,
    )
    return plan_of(config)
