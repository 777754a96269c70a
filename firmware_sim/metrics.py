"""Prequential metrics in constant memory: test on a row first, then learn from it.

Sensor labels stay the same for long stretches, so an error rate says little by itself. Two
baselines see the same rows: the majority class so far, and no-change, which repeats the last
label. Kappa against no-change is what is left of the score once that is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CURVE_POINTS = 512


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
    learner, majority, no_change : Confusion
        The three records.
    curve : Curve
        Their errors over time.
    """

    def __init__(self, points: int = CURVE_POINTS) -> None:
        self.learner = Confusion()
        self.majority = Confusion()
        self.no_change = Confusion()
        self.curve = Curve(points)
        self._last = 1
        self._balance = 0

    def add(self, label: int, score: float) -> None:
        """Count one row.

        Parameters
        ----------
        label : {-1, +1}
            What the stream says.
        score : float
            What the learner said before it saw the label: +1 for a score of 0 or more, as in
            its own ``predict_one``. Before the first label the baselines say +1 too, and an
            even balance of labels is a majority of +1.
        """
        self.learner.add(label, 1 if score >= 0.0 else -1)
        self.majority.add(label, 1 if self._balance >= 0 else -1)
        self.no_change.add(label, self._last)
        self._last = label
        self._balance += label
        self.curve.add(self.learner.wrong, self.majority.wrong, self.no_change.wrong)

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


class Curve:
    """Wrong answers over time, at evenly spaced rows, in a table of fixed size.

    The length of a stream is not known beforehand: when the table is full, every second point
    goes and the distance doubles, so a stream of any length leaves between half a table and a
    whole one. Counts are kept, not rates: the error in any window is a difference of two points.

    Parameters
    ----------
    points : int
        Size of the table, at least 2.
    """

    names = ("learner", "majority", "no_change")

    def __init__(self, points: int = CURVE_POINTS) -> None:
        if points < 2:
            raise ValueError(f"a curve needs at least 2 points, got {points}")
        self.step = 1
        self._wrong = np.zeros((points, len(self.names)), dtype=np.int64)
        self._held = 0
        self._rows = 0
        self._latest = (0, 0, 0)

    def add(self, learner: int, majority: int, no_change: int) -> None:
        """Take the running counts of wrong answers after one more row."""
        self._rows += 1
        self._latest = (learner, majority, no_change)
        if self._rows % self.step:
            return
        if self._held == len(self._wrong):
            half = self._held // 2
            self._wrong[:half] = self._wrong[1 : 2 * half : 2]
            self._held = half
            self.step *= 2
            if self._rows % self.step:
                return
        self._wrong[self._held] = self._latest
        self._held += 1

    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows, shape (p,), and the wrong answers so far, shape (p, 3).

        The last point is the last row, whether or not the step reaches it.
        """
        rows = self.step * np.arange(1, self._held + 1, dtype=np.int64)
        wrong = self._wrong[: self._held].copy()
        if self._rows > (rows[-1] if self._held else 0):
            rows = np.append(rows, self._rows)
            wrong = np.vstack([wrong, self._latest])
        return rows, wrong

    def cumulative(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and the error over all rows so far, shapes (p,) and (p, 3)."""
        rows, wrong = self.table()
        return rows, wrong / rows[:, None]

    def windowed(self, window: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the error over the last rows before each point.

        Parameters
        ----------
        window : int, optional
            Rows in the window; rounded to a whole number of steps. About a fortieth of the
            stream by default. Points before the first whole window are left out.

        Returns
        -------
        rows, error : ndarray of shapes (q,) and (q, 3)
        window : int
            The rows in a window, after rounding.
        """
        wanted = window if window is not None else self._rows // 40
        span = min(max(1, round(wanted / self.step)), max(1, self._held))
        # Row 0, where nothing is wrong yet, makes the first whole window one like the others.
        wrong = np.vstack([np.zeros((1, len(self.names)), np.int64), self._wrong[: self._held]])
        rows = self.step * np.arange(span, self._held + 1, dtype=np.int64)
        return rows, (wrong[span:] - wrong[:-span]) / (span * self.step), span * self.step


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
