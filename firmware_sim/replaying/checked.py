"""Rows prepared for the main loop: options applied, labels decoded, missing readings found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from firmware_sim.configuration.config import ReplayConfig
from firmware_sim.configuration.fields import OPTIONS
from firmware_sim.device.intake import Gaps, Repair
from firmware_sim.errors import StreamError
from firmware_sim.kinds.labels import Labels
from firmware_sim.replaying.rows import RowCount
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.block import Block, Places
from firmware_sim.streams.damages import Damage
from firmware_sim.streams.periods import Filled, Filler, Periods

Flags = npt.NDArray[np.bool_]
#: Rows whose labels tell whether they are of the kind that is learned, and the share of them that
#: may be no labels.
_PROVING, _ODD = 200, 0.3
#: So few labels are looked for one by one.
_FEW = 16


@dataclass
class Checked:
    """A block with decoded labels and flags.

    damaged (ndarray of bool, shape (n,)): rows that cannot be read.
    missing_readings (ndarray of bool, shape (n, n_features)): readings without a value.
    absent (ndarray of bool, shape (n,)): rows with a missing reading.
    y (ndarray of shape (n,)): labels; NaN if missing.
    unlabelled (ndarray of bool, shape (n,)): rows without a label that the learner needs.
    """

    block: Block
    damaged: Flags
    missing_readings: Flags
    absent: Flags
    y: Row
    unlabelled: Flags

    def __len__(self) -> int:
        return len(self.block)

    @property
    def lacks(self) -> Flags:
        """Which readable rows lack a reading or a label."""
        return (self.absent | self.unlabelled) & ~self.damaged

    def part(self, start: int, end: int) -> Checked:
        """Return the rows from index `start` to `end`."""
        rows = slice(start, end)
        return Checked(
            self.block.part(start, end),
            self.damaged[rows],
            self.missing_readings[rows],
            self.absent[rows],
            self.y[rows],
            self.unlabelled[rows],
        )

    def missing(self, at: int, stream: Stream) -> list[str]:
        """Return the columns in which a row has no value."""
        names = [
            stream.features[slot] for slot in np.flatnonzero(self.missing_readings[at]).tolist()
        ]
        return [*names, stream.target] if self.unlabelled[at] else names

    def tally(self, labels: Labels) -> None:
        """Count the labels of the rows."""
        if labels.counts:  # real targets are not counted
            for word, times in label_counts(self.block):
                labels.tally(word, labels.value(word), times)


def label_counts(block: Block) -> list[tuple[str, int]]:
    """Return the labels of readable rows in order of first occurrence, and their counts."""
    places = np.delete(block.labels.places, [*block.damage])
    counts = np.bincount(places, minlength=len(block.labels.words))
    if np.count_nonzero(counts) <= _FEW:  # one pass each is quicker than to sort the rows
        found = sorted(np.flatnonzero(counts).tolist(), key=lambda at: int((places == at).argmax()))
    else:
        each, first = np.unique(places, return_index=True)
        found = each[np.argsort(first)].tolist()
    return [(block.labels.words[at], int(counts[at])) for at in found]


class Delay:
    """Pairs each row's label with the readings of some periods before, as a forecast does.

    ahead: that number of periods.
    gap: seconds of a gap after which earlier readings are no longer paired.
    step: seconds of a period; 0 if each row has one.
    most: periods of a gap that are filled in.
    """

    def __init__(
        self,
        ahead: int,
        n_features: int,
        gap: float | None = None,
        step: float = 0.0,
        most: int = 0,
    ) -> None:
        self._ahead, self._most = ahead, most
        self._numbering = Periods(step, gap, most + ahead + 2)
        self._periods = np.empty(0, np.int64)
        self._readings = np.empty((0, n_features))

    @classmethod
    def of(cls, config: ReplayConfig, stream: Stream) -> Delay:
        """Return the delay that a configuration asks of a stream's rows."""
        ahead = config.rows_ahead - stream.ahead
        gap = config.gap if ahead else None
        most = config.most_filled
        return cls(ahead, len(stream.features), gap, config.grid or 0.0, most)

    @property
    def rows(self) -> Row:
        """The last readings, whose labels are still to come, the oldest first; NaN if missing."""
        last = int(self._periods[-1]) if len(self._periods) else 0
        return self._of(np.arange(last - self._ahead + 1, last + 1))[0]

    def _of(self, periods: Places) -> tuple[Row, Flags]:
        """Return the readings of periods, NaN where there are none, and where there are some."""
        if not len(self._periods):
            return np.full((len(periods), self._readings.shape[1]), np.nan), np.zeros(
                len(periods), bool
            )
        at = np.minimum(np.searchsorted(self._periods, periods), len(self._periods) - 1)
        is_there = self._periods[at] == periods
        return np.where(is_there[:, np.newaxis], self._readings[at], np.nan), is_there

    def shifted(self, block: Block) -> Block:
        """Return a block with earlier readings; those of a damaged row are missing."""
        if not self._ahead:
            return block
        readable = np.delete(np.arange(len(block)), [*block.damage])
        found = self._numbering.of(block.first + readable, block.seconds[readable])
        last = self._periods[-1:]
        self._periods = np.concatenate([self._periods, found])
        self._readings = np.concatenate([self._readings, block.rows[readable]])
        earlier, without = np.full_like(block.rows, np.nan), np.ones(len(block), bool)
        earlier[readable], is_there = self._of(found - self._ahead)
        without[readable] = ~is_there
        periods, between = np.full(len(block), -1), {}
        periods[readable] = found
        steps = np.diff(np.concatenate([last, found]))
        at_row = readable[len(readable) - len(steps) :]
        for at in np.flatnonzero(steps > 1).tolist():
            row, n = int(at_row[at]), int(steps[at]) - 1
            first = int(periods[row]) - n
            n = n if n <= self._most else min(n - 1, self._ahead)
            between[row] = first, self._of(np.arange(first, first + n) - self._ahead)[0]
        if len(found):
            kept = self._periods > found[-1] - self._ahead
            self._periods, self._readings = self._periods[kept], self._readings[kept]
        return replace(block, rows=earlier, without=without, periods=periods, between=between)


