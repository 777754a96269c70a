"""Synthetic streams with the nuisances of real ones: duplicates, zeros, noise."""

from __future__ import annotations

import numpy as np


def _points_and_score(
    rng: np.random.Generator, n: int, d: int, zeros: float
) -> tuple[np.ndarray, np.ndarray]:
    X = rng.standard_normal((n, d))
    wave, bowl = rng.standard_normal((2, d)) / np.sqrt(d)
    X[_some(rng, n, zeros, first=0)] = 0.0
    return X, np.sin(2.0 * (X @ wave)) + 0.7 * (X @ bowl) ** 2 - 0.4


def _some(rng: np.random.Generator, n: int, share: float, first: int) -> np.ndarray:
    """A fixed number of positions, so that short streams contain them too."""
    count = min(round(share * n), max(0, n - first))
    return np.sort(rng.permutation(np.arange(first, n))[:count])


def random_stream(
    rng_seed: int,
    n: int,
    d: int,
    duplicates: float = 0.2,
    zeros: float = 0.02,
    label_noise: float = 0.15,
) -> tuple[np.ndarray, np.ndarray]:
    """X (n, d) and y in {-1, +1}: a wavy boundary; some rows repeat earlier ones.

    A quarter of the repeated rows have the opposite label of the row that they copy.
    """
    rng = np.random.default_rng(rng_seed)
    X, score = _points_and_score(rng, n, d, zeros)
    y = np.where(score >= 0.0, 1.0, -1.0)
    flip = rng.random(n) < label_noise
    y[flip] = -y[flip]
    for i in _some(rng, n, duplicates, first=1):
        j = int(rng.integers(i))
        X[i] = X[j]
        y[i] = -y[j] if rng.random() < 0.25 else y[j]
    return X, y


def regression_stream(
    rng_seed: int,
    n: int,
    d: int,
    duplicates: float = 0.2,
    zeros: float = 0.02,
    noise: float = 0.1,
) -> tuple[np.ndarray, np.ndarray]:
    """X (n, d) and real y; repeated rows get fresh noise, so they disagree a little."""
    rng = np.random.default_rng(rng_seed)
    X, target = _points_and_score(rng, n, d, zeros)
    for i in _some(rng, n, duplicates, first=1):
        j = int(rng.integers(i))
        X[i] = X[j]
        target[i] = target[j]
    return X, target + noise * rng.standard_normal(n)
