"""Rows for counting and timing: random labels, the ring that they fill, and CSR without scipy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek

#: Parameters with which every example is sampled, instead of a few by default, and every row is
#: learned unscaled.
EAGER: dict[str, dict[str, Any]] = {"spa": {"beta": 1.0}, "sorf": {"scale": None, "gamma": None}}


def random_rows(d: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal rows with random labels, the same in every call."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((n, d)), rng.choice([-1.0, 1.0], n)


def random_learner(
    name: str, d: int, budget: int, kernel: ek.Kernel | None = None, **settings: Any
) -> ek.Learner:
    """A learner with ``kernel``, by default Gaussian."""
    kernel = kernel or ek.Gaussian(1.0 / d)
    eager = EAGER.get(name, {})
    return ek.Learner(name, n_features=d, budget=budget, kernel=kernel, **eager, **settings)


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