def checked(
    config: ReplayConfig, stream: Stream, labels: Labels | None, delay: Delay | None = None
) -> Iterator[Checked]:
    """Yield the blocks of a stream up to the limit.

    labels: the decoder; None for rows without labels, as far as they can be read again.
    delay: that of the readings; by default a new one, as the configuration has it.
    Raises StreamError: the labels of the first rows are of another kind.
    """
    is_supervised = config.label_kind.is_supervised
    transforms = [(one.rows, getattr(config, name)) for name, one in OPTIONS.items() if one.rows]
    limits = (config.limit, config.train_rows, stream.kept if labels is None else None)
    proof = _Proof()
    if delay is None:
        delay = Delay.of(config, stream)
    for block in stream.blocks(min((end for end in limits if end is not None), default=None)):
        y = np.zeros(len(block))
        if labels is not None:
            y, odd, fault = _decoded(labels, block, stream)
            proof.add(len(block) - len(block.damage), len(odd), fault)
            block = replace(block, damage={**block.damage, **odd}) if odd else block
        for transform, value in transforms:
            block = replace(block, rows=transform(value, block.rows))
        block = delay.shifted(block)
        missing_readings = ~np.isfinite(block.rows)
        missing_readings[[*block.damage]] = False
        damaged = np.zeros(len(block), dtype=bool)
        damaged[[*block.damage]] = True
        absent = np.zeros(len(block), dtype=bool)
        if missing_readings.any():  # any(axis=1) takes longer than all the rest
            absent[:] = missing_readings.any(axis=1)
        yield Checked(block, damaged, missing_readings, absent, y, np.isnan(y) & is_supervised)
    proof.end()


class _Proof:
    """Whether labels are of the kind that is learned: the first rows that have one tell.

    A label here and there that is not understood is damage of its row. Where many of the first ones
    are, the column is another one, or its labels are of another kind.
    """

    def __init__(self) -> None:
        self._rows = self._odd = 0
        self._fault: StreamError | None = None

    def add(self, rows: int, odd: int, fault: StreamError | None) -> None:
        """Count the labels of rows; raises StreamError where they are another kind."""
        if self._rows < _PROVING:
            self._rows, self._odd = self._rows + rows, self._odd + odd
            self._fault = self._fault or fault
            if self._rows >= _PROVING:
                self.end()

    def end(self) -> None:
        """Judge what there is; raises StreamError."""
        if self._fault is not None and self._odd > _ODD * self._rows:
            raise self._fault


def _decoded(
    labels: Labels, block: Block, stream: Stream
) -> tuple[Row, dict[int, str], StreamError | None]:
    """Return the labels of a block, the rows whose label is not understood, and the first fault."""
    cells = block.labels
    places = cells.places.copy()
    places[[*block.damage]] = -1
    numbers = labels.numbers(cells)
    if numbers is not None:
        return np.append(numbers, np.nan)[places], {}, None
    values = np.full(len(cells.words) + 1, np.nan)
    odd: dict[int, str] = {}
    fault = None
    # In order of the first readable row: a word may also occur in an earlier damaged row.
    found, first = np.unique(places[places >= 0], return_index=True)
    for at in found[np.argsort(first)].tolist():
        try:
            label = labels.value(cells.words[at])
        except StreamError as error:
            rows = np.flatnonzero(places == at).tolist()
            where = f"column {stream.target!r}"
            if fault is None:
                row = f"row {block.first + rows[0]}, {where}"
                fault = StreamError(f"{stream.name}: {row}: {error}")
            why, text = f"{where}: {str(error).partition(': ')[0]}", block.text
            odd |= {row: why if text is None else Damage.of(why, text(row)) for row in rows}
            continue
        values[at] = np.nan if label is None else label
    return values[places], odd, fault


