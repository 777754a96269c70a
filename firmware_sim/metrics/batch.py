"""The outcome of a batch of rows: one record a row, in a structured array.

The same records go to the metrics, to `Replay.run`'s ``on_result`` and to ``--record``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.streams import Row
from firmware_sim.streams.block import Places

#: Structured rows; see `FIELDS`.
Records = npt.NDArray[np.void]
#: The fields of every record; kinds of labels add their own.
FIELDS: list[Any] = [
    # the number of the row in the stream, from 1; 0: a period of a forecast without one to judge
    ("row", np.int64),
    ("seconds", np.float64),  # its time; NaN if unknown
    ("label", np.float64),  # NaN if it has none
    ("score", np.float64),  # the answer before it was learned: a score, class or prediction
    ("late", np.bool_),  # whether its own label did not arrive with it
    ("n_arrived", np.int32),  # labels of earlier rows that arrived before it was answered
    ("refused", np.bool_),  # whether the learner refused it
    ("drift", np.bool_),  # whether the learner raised an alarm of drift at it
]


class When(NamedTuple):
    """Numbers and times of rows, NaN if unknown; shapes (n,)."""

    numbers: npt.NDArray[np.int64]
    seconds: Row

    def part(self, rows: Any) -> When:
        """Return the numbers and times of some rows."""
        return When(self.numbers[rows], self.seconds[rows])


class RevealedLabels(NamedTuple):
    """Labels in order of arrival, and how many of them arrived before each row, shape (n,)."""

    labels: Row
    before: npt.NDArray[np.int64]


@dataclass
class Batch:
    """The outcome of rows that were given to a learner.

    rows: one record a row, up to the last one that was learned or refused.
    arrived: labels of earlier rows in order of arrival; ``n_arrived`` of them a row.
    reasons: why rows were refused, by their numbers.
    stopped: why learning stopped at the next row; None if it did not.
    """

    rows: Records
    arrived: Row = field(default_factory=lambda: np.empty(0))
    reasons: dict[int, Exception] = field(default_factory=dict)
    stopped: RuntimeError | None = None

    @classmethod
    def of(cls, **columns: Any) -> Batch:
        """Return learned rows of which these columns are known; rows count from 1."""
        n = len(next(iter(columns.values())))
        known = {"row": np.arange(1, n + 1), "seconds": np.full(n, np.nan), **columns}
        names = [name for name, _ in FIELDS]
        more = [(name, np.asarray(column).dtype) for name, column in columns.items()]
        rows = np.zeros(n, [*FIELDS, *(one for one in more if one[0] not in names)])
        for name, column in known.items():
            rows[name] = column
        return cls(rows)

    @classmethod
    def joined(cls, parts: Sequence[Batch]) -> Batch:
        """Return the outcome of consecutive rows, at least one batch."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([one.rows for one in parts]),
            np.concatenate([one.arrived for one in parts]),
            {number: why for one in parts for number, why in one.reasons.items()},
            parts[-1].stopped,
        )

    def spread(self, all_rows: Records, good: Any, reasons: dict[int, Exception]) -> Batch:
        """Return the outcome of all rows, of which only the good ones were given to the learner.

        all_rows: a record of each, without an outcome.
        good (ndarray of bool): which were given.
        reasons: why the others were not, by number.
        """
        places, n = np.flatnonzero(good), len(self.rows)
        all_rows["refused"] = ~good
        all_rows[places[:n]] = self.rows
        if self.stopped is not None:
            all_rows = all_rows[: places[n]]
        reasons = {number: why for number, why in reasons.items() if number in all_rows["row"]}
        return replace(self, rows=all_rows, reasons={**reasons, **self.reasons})

    def up_to(self, number: int) -> Batch:
        """Return the outcome of the rows up to one of this number."""
        rows = self.rows[self.rows["row"] <= number]
        arrived = self.arrived[: rows["n_arrived"].sum()]
        return Batch(rows, arrived, {number: self.reasons[number]})

    def renumbered(self, given: Places, numbers: Places, is_row: Any) -> Batch:
        """Return the outcome with the numbers of rows for those that the learner was given.

        given: of all rows, ascending.
        numbers: of these rows, or of the next one.
        is_row (ndarray of bool): which count; the others get 0.
        """
        n, rows = len(self.rows), self.rows
        rows["row"] = np.where(is_row[:n], numbers[:n], 0)
        reasons = {
            int(numbers[np.searchsorted(given, at)]): why for at, why in self.reasons.items()
        }
        return replace(self, rows=rows, reasons=reasons)

    @property
    def labelled(self) -> Batch:
        """The outcome of rows that have a label; labels that arrive with others are the next's."""
        known = np.isfinite(self.rows["label"])
        if known.all():
            return self
        arrived = np.concatenate([[0], np.cumsum(self.rows["n_arrived"])])
        rows = self.rows[known]
        rows["n_arrived"] = np.diff(arrived[1:][known], prepend=0)
        return replace(self, rows=rows)

    @property
    def of_rows(self) -> Batch:
        """The outcome of rows of the stream, without that of the periods between them."""
        is_row = self.rows["row"] > 0
        return self if is_row.all() else replace(self, rows=self.rows[is_row])

    @property
    def taken(self) -> Any:
        """Which rows were learned: a mask, or a slice of all."""
        return ~self.rows["refused"] if self.reasons else slice(None)

    @property
    def learned(self) -> Records:
        """The records of the rows that were learned."""
        found: Records = self.rows[self.taken]
        return found

    def arrive_late(self, rows: int, waiting: deque[tuple[int, float | None]]) -> None:
        """Write down that each label arrives so many rows after its row; 0: never.

        Rows of the stream count, also those that are not in a batch because they were skipped.
        Labels that arrive after one row are known before the next one is answered, as if at once;
        a label that is missing (NaN) never arrives.

        waiting: numbers and labels of the rows whose labels are still to come, the oldest first;
            updated.
        """
        if rows == 1:
            return
        self.rows["late"] = True
        arrived = []
        known = self.rows if rows else self.rows[:0]
        pairs = zip(known["row"].tolist(), known["label"].tolist(), strict=True)
        for at, (number, label) in enumerate(pairs):
            while waiting and number - waiting[0][0] >= rows:
                _, oldest = waiting.popleft()
                if oldest is not None:
                    arrived.append(oldest)
                    self.rows["n_arrived"][at] += 1
            waiting.append((number, None if np.isnan(label) else label))
        self.arrived = np.array(arrived)

    def revealed(self) -> RevealedLabels | None:
        """Return the labels in order of arrival; None if each arrived with its row."""
        if not (len(self.arrived) or self.rows["late"].any()):
            return None
        rows = self.learned
        at_once = ~rows["late"]
        earlier = np.cumsum(rows["n_arrived"], dtype=np.int64)
        before = earlier + np.cumsum(at_once) - at_once
        labels = np.empty(len(self.arrived) + int(at_once.sum()))
        is_own = np.zeros(len(labels), dtype=bool)
        is_own[before[at_once]] = True
        labels[is_own], labels[~is_own] = rows["label"][at_once], self.arrived
        return RevealedLabels(labels, before)
