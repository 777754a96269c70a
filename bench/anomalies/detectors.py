"""Detectors of anomalies, in one pass over rows in the order of time.

A detector returns a score of each row, higher for odder ones; those with a threshold of their own
also say which rows are detections.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.anomalies.labelled import Rows
from bench.timing import dicts, in_turns, timed

#: Rows that slow detectors see at most, except where a board is judged.
SLOW = 10_000
#: Frequencies of one channel and of several.
FEW, MANY = 128, 256


@dataclass(frozen=True)
class Found:
    """Scores of rows, the bytes of what made them, microseconds a row."""

    scores: Rows
    nbytes: int
    us: float


@dataclass(frozen=True)
class Watched:
    """What the library says of each row, the bytes of the learner, microseconds a row.

    Attributes
    ----------
    verdicts : structured array
        score, novel, alarm, event, rare, part, channel; see ``Learner.watch_many``.
    """

    verdicts: NDArray[np.void]
    nbytes: int
    us: float

    @property
    def alarms(self) -> Rows:
        """The score of rows with an alarm, 0 elsewhere: one detection for one event."""
        return np.where(self.verdicts["alarm"], self.verdicts["score"], 0.0)


def watched(X: Rows, seconds: Rows | None = None, **options: Any) -> Watched:
    """The default learner of anomalies; ``seconds``: times of the rows, for its season."""
    options = {"D": FEW if X.shape[1] == 1 else MANY, "clock": seconds is not None, **options}
    learner = ek.Learner(n_features=X.shape[1], loss="novelty", history=True, **options)
    verdicts, spent = timed(lambda: learner.watch_many(X, time=seconds))
    return Watched(verdicts, learner.nbytes, 1e6 * spent / len(X))


def _watched(X: Rows, **options: Any) -> Found:
    made = watched(X, seed=1, **options)
    return Found(made.verdicts["score"], made.nbytes, made.us)


def _embedding(X: Rows) -> Found:
    """The learner of rows in any order, its score without its threshold."""
    ram = max(4096, 128 * X.shape[1])
    learner = ek.Learner(n_features=X.shape[1], loss="novelty", seed=1, ram=ram)
    f: list[float] = []
    levels, us = in_turns(lambda _: learner.threshold, lambda x: f.append(learner.learn_one(x)), X)
    return Found(-(np.array(f) + np.array(levels)), learner.nbytes, us)


def _distances(X: Rows) -> Rows:
    """Mean squared distance of each row from the mean of those before, in deviations."""
    count = np.arange(1, len(X) + 1)[:, None]
    total, square = np.cumsum(X, axis=0), np.cumsum((X - X[0]) ** 2, axis=0)
    mean = total / count
    spread = np.maximum(square / count - (mean - X[0]) ** 2, 0.0)
    z_scores = np.zeros_like(X)
    before = (X[1:] - mean[:-1]) ** 2
    np.divide(before, spread[:-1], out=z_scores[1:], where=spread[:-1] > 1e-12)
    return np.asarray(z_scores.mean(axis=1))


def _distance(X: Rows) -> Found:
    scores, seconds = timed(lambda: _distances(X))
    return Found(scores, 24 * X.shape[1], 1e6 * seconds / len(X))


def _smoothed(X: Rows) -> Found:
    """The mean of the distances of the last 64 rows."""
    distance = _distance(X)
    total = np.concatenate(([0.0], np.cumsum(distance.scores)))
    at = np.arange(1, len(X) + 1)
    first = np.maximum(at - 64, 0)
    return Found((total[at] - total[first]) / (at - first), distance.nbytes + 512, distance.us)


def trees(X: Rows, most: int | None = SLOW) -> Found:
    """river's Half-Space Trees, of rows scaled by the extremes so far."""
    from river import anomaly, preprocessing

    model = preprocessing.MinMaxScaler() | anomaly.HalfSpaceTrees(seed=1)
    scores, us = in_turns(model.score_one, model.learn_one, dicts(X[:most]))
    return Found(np.array(scores), len(pickle.dumps(model)), us)


def _forest(X: Rows) -> Found:
    """scikit-learn's IsolationForest, fitted on all rows before any is scored."""
    from sklearn.ensemble import IsolationForest

    model = IsolationForest(random_state=0)
    raw_scores, seconds = timed(lambda: model.fit(X).score_samples(X))
    return Found(-np.asarray(raw_scores), len(pickle.dumps(model)), 1e6 * seconds / len(X))


def loda(X: Rows, most: int | None = SLOW) -> Found:
    """pysad's LODA, of rows scaled by their first 500: every row is scored, then learned."""
    from pysad.models import LODA

    spread = X[:500].std(axis=0)
    rows = ((X - X[:500].mean(axis=0)) / np.where(spread > 0.0, spread, 1.0))[:most]
    rows = np.ascontiguousarray(rows)
    model: Any = LODA(random_state=1)
    model.fit_partial(rows[0])
    raw_scores, us = in_turns(model.score_partial, model.fit_partial, rows)
    return Found(
        np.array([float(np.ravel(one)[0]) for one in raw_scores]), len(pickle.dumps(model)), us
    )


DETECTORS: dict[str, Callable[[Rows], Found]] = {
    "watching": lambda X: _watched(X, D=MANY),
    "watching, D = 128": lambda X: _watched(X, D=FEW),
    "rows in any order": _embedding,
    "distance": _distance,
    "its mean of 64": _smoothed,
    "Half-Space Trees": trees,
    "LODA": loda,
    "IsolationForest*": _forest,
}
#: Those of other libraries.
PEERS = ("Half-Space Trees", "LODA", "IsolationForest*")
