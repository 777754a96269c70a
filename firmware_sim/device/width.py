"""The width of a Gaussian kernel, chosen from the first rows of a stream.

The median heuristic: with gamma = 1 / median(||a - b||^2) over pairs of rows, a typical pair
has a kernel value of 1/e, so that rows are neither all similar nor all unrelated. Labels are not
used. The width is chosen on the host before the replay, as it would be before a device is flashed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Width:
    """A kernel width and its origin."""

    gamma: float
    rows: int  # rows it was chosen from; 0 if the user gave it
    reason: str  # one sentence


def given(gamma: float) -> Width:
    """Return the width that the user gave."""
    return Width(gamma, 0, f"gamma {gamma:.4g}, as asked for")


def choose(rows: Rows, *, norm: str = "squared euclidean") -> Width:
    """Choose gamma for scaled rows.

    rows (ndarray of float64, shape (n, d)): the first rows of the stream, scaled.
    norm ({"squared euclidean", "manhattan"}): the distance that the kernel multiplies by gamma;
        "manhattan" for the Laplacian kernel.
    Raises ValueError: there are no rows.

    Returns: the width; the same on every machine, up to rounding.
    """
    if len(rows) == 0:
        raise ValueError("no usable row to choose a kernel width from")
    return _chosen(np.asarray(rows, dtype=np.float64).tobytes(), rows.shape[1], norm)


@lru_cache(maxsize=8)  # several learners of one stream ask for the same
def _chosen(numbers: bytes, n_features: int, norm: str) -> Width:
    rows = np.frombuffer(numbers).reshape(-1, n_features)
    n = len(rows)
    distances = _pair_distances(rows, norm)
    nonzero = distances[distances > 0.0]
    if nonzero.size == 0:
        gamma = 1.0 / rows.shape[1]
        return Width(gamma, n, f"gamma {gamma:.4g}: the first {n} usable rows are identical")
    median = float(np.median(distances))
    if median > 0.0:
        what = f"the median {norm} distance"
    else:
        # More than half of the pairs are equal, as with constant sensors: use the others.
        median = float(np.median(nonzero))
        what = f"the median {norm} distance of rows that differ"
    gamma = 1.0 / median
    return Width(gamma, n, f"gamma {gamma:.4g}: 1 / {what} among the first {n} usable rows")


def _pair_distances(rows: Rows, norm: str) -> npt.NDArray[np.float64]:
    """Return the distances of all n (n - 1) / 2 pairs."""
    n = len(rows)
    out = np.empty(n * (n - 1) // 2)
    start = 0
    for i in range(n - 1):  # one row against the later ones: n x d numbers, not n x n x d
        difference = rows[i + 1 :] - rows[i]
        end = start + len(difference)
        if norm == "manhattan":
            out[start:end] = np.abs(difference).sum(axis=1)
        else:
            out[start:end] = np.einsum("ij,ij->i", difference, difference)
        start = end
    return out
