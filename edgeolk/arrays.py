"""Conversion of array-likes to arrays of real numbers, with error messages for all others."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Advice in the message for a sparse matrix.
ROWS = (
    "give one row to learn_one_sparse or decision_one_sparse as row.indices and row.data, many"
    " rows as a CSR matrix"
)


#: Kinds of numpy dtypes that are real numbers.
REAL = "fiub"

#: Text of a number with its unit.
_MEASURED = re.compile(r"\s*[-+]?\d+(\.\d*)?\s*[^\d\s.,;:/-][^\d,;:]*")


def refuse_masked(x: Any, name: str) -> None:
    """Raise ValueError for an array with masked numbers, or for a list of such arrays.

    Only an array of bools counts as a mask, as in numpy's masked arrays: pandas has a method
    ``mask``, and a table may have a column of this name.
    """
    for each in x if isinstance(x, (list, tuple)) else (x,):
        mask = getattr(each, "mask", False)
        if isinstance(mask, (np.ndarray, np.bool_)) and mask.any():
            raise ValueError(f"{name} must have no masked numbers")


def _is_numeric_table(x: Any) -> bool:
    """Whether all columns of a (pandas) table hold real numbers, possibly of different types."""
    dtypes: Any = getattr(x, "dtypes", None)
    columns = dtypes if hasattr(dtypes, "__iter__") else (dtypes,)
    return hasattr(x, "to_numpy") and all(getattr(item, "kind", "O") in REAL for item in columns)


def _is_number(dtype: Any) -> bool:
    """Whether a column of this type (of numpy, pandas or polars) holds real numbers."""
    is_numeric = getattr(dtype, "is_numeric", None)
    return getattr(dtype, "kind", "O") in REAL or (callable(is_numeric) and bool(is_numeric()))


def _first_row(x: Any) -> list[Any]:
    """The cells of the first row of a table; empty if they cannot be had."""
    try:
        return list(np.asarray(x[:1], dtype=object).ravel())
    except Exception:  # of whatever library the table is from
        return []


def table_remedy(x: Any) -> str:
    """Advice for a table with a column of something other than numbers; "" for anything else."""
    return _remedy(x, np.empty(0), "X") if hasattr(x, "columns") else ""


def _remedy(x: Any, array: NDArray[Any], name: str) -> str:
    """Advice for an array-like with something other than real numbers; "" if unknown."""
    columns, dtypes = getattr(x, "columns", None), getattr(x, "dtypes", None)
    if columns is not None and dtypes is not None:
        not_numeric = [
            repr(item) for item, kind in zip(columns, dtypes, strict=False) if not _is_number(kind)
        ]
        if not_numeric:
            more = f" and {len(not_numeric) - 5} more" if len(not_numeric) > 5 else ""
            kinds = {str(kind).lower() for kind in dtypes if not _is_number(kind)}
            cells = [str(cell) for cell in _first_row(x) if isinstance(cell, str)]
            measured = [cell for cell in cells if _MEASURED.fullmatch(cell)]
            if all(kind.startswith(("date", "time", "duration")) for kind in kinds):
                how = "take numbers from times, such as the hour and the weekday"
            elif measured:
                how = f"take the number from text such as {measured[0]!r}"
            else:
                how = "encode it first, as pandas.get_dummies and scikit-learn's OneHotEncoder do"
            return f": no numbers in {', '.join(not_numeric[:5])}{more}; leave that out, or {how}"
    first = array.flat[0] if array.size else None
    if isinstance(first, str) and name in ("y", "label", "labels"):
        return (
            f", such as {str(first)!r}: labels are -1 and +1, or 0 to n_classes - 1, as of"
            f" numpy.where({name} == {str(first)!r}, 1, -1); models of edgeolk.sklearn and"
            " edgeolk.river take any"
        )
    if isinstance(first, str):
        return f", such as {str(first)!r}"
    if array.dtype.kind == "O" and all(
        isinstance(item, (int, float, np.number)) for item in array.flat
    ):
        return ": convert these numbers by .astype(float)"
    return ""


def real_array(x: Any, name: str, instead: str = ROWS) -> NDArray[Any]:
    """An array-like as an array of the same shape and type.

    ``name``, that of the argument, and ``instead``, advice for a sparse matrix, are for messages.
    ``x`` may run its own code. Raises TypeError: a dict, a sparse matrix, or no real numbers.
    Raises ValueError: masked numbers, or rows of different lengths.
    """
    if x is None:
        raise TypeError(f"{name} is missing: it must be an array of numbers, got None")
    if isinstance(x, dict):
        raise TypeError(
            f"{name} must be numbers in the order of the features, got a dict:"
            " give a list of its values in that order"
        )
    if hasattr(x, "tocsr") and hasattr(x, "nnz"):
        raise TypeError(f"{name} must be an array, got a sparse matrix: {instead}")
    refuse_masked(x, name)
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None
    except RuntimeError as error:  # a tensor with requires_grad
        raise TypeError(f"{name} must be an array of numbers: {error}") from None
    if array.dtype.kind == "O" and _is_numeric_table(x):
        array = x.to_numpy(dtype=np.float64, na_value=np.nan)
    if array.dtype.kind not in REAL:
        remedy = _remedy(x, array, name)
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}{remedy}")
    return array


def refuse_broken_sparse(X: Any, name: str) -> None:
    """Raise ValueError for a scipy sparse matrix with inconsistent arrays.

    Sorting, converting or multiplying it would read and write out of bounds. CSR, CSC, BSR and COO
    are checked; ``name`` is that of the argument, for messages.
    """
    form = X.format
    if len(X.shape) != 2 or form not in ("csr", "csc", "bsr", "coo"):
        return
    rows, columns = X.shape
    if form == "coo":
        bounds = [(X.row, rows), (X.col, columns)]
    else:
        n_major, n_minor = (columns, rows) if form == "csc" else (rows, columns)
        if form == "bsr":
            n_major, n_minor = n_major // X.blocksize[0], n_minor // X.blocksize[1]
        starts, entries = np.asarray(X.indptr), min(len(X.indices), len(X.data))
        if not (
            starts.shape == (n_major + 1,)
            and starts.dtype.kind in "iu"
            and starts[0] == 0
            and starts[-1] <= entries
            and (starts[1:] >= starts[:-1]).all()
        ):
            raise ValueError(
                f"{name} must be a valid {form.upper()} matrix: indptr, indices and data contradict"
                " each other"
            )
        bounds = [(X.indices, n_minor)]
    for indices, end in bounds:
        if len(indices) and not (np.min(indices) >= 0 and np.max(indices) < end):
            raise ValueError(f"{name} must have indices from 0 to {end - 1}")
