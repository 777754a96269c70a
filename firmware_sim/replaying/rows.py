"""What became of rows, and the stream that they come from."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields

from firmware_sim.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.plaintext import joined
from firmware_sim.streams import Stream, open_stream
from firmware_sim.streams.damages import Damages
from firmware_sim.streams.faulty import FaultyStream
from firmware_sim.streams.live import LiveStream
from firmware_sim.streams.reading import ReadingOptions
from firmware_sim.tasks.kinds import KINDS

#: Columns without values that a report names.
_LISTED = 6


@dataclass
class RowCount:
    """How many rows were read, and what became of them."""

    read: int = 0
    used: int = 0
    missing: int = 0
    missing_by_column: dict[str, int] = field(default_factory=dict)
    repaired: int = 0
    damaged: int = 0
    first_damage: str = ""
    damages: Damages = field(default_factory=Damages, compare=False)
    refused: int = 0
    first_refusal: str = ""

    def add_missing(self, columns: list[str]) -> None:
        """Count a row that has no value in these columns."""
        for column in columns:
            self.missing_by_column[column] = self.missing_by_column.get(column, 0) + 1

    def add_damaged(self, number: int, damage: str) -> None:
        """Count a row that cannot be read."""
        self.damaged += 1
        self.first_damage = self.first_damage or f"row {number}: {damage}"
        self.damages.add(number, damage)

    def warnings(self) -> list[str]:
        """Return what a reader has to know of rows that were left out, a sentence each."""
        if not self.damaged:
            return []
        return [
            f"{self.damaged:,} of {self.read:,} rows cannot be read and were left out, "
            f"the first is {self.first_damage}"
        ]

    def missing_words(self) -> str:
        """Return the columns without values and how often, those with the most first."""
        counts = sorted(self.missing_by_column.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{name} {count:,}" for name, count in counts[:_LISTED])
        return shown + (", ..." if len(counts) > _LISTED else "")

    def add_refused(self, number: int, reason: object) -> None:
        """Count a row that the learner refuses."""
        self.refused += 1
        self.first_refusal = self.first_refusal or f"row {number}: {reason}"


def opened(config: ReplayConfig, live: LiveStream | None = None) -> Stream:
    """Open the stream that a configuration names, without its faults.

    Options that have the name of one of `ReadingOptions` are passed on to it.

    live: that stream, where it comes once and was looked at already.

    Raises StreamError: there is no such stream, or its columns cannot be read as the configuration
        says.
    """
    names = (one.name for one in fields(ReadingOptions) if one.name in OPTIONS)
    said = {name: getattr(config, name) for name in names}
    said |= {
        "labelled": KINDS[config.kind].is_taught,
        "absent": config.missing_words,
        "alone": config.is_regression,
    }
    if live is not None:
        live.read_as(ReadingOptions(**said))
        return live
    return open_stream(config.stream, idle=config.idle, **said)


def nothing_usable(stream: Stream, rows: RowCount) -> str:
    """Return the sentence about a stream none of whose rows the learner got."""
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
    worst = max(rows.missing_by_column, key=lambda name: rows.missing_by_column[name])
    never = [name for name, n in rows.missing_by_column.items() if n == rows.read]
    never = [name for name in never if name in stream.features]
    remedy = f"leave out with --ignore {shlex.quote(joined(never))}" if never else "see --ignore"
    return (
        f"{stream.name}: none of the {rows.read:,} rows has a value in every column; "
        f"{worst!r} is missing in {rows.missing_by_column[worst]:,} ({remedy})"
    )
