"""Array-likes of real numbers, and what is said of those that are none. The slow way in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: What to do with a sparse matrix where rows are learned or scored.
ROWS = (
    "give one row to learn_one_sparse or decision_one_sparse as row.indices and row.data, many"
    " rows as a CSR matrix"
)


def real_array(x: Any, name: str, instead: str = ROWS) -> NDArray[Any]:
    """An array-like as an array, of the shape and the type it has.

    ``name`` is that of the argument, ``instead`` what to do with a sparse matrix, for messages;
    ``x`` runs whatever code it brings along. Raises TypeError: a dict, a sparse matrix, or no real
    numbers. Raises ValueError: masked numbers, or rows of different lengths.
    """
    if isinstance(x, dict):
        raise TypeError(
            f"{name} must be numbers in the order of the features, got a dict:"
            " give a list of its values in that order"
        )
    if hasattr(x, "tocsr") and hasattr(x, "nnz"):
        raise TypeError(f"{name} must be an array, got a sparse matrix: {instead}")
    if np.any(getattr(x, "mask", False)):
        raise ValueError(f"{name} must have no masked numbers")
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    return array
