"""Shared by the metrics of all kinds of labels.

A figure is one row of a metrics class: its name, its title in a report, how it is written, and how
it follows from what was counted. Reports, comparisons and the records of fleets take all there are.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.course import Forecasts
from firmware_sim.metrics.curve import Curve
from firmware_sim.streams import Row

Number = float | int | None
#: The figures of a learner or a baseline, by name; None where one is not defined.
Figures = dict[str, Number]


class Figure(NamedTuple):
    """One figure: its title, empty where only files have it; how it is written; what it is.

    `of` takes the record of the learner or of a baseline, and the metrics that have all of them.
    """

    title: str
    shown: Callable[[Number], str]
    of: Callable[[Any, Any], Number]
    #: for a reader who meets it for the first time; empty where the title says it
    meaning: str = ""


class Looked(NamedTuple):
    """What a baseline made of a row's readings."""

    distance: float = 0.0
    readings: tuple[float, ...] = ()
    apart: tuple[float, ...] = ()  # how far each lies from its mean, in deviations
    still: tuple[int, ...] = ()  # for how many rows each has not changed


class LookedMany(NamedTuple):
    """What a baseline makes of many rows, shapes (n,) and (n, d), as of `Looked` row by row."""

    distances: Row
    readings: Row
    apart: Row
    still: Row

    def part(self, rows: Any) -> LookedMany:
        """Return what was made of some rows."""
        return LookedMany(*(column[rows] for column in self))

    def row(self, at: int) -> Looked:
        """Return what was made of one."""
        _, readings, apart, still = (column[at].tolist() for column in self)
        return Looked(float(self.distances[at]), *map(tuple, (readings, apart, map(int, still))))


class Told(NamedTuple):
    """Labels as the baselines hear of them, and how many of them before each row, shape (n,)."""

    labels: Row
    before: npt.NDArray[np.int64]


class WatchedMany(NamedTuple):
    """What else is known of n rows that have no labels; arrays of shape (n,).

    levels: the thresholds that were taken off their scores.
    looked: what `Metrics.look` returned for them.
    seconds: when they were taken; NaN where that is not known.
    numbers: their places in the stream, from 1.
    verdicts: by what the learner judged them, as `tasks.adapters` has it; below 0 for nothing.
    """

    levels: Row
    looked: LookedMany
    seconds: Row
    numbers: npt.NDArray[np.int64]
    verdicts: Row

    @classmethod
    def of(cls, levels: Row, distances: Row | None = None) -> WatchedMany:
        """Return that of rows of which little is known."""
        n = len(levels)
        far = np.zeros(n) if distances is None else distances
        looked = LookedMany(far, *np.empty((3, n, 0)))
        return cls(levels, looked, np.full(n, math.nan), np.arange(1, n + 1), -np.ones(n))


@dataclass(frozen=True)
class Context:
    """What else is known of rows that are counted.

    told: when the baselines hear of labels; None where each label comes with its row.
    watched: of rows without labels.
    forecasts: of rows that a forecaster answered.
    """

    told: Told | None = None
    watched: WatchedMany | None = None
    forecasts: Forecasts | None = None


NOTHING = Context()


class Metrics(ABC):
    """The learner's record beside its baselines', over the same rows.

    kind: the kind of label, as in `tasks.kinds.KINDS`.
    table: what is told of each record, the figure that sums it up first.
    baselines: what the baselines are called in a report.
    shares: whether losses are shares, which are told in percent.
    over_time: what is drawn over time, in words.
    loss_name: what is compared, in words.
    over_boards: what `comparable` is, in words.
    learner: the learner's record.
    curve: what is drawn over time, for all records.
    """

    kind: ClassVar[str]
    table: ClassVar[dict[str, Figure]]
    baselines: ClassVar[dict[str, str]]
    shares: ClassVar[bool] = True
    over_time: ClassVar[str] = "wrong answers"
    loss_name: ClassVar[str] = "wrong answers"
    over_boards: ClassVar[str] = "error, %"
    learner: Any
    curve: Curve

    def look(self, rows: Row) -> LookedMany | None:
        """Return what a baseline makes of readings, before `add_block` is told of their rows."""
        return None

    @abstractmethod
    def add_block(self, labels: Row, scores: Row, context: Context = NOTHING) -> None:
        """Count rows.

        labels: what the stream says, shape (n,).
        scores: what the learner said before it saw the labels, shape (n,).
        context: what else is known of the rows.
        """

    def add_answers(self, labels: Row, scores: Row) -> None:
        """Count rows for the learner alone: no baseline, no curve."""
        self.learner.add_block(labels, scores)

    @property
    def rows(self) -> int:
        """Rows counted."""
        return int(self.learner.rows)

    @property
    def judged(self) -> bool:
        """Whether there is anything to compare."""
        return self.rows > 0

    @abstractmethod
    def loss(self, name: str) -> float:
        """Return what is compared, of one record: less is better."""

    def mean_loss(self, name: str) -> float:
        """Return that as a mean over rows."""
        return self.loss(name) / max(1, self.rows)

    @property
    def comparable(self) -> float | None:
        """What is compared over streams; None where there is nothing to judge by."""
        return self.mean_loss("learner")

    @abstractmethod
    def shown(self, name: str) -> str:
        """Return the loss of one record in words."""

    def cell(self, loss: float) -> str:
        """Return a mean loss as a cell of a table."""
        return f"{100 * loss:.2f}" if self.shares else f"{loss:.4g}"

    def words(self, loss: float) -> str:
        """Return a mean loss in words."""
        return f"{100 * loss:.2f} % wrong"

    def summary(self) -> dict[str, Figures]:
        """Return every figure by the name of who earned it, the learner first."""
        return {
            who: {name: one.of(getattr(self, who), self) for name, one in self.table.items()}
            for who in ("learner", *self.baselines)
        }


def ratio(part: float, whole: float) -> float | None:
    """Return a quotient, or None where it is not defined."""
    return part / whole if whole else None


def finite(figures: Figures) -> Figures:
    """Return figures with None where JSON has no such number."""
    return {
        name: value if value is None or math.isfinite(value) else None
        for name, value in figures.items()
    }
