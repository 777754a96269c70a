"""Rows with labels by chance, and learners for counting: the ring fills and goes on changing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek

#: Parameters with which every example is sampled where the default samples a few, and every row is
#: learned as it comes.
EAGER: dict[str, dict[str, Any]] = {"spa": {"beta": 1.0}, "sorf": {"scale": None, "gamma": None}}


def rows(d: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal rows with labels by chance, the same each time."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((n, d)), rng.choice([-1.0, 1.0], n)


def learner(
    name: str, d: int, budget: int, kernel: ek.Kernel | None = None, **settings: Any
) -> ek.Learner:
    """A learner with a Gaussian kernel, unless ``kernel`` says otherwise."""
    kernel = kernel or ek.Gaussian(1.0 / d)
    eager = EAGER.get(name, {})
    return ek.Learner(name, n_features=d, budget=budget, kernel=kernel, **eager, **settings)
