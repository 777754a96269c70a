"""Rows, labels and options for tests of input preprocessing."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers import LIVELY

import edgeolk as ek

D, BUDGET, ROWS = 4, 12, 160


def rows_and_labels(n: int = ROWS, d: int = D, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Readings of different magnitudes, a few glitches, labels that depend on two inputs."""
    draws = np.random.default_rng(seed)
    z = draws.normal(size=(n, d))
    y = np.where(z[:, 0] + 0.5 * z[:, -1] ** 2 > 0.3, 1, -1)
    X = z * 10.0 ** (np.arange(d) % 7 - 3) + 7.0 * np.arange(d)
    X[n // 2, 0] = 1e9
    return X, y


def options_of(name: str, **more: Any) -> dict[str, Any]:
    """Options of a learner, to which a test adds ``scale=`` and ``gamma=``."""
    own = {"kernel": ek.Gaussian(0.5 / D)} if name == "sorf" else LIVELY.get(name, {})
    return {"n_features": D, "budget": BUDGET, "seed": 9, **own, **more}
