"""Algorithms by name, the recommended one, and the defaults of each."""

from __future__ import annotations

from functools import lru_cache

import edgeolk as ek

#: Constant terms of the kernels that have one, where none is given.
OFFSETS = {"polynomial": ek.Polynomial.offset, "sigmoid": ek.Sigmoid.offset}
#: What is replayed where no algorithm is named.
RECOMMENDED = ek.Config(n_features=1).name
NOT_PARAMETERS = ("n_features", "budget", "ram", "kernel", "dtype", "seed", "buffer")


def canonical(algorithm: str) -> str:
    """Return the name of an algorithm as the library writes it; one that is unknown stays."""
    lower = algorithm.lower()
    return lower if lower in {row.name for row in ek.algorithms()} else algorithm


def offset_of(kernel: str, given: float | None) -> float | None:
    """The constant term of a kernel: the one given, or the kernel's own; None where it has none."""
    own = OFFSETS.get(kernel)
    return own if own is None or given is None else given


@lru_cache
def storage_of(algorithm: str) -> str:
    """The storage type that an algorithm takes where none is given."""
    try:
        return str(ek.plan(algorithm, n_features=1, budget=64).dtype)
    except (TypeError, ValueError):
        return "float32"  # the error is raised where the learner is planned
