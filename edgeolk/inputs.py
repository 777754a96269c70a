"""Which inputs matter to a learner: its length scales, or what shuffling an input changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from edgeolk.learner import Learner

Shares = npt.NDArray[np.float64]


def inputs_of(learner: Learner, X: Any = None, seed: int = 0) -> Shares:
    """Return what `Learner.inputs` does."""
    config = learner._config
    if config.forecasts or config.watches:
        raise ValueError("inputs() does not support history=True: rows in order cannot be shuffled")
    if X is None:
        return _learned(learner)
    rows = np.array(X, dtype=float)
    if rows.ndim != 2 or len(rows) < 2:
        raise ValueError(f"X must have at least two rows, got an array of shape {rows.shape}")
    return _shuffled(learner, rows, seed)


def _learned(learner: Learner) -> Shares:
    """Return the squared factors of the inputs under the kernel."""
    if not any(region.name == "relevance" for region in learner.plan.regions):
        raise ValueError(f"{learner.algorithm} has not learned relevances; pass rows: inputs(X)")
    scales = np.asarray(learner._engine.view("relevance"), dtype=float)[0]
    return _shares(np.exp(2.0 * scales))


def _shuffled(learner: Learner, rows: Shares, seed: int) -> Shares:
    """Return how far answers move when one input after the other is shuffled among the rows."""
    answer = learner.scores if learner._config.columns > 1 else learner.decision_function
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
    """Return values as shares of their sum; zeros where it is none."""
    total = float(values.sum())
    return values / total if total > 0.0 else np.zeros_like(values)
