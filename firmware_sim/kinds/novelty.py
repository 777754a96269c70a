"""No labels: an answer is a score, negative if the row is novel.

Labels, if there are any, only evaluate the alarms (`metrics.novelty`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import edgeolk as ek
from edgeolk import hosting
from firmware_sim.errors import SimulatorError
from firmware_sim.kinds.base import Asked, Hint, Kind, Script, Trainer
from firmware_sim.kinds.two_classes import LabelMap
from firmware_sim.metrics.anomalies import MIN_DISTANCE
from firmware_sim.metrics.batch import Batch, Records, When
from firmware_sim.metrics.novelty import UNJUDGED, Novelty
from firmware_sim.metrics.watching import Watching
from firmware_sim.streams import Row
from firmware_sim.streams.cadence import Cadence
from firmware_sim.streams.zones import Clock

#: Parameters that a learner of novelty in the order of time refuses.
_NOT_IN_TIME = {"scale", "gamma", "kernel_gamma", "clip", "freeze_after", "clip_rows"}


class NoveltyTrainer(Trainer):
    """Trains a learner without labels: those of the rows are ignored.

    in_time: whether it finds anomalies of a stream.
    zone: the time zone of the place.
    """

    #: The threshold was subtracted from the score: score + threshold measures how normal a row is.
    #: The verdict on a row of a stream is packed (`edgeolk.hosting.unpack_reason`); negative if
    #: there is none.
    fields = (("threshold", np.float64), ("reason", np.float64))

    def __init__(
        self, learner: Any, targets: Any = None, *, in_time: bool, zone: str | None = None
    ) -> None:
        self.in_time, self._place = in_time, Clock(zone)
        #: A learner in another process always receives the times, and leaves them out itself.
        self._has_clock = bool(getattr(learner, "parameters", {"clock": True}).get("clock"))
        self._times: Row | None = None
        super().__init__(learner, targets)

    def learn(self, X: Row, y: Row, when: When) -> Batch:
        """Learn rows at their times; see `Trainer.learn`."""
        self._times = self._place.local(when.seconds) if self._has_clock else None
        return super().learn(X, y, when)

    def sent(self, labels: Row, when: When) -> Row:
        """Return the times of rows in place of labels; see `Trainer.sent`."""
        return self._place.local(when.seconds) if self.in_time else labels

    def _watched(self, row: Row, seconds: float) -> tuple[float, float, float]:
        """Learn a row; return score, threshold as the learner has it, and verdict."""
        threshold = float(self.learner.threshold)
        if not self.in_time:
            return float(self.learner.learn_one(row)), threshold, -1.0
        time = seconds if self._has_clock and math.isfinite(seconds) else None
        score = float(self.learner.learn_one(row, time=time))
        return score, threshold, hosting.last_reason(self.learner)

    def learn_one(self, row: Row, label: float) -> tuple[Any, ...]:
        """Learn a row; return the answer before the update."""
        seconds = float(self._place.local(np.array([self.moment]))[0])
        score, threshold, why = self._watched(row, seconds)
        return score, float(self._subtracted(np.array([score]), np.array([threshold]))[0]), why

    def _subtracted(self, scores: Row, thresholds: Row) -> Row:
        """Return what was subtracted from scores."""
        if not self.in_time:
            return thresholds
        # Only the first rows have a score of exactly 0: it is too early to judge them.
        return np.where(scores != 0.0, -thresholds, -UNJUDGED)

    def restart(self) -> None:
        """Forget the recent past: the next row comes after a long gap."""
        self.learner.restart()

    def columns(self, n: int) -> tuple[Row, ...]:
        """Return memory for scores, thresholds with one more for scratch, and verdicts."""
        return np.zeros(n), np.full(n + 1, 0.5), -np.ones(n)

    def learn_rest(self, X: Row, labels: Row, columns: tuple[Row, ...], at: int) -> None:
        """Learn rows; see `Trainer.learn_rest`."""
        scores, thresholds, verdicts = columns
        n = len(X)
        if not self.in_time:
            hosting.learn_many(self.learner, X[at:], None, scores[at:n], thresholds[at : n + 1])
            return
        times = None if self._times is None else self._times[at:n]
        found = -np.ones(2 * (n - at))
        try:
            hosting.learn_many(self.learner, X[at:], None, scores[at:n], None, found, times)
        finally:
            verdicts[at:n] = found[::2]

    def learn_single(self, row: Row, label: float, columns: tuple[Row, ...], at: int) -> None:
        """Learn one row; see `Trainer.learn_single`."""
        seconds = math.nan if self._times is None else float(self._times[at])
        for column, number in zip(columns, self._watched(row, seconds), strict=True):
            column[at] = number

    def write(self, rows: Records, columns: Sequence[Row], scaling: tuple[Row, Row] | None) -> None:
        """Write scores, thresholds and verdicts; see `Trainer.write`."""
        scores, thresholds, verdicts = (column[: len(rows)] for column in columns)
        rows["score"], rows["reason"] = scores, verdicts
        rows["threshold"] = self._subtracted(scores, thresholds)


class NoLabels(Kind):
    """No labels; an answer is a score, negative if the row is novel."""

    name = "novelty"
    about = "streams without labels"
    noun = "alarms"
    losses = hosting.losses_of("none")
    metrics_class = Novelty
    is_supervised = False
    takes_positive = True
    in_python = ("not given", "x", "below 0: novel")

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        #: Whether it is found in the order of time, with a scale for each channel.
        self.uses_order = self.scales_itself = bool(setup.params.get("history"))
        self.program = "reason" if self.uses_order else "threshold"
        if self.uses_order:
            self.width_inside = "a width that suits the first 100 rows"

    @classmethod
    def recommended(cls, asked: Asked) -> dict[str, Any]:
        """Return a learner in the order of time, if no option contradicts it."""
        contradicted = _NOT_IN_TIME & {*asked.params} or "freeze_after" in asked.usual
        in_time = asked.is_plain and not contradicted and asked.params.get("history", True)
        return {"history": True} if in_time else asked.usual

    def task(self, target: str) -> str:
        """Return that rows are watched; see `Kind.task`."""
        return "unusual rows"

    def timed_params(self) -> dict[str, Any]:
        """Return the season of a day for rows in the order of time; see `Kind.timed_params`."""
        return {"clock": True} if self.uses_order and "clock" not in self.setup.params else {}

    def check(self, *, ask: bool, gap: float | None, process: bool) -> None:
        """Raise SimulatorError for gaps that it does not forget."""
        super().check(ask=ask, gap=gap, process=process)
        if gap is not None and process:
            raise SimulatorError("gap is not for novelty in a process of its own")

    def labels(self) -> LabelMap:
        """Return a decoder of labels that only evaluate the alarms."""
        setup = self.setup
        return LabelMap(setup.positive, setup.missing_codes, is_supervised=False)

    @property
    def novel_share(self) -> float:
        """The share of rows that the learner is to call novel."""
        algorithm, params = self.setup.algorithm, self.setup.params
        given = {name: value for name, value in params.items() if name in ("nu", "loss")}
        given |= {"history": True} if self.uses_order else {}
        try:
            resolved = ek.Config(algorithm, n_features=1, budget=64, **{"loss": "novelty", **given})
        except (TypeError, ValueError):
            return 0.05  # the error is raised where the learner is planned
        return float(resolved.parameters["nu"])

    def metrics(self, cadence: Cadence) -> Novelty:
        """Return new metrics; nearby alarms in the order of time are one event."""
        of_windows = self.setup.of_windows
        if not self.uses_order:
            period = self.setup.period
            return Novelty(self.novel_share, cadence, period, of_windows=of_windows)
        return Novelty(
            *(self.novel_share, cadence, self.setup.period),
            hold=MIN_DISTANCE,
            watching=Watching(),
            zone=self.setup.zone,
            of_windows=of_windows,
        )

    def trainer(self, learner: Any, targets: Any = None) -> NoveltyTrainer:
        """Return what trains a learner."""
        return NoveltyTrainer(learner, targets, in_time=self.uses_order, zone=self.setup.zone)

    def judges(self, y: Row, first: int) -> bool:
        """Whether there are rows of both labels from `first` on, and before it unless it is 0."""
        parts = [y[first:], *([y[:first]] if first else [])]
        # A missing label is NaN, which is neither.
        return all(bool((part > 0.0).any() and (part < 0.0).any()) for part in parts)

    def hints(self, config: Any, with_params: Callable[..., Hint]) -> Iterator[Hint]:
        """Yield other shares of novel rows; see `Kind.hints`."""
        for nu in () if self.uses_order else (0.01, 0.1):
            yield with_params(nu=nu)

    def script(self, target: str) -> Script:
        """Return a program that answers in words."""
        return Script(answer='"usual" if learner.predict_one(row) > 0 else "novel"')
