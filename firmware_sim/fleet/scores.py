"""Errors counted a block at a time: the figures of `firmware_sim.metrics`."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from firmware_sim.metrics import Confusion, Deviation, Figures
from firmware_sim.streams import Row


class Scores(Protocol):
    """What a learner, or a baseline, got right."""

    def add(self, y: Row, scores: Row) -> None:
        """Count a block of labels and the scores from before them."""

    def figures(self) -> Figures:
        """Return what was counted."""


class ClassScores:
    """Answers to labels of two classes."""

    def __init__(self) -> None:
        self.count = Confusion()

    def add(self, y: Row, scores: Row) -> None:
        """Count a block of labels and the scores from before them."""
        said, true = scores >= 0.0, y > 0.0
        self.count.true_positive += int(np.sum(said & true))
        self.count.false_positive += int(np.sum(said & ~true))
        self.count.true_negative += int(np.sum(~said & ~true))
        self.count.false_negative += int(np.sum(~said & true))

    def figures(self) -> Figures:
        """Return what was counted."""
        count = self.count
        return {
            "error": count.error,
            "kappa": count.kappa,
            "f1": count.f1,
            "wrong": count.wrong,
            "true_positive": count.true_positive,
            "false_positive": count.false_positive,
            "true_negative": count.true_negative,
            "false_negative": count.false_negative,
        }


class NumberScores:
    """Errors of predictions of real numbers."""

    def __init__(self) -> None:
        self.count = Deviation()

    def add(self, y: Row, scores: Row) -> None:
        """Count a block of targets and the predictions from before them."""
        for label, score in zip(y.tolist(), scores.tolist(), strict=True):
            self.count.add(label, score)

    def figures(self) -> Figures:
        """Return what was counted."""
        return {"mae": self.count.mae, "rmse": self.count.rmse}


class ClassBaselines:
    """The majority so far, and the label before; see `firmware_sim.metrics.Prequential`."""

    def __init__(self) -> None:
        self.majority, self.no_change = ClassScores(), ClassScores()
        self._balance, self._last = 0.0, 1.0

    def add(self, y: Row) -> None:
        """Count a block."""
        balance = self._balance + np.concatenate([[0.0], np.cumsum(y)])
        self.majority.add(y, balance[:-1])
        self.no_change.add(y, np.concatenate([[self._last], y[:-1]]))
        self._balance, self._last = float(balance[-1]), float(y[-1])

    def figures(self) -> Figures:
        """Return what was counted."""
        return {
            "majority_error": self.majority.count.error,
            "no_change_error": self.no_change.count.error,
        }

    def loss(self, figures: Figures) -> float | None:
        """Return what is compared: the share of wrong answers."""
        return figures["error"]


class NumberBaselines:
    """The value before."""

    def __init__(self) -> None:
        self.last_value = NumberScores()
        self._last = 0.0

    def add(self, y: Row) -> None:
        """Count a block."""
        self.last_value.add(y, np.concatenate([[self._last], y[:-1]]))
        self._last = float(y[-1])

    def figures(self) -> Figures:
        """Return what was counted."""
        return {"last_value_mae": self.last_value.count.mae}

    def loss(self, figures: Figures) -> float | None:
        """Return what is compared: the mean error as a multiple of the last value's."""
        own, last = figures["mae"], self.last_value.count.mae
        return None if own is None or not last else own / last
