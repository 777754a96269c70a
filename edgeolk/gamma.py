"""A kernel width from rows that are at hand."""

from __future__ import annotations

from typing import Any

import numpy as np


def gamma_from(X: Any, rows: int = 500) -> float:
    """Width of a Gaussian kernel by the median heuristic: 1 / the median squared distance.

    With it, a typical pair of rows has a kernel value of 1/e. The same rows give the same width.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Finite rows as the learner will see them, scaled; at least two. Only the first ``rows``
        are looked at, all their pairs.
    rows : int
        At least 2.

    Returns
    -------
    float
        For ``ek.Gaussian(gamma)``. Where more than half of the pairs are equal, as when sensors
        stand still, the median is that of the others.

    Raises
    ------
    TypeError, ValueError
        No such rows, or all are alike.

    See Also
    --------
    Config : ``gamma="auto"`` makes a width inside the learner, and keeps no rows for it.
    """
    if isinstance(rows, bool) or not hasattr(rows, "__index__") or rows < 2:
        raise ValueError(f"rows must be a whole number of at least 2, got {rows!r}")
    first = np.asarray(X)
    if first.dtype.kind not in "fiub":
        raise TypeError(f"X must hold real numbers, got dtype {first.dtype}")
    if first.ndim != 2 or len(first) < 2 or first.shape[1] < 1:
        raise ValueError(f"X must be at least two rows of numbers, got shape {first.shape}")
    first = first[:rows].astype(np.float64)
    if not np.isfinite(first).all():
        raise ValueError("X must be finite")
    most = np.abs(first).max() or 1.0
    first /= most  # squares of 1e200 overflow
    squares = np.empty(len(first) * (len(first) - 1) // 2)
    at = 0
    for i in range(len(first) - 1):
        apart = first[i + 1 :] - first[i]
        squares[at : at + len(apart)] = np.einsum("ij,ij->i", apart, apart)
        at += len(apart)
    middle = float(np.median(squares))
    if middle == 0.0:
        differ = squares[squares > 0.0]
        middle = float(np.median(differ)) if len(differ) else 0.0
    gamma = 1.0 / middle / float(most) / float(most) if middle > 0.0 else 0.0
    if not 0.0 < gamma < np.inf:
        raise ValueError("X must hold rows that differ, by distances whose squares are numbers")
    return gamma
