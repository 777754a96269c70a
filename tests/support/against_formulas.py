"""Small tools for comparing an implementation with the mathematics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgeolk.reference import KernelLearner, gaussian, polynomial
from edgeolk.reference.base import Kernel

KERNELS = [gaussian(0.5), polynomial(2, 0.5, 1.0)]


class FixedIndex:
    """Replaces the generator so that every possible draw can be enumerated."""

    def __init__(self, value: int) -> None:
        self.value = value

    def index(self, n: int) -> int:
        return self.value


class FixedCoin:
    """Every coin shows the same side; records the requested probabilities."""

    def __init__(self, value: bool) -> None:
        self.value = value
        self.chances: list[float] = []

    def bernoulli(self, p: float) -> bool:
        self.chances.append(p)
        return self.value


class FixedUniform:
    """Every uniform draw is the same number."""

    def __init__(self, value: float) -> None:
        self.value = value

    def uniform(self) -> float:
        return self.value


def run(plain: KernelLearner, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.array([plain.step(a, b) for a, b in zip(X, y, strict=True)])


def features(gram: np.ndarray) -> np.ndarray:
    """Explicit vectors (rows) with the given inner products."""
    values, vectors = np.linalg.eigh(gram)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def joint_gram(kernel: Kernel, points: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([[float(kernel(p[None, :], q)[0]) for q in points] for p in points])
