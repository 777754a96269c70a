"""Data of the benchmarks: a9a from LIBSVM text, and a synthetic set of 16 features."""

from __future__ import annotations

import csv
import gzip
import lzma
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek

ROOT = Path(__file__).resolve().parent.parent
A9A_FEATURES = 123
A9A_TRAIN_ROWS = 32_561
#: The rows from which the simulator chooses the width for a stream.
WIDTH_ROWS = slice(100, 600)
TRAIN_ALONE = "a9a_test.libsvm.gz is not in the data folder (EDGEOLK_DATA)"

Rows = NDArray[np.float32]
Labels = NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """Rows of float32 features with labels in {-1, +1}."""

    name: str
    X: Rows
    y: Labels

    def __len__(self) -> int:
        return len(self.y)

    def permuted(self, seed: int) -> Dataset:
        """The rows in the order of ``numpy.random.default_rng(seed).permutation``."""
        order = np.random.default_rng(seed).permutation(len(self))
        return Dataset(self.name, np.ascontiguousarray(self.X[order]), self.y[order])

    def head(self, n: int) -> Dataset:
        """The first n rows."""
        return Dataset(self.name, self.X[:n], self.y[:n])


def folder() -> Path:
    """The folder of data files: EDGEOLK_DATA, else ../shared/data of the repository."""
    return Path(os.environ.get("EDGEOLK_DATA") or ROOT.parent / "shared" / "data")


def find(filename: str) -> Path:
    """Path of a data file in the data folder, in the tests or in the simulator.

    Raises
    ------
    FileNotFoundError
        It is in none of them.
    """
    for place in (folder(), ROOT / "tests" / "data", ROOT / "firmware_sim" / "data"):
        if (place / filename).is_file():
            return place / filename
    raise FileNotFoundError(f"{filename} is neither in {folder()} (EDGEOLK_DATA) nor in tests/data")


def read_table(filename: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a compressed CSV file, found as `find` does."""
    unpack = lzma.open if filename.endswith(".xz") else gzip.open
    with unpack(find(filename), "rt", encoding="utf-8", newline="") as file:
        header, *rows = [line for line in csv.reader(file) if line]
    return header, rows


def read_libsvm(path: Path, n_features: int) -> tuple[Rows, Labels]:
    """Dense rows and labels of a gzip-compressed LIBSVM file with 1-based indices.

    Raises
    ------
    ValueError
        An index is outside 1..n_features, or a token is not a number.
    """
    with gzip.open(path, "rb") as file:
        lines = [line for line in file.read().splitlines() if line.strip()]
    pairs = np.array([line.count(b":") for line in lines], dtype=np.intp)
    tokens = b" ".join(lines).replace(b":", b" ").split()
    numbers = np.array(tokens).astype(np.float64)
    label_at = np.concatenate(([0], np.cumsum(1 + 2 * pairs)[:-1]))
    rest = np.delete(numbers, label_at)
    columns = rest[0::2].astype(np.intp) - 1
    if columns.size and (columns.min() < 0 or columns.max() >= n_features):
        raise ValueError(f"{path.name}: a feature index is outside 1..{n_features}")
    X = np.zeros((len(lines), n_features), dtype=np.float32)
    X[np.repeat(np.arange(len(lines)), pairs), columns] = rest[1::2]
    return X, numbers[label_at]


def a9a() -> Dataset:
    """Train and test part of a9a, 48,842 rows in file order; only the train part if alone.

    Raises
    ------
    FileNotFoundError
        There is not even the train part.
    """
    paths = [find("a9a_train.libsvm.gz")]
    with suppress(FileNotFoundError):
        paths.append(find("a9a_test.libsvm.gz"))
    parts = [read_libsvm(path, A9A_FEATURES) for path in paths]
    X, y = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Dataset("a9a" if len(parts) == 2 else "a9a train", X, y)


def synthetic(n: int = 200_000, d: int = 16, seed: int = 0) -> Dataset:
    """Normal features; the label is the sign of a curved surface with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d), dtype=np.float32)
    surface = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(n)
    return Dataset("synthetic", X, np.where(surface > 0.0, 1.0, -1.0))


def columns(
    filename: str, excluded: Sequence[str] = (), label: str = ""
) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Inputs of a table without the ``excluded`` columns, and the last or named column as words."""
    header, rows = read_table(filename)
    label_column = header.index(label or header[-1])
    kept = [i for i, name in enumerate(header) if i != label_column and name not in excluded]
    X = np.array([[float(row[i]) for i in kept] for row in rows])
    return X, np.array([row[label_column] for row in rows])


def sensors(filename: str, excluded: Sequence[str]) -> tuple[NDArray[np.float64], Labels]:
    """Readings of a stream after a running scaler, in the order of time, and labels."""
    X, words = columns(filename, excluded)
    scaler = ek.RunningScaler(X.shape[1])
    scaled = np.array([scaler.learn_transform_one(row) for row in X])
    return scaled, np.where(words.astype(float) > 0, 1.0, -1.0)


def occupancy() -> tuple[NDArray[np.float64], Labels, float]:
    """The stream that comes with the simulator, and the width that it chooses for its kernel."""
    from firmware_sim.device.planning import choose_width

    X, y = sensors("occupancy.csv.xz", ("datetime",))
    return X, y, choose_width(X[WIDTH_ROWS]).gamma
