"""The importance of inputs: from learned length scales, or by shuffling one input at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Shares = npt.NDArray[np.float64]


def learned(scales: memoryview) -> Shares:
    """Return the importance of inputs from the logs of their learned scales."""
    return _shares(np.exp(2.0 * np.asarray(scales, dtype=float)[0]))


def shuffled(answer: Callable[[Shares], Any], X: Any, seed: int) -> Shares:
    """Return how much answers change when one input at a time is shuffled among the rows."""
    rows = np.array(X, dtype=float)
    if rows.ndim != 2 or len(rows) < 2:
        raise ValueError(f"X must have at least two rows, got an array of shape {rows.shape}")
    before = np.asarray(answer(rows))
    order = np.random.default_rng(seed).permutation(len(rows))
    moved = np.empty(rows.shape[1])
    for place in range(rows.shape[1]):
        kept = rows[:, place].copy()
        rows[:, place] = kept[order]
        moved[place] = np.abs(np.asarray(answer(rows)) - before).mean()
        rows[:, place] = kept
    return _shares(moved)


def _shares(values: Shares) -> Shares:
    """Return values as shares of their sum; zeros if the sum is 0."""
    total = float(values.sum())
    return values / total if total > 0.0 else np.zeros_like(values)
