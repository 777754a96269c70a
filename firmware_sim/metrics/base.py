"""Base classes of the metrics of all kinds of labels, and formats of their figures.

A figure is one row of a metrics class: its name, its title in a report, its format, and its formula
over the counters. Reports, comparisons and the records of fleets include every figure. An undefined
figure is shown as a dash.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics.curve import Curve, Forecasts
from firmware_sim.streams import Row

Number = float | int | None
#: The figures of a learner or a baseline, by name; None if undefined.
Figures = dict[str, Number]


class Figure(NamedTuple):
    """One figure: its title (empty if only files have it), format and formula.

    `of` takes the record of the learner or of a baseline, and the metrics object with all records.
    """

    title: str
    shown: Callable[[Number], str]
    of: Callable[[Any, Any], Number]
    #: an explanation; empty if the title suffices
    meaning: str = ""


class RowDeviation(NamedTuple):
    """How far a row's readings are from their means so far."""

    distance: float = 0.0
    readings: tuple[float, ...] = ()
    z_scores: tuple[float, ...] = ()  # signed, in standard deviations
    unchanged: tuple[int, ...] = ()  # for how many rows each reading has not changed


class RowDeviations(NamedTuple):
    """`RowDeviation` of many rows, as arrays of shapes (n,) and (n, d)."""

    distances: Row
    readings: Row
    z_scores: Row
    unchanged: Row

    def part(self, rows: Any) -> RowDeviations:
        """Return the deviations of some rows."""
        return RowDeviations(*(column[rows] for column in self))

    def row(self, at: int) -> RowDeviation:
        """Return the deviations of one row."""
        _, readings, z_scores, unchanged = (column[at].tolist() for column in self)
        return RowDeviation(
            float(self.distances[at]), *map(tuple, (readings, z_scores, map(int, unchanged)))
        )


class RevealedLabels(NamedTuple):
    """Labels in order of arrival, and how many of them arrived before each row, shape (n,)."""

    labels: Row
    before: npt.NDArray[np.int64]


class NoveltyRows(NamedTuple):
    """Further data on n rows without labels; arrays of shape (n,).

    levels: the thresholds that were subtracted from their scores.
    deviations: the result of `Metrics.row_deviations`.
    seconds: their times; NaN if unknown.
    numbers: their positions in the stream, from 1.
    reasons: the learner's reasons, packed by `tasks.adapters`; negative if there is none.
    """

    levels: Row
    deviations: RowDeviations
    seconds: Row
    numbers: npt.NDArray[np.int64]
    reasons: Row

    @classmethod
    def of(cls, levels: Row, distances: Row | None = None) -> NoveltyRows:
        """Return the record of rows of which only levels, and perhaps distances, are known."""
        n = len(levels)
        distances = np.zeros(n) if distances is None else distances
        deviations = RowDeviations(distances, *np.empty((3, n, 0)))
        return cls(levels, deviations, np.full(n, math.nan), np.arange(1, n + 1), -np.ones(n))


@dataclass(frozen=True)
class Context:
    """Further data on rows that are counted.

    revealed: labels in order of arrival; None if each label arrives with its row.
    watched: data on rows without labels.
    forecasts: intervals and expert weights of a forecaster's answers.
    """

    revealed: RevealedLabels | None = None
    watched: NoveltyRows | None = None
    forecasts: Forecasts | None = None


NOTHING = Context()


class Metrics(ABC):
    """Records of the learner and its baselines over the same rows.

    kind: the kind of labels, as in `tasks.kinds.KINDS`.
    table: the figures of a record, the main figure first.
    baselines: names of the baselines in a report.
    shares: whether losses are shares, which are shown in percent.
    over_time: name of the curve's quantity.
    loss_name: name of the loss.
    over_boards: name of `comparable`.
    learner: the learner's record.
    curve: the loss of all records over time.
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

    def row_deviations(self, rows: Row) -> RowDeviations | None:
        """Return the deviations of rows, before `add_block` counts them; None for most kinds."""
        return None

    @abstractmethod
    def add_block(self, labels: Row, scores: Row, context: Context = NOTHING) -> None:
        """Count rows.

        labels: the true labels, shape (n,).
        scores: the learner's answers before it received the labels, shape (n,).
        context: further data on the rows.
        """

    def add_answers(self, labels: Row, scores: Row) -> None:
        """Count rows for the learner only, without baselines and curve."""
        self.learner.add_block(labels, scores)

    @property
    def rows(self) -> int:
        """Rows counted."""
        return int(self.learner.rows)

    @property
    def judged(self) -> bool:
        """Whether there is a loss to compare."""
        return self.rows > 0

    @abstractmethod
    def loss(self, name: str) -> float:
        """Return the total loss of one record; lower is better."""

    def mean_loss(self, name: str) -> float:
        """Return the mean loss over rows."""
        return self.loss(name) / max(1, self.rows)

    @property
    def comparable(self) -> float | None:
        """The loss that is compared across streams; None without labels to evaluate by."""
        return self.mean_loss("learner")

    @abstractmethod
    def shown(self, name: str) -> str:
        """Return the loss of one record as text."""

    def cell(self, loss: float) -> str:
        """Return a mean loss as a cell of a table."""
        return f"{100 * loss:.2f}" if self.shares else f"{loss:.4g}"

    def words(self, loss: float) -> str:
        """Return a mean loss as text."""
        return f"{100 * loss:.2f} % wrong"

    def summary(self) -> dict[str, Figures]:
        """Return the figures of each record by its name, the learner first."""
        return {
            who: {name: one.of(getattr(self, who), self) for name, one in self.table.items()}
            for who in ("learner", *self.baselines)
        }


def ratio(part: float, total: float) -> float | None:
    """Return a quotient, or None if it is undefined."""
    return part / total if total else None


def finite(figures: Figures) -> Figures:
    """Return figures with None in place of infinities and NaN, which JSON lacks."""
    return {
        name: value if value is None or math.isfinite(value) else None
        for name, value in figures.items()
    }


def rounded(value: float, form: str) -> str:
    """Return a number in a format; what is 0 there has no minus."""
    text = f"{value:{form}}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def percent(value: Number) -> str:
    """Return a share in percent."""
    return "-" if value is None else f"{rounded(100 * value, '.2f')} %"


def short(value: Number) -> str:
    """Return a number with four significant digits."""
    return "-" if value is None else rounded(value, ".4g")


def thousandths(value: Number) -> str:
    """Return a number with three decimals."""
    return "-" if value is None else rounded(value, ".3f")


def count(value: Number) -> str:
    """Return an integer with thousands separators."""
    return "-" if value is None else f"{value:,.0f}"


def duration(seconds: Number) -> str:
    """Return a duration in a suitable unit."""
    if seconds is None:
        return "-"
    for unit, length in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"
