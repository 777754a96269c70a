"""Base classes of the metrics of all kinds of labels, and formats of their figures.

A figure is one row of a metrics class: its name, its title in a report, its format, and its formula
over the counters. Reports, comparisons and the records of fleets include every figure. An undefined
figure is shown as a dash.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from datetime import datetime, timezone
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.drawing.chart import Chart
from firmware_sim.drawing.document import Table
from firmware_sim.metrics import noise
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.curve import Curve
from firmware_sim.plaintext import listed
from firmware_sim.streams import Row

#: What a sentence says of a baseline; as good where the shown figures are the same.
NOT_BEATEN, AS_GOOD, BEATEN = "does not beat", "is as good as", "beats"
_NOT_CLEARLY = "does not clearly beat"
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
    against: str = ""  # the baseline that it compares with, if it does


class Matrix(NamedTuple):
    """Counts by the name of a row and of a column: plain data of a picture."""

    names: tuple[str, ...]
    counts: npt.NDArray[np.int64]
    axes: tuple[str, str]  # what rows and columns are


class Bars(NamedTuple):
    """A bar for each name, and marks beside it: plain data of a picture.

    The first series is drawn as bars.
    """

    names: tuple[str, ...]
    rows: list[int]  # rows behind each name
    series: dict[str, list[float]]


class Calendar(NamedTuple):
    """A count for each day with rows, by days since 1970: plain data of a picture."""

    days: Mapping[int, int]


class Panel(NamedTuple):
    """One picture that only some kinds of labels have."""

    name: str  # its identifier in a page
    title: str
    data: Chart | Matrix | Bars | Calendar
    about: str = ""  # one sentence


#: A range of rows that a chart marks: what it is, the first and the last row, and a tooltip.
Band = tuple[str, int, int, str]


class Metrics(ABC):
    """Records of the learner and its baselines over the same rows.

    kind: the name of the kind of labels, as in ``--kind``.
    table: the figures of a record, the main figure first.
    baselines: names of the baselines in a report.
    lasting_baselines: those that can answer rows whose labels never arrive.
    has_losses_of_rows: whether the loss is a sum over rows, which the curve adds up.
    shares: whether losses are shares, which are shown in percent.
    over_time: name of the curve's quantity.
    loss_name: name of the loss.
    over_boards: name of `comparable`.
    timeline_title: title of the chart over time.
    detail_names: names of `details`.
    learner: the learner's record.
    curve: the loss of all records over time.
    """

    kind: ClassVar[str]
    table: ClassVar[dict[str, Figure]]
    baselines: ClassVar[dict[str, str]]
    lasting_baselines: ClassVar[tuple[str, ...]] = ()
    has_losses_of_rows: ClassVar[bool] = True
    shares: ClassVar[bool] = True
    over_time: ClassVar[str] = "wrong answers"
    loss_name: ClassVar[str] = "wrong answers"
    over_boards: ClassVar[str] = "error, %"
    timeline_title: ClassVar[str] = "Error over time"
    detail_names: ClassVar[tuple[str, ...]] = ()
    learner: Any
    curve: Curve

    def observe(self, rows: Row) -> Any:
        """Return what `add_block` needs to know of raw rows before they are learned."""
        return None

    @abstractmethod
    def add_block(self, batch: Batch, observed: Any = None) -> None:
        """Count the learned rows of a batch.

        batch: the outcome of rows.
        observed: what `observe` returned of these rows.
        """

    def add_answers(self, batch: Batch) -> None:
        """Count rows for the learner only, without baselines and curve."""
        rows = batch.learned
        self.learner.add_block(rows["label"], rows["score"])

    def held_out(self) -> Metrics:
        """Return metrics of no rows, with baselines that know the labels which those here know."""
        found = copy(self)
        found.clear()
        return found

    def clear(self) -> None:
        """Forget all rows, but not what the baselines know of their labels."""
        raise NotImplementedError

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

    def clearly_beats(self, who: str) -> bool:
        """Whether the learner's loss is below a baseline's by more than the noise.

        By the rule of `compare`, over stretches of rows as even as the curve allows.
        """
        names, error = self.curve.names, 0.0
        if self.has_losses_of_rows and self.rows >= noise.MIN_ROWS * noise.BLOCKS:
            losses = self.curve.stretches(noise.BLOCKS)
            ours, theirs = (losses[:, names.index(one)] for one in ("learner", who))
            error = noise.noise(ours.tolist(), theirs.tolist())
        return noise.is_clear(self.mean_loss(who) - self.mean_loss("learner"), error)

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

    # What a report shows of this kind of labels besides figures and curve.

    def sentence(self, algorithm: str) -> str:
        """Return one sentence that compares the learner with the baselines.

        Those that it does not beat come first, then those that it beats by less than the noise.

        algorithm: the learner's name.
        """
        clauses: dict[str, list[str]] = {
            one: [] for one in (NOT_BEATEN, AS_GOOD, _NOT_CLEARLY, BEATEN)
        }
        for who, name in self.baselines.items():
            ours, theirs = self.shown("learner"), self.shown(who)
            word = BEATEN if self.clearly_beats(who) else _NOT_CLEARLY
            word = word if self.loss("learner") < self.loss(who) else NOT_BEATEN
            word = AS_GOOD if ours == theirs else word
            clauses[word].append(f"{name} ({ours} against {theirs.removesuffix(' wrong')})")
        text = ", but ".join(f"{word} {listed(one)}" for word, one in clauses.items() if one)
        return f"{algorithm} {text}."

    def remarks(self) -> list[str]:
        """Return sentences on how the figures came about."""
        return []

    def tables(self, features: Sequence[str]) -> list[Table]:
        """Return further tables; `features` are the names of the readings."""
        return []

    def panels(self, features: Sequence[str]) -> list[Panel]:
        """Return further pictures."""
        return []

    def bands(self, features: Sequence[str]) -> Iterator[Band]:
        """Yield ranges of rows that the chart over time marks."""
        yield from ()

    def details(self, features: Sequence[str]) -> dict[str, Any]:
        """Return further fields of the JSON report, in types of strict JSON."""
        return {}

    @staticmethod
    def constant_labels(figures: Mapping[str, Any], used: int) -> str:
        """Return the sentence on labels that are all equal, by figures; empty if they are not."""
        return ""


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


def moment(seconds: float) -> str:
    """Return a time of the stream as date and time; a dash if unknown."""
    if not math.isfinite(seconds):
        return "-"
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"
