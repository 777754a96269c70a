"""Rows with random labels, and learners for counting: the ring fills and keeps changing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek

#: Parameters with which every example is sampled, instead of a few by default, and every row is
#: learned unscaled.
EAGER: dict[str, dict[str, Any]] = {"spa": {"beta": 1.0}, "sorf": {"scale": None, "gamma": None}}


def rows(d: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal rows with random labels, the same in every call."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((n, d)), rng.choice([-1.0, 1.0], n)


def learner(
    name: str, d: int, budget: int, kernel: ek.Kernel | None = None, **settings: Any
) -> ek.Learner:
    """A learner with ``kernel``, by default Gaussian."""
    kernel = kernel or ek.Gaussian(1.0 / d)
    eager = EAGER.get(name, {})
    return ek.Learner(name, n_features=d, budget=budget, kernel=kernel, **eager, **settings)
