"""The order in which ``fit`` visits rows, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.arrays import real_array

FloatArray = NDArray[np.float64]
RowNumbers = NDArray[np.intp]


#: The maximum number of visits in one epoch: row numbers take 8 bytes each, twice.
MAX_VISITS = 10**8


def checked_weight(weight: Any, n: int, name: str = "sample_weight") -> FloatArray | None:
    """Check the weights of n rows; return None if all are 1.

    Raises
    ------
    TypeError, ValueError
        Not numbers, a wrong shape, a negative or infinite weight, or no weight above 0.
    """
    if weight is None:
        return None
    weights = real_array(weight, name).astype(np.float64)
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim} dimensions"
        )
    if weights.shape != (n,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n,)}!")
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ValueError(f"{name} must be finite and not negative")
    if not (weights > 0.0).any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return None if (weights == 1.0).all() else weights


def refuse_too_many(weight: FloatArray | None, name: str) -> None:
    """Raise ValueError if the weights would take too many visits."""
    if weight is None:
        return
    with np.errstate(over="ignore"):
        n_visits = float(weight.sum())
    if n_visits > max(MAX_VISITS, len(weight)):
        raise ValueError(
            f"{name} must sum to at most {MAX_VISITS:g}, since fit visits a row as often as it"
            f" weighs, got a sum of {n_visits:.3g}: divide all of them by one number"
        )


def counted(weight: FloatArray | None, *arrays: Any) -> tuple[Any, ...]:
    """The weights above 0, and the corresponding items of the arrays."""
    if weight is None or (weight > 0.0).all():
        return weight, *arrays
    kept = np.flatnonzero(weight)
    return tuple(array[kept] for array in (weight, *arrays))


def canonical_order(X: Any, y: NDArray[Any]) -> RowNumbers:
    """An order of the rows that does not depend on their order in X.

    Rows are sorted by their projection on one fixed direction.
    """
    direction = np.random.RandomState(0).normal(size=X.shape[1])
    # Dense rows without BLAS, where the sum of a row depends on its position.
    projections = X @ direction if hasattr(X, "tocsr") else np.einsum("ij,j->i", X, direction)
    return np.lexsort((y, projections))


def visits(
    X: Any, y: NDArray[Any], weight: FloatArray | None, epochs: int, random: Any, shuffle: bool
) -> Iterator[RowNumbers]:
    """Yield the numbers of the rows to visit in each epoch, in order.

    Over all epochs a row is visited epochs times its weight, rounded at random: an integer weight
    repeats the row in each epoch, which every learner supports. If all weights are below 1, they
    are scaled so that the largest is 1.
    """
    n = X.shape[0]
    order = canonical_order(X, y) if shuffle else np.arange(n)
    chance = np.random.RandomState(random.randint(2**31 - 1))
    if weight is not None:
        weight = weight[order] / min(1.0, weight.max())
        start = chance.uniform(size=n)
    for epoch in range(epochs):
        rows = order
        if weight is not None:
            until = np.floor((epoch + 1) * weight + start)
            rows = np.repeat(order, (until - np.floor(epoch * weight + start)).astype(np.intp))
        yield rows[random.permutation(len(rows))] if shuffle else rows
