"""Section 7f of `sorf`: a memory of rows with 4 bits per input.

Written from the specification, independently of the loops: integers where it has integers, the
learner's type of numbers for everything else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from edgeolk.reference.base import require
from edgeolk.reference.sorf import Sorf

SHARES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # Q
# rho; with experts of the narrower kernel, and with three classes or more
COST, COST_OF_TWO, COST_OF_CLASSES = 4.0, 3.0, -3.0
MAX_CODE = 7


class RememberingSorf(Sorf):
    """`Sorf` with a memory of M rows; ``memory_gamma`` is the initial gamma_0.

    ``memory_narrow``: the narrower of its two kernels has separate experts.
    """

    def __init__(
        self,
        n_features: int,
        D: int,
        gamma: float,
        *,
        memory: int,
        memory_gamma: float | None = None,
        memory_narrow: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(n_features, D, gamma, **options)
        require(memory >= 1 and not self.regression and self.K <= 256, "M >= 1, K <= 256")
        self.M = memory
        self.memory_kernels = 2 if memory_narrow else 1  # together, the narrower alone
        of_narrow = COST_OF_CLASSES if self.K >= 3 else COST_OF_TWO
        self.memory_cost = of_narrow if memory_narrow else COST
        start = gamma if memory_gamma is None else memory_gamma
        real = self.real
        # Of the codes, per unit of an input.
        self.steps = real(5.0) * self.of.sqrt(real(start) * real(n_features))
        self.codes = np.zeros((memory, n_features), dtype=int)
        self.labels = np.zeros(memory, dtype=int)  # two classes: -1 or +1
        self.rivals = np.zeros(memory, dtype=int)
        self.C = np.zeros(memory, dtype=int)
        self.top = 255 if self.classes else 127
        self._empty()

    def _empty(self) -> None:
        self.m = self.head = 0
        self.L_Q: np.ndarray = np.zeros(len(SHARES), dtype=self.real)
        # From 1/4 on.
        self.L_N: np.ndarray = np.zeros((self.memory_kernels - 1, len(SHARES) - 1), dtype=self.real)

    # --- scores ---

    def units(self, x: np.ndarray) -> np.ndarray:
        """The row as in 3.1, before relevance, in units of the codes."""
        hold, most = self.real(self.hold), self.real(MAX_CODE)
        clamped = np.clip(np.asarray(x, dtype=self.real), -hold, hold)
        return np.asarray(np.clip(self.of.code_units(clamped, self.steps), -most, most))

    def kernels(self, x: np.ndarray) -> np.ndarray:
        """k_j of the stored rows (2, m): the mean of two narrow kernels, and the narrower alone."""
        each = self.relevance and not self.shared
        scale = self.of.exp(self.real(2.0) * self.lam) if each else None
        return np.asarray(self.of.memory_kernels(self.units(x), self.codes[: self.m], scale))

    def memory_scores(self, x: np.ndarray) -> np.ndarray:
        """g (readings, K)."""
        stored = (part[: self.m] for part in (self.C, self.labels, self.rivals))
        C, mine, rival = stored
        ridge = self.real(2.0) + self.r
        found = [
            self.of.votes(kernel, C, mine, rival if self.classes else None, self.K, ridge)
            for kernel in self.kernels(x)[: self.memory_kernels]
        ]
        return np.stack(found)

    @property
    def memory_weights(self) -> np.ndarray:
        """Weight of each reading of the memory in the next score."""
        real, shares = self.real, SHARES.astype(self.real)
        lowest = min(self.L_Q.min(), self.L_N.min(initial=np.inf))
        none = np.array([np.inf], dtype=real)
        mistakes = [self.L_Q, *(np.concatenate([none, of]) for of in self.L_N)]
        e = self.of.exp(
            np.stack([-(of - lowest) - real(self.memory_cost) * shares for of in mistakes])
        )
        return np.asarray(self.of.dot(e, shares) / self.of.sum(e.ravel()))

    @property
    def share(self) -> float:
        """Weight of the memory in the next score."""
        return float(self.memory_weights.sum())

    def output(self, x: np.ndarray, f: np.ndarray) -> np.ndarray:
        return np.asarray(self.of.mixed(f, self.weights_before, self.memory_before))

    def scores(self, x: np.ndarray) -> np.ndarray:
        f = super().scores(x)
        return np.asarray(self.of.mixed(f, self.memory_weights, self.memory_scores(x)))

    # --- the step ---

    def step(
        self,
        x: np.ndarray,
        y: float,
        weight: float = 1.0,
        deviates: np.ndarray | None = None,
        follows: bool = True,
        counted: float | None = None,
    ) -> float:
        x, weight = np.asarray(x, dtype=self.real), self.real(weight)
        fs, g, shares = super().scores(x), self.memory_scores(x), self.memory_weights
        f = self.of.mixed(fs, shares, g)
        count = weight if counted is None else self.real(counted)
        mistakes = self.mistakes + int(self.margin(f, y) <= 0.0)
        self.memory_before, self.weights_before = g, shares
        self._count_memory(fs, g, y, count)
        self._remember(x, y, self.of.sqrt(weight) - self.margin(g[0], y), g[0])
        super().step(x, y, weight, deviates, follows, counted)
        self.mistakes = mistakes
        return float(self.margin(f, y) if self.classes else f[0])

    def memory_candidates(self, fs: np.ndarray, g: np.ndarray) -> list[np.ndarray]:
        """The scores (K,) of the blends of features and memory, fs being that of the features."""
        shares = SHARES.astype(self.real)
        narrow = [fs + part * (of - fs) for of in g[1:] for part in shares[1:]]
        return [*(fs + part * (g[0] - fs) for part in shares), *narrow]

    def _count_memory(self, fs: np.ndarray, g: np.ndarray, y: Any, weight: Any) -> None:
        costs = [self.cost(f, y) for f in self.memory_candidates(fs, g)]
        self._add_memory(costs, self.delta, weight)

    def _add_memory(self, costs: Sequence[Any], decay: Any, weight: Any) -> None:
        n = len(SHARES)
        wrong: np.ndarray = np.array(costs, dtype=self.real)
        self.L_Q = decay * self.L_Q + weight * wrong[:n]
        self.L_N = decay * self.L_N + weight * wrong[n:].reshape(self.L_N.shape)

    def _remember(self, x: np.ndarray, y: float, loss: Any, g: np.ndarray) -> None:
        if loss <= 0.0:
            return
        real = self.real
        C = max(1, math.floor(real(self.top) * min(real(1.0), loss) + real(0.5)))
        if self.m < self.M:
            j = self.m
            self.m += 1
        else:
            j = min(range(self.M), key=lambda i: (self.C[i], (i - self.head) % self.M))
            if self.C[j] > C:
                return
            self.head = (j + 1) % self.M
        # The offset of the stored codes comes first.
        self.codes[j] = np.floor((self.units(x) + real(8)) + real(0.5)) - real(8)
        self.labels[j], self.C[j] = int(y), C
        self.rivals[j] = self.rival(g, y) if self.classes else 0

    def _forget(self) -> None:
        super()._forget()
        self._empty()
