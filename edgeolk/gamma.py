"""A kernel width from rows in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.arrays import real_array


def gamma_from(X: Any, rows: int = 500) -> float:
    """Width of a Gaussian kernel by the median heuristic: 1 / the median squared distance.

    Page: docs/rows.md.

    With it, a typical pair of rows has a kernel value of 1/e. The same rows give the same width.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Finite rows, at least two, scaled as the learner will see them.
    rows : int
        How many rows to use, counted from the first, at least 2. All pairs of them are compared,
        which takes about 8 rows^2 bytes.

    Returns
    -------
    float
        For ``ek.Gaussian(gamma)``. If more than half of the pairs are equal, as with sensors that
        stand still, it is the median over the other pairs.

    Raises
    ------
    TypeError
        X does not hold real numbers, or is a sparse matrix or a dict.
    ValueError
        Too few rows, rows that are not finite, or rows that are all equal.

    Examples
    --------
    >>> import edgeolk as ek
    >>> kernel = ek.Gaussian(ek.gamma_from([[0.0, 0.0], [1.0, 1.0]]))
    >>> ek.Learner("bpa_s", n_features=2, budget=50, kernel=kernel).kernel.gamma
    0.5

    See Also
    --------
    Config : ``gamma="auto"`` determines the width inside the learner, without storing rows.
    """
    if isinstance(rows, bool) or not hasattr(rows, "__index__") or rows < 2:
        raise ValueError(f"rows must be an integer of at least 2, got {rows!r}")
    first = real_array(X, "X", "give some rows of it as X[:500].toarray()")
    if first.ndim != 2 or len(first) < 2 or first.shape[1] < 1:
        raise ValueError(f"X must be at least two rows of numbers, got shape {first.shape}")
    first = first[:rows].astype(np.float64)
    if not np.isfinite(first).all():
        raise ValueError("X must be finite")
    largest = np.abs(first).max() or 1.0
    first /= largest  # squares of 1e200 overflow
    squares = _squared_distances(first)
    middle = float(np.median(squares))
    if middle == 0.0:
        differ = squares[squares > 0.0]
        middle = float(np.median(differ)) if len(differ) else 0.0
    gamma = 1.0 / middle / float(largest) / float(largest) if middle > 0.0 else 0.0
    if not 0.0 < gamma < np.inf:
        raise ValueError("X must contain different rows with finite squared distances")
    return gamma


def _squared_distances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The squared distances of all n (n - 1) / 2 pairs.

    One row at a time: an array of all differences would be d times as large.
    """
    n = len(rows)
    squares = np.empty(n * (n - 1) // 2)
    at = 0
    for i in range(n - 1):
        differences = rows[i + 1 :] - rows[i]
        squares[at : at + len(differences)] = np.einsum("ij,ij->i", differences, differences)
        at += len(differences)
    return squares
