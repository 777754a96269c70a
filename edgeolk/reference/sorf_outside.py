"""Experts of `sorf` beside its blends: a linear model, the last label, the commonest label.

Sections 7, 7b and 7g of docs/sorf.md. Each has a score, a loss L and a cost rho, and learns a row
after the models have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

F = np.float32
#: The cost of the commonest label, with several classes or two.
RHO = 3.0
#: At most so many labels are counted.
MOST = F(4096)


class Outside:
    """An expert with K scores; `rho` is what its exponent loses."""

    rho = 0.0

    def __init__(self, of: Any, K: int, *, classes: bool, regression: bool) -> None:
        self.of, self.real = of, of.real
        self.K, self.classes, self.regression = K, classes, regression
        self.L = self.real(0.0)

    def score(self, x: np.ndarray) -> np.ndarray:
        """The scores (K,) of a row that is not clamped."""
        raise NotImplementedError

    def learn(self, x: np.ndarray, y: Any, f: np.ndarray, weight: Any) -> None:
        """Learn a row, whose scores were f and whose target y is scaled."""
        raise NotImplementedError


class LinearExpert(Outside):
    """AROW with one variance per weight."""

    def __init__(self, n_features: int, *of: Any, **task: Any) -> None:
        super().__init__(*of, **task)
        self.wl: np.ndarray = np.zeros(n_features + 1, dtype=self.real)
        self.Sl: np.ndarray = np.ones(n_features + 1, dtype=self.real)

    def score(self, x: np.ndarray) -> np.ndarray:
        return np.array([self.of.linear(self.wl, x)])

    def learn(self, x: np.ndarray, y: Any, f: np.ndarray, weight: Any) -> None:
        one, f_l = self.real(1.0), self.real(f[0])
        push = y - f_l if self.regression else y * (one - y * f_l)
        if not self.regression and not one - y * f_l > 0.0:
            return
        q = self.Sl * np.append(x, one)
        b = one / self.of.spread(self.Sl, x)
        self.wl = self.wl + push * b * q
        self.Sl = self.Sl - b * q * q


class LastLabel(Outside):
    """The label of the last row."""

    def __init__(self, *of: Any, **task: Any) -> None:
        super().__init__(*of, **task)
        self.label: np.ndarray = np.zeros(self.K, dtype=self.real)

    def score(self, x: np.ndarray) -> np.ndarray:
        return self.label

    def learn(self, x: np.ndarray, y: Any, f: np.ndarray, weight: Any) -> None:
        one_hot = np.eye(self.K, dtype=self.real)
        self.label = one_hot[int(y)] if self.classes else np.array([y])


class Constant(Outside):
    """The commonest label so far; in regression the running mean, whose scaled target is 0."""

    def __init__(self, *of: Any, **task: Any) -> None:
        super().__init__(*of, **task)
        self.rho = 0.0 if self.regression else RHO
        #: Labels so far, in the order of classes; two classes: of -1, of +1.
        self.n: np.ndarray = np.zeros(self.K if self.classes else 2, dtype=F)

    def score(self, x: np.ndarray) -> np.ndarray:
        if not self.classes:
            return np.array([self.real(np.sign(self.n[1] - self.n[0]))])
        chosen = np.eye(self.K, dtype=self.real)[int(np.argmax(self.n))]
        return np.asarray(chosen * self.real(self.n.any()))

    def learn(self, x: np.ndarray, y: Any, f: np.ndarray, weight: Any) -> None:
        if self.regression:
            return
        self.n[int(y) if self.classes else int(y > 0.0)] += F(weight)
        total = np.add.accumulate(self.n)[-1]
        if total > MOST:
            self.n *= MOST / total
