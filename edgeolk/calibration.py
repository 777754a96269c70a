"""Probabilities from scores that are not log odds, by two numbers learned online.

Design: the model of Platt (1999) with its offset replaced by a floor, so that the most probable
class is the one with the highest score, for two classes and for more. The numbers follow the
likelihood by online Newton steps (Hazan, Agarwal & Kale 2007) whose past fades; nothing grows with
the rows seen. An offset was rejected: with it, ``predict`` and ``predict_proba`` can disagree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

#: Rows after which the weight of a row in the information has fallen to 1/e.
_MEMORY = 2000.0
#: Information that the first values count for, against that of the rows.
_TRUST = 2.0
_AT_A_TIME = 32
_LONGEST_STEP = 0.5
_SLOPES = (-9.0, 9.0)
_FLOORS = (-9.0, -0.5)


def softmax(scores: FloatArray) -> FloatArray:
    """exp(s_k) / sum_j exp(s_j) of each row, for scores of shape (n, K)."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def two_columns(scores: ArrayLike) -> FloatArray:
    """Scores of two classes, of shape (n, 2), from the one score f of each row: 0 and f."""
    f = np.asarray(scores, dtype=np.float64)
    return np.column_stack((np.zeros_like(f), f))


class Calibration:
    """p_k = (1 - floor) softmax(slope s)_k + floor / K, slope > 0 and floor in (0, 1).

    Its state is six numbers, which ``pickle`` and ``copy`` keep.

    Attributes
    ----------
    slope : float
        What a score is multiplied by; 1 at first.
    floor : float
        The share that is spread evenly over all classes; 0.05 at first.
    """

    def __init__(self) -> None:
        self._at = np.array([0.0, np.log(0.05 / 0.95)])  # log slope, log odds of the floor
        self._information = np.eye(2) * _TRUST

    @property
    def slope(self) -> float:
        """What a score is multiplied by."""
        return float(np.exp(self._at[0]))

    @property
    def floor(self) -> float:
        """The share that is spread evenly over all classes."""
        return float(1.0 / (1.0 + np.exp(-self._at[1])))

    def learn(
        self, scores: FloatArray, labels: NDArray[Any], weight: FloatArray | None = None
    ) -> None:
        """Move both numbers towards those that make these labels likely.

        Parameters
        ----------
        scores : float64 ndarray of shape (n, K)
            Scores of rows before they were learned.
        labels : integers of shape (n,)
            Columns of their classes.
        weight : float64 ndarray of shape (n,), optional
            What each row counts.
        """
        for start in range(0, len(labels), _AT_A_TIME):
            some = slice(start, start + _AT_A_TIME)
            self._step(scores[some], labels[some], None if weight is None else weight[some])

    def _step(self, scores: FloatArray, labels: NDArray[Any], weight: FloatArray | None) -> None:
        n, classes = scores.shape
        slope, floor = self.slope, self.floor
        shares = softmax(slope * scores)
        row = np.arange(n)
        share = shares[row, labels]
        likely = (1.0 - floor) * share + floor / classes
        behind = scores[row, labels] - np.einsum("ij,ij->i", shares, scores)
        gradient = np.empty((n, 2))
        gradient[:, 0] = (1.0 - floor) * share * slope * behind / likely
        gradient[:, 1] = floor * (1.0 - floor) * (1.0 / classes - share) / likely
        counts = np.ones(n) if weight is None else weight
        self._information *= np.exp(-counts.sum() / _MEMORY)
        self._information += (gradient * counts[:, None]).T @ gradient
        self._information += np.eye(2) * (_TRUST * min(1.0, counts.sum() / _MEMORY))
        step = np.linalg.solve(self._information, counts @ gradient)
        self._at += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        self._at[0] = np.clip(self._at[0], *_SLOPES)
        self._at[1] = np.clip(self._at[1], *_FLOORS)

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Probabilities of the classes.

        Parameters
        ----------
        scores : float64 ndarray of shape (n, K)

        Returns
        -------
        float64 ndarray of shape (n, K)
            Each row sums to 1; the class with the highest score is the most probable.
        """
        shares = softmax(self.slope * scores)
        return np.asarray((1.0 - self.floor) * shares + self.floor / scores.shape[1])
