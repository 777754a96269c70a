"""Nearest neighbours among the last rows that fit: nothing but rows is kept, nothing is learned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bench.bytes.sets import Rows

NAME = "nearest neighbours"
#: Neighbours that are asked.
COUNTS = (1, 5)
#: Bytes of the window; 0 for one of all rows.
SIZES = (4096, 16_384, 65_536, 262_144, 0)
#: Bytes of a stored number, and of a label, which is a class or a real target.
NUMBER, LABEL, TARGET = 4, 1, 4


def window_of(nbytes: int, d: int, task: str, rows: int) -> tuple[int, int]:
    """How many rows so many bytes hold, and the bytes they take.

    Raises
    ------
    ValueError
        They hold none.
    """
    each = NUMBER * d + (TARGET if task == "regression" else LABEL)
    capacity = min(rows, nbytes // each) if nbytes else rows
    if not capacity:
        raise ValueError(f"{nbytes} bytes hold no row of {each}")
    return capacity, capacity * each


def vote(y: Rows, near: NDArray[np.intp], task: str) -> float:
    """The answer of the neighbours at ``near``: their mean, or the class most of them have."""
    if task != "classes":
        return float(np.mean(y[near]))
    found, votes = np.unique(y[near], return_counts=True)
    return float(found[np.argmax(votes)])


def answers_of(X: Rows, y: Rows, task: str, capacity: int, count: int) -> Rows:
    """The vote of the last ``capacity`` rows for each row, in the form of ``scoring.costs``."""
    rows = X.astype(np.float32)
    norms = np.sum(rows * rows, axis=1)
    made = np.zeros(len(y))
    for i in range(1, len(y)):
        first = max(0, i - capacity)
        far = norms[first:i] - 2.0 * (rows[first:i] @ rows[i])
        asked = min(count, len(far))
        answer = vote(y, first + np.argpartition(far, asked - 1)[:asked], task)
        made[i] = (1.0 if answer == y[i] else -1.0) if task == "classes" else answer
    return made
