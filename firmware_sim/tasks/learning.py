"""Rows learned in bulk at compiled speed, with the same results as one by one.

A row that the learner refuses is learned singly; the rows after it are learned in bulk again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from firmware_sim.metrics.base import RevealedLabels
from firmware_sim.metrics.curve import Forecasts
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import (
    NoveltyScore,
    TargetScale,
    adapter,
    scaled_targets,
    settings_in,
)

#: Kinds of labels whose learners predict each row before they learn it.
_ANSWERED_FIRST = ("multiclass", "novelty")


@dataclass
class LearnResult:
    """The outcome of rows that were given to a learner.

    scores (ndarray of shape (n,)): the answer to each row before it was learned: a score, a class
        or a prediction, as in `adapters`.
    levels (ndarray of shape (n,)): the thresholds that were subtracted from the scores; 0 where
        there are none.
    reasons (ndarray of shape (n,)): reasons of novelty, packed by `adapters`; negative if none.
    outputs (ndarray of shape (n, numbers)): the numbers of a forecaster besides its forecasts
        (`edgeolk/sorf/sorf.pxd`); other learners have none.
    refused: why rows were not learned, by index.
    stopped: why learning stopped at the row of index `done`; None if it did not.
    """

    scores: Row
    levels: Row
    reasons: Row
    refused: dict[int, Exception] = field(default_factory=dict)
    stopped: RuntimeError | None = None
    done: int = 0  # rows that were learned or refused
    alarms: list[int] = field(default_factory=list)  # indices of rows with a drift alarm
    outputs: Row = field(default_factory=lambda: np.empty((0, 0)))
    #: targets of earlier rows that arrived before a row was answered, by the index of that row
    arrived: dict[int, list[float]] = field(default_factory=dict)
    #: indices of rows whose own label did not arrive with them
    late: set[int] = field(default_factory=set)

    @classmethod
    def empty(cls, n: int, numbers: int = 0) -> LearnResult:
        """Return the result of n rows before any of them is learned."""
        return cls(np.zeros(n), np.zeros(n), -np.ones(n), outputs=np.zeros((n, numbers)))

    @property
    def taken(self) -> np.ndarray:
        """Indices of the rows that were learned."""
        good = np.ones(self.done, dtype=bool)
        good[[*self.refused]] = False
        return np.flatnonzero(good)

    def expanded(self, places: np.ndarray, n: int, refused: dict[int, Exception]) -> LearnResult:
        """Return the result for n rows: `places` are the indices of these, the rest was refused."""
        total, place_list = LearnResult.empty(n, self.outputs.shape[1]), places.tolist()
        total.scores[places], total.levels[places] = self.scores, self.levels
        total.reasons[places], total.outputs[places] = self.reasons, self.outputs
        total.refused = {**refused, **{place_list[at]: error for at, error in self.refused.items()}}
        total.stopped = self.stopped
        total.done = n if self.stopped is None else place_list[self.done]
        total.alarms = [place_list[at] for at in self.alarms]
        total.arrived = {place_list[at]: some for at, some in self.arrived.items()}
        total.late = {place_list[at] for at in self.late}
        return total

    def write_into(self, total: LearnResult, n: int) -> None:
        """Copy this result into that of all rows, from index n on."""
        part = slice(n, n + len(self.scores))
        total.scores[part], total.levels[part] = self.scores, self.levels
        total.reasons[part], total.outputs[part] = self.reasons, self.outputs
        total.refused |= {n + at: error for at, error in self.refused.items()}
        total.stopped, total.done = self.stopped, n + self.done
        total.alarms += [n + at for at in self.alarms]
        total.arrived |= {n + at: some for at, some in self.arrived.items()}
        total.late |= {n + at for at in self.late}

    def forecasts(self, names: tuple[str, ...]) -> Forecasts:
        """Return intervals and shares of the learned rows; `names` are those of the experts."""
        taken = self.taken
        answers, outputs = self.scores[taken], self.outputs[taken]
        half_widths, shares = np.split(outputs, [outputs.shape[1] - len(names)], axis=1)
        known = (half_widths > 0.0).all(axis=1)
        low, high = (
            np.where(known, answers + sign * half_widths[:, 0], np.nan) for sign in (-1, 1)
        )
        return Forecasts(names, low, high, shares)

    def revealed_labels(self, y: Row) -> RevealedLabels | None:
        """Return the labels `y` in order of arrival; None if each arrived with its row."""
        if not (self.arrived or self.late):
            return None
        labels: list[float] = []
        before = []
        for at in self.taken.tolist():
            labels += self.arrived.get(at, ())
            before.append(len(labels))
            if at not in self.late:
                labels.append(float(y[at]))
        return RevealedLabels(np.array(labels), np.array(before, dtype=np.int64))


def n_outputs(learner: Any) -> int:
    """Return how many numbers a forecaster gives besides a forecast; 0 for other learners."""
    settings = settings_in(learner)
    return len(forecast_outputs(learner)) if settings is None or settings.awaits_targets else 0


def forecast_outputs(learner: Any) -> list[float]:
    """Return the numbers that came with a forecaster's last forecast."""
    if settings_in(learner) is None:  # the learner is in another process
        return [*getattr(learner, "last_outputs", ())]
    _, half_widths, shares = learner._engine.last_forecast()
    return [*half_widths, *shares]


