"""The sets of rows that whole passes go over, and how they are handed to the learner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench import datasets
from bench.datasets import Dataset, Labels, Rows
from bench.rows import Csr

A9A_GAMMA = 0.4
IJCNN1_GAMMA = 2.0
IJCNN1_FEATURES = 22
SYNTHETIC_GAMMA = 1.0 / 16.0


@dataclass(frozen=True)
class Subject:
    """Rows to pass over; ``sparse``: whether the learner treats them as mostly zeros."""

    key: str
    title: str
    X: Rows | Csr
    y: Labels
    gamma: float
    sparse: bool = False

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])


def a9a_subjects(data: Dataset) -> Iterator[Subject]:
    """a9a as dense rows, as dense rows for a sparse learner, and as CSR."""
    csr = Csr.of(data.X)
    filled = len(csr.data) / len(data)
    size = f"{len(data):,} rows, d = {data.X.shape[1]}"
    sparse = f"a9a, {size}, {filled:.0f} non-zeros a row, sparse=True"
    yield Subject("a9a", f"a9a, {size}, dense", data.X, data.y, A9A_GAMMA)
    yield Subject("a9a-sparse", f"{sparse}, dense rows", data.X, data.y, A9A_GAMMA, True)
    yield Subject("a9a-csr", f"{sparse}, CSR rows", csr, data.y, A9A_GAMMA, True)


def ijcnn1(most: int | None) -> Subject:
    """The train part of ijcnn1, in the order of ``default_rng(0).permutation``.

    Raises
    ------
    FileNotFoundError
        It is not there.
    """
    path = datasets.find("ijcnn1_train.libsvm.gz")
    data = Dataset("ijcnn1", *datasets.read_libsvm(path, IJCNN1_FEATURES)).permuted(0)
    data = data.head(len(data) if most is None else most)
    title = f"ijcnn1 train, {len(data):,} rows, d = {IJCNN1_FEATURES}, dense"
    return Subject("ijcnn1", title, data.X, data.y, IJCNN1_GAMMA)


def occupancy(most: int | None) -> Subject:
    """The bundled stream as a running scaler leaves it, in the order of time."""
    readings, y, gamma = datasets.occupancy()
    X = np.ascontiguousarray(readings[:most], dtype=np.float32)
    title = f"occupancy, {len(X):,} rows, d = {X.shape[1]}, dense"
    return Subject("occupancy", title, X, y[:most], gamma)


def synthetic(data: Dataset) -> Subject:
    """The synthetic set."""
    title = f"synthetic, {len(data):,} rows, d = {data.X.shape[1]}, dense"
    return Subject("synthetic", title, data.X, data.y, SYNTHETIC_GAMMA)
