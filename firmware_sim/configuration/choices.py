"""Algorithms by name, the recommended one, and the defaults of each."""

from __future__ import annotations

from functools import lru_cache

import edgeolk as ek

#: Default constant terms of the kernels that have one.
OFFSETS = {"polynomial": ek.Polynomial.offset, "sigmoid": ek.Sigmoid.offset}
#: The default algorithm.
RECOMMENDED = ek.Config(n_features=1).name
NOT_PARAMETERS = ("n_features", "budget", "ram", "kernel", "dtype", "seed", "buffer")


def canonical(algorithm: str) -> str:
    """Return the library's spelling of an algorithm; unknown names are returned unchanged."""
    lower = algorithm.lower()
    return lower if lower in {row.name for row in ek.algorithms()} else algorithm


def offset_of(kernel: str, given: float | None) -> float | None:
    """Return the constant term of a kernel: the given one or its default; None if it has none."""
    own = OFFSETS.get(kernel)
    return own if own is None or given is None else given


@lru_cache
def storage_of(algorithm: str) -> str:
    """Return the default storage type of an algorithm."""
    try:
        return str(ek.plan(algorithm, n_features=1, budget=64).dtype)
    except (TypeError, ValueError):
        return "float32"  # the error is raised where the learner is planned
