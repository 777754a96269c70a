"""Rows as a CSR matrix with the attributes that the library reads, so that scipy is not needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Csr:
    """A CSR matrix; row i has the entries ``indptr[i]`` to ``indptr[i + 1]``."""

    shape: tuple[int, int]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    format: ClassVar[str] = "csr"

    @classmethod
    def of(cls, dense: NDArray[Any]) -> Csr:
        """The non-zeros of a dense matrix."""
        rows, columns = np.nonzero(dense)
        counts = np.bincount(rows, minlength=len(dense))
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        n, d = dense.shape
        values = dense[rows, columns].astype(np.float64)
        return cls((n, d), indptr, columns.astype(np.int32), values)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Csr:
        """A contiguous slice of rows."""
        start, stop, step = rows.indices(self.shape[0])
        if step != 1:
            raise ValueError(f"the step of a slice of a Csr must be 1, got {step}")
        first, last = self.indptr[start], self.indptr[stop]
        return Csr(
            (stop - start, self.shape[1]),
            self.indptr[start : stop + 1] - first,
            self.indices[first:last],
            self.data[first:last],
        )
