"""Random numbers, and the support vectors of a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

#: k(s_i, x) for the rows of S (m, d) and x (d,), as an array (m,).
Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]

MASK64 = (1 << 64) - 1


class Pcg32:
    """PCG-XSH-RR with 64 bits of state and 32 of output, stream 54.
    O'Neill, HMC-CS-2014-0905."""

    MULTIPLIER = 6364136223846793005

    def __init__(self, seed: int = 0, stream: int = 54) -> None:
        self.state = 0
        self.inc = (2 * stream + 1) & MASK64
        self.next_u32()
        self.state = (self.state + seed) & MASK64
        self.next_u32()

    def next_u32(self) -> int:
        old = self.state
        self.state = (old * self.MULTIPLIER + self.inc) & MASK64
        word = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF
        rot = old >> 59
        return ((word >> rot) | (word << (32 - rot))) & 0xFFFFFFFF

    def uniform(self) -> float:
        return self.next_u32() * 2.0**-32

    def index(self, n: int) -> int:
        return (self.next_u32() * n) >> 32

    def bernoulli(self, p: float) -> bool:
        """A certain outcome uses no draw."""
        if p <= 0.0:
            return False
        if p >= 1.0:
            return True
        return self.uniform() < p


def lightest(sizes: np.ndarray, arrival: np.ndarray) -> int:
    """The slot of the smallest size; ties: the oldest."""
    return min(range(len(sizes)), key=lambda i: (sizes[i], arrival[i]))


class Vectors:
    """Support vectors in slots, each with one coefficient, or with one per class.

    ``width`` is the shape of a coefficient: () for a number, (K,) for K classes.
    """

    def __init__(
        self, kernel: Kernel, budget: int | None, seed: int, width: tuple[int, ...] = ()
    ) -> None:
        self.kernel = kernel
        self.budget = budget
        self.seed = seed
        self.rng = Pcg32(seed)
        self.sv = np.zeros((0, 0))
        self.alpha = np.zeros((0, *width))
        self.arrival = np.zeros(0, dtype=int)
        self.arrivals = 0

    def row(self, x: np.ndarray) -> np.ndarray:
        """k(s_i, x) of all slots, (m,)."""
        return self.kernel(self.sv, x) if self.m else np.zeros(0)

    def gram(self) -> np.ndarray:
        """k(s_i, s_j) of all slots, (m, m)."""
        return self._gram_of(self.sv)

    def norm2(self) -> float:
        """The squared norm of the model in the feature space."""
        return float(np.vdot(self.alpha.T @ self.gram(), self.alpha.T))

    @property
    def m(self) -> int:
        """Number of support vectors."""
        return len(self.alpha)

    @property
    def is_full(self) -> bool:
        """Whether the budget is used up."""
        return self.budget is not None and self.m >= self.budget

    def append(self, x: np.ndarray, coefficient: Any) -> None:
        """Add a support vector."""
        self.sv = np.vstack([self.sv.reshape(-1, x.size), x])
        self.alpha = np.concatenate([self.alpha, [coefficient]])
        self.arrival = np.append(self.arrival, self.arrivals)
        self.arrivals += 1

    def replace(self, slot: int, x: np.ndarray, coefficient: Any) -> None:
        """Replace a support vector."""
        self.sv[slot] = x
        self.alpha[slot] = coefficient
        self.arrival[slot] = self.arrivals
        self.arrivals += 1

    def append_or_replace(self, x: np.ndarray, coefficient: Any, slot: Callable[[], int]) -> bool:
        """Add a support vector, in the slot of another if the model is full."""
        if self.is_full:
            self.replace(slot(), x, coefficient)
        else:
            self.append(x, coefficient)
        return True

    def move(self, change: np.ndarray) -> bool:
        """Add to all coefficients; returns whether any changed."""
        before = self.alpha
        self.alpha = before + change
        return not np.array_equal(before, self.alpha)

    def keep(self, slots: np.ndarray) -> None:
        """Keep only these support vectors."""
        self.sv = self.sv[slots].copy()
        self.alpha = self.alpha[slots].copy()
        self.arrival = self.arrival[slots].copy()

    def sizes(self) -> np.ndarray:
        """The squared size of each coefficient (m,)."""
        return np.asarray(np.sum(self.alpha.reshape(self.m, -1) ** 2, axis=1))

    def oldest(self) -> int:
        """The slot of the oldest support vector."""
        return int(np.argmin(self.arrival))

    def smallest(self) -> int:
        """The slot of the smallest coefficient; ties: the oldest."""
        return lightest(self.sizes(), self.arrival)

    def any_slot(self) -> int:
        """A slot drawn uniformly."""
        return self.rng.index(self.m)

    def unbiased_slot(self) -> int:
        """A slot drawn uniformly; scales up the others, so that the mean model is unchanged."""
        slot = self.any_slot()
        self.alpha = self.alpha * (self.m / (self.m - 1))
        return slot

    def slot_of(self, policy: str) -> int:
        """The slot that a policy frees."""
        slots = {
            "oldest": self.oldest,
            "smallest": self.smallest,
            "random": self.any_slot,
            "unbiased": self.unbiased_slot,
        }
        return slots[policy]()

    def _project_on_ball(self, U: float | None) -> None:
        if U is None:
            return
        norm2 = max(0.0, self.norm2())
        if norm2 > U * U:
            self.alpha = self.alpha * (U / math.sqrt(norm2))

    def _self_kernel(self, x: np.ndarray) -> float:
        return float(self.kernel(x[None, :], x)[0])

    def _self_kernels(self) -> np.ndarray:
        return np.array([self._self_kernel(s) for s in self.sv])

    def _gram_of(self, S: np.ndarray) -> np.ndarray:
        return np.array([self.kernel(S, s) for s in S]).reshape(len(S), len(S))
