"""Shared by the metrics of all kinds of labels.

A figure is one row of a metrics class: its name, its title in a report, how it is written, and how
it follows from what was counted. Reports, comparisons and the records of fleets take all there are.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

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
    """What a baseline makes of readings, and the readings, where they are remembered."""

    distance: float = 0.0
    readings: tuple[float, ...] = ()
    apart: tuple[float, ...] = ()  # how far each lies from its mean, in deviations
    still: tuple[int, ...] = ()  # for how many rows each has not changed


@dataclass(frozen=True)
class LookedMany(Sequence[Looked]):
    """What a baseline makes of many rows.

    distances (ndarray of shape (n,)), readings, apart, still (ndarrays of shape (n, d)): as of
        `Looked`, row by row.
    """

    distances: Row
    readings: Row
    apart: Row
    still: Row

    def __len__(self) -> int:
        return len(self.distances)

    def __getitem__(self, at: Any) -> Any:
        """Return what was made of a row, or of some."""
        if not isinstance(at, (int, np.integer)):
            return LookedMany(self.distances[at], self.readings[at], self.apart[at], self.still[at])
        return Looked(
            float(self.distances[at]),
            tuple(self.readings[at].tolist()),
            tuple(self.apart[at].tolist()),
            tuple(map(int, self.still[at].tolist())),
        )


class RowContext(NamedTuple):
    """What else is known of a row that is counted."""

    level: float = 0.0  # the threshold that was taken off the score, where there is one
    looked: Looked = Looked()  # what `Metrics.look` returned for the row
    seconds: float = math.nan  # when it was taken; NaN where that is not known.
    interval: tuple[float, float] | None = None  # what the learner expected the target in
    number: int = 0  # its place in the stream, from 1; 0 where that is not known.
    shares: Mapping[str, float] = MappingProxyType({})  # what a forecast was mixed of
    verdict: float = -1.0  # by what the learner judged it, as `tasks.adapters` has it


NOTHING = RowContext()


@dataclass(frozen=True)
class Contexts(Sequence[RowContext]):
    """What else is known of many rows that have no labels; all arrays are of shape (n,)."""

    levels: Row
    looked: LookedMany
    seconds: Row
    numbers: npt.NDArray[np.int64]
    verdicts: Row

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, at: Any) -> Any:
        """Return what is known of a row."""
        return RowContext(
            float(self.levels[at]),
            self.looked[at],
            float(self.seconds[at]),
            number=int(self.numbers[at]),
            verdict=float(self.verdicts[at]),
        )


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

    def look(self, row: Row) -> Looked:
        """Return what a baseline makes of readings, before `add` is told of their row."""
        return NOTHING.looked

    def look_many(self, rows: Row) -> Sequence[Looked]:
        """Return what `look` does of each of many rows."""
        return [self.look(row) for row in rows]

    @abstractmethod
    def add(
        self, label: float, score: float, known: bool = True, context: RowContext = NOTHING
    ) -> None:
        """Count one row.

        label: what the stream says.
        score: what the learner said before it saw the label.
        known: whether the label is told at once; if not, `observe` is called when it comes.
        context: what else is known of the row.
        """

    def add_block(self, labels: Row, scores: Row, context: Sequence[RowContext] = ()) -> None:
        """Count rows whose labels are told at once, as `add` does one by one.

        labels, scores: ndarray of shape (n,)
        context: what else is known of each; empty for nothing.
        """
        known = context or [NOTHING] * len(labels)
        for label, score, own in zip(labels.tolist(), scores.tolist(), known, strict=True):
            self.add(label, score, context=own)

    def add_answers(self, labels: Row, scores: Row) -> None:
        """Count rows for the learner alone: no baseline, no curve."""
        self.learner.add_block(labels, scores)

    @abstractmethod
    def observe(self, label: float) -> None:
        """Tell the baselines a label."""

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
