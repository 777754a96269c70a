"""Counts of rows by outcome."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from firmware_sim.plaintext import counted, joined
from firmware_sim.streams import Stream
from firmware_sim.streams.damages import Damages
from firmware_sim.streams.faulty import FaultyStream
from firmware_sim.streams.tally import Tally

#: Most columns with missing values that a report lists.
_LISTED = 6
#: Share of rows left out that makes a headline.
_MANY = 0.1


@dataclass
class RowCount:
    """Counts of rows by outcome."""

    read: int = 0
    used: int = 0
    missing: int = 0
    #: missing values of readable rows, whether these were left out or used
    missing_by_column: dict[str, int] = field(default_factory=dict)
    #: missing values for which rows were left out
    left_out_by_column: dict[str, int] = field(default_factory=dict)
    #: rows that lack a reading and were used: filled in, or learned with the reading missing
    lacking: int = 0
    lacking_by_column: dict[str, int] = field(default_factory=dict)
    #: rows of a forecast whose readings, `ahead` rows before, were skipped or before a gap
    missing_before: int = 0
    ahead: int = 0
    #: periods of a forecast's history without a row, that were filled in; the gaps that they were
    #: in; longer gaps, after which the history began again; periods of which one has more
    filled: int = 0
    gaps: int = 0
    breaks: int = 0
    most_filled: int = 0
    repaired: int = 0
    damaged: int = 0
    first_damage: str = ""
    damages: Damages = field(default_factory=Damages, compare=False)
    refused: int = 0
    first_refusal: str = ""

    @classmethod
    def of_log(cls, log: Tally) -> RowCount:
        """Return the counts of unreadable rows of a log that other rows are made of."""
        found = log.damages
        return cls(read=log.rows, damaged=found.n_rows, first_damage=found.first, damages=found)

    def add_missing(self, columns: list[str], others: Sequence[str] = ()) -> None:
        """Count a row that is left out.

        columns: those without a value for which it is.
        others: all those without a value, if more.
        """
        _count(self.left_out_by_column, columns)
        _count(self.missing_by_column, others or columns)

    def add_lacking(self, columns: list[str]) -> None:
        """Count a row that is used though these columns have no value."""
        self.lacking += 1
        _count(self.lacking_by_column, columns)
        _count(self.missing_by_column, columns)

    def add_damaged(self, number: int, damage: str) -> None:
        """Count a row that cannot be read."""
        self.damaged += 1
        self.first_damage = self.first_damage or f"row {number}: {damage}"
        self.damages.add(number, damage)

    def left_out(self, features: Sequence[str], target: str) -> str:
        """Return the headline about rows that were left out, with the option that keeps them.

        Empty if these are at most a tenth. Rows that lack only their label do not count.
        """
        lacking = max(0, self.missing - self.left_out_by_column.get(target, 0))
        n = self.damaged + self.refused + lacking
        if n <= self.read * _MANY:
            return ""
        text = f"{n:,} of {self.read:,} rows ({100 * n / self.read:.0f} %) were left out"
        if lacking - self.missing_before >= max(self.damaged, self.refused):
            worst = max(features, key=lambda name: self.left_out_by_column.get(name, 0))
            count = self.left_out_by_column.get(worst, 0)
            return (
                f"{text}: {worst!r} is missing in {count:,}; fill in with --missing last, or "
                f"leave the column out with --ignore {shlex.quote(joined([worst]))}"
            )
        if self.refused > self.damaged:
            return f"{text}: the learner refuses them, the first is {self.first_refusal}"
        text += f": {self.damages.main}, the first is {self.first_damage}"
        column = self.damages.main_column
        if column in features:
            text += f"; leave the column out with --ignore {shlex.quote(joined([column]))}"
        return text

    def warnings(self) -> list[str]:
        """Return the warnings about skipped rows, one sentence each."""
        if not self.damaged:
            return []
        return [
            f"{self.damaged:,} of {self.read:,} rows cannot be read and were left out, "
            f"the first is {self.first_damage}"
        ]

    def filled_words(self) -> str:
        """Return what was done about periods of a forecast without a target; empty if nothing."""
        if not self.filled:
            return ""
        places = f" in {counted(self.gaps, 'place')}" if self.filled > 1 else ""
        return (
            f"{counted(self.filled, 'period')} without a target{places}: filled in on a straight "
            "line, so that lags and seasons are those of time"
        )

    def break_words(self) -> str:
        """Return what was done about longer gaps; empty if there are none."""
        if not self.breaks:
            return ""
        gaps = f"{counted(self.breaks, 'gap')} of more than {self.most_filled:,} periods"
        return f"{gaps}: the history began again"

    def missing_words(self) -> str:
        """Return the columns whose missing values left rows out, and their counts, descending."""
        shown = _listed(self.left_out_by_column)
        if self.missing_before:
            before = f"{counted(self.ahead, 'row')} before"
            shown.append(f"the row from {before} (skipped, or a gap) {self.missing_before:,}")
        return ", ".join(shown)

    def lacking_words(self) -> str:
        """Return the columns that rows lack which were used all the same, and their counts."""
        return ", ".join(_listed(self.lacking_by_column))

    def add_refused(self, number: int, reason: object) -> None:
        """Count a row that the learner refuses."""
        self.refused += 1
        self.first_refusal = self.first_refusal or f"row {number}: {reason}"


def _count(counts: dict[str, int], columns: Sequence[str]) -> None:
    """Add one to the counts of columns."""
    for column in columns:
        counts[column] = counts.get(column, 0) + 1


def _listed(counts: dict[str, int]) -> list[str]:
    """Return the columns with the highest counts, in descending order."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    shown = [f"{name} {count:,}" for name, count in ordered[:_LISTED]]
    return [*shown, "..."] if len(ordered) > _LISTED else shown


def nothing_usable(stream: Stream, rows: RowCount) -> str:
    """Return the error message for a stream without a single usable row."""
    if rows.read == 0 and isinstance(stream, FaultyStream) and any(stream.counts):
        which = stream.counts.index(max(stream.counts))
        return (
            f"{stream.name}: no row is left: the fault {stream.faults[which]} takes "
            f"{stream.counts[which]:,} rows out"
        )
    if rows.read == 0:
        return f"{stream.name}: there is no row after the header"
    if rows.damaged == rows.read:
        return f"{stream.name}: none of the {rows.read:,} rows can be read; {rows.first_damage}"
    if rows.refused and not rows.missing_by_column:
        return f"{stream.name}: the learner refuses every row; {rows.first_refusal}"
    if rows.missing_before and not rows.missing_by_column:
        before = f"{counted(rows.ahead, 'row')} before"
        return f"{stream.name}: none of the {rows.read:,} rows has readings from {before}"
    worst = max(rows.missing_by_column, key=lambda name: rows.missing_by_column[name])
    empty = [name for name, n in rows.missing_by_column.items() if n == rows.read]
    empty = [name for name in empty if name in stream.features]
    remedy = f"leave out with --ignore {shlex.quote(joined(empty))}" if empty else "see --ignore"
    return (
        f"{stream.name}: none of the {rows.read:,} rows has a value in every column; "
        f"{worst!r} is missing in {rows.missing_by_column[worst]:,} ({remedy})"
    )
