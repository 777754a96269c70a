"""Compares learners on one stream: scores, errors, a plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Comparison:
    """Scores of several learners for the rows of one stream, each before it learned the row.

    Attributes
    ----------
    y : ndarray (n,)
        The labels or targets.
    scores : dict of str to ndarray (n,)
        Scores by name of the learner.
    real : bool
        Whether targets are real numbers: then errors are absolute errors, else 1 per mistake.
    """

    y: np.ndarray
    scores: dict[str, np.ndarray]
    real: bool

    @property
    def errors(self) -> dict[str, float]:
        """The mean error of each learner."""
        return {name: float(np.mean(self._lost(name))) for name in self.scores}

    def curve(self, name: str, window: int = 200) -> np.ndarray:
        """The mean error of the last ``window`` rows, for every row (n,)."""
        total = np.cumsum(np.concatenate([[0.0], self._lost(name)]))
        rows = np.arange(1, len(total))
        first = np.maximum(rows - window, 0)
        return np.asarray((total[rows] - total[first]) / (rows - first))

    def difference(self, name: str, other: str) -> float:
        """The largest absolute difference between the scores of two learners."""
        return float(np.max(np.abs(self.scores[name] - self.scores[other])))

    def plot(self, path: str | None = None, window: int = 200) -> Any:
        """Draw the error of the last ``window`` rows of each learner; needs matplotlib.

        Parameters
        ----------
        path : str or None
            File to write; its suffix selects the format.
        window : int
            Rows over which the error is averaged.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.0, 3.2), layout="constrained")
        axes = figure.subplots()
        for name in self.scores:
            axes.plot(self.curve(name, window), label=f"{name} ({self.errors[name]:.4g})")
        axes.set_xlabel("row")
        axes.set_ylabel(f"error of the last {window} rows")
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure

    def _lost(self, name: str) -> np.ndarray:
        scores = self.scores[name]
        return np.abs(self.y - scores) if self.real else np.asarray(self.y * scores <= 0.0, float)


def compare(
    learners: Mapping[str, Any], X: np.ndarray, y: np.ndarray, *, real: bool = False
) -> Comparison:
    """Run learners on the same rows.

    Parameters
    ----------
    learners : mapping of str to learner
        Anything with ``learn_many(X, y)`` or ``step(x, y)`` that returns scores: learners of this
        package, compiled ones (``ek.Learner``) or both.
    X : ndarray (n, d)
        Rows, in order.
    y : ndarray (n,)
        Labels -1 and +1, or real targets.
    real : bool
        Whether targets are real numbers.
    """
    rows, labels = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    scores = {}
    for name, learner in learners.items():
        if hasattr(learner, "learn_many"):
            answers = learner.learn_many(rows, labels)
        else:
            answers = [learner.step(row, label) for row, label in zip(rows, labels, strict=True)]
        scores[name] = np.asarray(answers, dtype=float)
    return Comparison(labels, scores, real)
