"""Section 7f of `sorf`: a memory of rows with 4 bits per input.

Written from the specification, independently of the loops: integers where it has integers, float64
for everything else.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from edgeolk.reference.base import require
from edgeolk.reference.sorf import Sorf

SHARES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # Q
# rho; with experts of the narrower kernel, and with three classes or more
COST, COST_OF_TWO, COST_OF_CLASSES = 4.0, 3.0, -3.0
NEAR, MAX_CODE = 9.0, 7


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
        self.h = 1.0 / (5.0 * math.sqrt(start * n_features))
        self.codes = np.zeros((memory, n_features), dtype=int)
        self.labels = np.zeros(memory, dtype=int)  # two classes: -1 or +1
        self.rivals = np.zeros(memory, dtype=int)
        self.C = np.zeros(memory, dtype=int)
        self.top = 255 if self.classes else 127
        self._empty()

    def _empty(self) -> None:
        self.m = self.head = 0
        self.L_Q = np.zeros(len(SHARES))
        self.L_N = np.zeros((self.memory_kernels - 1, len(SHARES) - 1))  # from 1/4 on

    # --- scores ---

    def units(self, x: np.ndarray) -> np.ndarray:
        """The row as in 3.1, before relevance, in units of the codes."""
        clamped = np.clip(np.asarray(x, dtype=float), -self.hold, self.hold)
        return np.asarray(np.clip(clamped / self.h, -MAX_CODE, MAX_CODE))

    def kernels(self, x: np.ndarray) -> np.ndarray:
        """k_j of the stored rows (2, m): the mean of two narrow kernels, and the narrower alone."""
        each = self.relevance and not self.shared
        scale = np.exp(2.0 * self.lam.astype(float)) if each else np.ones(self.phi.d)
        z = ((self.units(x) - self.codes[: self.m]) ** 2) @ scale / (25.0 * self.phi.d)
        p = np.exp(-NEAR * z)
        return np.stack([(p + p**3) / 2.0, p**3])

    def memory_scores(self, x: np.ndarray) -> np.ndarray:
        """g (readings, K)."""
        g = np.zeros((self.memory_kernels, self.K))
        for output, kernels in zip(g, self.kernels(x), strict=False):
            weighed = kernels * self.C[: self.m] / (self.top * (2.0 + self.r))
            if self.classes:
                np.add.at(output, self.labels[: self.m], weighed)
                np.subtract.at(output, self.rivals[: self.m], weighed)
            else:
                output[0] = 2.0 * float(weighed @ self.labels[: self.m])
        return g

    @property
    def memory_weights(self) -> np.ndarray:
        """Weight of each reading of the memory in the next score."""
        lowest = min(self.L_Q.min(), self.L_N.min(initial=np.inf))
        mistakes = [self.L_Q, *(np.concatenate([[np.inf], of]) for of in self.L_N)]
        e = np.exp([-(of - lowest) - self.memory_cost * SHARES for of in mistakes])
        return np.asarray(e @ SHARES / e.sum())

    @property
    def share(self) -> float:
        """Weight of the memory in the next score."""
        return float(self.memory_weights.sum())

    def output(self, x: np.ndarray, f: np.ndarray) -> np.ndarray:
        return np.asarray(f + self.weights_before @ (self.memory_before - f))

    def scores(self, x: np.ndarray) -> np.ndarray:
        f = super().scores(x)
        return np.asarray(f + self.memory_weights @ (self.memory_scores(x) - f))

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
        x = np.asarray(x, dtype=float)
        fs, g, shares = super().scores(x), self.memory_scores(x), self.memory_weights
        f = fs + shares @ (g - fs)
        count = weight if counted is None else counted
        mistakes = self.mistakes + int(self.margin(f, y) <= 0.0)
        self.memory_before, self.weights_before = g, shares
        for counters, output, first in ((self.L_Q, g[0], 0), *((of, g[1], 1) for of in self.L_N)):
            for i, part in enumerate(SHARES[first:]):
                wrong = self.margin(fs + part * (output - fs), y) <= 0.0
                counters[i] = self.delta * counters[i] + count * wrong
        self._remember(x, y, math.sqrt(weight) - self.margin(g[0], y), g[0])
        super().step(x, y, weight, deviates, follows, counted)
        self.mistakes = mistakes
        return self.margin(f, y) if self.classes else float(f[0])

    def _remember(self, x: np.ndarray, y: float, loss: float, g: np.ndarray) -> None:
        if loss <= 0.0:
            return
        C = max(1, math.floor(self.top * min(1.0, loss) + 0.5))
        if self.m < self.M:
            j = self.m
            self.m += 1
        else:
            j = min(range(self.M), key=lambda i: (self.C[i], (i - self.head) % self.M))
            if self.C[j] > C:
                return
            self.head = (j + 1) % self.M
        self.codes[j] = np.floor(self.units(x) + 0.5)
        self.labels[j], self.C[j] = int(y), C
        self.rivals[j] = self.rival(g, y) if self.classes else 0

    def _forget(self) -> None:
        super()._forget()
        self._empty()
