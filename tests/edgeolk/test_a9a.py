"""Another program's exact result: the kernel perceptron on a9a, in file order."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers import SHARED

import edgeolk as ek

TRAIN = Path(__file__).resolve().parent.parent / "data" / "a9a_train.libsvm.gz"
D = 123


@cache
def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Rows of binary features as float32, labels."""
    with gzip.open(path, "rt") as file:
        lines = [line.split() for line in file]
    X = np.zeros((len(lines), D), np.float32)
    for row, words in zip(X, lines, strict=True):
        row[[int(word.partition(":")[0]) - 1 for word in words[1:]]] = 1.0
    return X, np.array([float(words[0]) for words in lines])


def test_the_file_is_the_set() -> None:
    X, y = read(TRAIN)
    assert X.shape == (32561, D)
    assert (y == 1).sum() == 7841
    assert np.abs(y).min() == 1
    assert set(np.unique(X.sum(axis=1))) <= {11.0, 12.0, 13.0, 14.0}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_support_vectors_of_the_perceptron(dtype: str) -> None:
    X, y = read(TRAIN)
    learner = ek.Learner(
        "perceptron", n_features=D, budget=6887, full="raise", kernel=ek.Gaussian(0.01), dtype=dtype
    )
    learner.learn_many(X, y)
    assert learner.n_support == learner.mistakes == learner.updates == 6887


def test_published_accuracy_on_the_other_part() -> None:
    """SPA's averaged model, 84.88 % on the test part with 2,079 vectors (Lu, Zhao & Hoi 2016)."""
    path = SHARED / "a9a_test.libsvm.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not in the data folder (EDGEOLK_DATA)")
    options = {"n_features": D, "budget": 2500, "kernel": ek.Gaussian(0.03)}
    learner = ek.Learner("spa", beta=5.0, eta=0.3, **options)
    learner.learn_many(*read(TRAIN))
    assert 1900 < learner.n_support < 2300
    X, y = read(path)
    assert (learner.averaged.predict(X) == y).mean() == pytest.approx(0.8488, abs=0.005)
