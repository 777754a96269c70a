"""Learners of anomalies of a stream, and streams for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek

D, BUDGET, SEED = 5, 128, 7
TYPES = ("int8", "float32", "float64")
every_type = pytest.mark.parametrize("dtype", TYPES)
Flags = tuple[Any, ...]


def learner_of(dtype: str = "int8", **more: Any) -> ek.Learner:
    options = {"n_features": D, "D": BUDGET, "dtype": dtype, "seed": SEED, "history": True, **more}
    return ek.Learner(loss="novelty", **options)


def stream(n: int = 1500, d: int = D, seed: int = 3) -> np.ndarray:
    """Wanderers and noise; a flat line, a shift, gaps, outliers and rows without any reading.

    Numbers that single precision represents.
    """
    rng, asked, n = np.random.default_rng(seed), n, 1500
    X = 0.1 * np.cumsum(rng.normal(size=(n, d)), axis=0) + 0.05 * rng.normal(size=(n, d))
    X[:, d - 1] = rng.normal(size=n)
    X[300:400, 0] = X[299, 0]
    X[800:, d // 2] += 5.0
    X[rng.random((n, d)) < 0.02] = np.nan
    X[700:705] = np.nan
    X[250, 0], X[251, 0], X[252, 0] = 1e9, 1e300, -np.inf
    with np.errstate(over="ignore"):
        return X[:asked].astype(np.float32).astype(float)


def times(n: int = 1500) -> np.ndarray:
    """A reading every 20 minutes, with unknown times, and one before the epoch."""
    t = 1e9 + 1200.25 * np.arange(n)
    t[[5, 900 % n]], t[901 % n], t[950 % n] = np.nan, np.inf, -5e5
    return t


def waves(n: int, d: int = 3, seed: int = 5) -> np.ndarray:
    rng, t = np.random.default_rng(seed), np.arange(n)
    return np.column_stack([np.sin(t / 30 + k) + 0.05 * rng.normal(size=n) for k in range(d)])


def verdict(learner: ek.Learner) -> Flags:
    return (learner.novel, learner.alarm, learner.event, learner.rare, learner.why)
