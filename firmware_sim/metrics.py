"""Prequential metrics in constant memory: test on a row first, then learn from it.

Sensor labels stay the same for long stretches, so an error rate says little by itself. Two
baselines see the same rows: the majority class so far, and no-change, which repeats the last
label. Kappa against no-change is what is left of the score once that is taken off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from firmware_sim.curve import CURVE_POINTS, Curve


@dataclass
class Confusion:
    """Counts of right and wrong answers for each class.

    A ratio whose denominator is 0 is None: a stream of one class has no kappa.
    """

    true_positive: int = 0
    false_positive: int = 0
    true_negative: int = 0
    false_negative: int = 0

    def add(self, label: int, answer: int) -> None:
        """Count one row; both numbers are -1 or +1."""
        if answer > 0:
            if label > 0:
                self.true_positive += 1
            else:
                self.false_positive += 1
        elif label > 0:
            self.false_negative += 1
        else:
            self.true_negative += 1

    @property
    def rows(self) -> int:
        """Return the number of rows counted."""
        return self.true_positive + self.true_negative + self.wrong

    @property
    def wrong(self) -> int:
        """Return the number of wrong answers."""
        return self.false_positive + self.false_negative

    @property
    def error(self) -> float | None:
        """Return the fraction of wrong answers."""
        return _ratio(self.wrong, self.rows)

    @property
    def kappa(self) -> float | None:
        """Return Cohen's kappa: agreement beyond what the class frequencies give by chance."""
        n = self.rows
        answered = self.true_positive + self.false_positive
        positive = self.true_positive + self.false_negative
        # In whole numbers, so that a kappa of exactly 0 or 1 is exactly that.
        chance = answered * positive + (n - answered) * (n - positive)
        return _ratio(n * (n - self.wrong) - chance, n * n - chance)

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean of precision and recall of the positive class."""
        return _ratio(2 * self.true_positive, 2 * self.true_positive + self.wrong)

    def kappa_against(self, other: Confusion) -> float | None:
        """Return (accuracy - other's accuracy) / (1 - other's accuracy), over the same rows."""
        return _ratio(other.wrong - self.wrong, other.wrong)


class Prequential:
    """The learner's record beside both baselines', over the same rows.

    Attributes
    ----------
    kind : str
        "binary".
    baselines : dict
        What the baselines are called in a report.
    learner, majority, no_change : Confusion
        The three records.
    curve : Curve
        Their errors over time.
    """

    kind = "binary"
    baselines: ClassVar = {"majority": "majority class", "no_change": "no-change"}

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self.learner = Confusion()
        self.majority = Confusion()
        self.no_change = Confusion()
        self.curve = Curve(points)
        self._last = 1
        self._balance = 0

    def add(self, label: float, score: float, known: bool = True) -> None:
        """Count one row.

        Parameters
        ----------
        label : {-1, +1}
            What the stream says.
        score : float
            What the learner said before it saw the label: +1 for a score of 0 or more, as in
            its own ``predict_one``. Before the first label the baselines say +1 too, and an
            even balance of labels is a majority of +1.
        known : bool
            Whether the label is told at once; if not, `observe` is called when it comes.
        """
        label = int(label)
        self.learner.add(label, 1 if score >= 0.0 else -1)
        self.majority.add(label, 1 if self._balance >= 0 else -1)
        self.no_change.add(label, self._last)
        self.curve.add(self.learner.wrong, self.majority.wrong, self.no_change.wrong)
        if known:
            self.observe(label)

    def observe(self, label: float) -> None:
        """Tell the baselines a label."""
        self._last = int(label)
        self._balance += int(label)

    @property
    def rows(self) -> int:
        """Rows counted."""
        return self.learner.rows

    def loss(self, name: str) -> float:
        """Return what is compared: wrong answers of one of the three."""
        record: Confusion = getattr(self, name)
        return record.wrong

    def shown(self, name: str) -> str:
        """Return that in words."""
        return f"{self.loss(name):,.0f} wrong"

    def summary(self) -> dict[str, dict[str, float | int | None]]:
        """Return every figure by the name of who earned it."""
        return {
            name: {
                "error": record.error,
                "kappa": record.kappa,
                "kappa_no_change": record.kappa_against(self.no_change),
                "f1": record.f1,
                "wrong": record.wrong,
                "true_positive": record.true_positive,
                "false_positive": record.false_positive,
                "true_negative": record.true_negative,
                "false_negative": record.false_negative,
            }
            for name, record in (
                ("learner", self.learner),
                ("majority", self.majority),
                ("no_change", self.no_change),
            )
        }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass
class Deviation:
    """Errors of predictions of real numbers."""

    rows: int = 0
    absolute: float = 0.0  # sum of |error|
    squared: float = 0.0

    def add(self, target: float, prediction: float) -> None:
        """Count one row."""
        error = prediction - target
        self.rows += 1
        self.absolute += abs(error)
        self.squared += error * error

    @property
    def mae(self) -> float | None:
        """Mean absolute error."""
        return self.absolute / self.rows if self.rows else None

    @property
    def rmse(self) -> float | None:
        """Root of the mean squared error."""
        return math.sqrt(self.squared / self.rows) if self.rows else None


class Regression:
    """The learner's errors beside two baselines': the last value, and the mean of all so far.

    Attributes
    ----------
    kind : str
        "regression".
    baselines : dict
        What the baselines are called in a report.
    learner, mean, last_value : Deviation
        The three records.
    curve : Curve
        Their absolute errors over time.
    """

    kind = "regression"
    baselines: ClassVar = {"mean": "running mean", "last_value": "last value"}

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self.learner = Deviation()
        self.mean = Deviation()
        self.last_value = Deviation()
        self.curve = Curve(points, ("learner", "mean", "last_value"), float)
        self._last = 0.0
        self._known = 0
        self._known_mean = 0.0
        self._mean = 0.0  # of all targets, known or not
        self._spread = 0.0  # sum of squared distances from it

    def add(self, label: float, score: float, known: bool = True) -> None:
        """Count one row; before the first target the baselines say 0.

        Parameters
        ----------
        label, score : float
            What the stream says, and what the learner said before.
        known : bool
            Whether the target is told at once; if not, `observe` is called when it comes.
        """
        self.learner.add(label, score)
        self.mean.add(label, self._known_mean)
        self.last_value.add(label, self._last)
        delta = label - self._mean
        self._mean += delta / self.learner.rows
        self._spread += delta * (label - self._mean)
        self.curve.add(self.learner.absolute, self.mean.absolute, self.last_value.absolute)
        if known:
            self.observe(label)

    def observe(self, label: float) -> None:
        """Tell the baselines a target."""
        self._last = label
        self._known += 1
        self._known_mean += (label - self._known_mean) / self._known

    @property
    def rows(self) -> int:
        """Rows counted."""
        return self.learner.rows

    def loss(self, name: str) -> float:
        """Return what is compared: the sum of absolute errors of one of the three."""
        record: Deviation = getattr(self, name)
        return record.absolute

    def shown(self, name: str) -> str:
        """Return the mean absolute error in words."""
        return f"{self.loss(name) / max(1, self.rows):.4g} MAE"

    def summary(self) -> dict[str, dict[str, float | int | None]]:
        """Return every figure by the name of who earned it.

        ``r2`` is against the mean of the whole stream, ``r2_last_value`` against repeating the last
        value: 0 where the learner is no better.
        """
        return {
            name: {
                "mae": record.mae,
                "rmse": record.rmse,
                "r2": _gain(record.squared, self._spread),
                "r2_last_value": _gain(record.squared, self.last_value.squared),
            }
            for name, record in (
                ("learner", self.learner),
                ("mean", self.mean),
                ("last_value", self.last_value),
            )
        }


def _gain(squared: float, reference: float) -> float | None:
    return 1.0 - squared / reference if reference else None
