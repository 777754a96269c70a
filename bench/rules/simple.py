"""The rules: the commonest label or mean, the last label, two linear models with bytes counted.

A rule answers a row, scaled, and learns it when its label is known. Labels of two classes are -1
and +1, of several 0, 1, ..; targets of regression have mean 0 and deviation 1 over all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bench.bytes.sets import Rows

#: Of the linear model in bytes: levels per unit, and rows of its average.
UNIT, WINDOW = 3.0, 2048
#: Of a block beside weights and scales: counters, and the row.
COUNTERS, READING = 32, 4


@dataclass(frozen=True)
class Task:
    """What is learned; ``classes`` is 1 for two classes and for regression."""

    d: int
    classes: int = 1
    regression: bool = False

    def wrong(self, f: Rows, y: float) -> float:
        """The cost of scores: 1 for a wrong answer, or the square of the error."""
        if self.regression:
            return float((y - f[0]) ** 2)
        if self.classes == 1:
            return float(y * f[0] <= 0.0)
        return float(f[int(y)] <= np.delete(f, int(y)).max())

    def direction(self, f: Rows, y: float) -> tuple[Rows, float]:
        """Of a step the columns with their signs, and the loss of the margin, or the residual."""
        if self.regression:
            return np.ones(1), float(y - f[0])
        if self.classes == 1:
            return np.array([y]), float(1.0 - y * f[0])
        others = f.copy()
        others[int(y)] = -math.inf
        signs = np.zeros(self.classes)
        signs[int(y)], signs[int(np.argmax(others))] = 1.0, -1.0
        return signs, float(1.0 - signs @ f)


class Rule(Protocol):
    """Scores of a row (one for each class), and a step."""

    def scores(self, x: Rows) -> Rows:
        """The answer."""

    def learn(self, x: Rows, y: float) -> None:
        """Learn a row."""


class Commonest:
    """The commonest label so far; in regression the running mean."""

    def __init__(self, task: Task) -> None:
        self.task, self.rows, self.mean = task, 0, 0.0
        self.counts = np.zeros(max(2, task.classes))

    def scores(self, x: Rows) -> Rows:
        """The largest count wins."""
        if self.task.regression:
            return np.array([self.mean])
        if self.task.classes == 1:
            return np.array([self.counts[1] - self.counts[0]])
        best = np.zeros(self.task.classes)
        best[int(np.argmax(self.counts))] = 1.0
        return best

    def learn(self, x: Rows, y: float) -> None:
        """Count the label."""
        self.rows += 1
        if self.task.regression:
            self.mean += (y - self.mean) / self.rows
        else:
            self.counts[int(y > 0.0) if self.task.classes == 1 else int(y)] += 1.0


class Last:
    """The last label that is known."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.label = np.zeros(task.classes)

    def scores(self, x: Rows) -> Rows:
        """That label."""
        return self.label

    def learn(self, x: Rows, y: float) -> None:
        """Keep the label."""
        several = self.task.classes > 1
        self.label = np.eye(self.task.classes)[int(y)] if several else np.array([y])


class Arow:
    """A linear model with a variance a weight (Crammer, Kulesza, Dredze 2009), r = 1: 8 bytes."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.w = np.zeros((task.d + 1, task.classes), dtype=np.float32)
        self.S = np.ones_like(self.w)

    def scores(self, x: Rows) -> Rows:
        """Linear, with a bias."""
        return np.asarray(np.append(x, 1.0) @ self.w, dtype=float)

    def learn(self, x: Rows, y: float) -> None:
        """A step where there is a loss; in regression always."""
        signs, loss = self.task.direction(self.scores(x), y)
        if not self.task.regression and loss <= 0.0:
            return
        lines = np.append(x, 1.0)
        columns = np.flatnonzero(signs)
        q = self.S[:, columns] * lines[:, None]
        b = 1.0 / (lines @ q.sum(axis=1) + 1.0)
        self.w[:, columns] += loss * b * q * signs[columns]
        self.S[:, columns] -= b * q * q


class Byte:
    """A passive-aggressive linear model with a byte a weight, rounded without bias.

    ``averages``: it answers by the running average of its weights, one byte each.
    """

    def __init__(self, task: Task, averages: bool) -> None:
        self.task, self.averages, self.rows = task, averages, 0
        self.r = 1.0 if averages else 3.0
        self.w = np.zeros((task.d + 1, task.classes))
        self.a = self.w.copy()
        self.draws = np.random.default_rng(1)

    def _rounded(self, weights: Rows) -> Rows:
        return np.clip(np.floor(weights + self.draws.random(weights.shape)), -127.0, 127.0)

    def _scores(self, weights: Rows, x: Rows) -> Rows:
        return np.append(x, 1.0) @ weights / (UNIT * len(weights))

    def scores(self, x: Rows) -> Rows:
        """Of the average, if there is one."""
        return self._scores(self.a if self.averages else self.w, x)

    def learn(self, x: Rows, y: float) -> None:
        """A step where there is a loss; in regression always. One row in eight is averaged."""
        signs, loss = self.task.direction(self._scores(self.w, x), y)
        if self.task.regression or loss > 0.0:
            lines = np.append(x, 1.0)
            square = float(signs @ signs * (lines @ lines)) / len(lines)
            share = 1.0 / (square + self.r)
            if self.task.regression:
                share = min(share, 1.0 / square)
            columns = np.flatnonzero(signs)
            step = UNIT * loss * share * np.outer(lines, signs[columns])
            self.w[:, columns] = self._rounded(self.w[:, columns] + step)
        if self.averages and self.rows % 8 == 0:
            octets = min(self.rows // 8 + 1, WINDOW // 8)
            self.a = self._rounded(self.a + (self.w - self.a) / octets)
        self.rows += 1


@dataclass(frozen=True)
class Linear:
    """A linear model with its scaler: ``weight`` bytes a weight, one scale an input or for all."""

    weight: int
    common: bool

    @property
    def column(self) -> str:
        """The column of its figures."""
        return "AROW" if self.weight == 8 else "linear, bytes"

    def nbytes(self, task: Task) -> int:
        """Weights, statistics of the inputs (9 bytes each, or 16), the row, counters."""
        weights = self.weight * (task.d + 1) * task.classes
        return weights + (16 if self.common else 9 * task.d) + READING * task.d + COUNTERS

    def made(self, task: Task) -> Rule:
        """A new one."""
        return Arow(task) if self.weight == 8 else Byte(task, self.weight == 2)


def linear_models(task: Task, nbytes: int) -> list[Linear]:
    """Those that fit: of each column and each way to scale the richest."""
    kinds = [[Linear(weight, common) for weight in weights] for weights, common in KINDS]
    fitting = ([one for one in kind if one.nbytes(task) <= nbytes] for kind in kinds)
    return [kind[0] for kind in fitting if kind]


#: Bytes a weight, the richest first, and whether there is one scale for all inputs.
KINDS = [(weights, common) for weights in ((8,), (2, 1)) for common in (False, True)]