def filled(repair: Repair | Gaps | None, rows: Row, block: Checked) -> tuple[Row, Flags]:
    """Return rows with missing readings filled in, if configured, and which rows are complete."""
    complete = ~(block.damaged | block.absent)
    if repair is None or not len(rows):
        return rows, complete
    rows = rows.copy()
    damaged = block.damaged
    if isinstance(repair, Gaps):
        rows[block.missing_readings] = np.nan
        return rows, ~damaged
    if repair.keeps_last and not block.absent.any() and not damaged.any():
        repair.fill(rows[-1], ())
        return rows, complete
    for at in np.flatnonzero(~damaged).tolist():
        complete[at] = repair.fill(rows[at], np.flatnonzero(block.missing_readings[at]).tolist())
    return rows, complete


def usable(block: Checked, repair: Repair | Gaps | None) -> tuple[Row, Places]:
    """Return the rows of a block that the learner receives, and their indices.

    repair: fills in missing readings; None: rows with missing readings are skipped.
    """
    X, complete = filled(repair, block.block.rows, block)
    places = np.flatnonzero(complete & ~block.unlabelled)
    return (X if len(places) == len(block) else X[places]), places


def filler_of(config: ReplayConfig, stream: Stream) -> Filler | None:
    """Return what puts in the periods without a row; None if a configuration does not want it."""
    if config.grid is None or not config.rows_ahead:
        return None
    return Filler(config.rows_ahead, len(stream.features), config.most_filled)


def forecast_rows(block: Checked, X: Row, places: Places, filler: Filler | None) -> Filled:
    """Return the rows of a block that a learner receives, with those of missing periods.

    X, places: of `usable`.
    filler: None if the periods between rows do not matter.
    """
    raw = block.block
    if filler is None or raw.periods is None:
        return Filled(X, block.y[places], raw.first + places, places, np.ones(len(places), bool))
    readable = np.flatnonzero(~block.damaged)
    readings = raw.rows[readable]
    is_row = np.isin(readable, places)
    readings[is_row] = X
    at, periods, y = readable, raw.periods[readable], block.y[readable]
    for row, (first, missing) in raw.between.items():  # the rows are readable
        n = len(missing)
        place = int(np.searchsorted(at, row))
        readings = np.insert(readings, place, missing, axis=0)
        at = np.insert(at, place, [row] * n)
        periods = np.insert(periods, place, np.arange(first, first + n))
        y, is_row = np.insert(y, place, [np.nan] * n), np.insert(is_row, place, [False] * n)
    return filler.of(readings, y, periods, at, is_row)


def count_skipped(
    block: Checked,
    places: Places,
    rows: RowCount,
    stream: Stream,
    ahead: int = 0,
    complete: Places | None = None,
) -> None:
    """Count the rows of a block that the learner does not receive, and those that lack a reading.

    places: indices of the rows that it receives.
    ahead: the first rows, which lack the readings of earlier ones.
    complete: of `usable`, if missing readings are filled in or the learner takes them. Then a row
        without a label is left out for that alone.
    """
    raw = block.block
    for at, why in sorted(raw.damage.items()):
        rows.add_damaged(raw.first + at, why)
    used = set(places.tolist())
    filled_in = set() if complete is None else set(complete.tolist())
    for at in np.flatnonzero(block.lacks).tolist():
        if raw.first + at <= ahead:
            continue
        if raw.without is not None and raw.without[at]:
            rows.missing_before += 1
            rows.ahead = ahead
            rows.add_missing([stream.target] if block.unlabelled[at] else [])
            continue
        columns = block.missing(at, stream)
        if at in used:
            rows.add_lacking(columns)
        elif at in filled_in:  # but its forecast is of a row that was skipped, or in a gap
            rows.missing_before += 1
            rows.ahead = ahead
            rows.add_missing([], columns)
        elif complete is not None and block.unlabelled[at]:
            rows.add_missing([stream.target], columns)
        else:
            rows.add_missing(columns)
    rows.missing += len(block) - len(raw.damage) - len(places)
    if raw.periods is not None:  # made of a row without a target
        is_other = ~(block.damaged | block.lacks)
        is_other[places] = False
        is_other[: max(0, ahead + 1 - raw.first)] = False
        rows.missing_before += int(np.count_nonzero(is_other))
        rows.ahead = ahead
    rows.read = raw.first + len(block) - 1