#: Rows within which there is at most one drift alarm.
ALARM_INTERVAL = 256


def watches_drift(learner: Any) -> bool:
    """Whether a learner has a drift alarm, which follows its own mistakes."""
    settings = settings_in(learner)
    return settings is not None and bool(settings.values.get("drift"))


def learn_recording(
    kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row
) -> LearnResult:
    """Learn rows, and record at which of them there was a drift alarm; see `learn_rows`."""
    if not watches_drift(learner):
        return learn_rows(kind, learner, targets, X, y)
    n = len(y)
    total = LearnResult.empty(n)
    for first in range(0, n, ALARM_INTERVAL):
        before, part = learner.alarms, slice(first, first + ALARM_INTERVAL)
        found = learn_rows(kind, learner, targets, X[part], y[part])
        if learner.alarms > before:
            found.alarms.append(int(found.taken[-1 - learner._rows_since_alarm]))
        found.write_into(total, first)
        if found.stopped is not None:
            break
    return total


def learn_rows(kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row) -> LearnResult:
    """Learn rows.

    kind: the kind of labels.
    learner: a learner of that kind.
    targets: the scaler of real targets.
    X, y: scaled rows and their labels.
    """
    n = len(X)
    found = LearnResult.empty(n, n_outputs(learner))
    found.done = n
    labels, scores = y, found.scores
    mean = spread = np.empty(0)
    if targets is not None:
        labels, mean, spread = scaled_targets(targets, y)
    answers_first = kind in _ANSWERED_FIRST
    before = np.empty(n + int(learner.n_classes)) if answers_first else np.empty(0)
    one = adapter(kind, learner, None)
    if kind == "novelty" and one.in_time:  # these refuse no row
        _learn_novelty(found, learner, X)
        return found
    at = 0
    while at < n:
        steps = learner.steps
        try:
            if answers_first:
                given = None if kind == "novelty" else labels[at:]
                thresholds = before[at:] if kind == "multiclass" else before[at : n + 1]
                learner._answer_many(X[at:], given, scores[at:], thresholds)
            elif found.outputs.size:
                learner._answer_many(
                    X[at:], labels[at:], scores[at:], None, found.outputs[at:].reshape(-1)
                )
            else:
                learner.learn_many(X[at:], labels[at:], scores[at:])
            break
        except (RuntimeError, ValueError):
            at += learner.steps - steps
        if at == n:
            break
        try:
            answer = one.learn_one(X[at], float(labels[at]))
            scores[at] = answer.score if isinstance(answer, NoveltyScore) else answer
            if answers_first:
                before[at] = answer.level if isinstance(answer, NoveltyScore) else answer
            elif found.outputs.size:
                found.outputs[at] = forecast_outputs(learner)
        except ValueError as error:
            found.refused[at] = error
        except RuntimeError as error:  # a full ring with full="raise"
            found.stopped, found.done = error, at
            return _to_stream_units(found, kind, before, mean, spread)
        at += 1
    return _to_stream_units(found, kind, before, mean, spread)


def _learn_novelty(found: LearnResult, learner: Any, X: Row) -> None:
    """Learn rows in the order of time, without labels."""
    before = np.empty(len(X) + 1)
    learner._answer_many(X, None, found.scores, before, found.reasons)
    # Only the first rows have a score of exactly 0: it is too early to judge them.
    found.levels[:] = np.where(found.scores != 0.0, -before[:-1], 0.0)


def _to_stream_units(
    found: LearnResult, kind: str, before: Row, mean: Row, spread: Row
) -> LearnResult:
    """Convert scores to classes, thresholds or the targets' unit."""
    n = len(found.scores)
    if kind == "multiclass":
        found.scores = before[:n]
    elif kind == "novelty":
        found.levels = before[:n]
    elif len(mean):
        found.scores = mean + spread * found.scores
    return found
