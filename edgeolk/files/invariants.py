"""Checks of a model's state before the compiled core may run on it.

The core trusts its state: it uses counts as indices and does not check divisors. So every state
from outside (a file, a buffer, a pickle) is checked here first, in one pass over the numbers,
whatever their format was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from math import inf, isfinite, isnan
from operator import add, mul
from typing import TYPE_CHECKING, Any

from edgeolk.checks import require
from edgeolk.files.scaler_state import check_preprocessing
from edgeolk.files.sorf_state import check_sorf
from edgeolk.parts import Basis, Dtype, Family, KernelKind, Policy, Update
from edgeolk.parts.storage import COEFFICIENTS, ELEMENTS

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

    Words = Mapping[str, float]
    Regions = Mapping[str, memoryview[Any]]
    Read = Callable[[memoryview[Any]], tuple[float, ...]]


#: Margin for rounding over the bounds of core/numbers.pxd; bounds of |x|^2 for a sigmoid.
_ROUNDED, _MAX_WIDE, _MAX_NARROW = 1.01, 1.01e100, 1.01e36
#: The largest product in float32.
_MAX_FLOAT = 3.41e38


def _longest(config: Any) -> float:
    """The largest |x|^2 in range."""
    kernel, wide = config.kernel, config.vectors == Dtype.FLOAT64
    if kernel.kind == KernelKind.SIGMOID:
        return _MAX_WIDE if wide else _MAX_NARROW
    limit = _ROUNDED * COEFFICIENTS[config.coefficients].max_kernel
    if kernel.kind == KernelKind.POLYNOMIAL:
        _, degree, _, scale, offset = kernel.fields()
        limit = (limit ** (1.0 / degree) + abs(offset)) / scale
    return limit if wide else min(limit, _MAX_FLOAT)


def _squares(
    config: Any, numbers: memoryview[Any], used: int, levels: memoryview[Any] | None
) -> Iterable[float]:
    """|s|^2 of each slot in use, from feature-major numbers."""
    stride = len(numbers) // config.n_features
    read = ELEMENTS[config.storage.element].read
    totals: Iterable[float] = repeat(0.0, used)
    for j in range(config.n_features):
        row: Any = numbers[j * stride : j * stride + used]
        if read is not None:
            row = read(row)
        elif levels is not None:
            size, start = levels[j], levels[config.n_features + j]
            row = [size * q + start for q in row]
        totals = list(map(add, totals, map(mul, row, row)))
    return totals


def lengths_hold(
    config: Any, numbers: memoryview[Any], used: int, levels: memoryview[Any] | None
) -> bool:
    """Whether every vector of a ring or a window is short enough for a step.

    ``numbers`` has shape (d, stride), flat, in the storage type or its bits, all finite; ``used``
    slots hold vectors; ``levels`` are scales and offsets of int8 levels, None for other types.
    """
    if config.kernel.normalised:
        return True
    limit = _longest(config)
    if levels is None and ELEMENTS[config.storage.element].read is None:
        # No vector is longer than one with the largest number in every entry.
        largest = max(map(abs, numbers), default=0.0)
        if config.n_features * largest * largest <= limit:
            return True
    return max(_squares(config, numbers, used, levels), default=0.0) <= limit


#: The largest counter: a step may add to it without overflow.
MAX_COUNT = 2**62
_LABELS = frozenset((-1.0, 1.0))
#: Numbers of a ring that are read at once.
_AT_ONCE = 1024
_COUNTERS = (
    *("n_support", "steps", "mistakes", "updates", "capacity_hits", "cursor", "removals"),
    *("labels_asked", "clipped", "rank", "halvings", "seen", "anchored"),
    *("steps_before", "clipped_rows", "n_skipped"),
)
#: If k(s, s) = 1, rounding errors do not make a pivot of an inverse this small.
_MIN_INVERSE_PIVOT = 1e-3
#: Lower bound of 1 / (lam t): pegasos.pxd.
_MIN_PEGASOS_SCALE = 1e-300
#: The largest |alpha|, whose square is finite; coefficient without the common scale; norm.
_MAX_ALPHA, _MAX_COEFFICIENT, _MAX_SQUARE = 1e150, 1e250, 1e302
#: The largest entry of matrices derived from the Gram matrix, for kernels that are at most 1 and
#: for others; k(x, x).
_MAX_IF_NORMALISED, _MAX_OTHERWISE, _MAX_KERNEL = 1e60, 1e302, 1e101
#: Regions in which unused slots must be finite too: loops run over full SIMD vectors.
_VECTORS = ("support_vectors", "window")
_ALL_SLOTS = (*_VECTORS, "coefficients", "window_labels", "per_update")


def _all_finite(numbers: memoryview[Any], read: Read | None = None) -> bool:
    """Whether all numbers are finite; ``read`` decodes stored bits."""
    if numbers.format == "b":
        return True
    if read is None:
        return all(map(isfinite, numbers))
    for at in range(0, len(numbers), _AT_ONCE):
        if not all(map(isfinite, read(numbers[at : at + _AT_ONCE]))):
            return False
    return True


def _within(numbers: memoryview[Any], limit: float) -> bool:
    """Whether every absolute value is at most ``limit``; false for NaN."""
    return _no_nan(numbers) and max(map(abs, numbers), default=0.0) <= limit


def _no_nan(numbers: memoryview[Any]) -> bool:
    return not any(map(isnan, numbers))


def _check_counters(config: Settings, words: Words) -> None:
    for name in _COUNTERS:
        value = words.get(name, 0)
        require(0 <= value <= MAX_COUNT, f"{name} is {value}")
    steps, updates = words["steps"], words.get("updates", 0)
    require(updates <= steps, f"{updates} updates in {steps} steps")
    for name in ("mistakes", "capacity_hits"):
        require(words.get(name, 0) <= steps, f"{words.get(name)} {name} in {steps} steps")
    for name in ("halvings", "removals"):
        require(words.get(name, 0) <= updates, f"{words.get(name)} {name} in {updates} updates")
    optimistic = config.parts.get("update") == Update.OPTIMISTIC
    # Only reported, and may have overflowed to infinity.
    for name in ("squared_error", "absolute_error"):
        error = words.get(name, 0.0)
        require(0.0 <= error <= inf, f"{name} is {error}")
    seen = words.get("seen", 0)
    require(seen == (steps if optimistic else 0), f"{seen} examples went through the window")


def _check_sizes(config: Any, words: Words) -> None:
    n, budget, rank = words["n_support"], config.budget, words.get("rank", 0)
    cursor, anchored = words.get("cursor", 0), words.get("anchored", 0)
    basis, policy = config.parts["basis"], config.parts["policy"]
    require(n <= budget, f"{n} support vectors of {budget}")
    if config.basis.starts_full:
        require(n == budget, f"{n} frequencies of {budget}")
    else:
        require(n <= words.get("updates", 0), f"{n} support vectors from fewer updates")
    require(cursor < budget and (cursor == 0 or n == budget), f"cursor {cursor}")
    if basis == Basis.NYSTROM and n == budget:
        # The basis changes in the step that fills the ring.
        require(1 <= rank <= config.values["rank"], f"rank {rank} with a full ring")
    else:
        require(rank == 0, f"rank {rank}")
    if config.policy.never_full:
        require(n < budget, "the ring is full, but the step that fills it empties a part of it")
    if policy == Policy.ANCHOR:
        b0 = config.values["b0"]
        require(anchored <= 1, f"anchored is {anchored}")
        require(anchored == 1 or n == 0 or n < b0, "projecting has not ended at b0")


def _check_scale(config: Any, words: Words) -> None:
    """Check the common scale: beyond its range it is multiplied into the coefficients."""
    scale, steps = words.get("scale", 1.0), words["steps"]
    if config.parts["update"] == Update.PEGASOS and (steps > 1 or scale != 1.0):
        # Set from the number of steps; a torn step may have missed the scale or the counter.
        lam = config.values["lam"]
        first = max(1.0 / (lam * (steps + 1)), _MIN_PEGASOS_SCALE)
        last = max(1.0 / (lam * max(steps - 1, 1)), _MIN_PEGASOS_SCALE)
        good = 0.999 * first <= scale <= 1.001 * last
        require(good, f"scale is {scale} after {steps} steps")
        return
    limit = COEFFICIENTS[config.coefficients].max_factor
    require(1.0 / limit <= scale <= limit, f"scale is {scale}")


def _check_reals(config: Any, words: Words) -> None:
    _check_scale(config, words)
    for name, limit in (
        ("norm2", _MAX_SQUARE),
        ("hint_error", _MAX_SQUARE),
        ("mean_weight", _MAX_ALPHA),
    ):
        value = words.get(name, 0.0)
        require(0.0 <= value <= limit, f"{name} is {value}")
    spent = words.get("forgetron_q", 0.0)
    require(abs(spent) <= _MAX_SQUARE, f"forgetron_q is {spent}")
    if config.policy.bounds_cost:
        # The shrinking factor is computed from this difference, which must stay positive.
        allowed = 0.46875 * words.get("mistakes", 0)
        require(spent <= allowed + 1e-6 * (1.0 + allowed), f"forgetron_q is {spent}")


def _columns(config: Any, numbers: memoryview[Any]) -> list[memoryview[Any]]:
    """The columns of a region with one number per class and slot."""
    length = len(numbers) // config.columns
    columns = []
    for at in range(0, len(numbers), length):
        columns.append(numbers[at : at + length])
    return columns


def _check_ring(config: Any, words: Words, regions: Regions) -> None:
    """Support vectors, coefficients and the hint window."""
    for name in _ALL_SLOTS:
        if name in regions:
            read = ELEMENTS[config.storage.element].read if name in _VECTORS else None
            require(_all_finite(regions[name], read), f"{name} must be finite")
    n, rank = int(words["n_support"]), int(words.get("rank", 0))
    held = int(min(words.get("seen", 0), config.values.get("hint_rows", 0)))
    levels = regions["levels"] if config.vectors == Dtype.INT8 else None
    for name, slots in (("support_vectors", n), ("window", held)):
        if name in regions:
            good = lengths_hold(config, regions[name], slots, levels)
            require(good, f"{name}: the norm of a vector is too large for the kernel")
    used = rank or config.basis.per_member * n
    scale = words.get("scale", 1.0)
    real = COEFFICIENTS[config.coefficients]
    alpha = real.max_alpha
    # A running sum is computed from coefficients and the weight of the mean.
    bare = alpha if "mean_sum" in regions else real.max_stored
    for column in _columns(config, regions["coefficients"]):
        require(_within(column, min(bare, alpha / scale)), "a coefficient is out of range")
        require(not any(column[used:]), "a coefficient beyond those in use is not 0")
    if "window_labels" in regions:
        labels = regions["window_labels"]
        signs = all(map(_LABELS.__contains__, labels[:held]))
        require(signs, "a label in the window is not -1 or 1")
        require(not any(labels[held:]), "there are labels beyond the window")
    for name, limit in (("mean_start", _MAX_ALPHA), ("mean_sum", _MAX_SQUARE)):
        if name in regions:
            for column in _columns(config, regions[name]):
                require(_within(column[:used], limit), f"{name} is out of range")


def _check_slots(config: Any, words: Words, regions: Regions) -> None:
    """Check the numbers stored with each support vector, and the threshold of novelty."""
    if "novelty" in regions:
        require(_all_finite(regions["novelty"]), "the threshold of novelty must be finite")
    n, steps = int(words["n_support"]), words["steps"]
    if "arrivals" in regions:
        for arrival in regions["arrivals"][:n]:
            require(0 <= arrival <= steps, f"an arrival at step {arrival} of {steps}")
    if "nearest" in regions:
        for slot, other in enumerate(regions["nearest"][:n]):
            held = -1 <= other < n and other != slot
            require(held, f"a neighbour that is not held: slot {other} of {n}")
    if "nearest_distance" in regions:
        distances = regions["nearest_distance"][:n]
        good = _no_nan(distances) and min(distances, default=0.0) >= 0.0
        require(good, "a distance is negative")
    if "nearest_kernel" in regions:
        values = regions["nearest_kernel"][:n]
        limit = _MAX_IF_NORMALISED if config.kernel.normalised else _MAX_KERNEL
        require(_within(values, limit), "the kernel with a neighbour is out of range")
    if "norms" in regions:
        norms = regions["norms"][:n]
        require(_no_nan(norms) and min(norms, default=0.0) >= 0.0, "a norm is negative")
    if "diagonal" in regions:
        diagonal = regions["diagonal"][:n]
        signed = config.kernel.kind == KernelKind.SIGMOID
        lowest = 0.0 if signed else min(diagonal, default=0.0)
        require(_within(diagonal, _MAX_KERNEL), "k(x, x) of a support vector is out of range")
        require(lowest >= 0.0, "k(x, x) of a support vector is negative")
    if "scores" in regions:
        require(_within(regions["scores"][:n], _MAX_COEFFICIENT), "scores are out of range")
    if config.vectors == Dtype.INT8:
        scale = regions["levels"][: config.n_features]
        offset = regions["levels"][config.n_features :]
        good = _all_finite(scale) and _all_finite(offset) and min(scale) > 0.0
        require(good, "its int8 levels are not finite and increasing")


def _triangle(n: int) -> int:
    return n * (n + 1) // 2


def _check_matrices(config: Any, words: Words, regions: Regions) -> None:
    """Check factors, inverses and the change of basis."""
    n, rank = int(words["n_support"]), int(words.get("rank", 0))
    limit = _MAX_IF_NORMALISED if config.kernel.normalised else _MAX_OTHERWISE
    if "factor" in regions and not words.get("anchored", 0):
        rows = regions["factor"][: _triangle(n)]
        require(_within(rows, limit), "factor is out of range")
        if config.policy.factor_pivots:
            for i in range(1, n + 1):
                require(rows[_triangle(i) - 1] > 0.0, "a pivot of the factor is not positive")
    if "inverse" in regions:
        rows = regions["inverse"][: _triangle(n)]
        require(_within(rows, limit), "inverse is out of range")
        # For a Gram matrix K, (K^-1)_ii is at least 1 / K_ii, far above this bound.
        lowest = _MIN_INVERSE_PIVOT if config.kernel.normalised else 0.0
        for i in range(1, n + 1):
            require(rows[_triangle(i) - 1] > lowest, "a pivot of the inverse is not positive")
    if "feature_map" in regions:
        require(_within(regions["feature_map"][: rank * n], limit), "feature_map is out of range")


def _check_ring_family(config: Any, words: Words, regions: Regions) -> None:
    _check_sizes(config, words)
    _check_reals(config, words)
    _check_ring(config, words, regions)
    _check_slots(config, words, regions)
    _check_matrices(config, words, regions)


_OF_FAMILY: dict[Family, Callable[[Any, Words, Regions], None]] = {
    Family.RING: _check_ring_family,
    Family.SORF: check_sorf,
}


def check_state(config: Settings, words: Words, regions: Regions) -> None:
    """Check the state of a model from an untrusted source.

    ``config`` has been checked. ``words`` are the words of state by name: at least ``n_support``
    and ``steps``; missing ones count as 0 (``scale`` as 1). ``regions`` are the regions of state,
    each flat and cast to the type of its elements. Raises ValueError with what is wrong: learning
    cannot lead to this state.
    """
    _check_counters(config, words)
    check_preprocessing(config, words, regions)
    _OF_FAMILY[config.family](config, words, regions)
