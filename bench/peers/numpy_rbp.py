"""The randomised budget perceptron in plain numpy: what one would write without this library.

One matrix-vector product a row through |s - x|^2 = |s|^2 + |x|^2 - 2 <s, x>; every array is made
once, every operation writes in place. The victims are drawn as the library draws them (PCG32), so
the two make the same decisions but for rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.peers.child import Spec

_MASK = 2**64 - 1
_STREAM = 2 * 54 + 1


class Pcg32:
    """PCG32 on stream 54."""

    def __init__(self, seed: int) -> None:
        self.state = 0
        self.next_u32()
        self.state = (self.state + seed) & _MASK
        self.next_u32()

    def next_u32(self) -> int:
        """The next 32 bits."""
        old = self.state
        self.state = (old * 6364136223846793005 + _STREAM) & _MASK
        word = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF
        turn = old >> 59
        return ((word >> turn) | (word << (-turn & 31))) & 0xFFFFFFFF

    def index(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return (self.next_u32() * n) >> 32


class NumpyRbp:
    """RBP with a Gaussian kernel."""

    def __init__(
        self, n_features: int, budget: int, gamma: float, dtype: str = "float32", seed: int = 0
    ) -> None:
        self.budget = budget
        self.gamma = gamma
        self.random = Pcg32(seed)
        self.n_support = 0
        self.mistakes = 0
        self.support = np.zeros((budget, n_features), dtype)
        self.norms = np.zeros(budget, dtype)
        self.alpha = np.zeros(budget, dtype)
        self.kernel_row = np.zeros(budget, dtype)

    def prepare(self, X: Any, y: Any) -> Any:
        return X, y

    def learn(self, block: Any) -> Any:
        return self.learn_many(*block)

    def learn_many(self, X: NDArray[Any], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Learn rows in order; return their scores before the update."""
        gamma = self.gamma
        labels = y.tolist()
        norms = np.einsum("ij,ij->i", X, X)
        scores = np.empty(len(labels))
        for i, label in enumerate(labels):
            x, m = X[i], self.n_support
            k = self.kernel_row[:m]
            np.dot(self.support[:m], x, out=k)
            k *= 2.0
            k -= self.norms[:m]
            k -= norms[i]
            np.minimum(k, 0.0, out=k)
            k *= gamma
            np.exp(k, out=k)
            scores[i] = f = self.alpha[:m] @ k
            if label * f <= 0.0:
                self.mistakes += 1
                if m < self.budget:
                    slot, self.n_support = m, m + 1
                else:
                    slot = self.random.index(m)
                self.support[slot] = x
                self.norms[slot] = norms[i]
                self.alpha[slot] = label
        return scores


def make(spec: Spec) -> NumpyRbp:
    """An RBP with the given budget."""
    assert spec.size is not None
    return NumpyRbp(spec.features, spec.size, spec.gamma)
