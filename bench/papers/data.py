"""Data sets by name, from the files of the data folder or generated."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bench.datasets import A9A_FEATURES, Dataset, find, read_libsvm

FEATURES = {"ijcnn1": 22, "w8a": 300, "phishing": 68, "mushrooms": 126, "banana": 2}
BOARD_ROWS = 10_000
BOARD_NOISE = 0.15
BANANA_TEST = 1_000
ADULT_ROWS = 21_000
FOLDS = 5
#: Seeds of generated tests are far from those of the permutations.
TEST_SEED = 1_000_000


def _file(name: str, features: int) -> Dataset:
    return Dataset(name, *read_libsvm(find(f"{name}.libsvm.gz"), features))


def missing(name: str) -> str:
    """The first file that a data set lacks, "" where it is whole."""
    if "checkerboard" in name:
        return ""
    stem = "a9a" if name == "adult21k" else name.removesuffix(" folds")
    stems = [stem]
    if stem in ("a9a", "ijcnn1"):
        stems = [f"{stem}_train", f"{stem}_test"]
    for file in (f"{part}.libsvm.gz" for part in stems):
        try:
            find(file)
        except FileNotFoundError:
            return file
    return ""


def _joined(name: str, *parts: Dataset) -> Dataset:
    return Dataset(name, np.concatenate([p.X for p in parts]), np.concatenate([p.y for p in parts]))


@lru_cache(maxsize=4)
def load(name: str) -> Dataset:
    """All rows of a data set in file order.

    Raises
    ------
    FileNotFoundError
        A file is not in the data folder.
    """
    stem = name.removesuffix("_train").removesuffix("_test")
    features = A9A_FEATURES if stem == "a9a" else FEATURES[stem]
    if name in ("a9a", "ijcnn1"):
        return _joined(name, *(_file(f"{name}_{part}", features) for part in ("train", "test")))
    return _file(name, features)


def checkerboard(rows: int, seed: int, noise: float = 0.0) -> Dataset:
    """Uniform rows on a 4 x 4 checkerboard, each feature scaled to a deviation of one."""
    rng = np.random.default_rng(seed)
    u = rng.random((rows, 2))
    label = np.where(np.floor(4.0 * u).sum(axis=1) % 2.0 == 0.0, 1.0, -1.0)
    if noise > 0.0:
        label = np.where(rng.random(rows) < noise, -label, label)
    return Dataset("checkerboard", ((u - 0.5) * np.sqrt(12.0)).astype(np.float32), label)


def _cut(data: Dataset, train: int) -> tuple[Dataset, Dataset]:
    return data.head(train), Dataset(data.name, data.X[train:], data.y[train:])


def split(name: str, seed: int) -> tuple[Dataset, Dataset]:
    """Training rows in the order of the seed, and test rows.

    "a9a" and "ijcnn1" keep the published split; "adult21k" trains on 21,000 of a9a's training
    rows; "banana" tests on 1,000 random rows; the checkerboards are drawn afresh, their test rows
    without noise; "... folds" is fold number seed of five.
    """
    if name in ("checkerboard", "ncheckerboard"):
        noise = BOARD_NOISE if name == "ncheckerboard" else 0.0
        return checkerboard(BOARD_ROWS, seed, noise), checkerboard(BOARD_ROWS, TEST_SEED + seed)
    if name == "banana":
        data = load("banana").permuted(seed)
        return _cut(data, len(data) - BANANA_TEST)
    if name.endswith(" folds"):
        data = load(name.removesuffix(" folds")).permuted(TEST_SEED)
        fold = np.arange(len(data)) % FOLDS
        inside = fold != seed % FOLDS
        train = Dataset(data.name, data.X[inside], data.y[inside]).permuted(seed)
        return train, Dataset(data.name, data.X[~inside], data.y[~inside])
    stem = "a9a" if name == "adult21k" else name
    train = load(f"{stem}_train").permuted(seed)
    return train.head(ADULT_ROWS) if name == "adult21k" else train, load(f"{stem}_test")
