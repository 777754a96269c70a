"""Rows taught in bulk at compiled speed, equal to one by one.

A row that the learner refuses is taught singly, and the others go on in bulk behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from firmware_sim.metrics.base import Told
from firmware_sim.metrics.course import Forecasts
from firmware_sim.streams import Row
from firmware_sim.tasks.adapters import Watched, adapter, settings_in
from firmware_sim.tasks.regression import TargetScale, scaled_targets

#: Kinds of labels whose learners are asked before each row is learned.
_ASKED = ("multiclass", "novelty")


@dataclass
class Taught:
    """What became of rows.

    scores (ndarray of shape (n,)): what each row was given before it was learned: a score, a class
        or a prediction, as `adapters` say.
    levels (ndarray of shape (n,)): the thresholds that were taken off scores; 0 where there are
        none.
    verdicts (ndarray of shape (n,)): by what rows were judged, as `adapters` have it; below 0 for
        nothing.
    said (ndarray of shape (n, numbers)): what a forecaster says beside its forecasts
        (`edgeolk/core/said.pxd`); of other learners there are no numbers.
    refused: why rows were not learned, by their places.
    stopped: why the row behind the last one ended it all, where one did; its place.
    """

    scores: Row
    levels: Row
    verdicts: Row
    refused: dict[int, Exception] = field(default_factory=dict)
    stopped: RuntimeError | None = None
    done: int = 0  # rows that were learned or refused
    alarms: list[int] = field(default_factory=list)  # places of rows at which one of drift rang
    said: Row = field(default_factory=lambda: np.empty((0, 0)))
    #: targets of earlier rows that came before a row was answered, by its place
    came: dict[int, list[float]] = field(default_factory=dict)
    #: places of rows whose own label did not come with them
    late: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, n: int, numbers: int = 0) -> Taught:
        """Return that of n rows of which nothing is known yet."""
        return cls(np.zeros(n), np.zeros(n), -np.ones(n), said=np.zeros((n, numbers)))

    @property
    def taken(self) -> np.ndarray:
        """Places of the rows that were learned."""
        good = np.ones(self.done, dtype=bool)
        good[[*self.refused]] = False
        return np.flatnonzero(good)

    def among(self, places: np.ndarray, n: int, refused: dict[int, Exception]) -> Taught:
        """Return the same for n rows, of which these places were given and those were refused."""
        whole, own = Taught.of(n, self.said.shape[1]), places.tolist()
        whole.scores[places], whole.levels[places] = self.scores, self.levels
        whole.verdicts[places], whole.said[places] = self.verdicts, self.said
        whole.refused = {**refused, **{own[at]: error for at, error in self.refused.items()}}
        whole.stopped = self.stopped
        whole.done = n if self.stopped is None else own[self.done]
        whole.alarms = [own[at] for at in self.alarms]
        whole.came = {own[at]: some for at, some in self.came.items()}
        whole.late = {own[at] for at in self.late}
        return whole

    def enter(self, whole: Taught, n: int) -> None:
        """Enter what became of these rows into that of all, their first being at place n."""
        part = slice(n, n + len(self.scores))
        whole.scores[part], whole.levels[part] = self.scores, self.levels
        whole.verdicts[part], whole.said[part] = self.verdicts, self.said
        whole.refused |= {n + at: error for at, error in self.refused.items()}
        whole.stopped, whole.done = self.stopped, n + self.done
        whole.alarms += [n + at for at in self.alarms]
        whole.came |= {n + at: some for at, some in self.came.items()}
        whole.late |= {n + at for at in self.late}

    def forecasts(self, names: tuple[str, ...]) -> Forecasts:
        """Return what was said of the rows that were learned; `names` are those of candidates."""
        taken = self.taken
        answers, said = self.scores[taken], self.said[taken]
        reach, shares = np.split(said, [said.shape[1] - len(names)], axis=1)
        known = (reach > 0.0).all(axis=1)
        low, high = (np.where(known, answers + sign * reach[:, 0], np.nan) for sign in (-1, 1))
        return Forecasts(names, low, high, shares)

    def told(self, y: Row) -> Told | None:
        """Return the labels `y` as they came; None where each came with its row."""
        if not (self.came or self.late):
            return None
        labels: list[float] = []
        before = []
        for at in self.taken.tolist():
            labels += self.came.get(at, ())
            before.append(len(labels))
            if at not in self.late:
                labels.append(float(y[at]))
        return Told(np.array(labels), np.array(before, dtype=np.int64))


def numbers_said(learner: Any) -> int:
    """Return the numbers that a forecaster says beside a forecast; 0 of other learners."""
    if hasattr(learner, "beside"):
        return len(learner.beside)
    settings = settings_in(learner)
    return len(said_of(learner)) if settings is not None and settings.forecasts else 0


def said_of(learner: Any) -> list[float]:
    """Return what a forecaster said beside its last forecast."""
    if hasattr(learner, "beside"):  # it is in another process
        return list(learner.beside)
    _, reach, shares = learner._engine.said()
    return [*reach, *shares]


#: Rows in which an alarm of drift rings once at most.
APART = 256


def watches_drift(learner: Any) -> bool:
    """Whether a learner has an alarm of drift, which its own mistakes ring."""
    settings = settings_in(learner)
    return settings is not None and bool(settings.values.get("drift"))


def teach_noting(kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row) -> Taught:
    """Have a learner learn rows, and find where its alarm of drift rang; see `teach`."""
    if not watches_drift(learner):
        return teach(kind, learner, targets, X, y)
    n = len(y)
    whole = Taught.of(n)
    for first in range(0, n, APART):
        before, part = learner.alarms, slice(first, first + APART)
        found = teach(kind, learner, targets, X[part], y[part])
        if learner.alarms > before:
            found.alarms.append(int(found.taken[-1 - learner._rows_since_alarm]))
        found.enter(whole, first)
        if found.stopped is not None:
            break
    return whole


def teach(kind: str, learner: Any, targets: TargetScale | None, X: Row, y: Row) -> Taught:
    """Have a learner learn rows.

    kind: the kind of labels.
    learner: of that kind.
    targets: what scales real numbers.
    X, y: scaled rows and their labels.
    """
    n = len(X)
    found = Taught.of(n, numbers_said(learner))
    found.done = n
    labels, scores = y, found.scores
    mean = spread = np.empty(0)
    if targets is not None:
        labels, mean, spread = scaled_targets(targets, y)
    asked = kind in _ASKED
    before = np.empty(n + int(learner.n_classes)) if asked else np.empty(0)
    one = adapter(kind, learner, None)
    if kind == "novelty" and one.in_time:  # these refuse no row
        _watched(found, learner, X)
        return found
    at = 0
    while at < n:
        steps = learner.steps
        try:
            if asked:
                told = None if kind == "novelty" else labels[at:]
                room = before[at:] if kind == "multiclass" else before[at : n + 1]
                learner._answer_many(X[at:], told, scores[at:], room)
            elif found.said.size:
                learner._answer_many(
                    X[at:], labels[at:], scores[at:], None, found.said[at:].reshape(-1)
                )
            else:
                learner.learn_many(X[at:], labels[at:], scores[at:])
            break
        except (RuntimeError, ValueError):
            at += learner.steps - steps
        if at == n:
            break
        try:
            said = one.learn_one(X[at], float(labels[at]))
            scores[at] = said.score if isinstance(said, Watched) else said
            if asked:
                before[at] = said.level if isinstance(said, Watched) else said
            elif found.said.size:
                found.said[at] = said_of(learner)
        except ValueError as error:
            found.refused[at] = error
        except RuntimeError as error:  # a full ring that is told to refuse candidates
            found.stopped, found.done = error, at
            return _read(found, kind, before, mean, spread)
        at += 1
    return _read(found, kind, before, mean, spread)


def _watched(found: Taught, learner: Any, X: Row) -> None:
    """Have a learner watch rows in the order of time."""
    before = np.empty(len(X) + 1)
    learner._answer_many(X, None, found.scores, before, found.verdicts)
    # 0 is said of the first rows alone: nothing is known of them, nor of how odd they are.
    found.levels[:] = np.where(found.scores != 0.0, -before[:-1], 0.0)


def _read(found: Taught, kind: str, before: Row, mean: Row, spread: Row) -> Taught:
    """Put scores into the words of the stream."""
    n = len(found.scores)
    if kind == "multiclass":
        found.scores = before[:n]
    elif kind == "novelty":
        found.levels = before[:n]
    elif len(mean):
        found.scores = mean + spread * found.scores
    return found
