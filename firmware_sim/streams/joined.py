"""The rows of each period as one row: sensors that report one after the other make even rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from firmware_sim.errors import StreamError
from firmware_sim.streams.block import Block, Cells, Places, Row
from firmware_sim.streams.cached import HeldStream
from firmware_sim.streams.cells import MISSING_WORDS
from firmware_sim.streams.stream import Stream
from firmware_sim.streams.tally import Tally

#: What a reading of a joined row is.
LAST, MEAN = "last", "mean"
#: First rows without a time before the stream counts as one without times.
_MAX_TIMELESS = 10_000


class Joined(HeldStream):
    """The rows of a stream, those of each period as one, which has the time of its beginning.

    In a history a sensor keeps its reading until the next one comes. Where three sensors report
    one after the other, two of three readings in a row are repetitions; joined, all are new.

    rows: the stream. A period without a row has no joined one either.
    every: seconds of a period; periods begin at multiples of it.
    how: whether a reading is the last one or the mean.
    codes: numbers that mean "missing".
    has_numbers: whether labels are numbers, whose mean is taken too; of others it is the last one.

    Raises StreamError: the rows have no times, or come only once.
    """

    def __init__(
        self,
        rows: Stream,
        every: float,
        how: str,
        codes: Sequence[float] = (),
        *,
        has_numbers: bool,
    ) -> None:
        if rows.kept is not None:
            raise StreamError(f"every needs a stream that can be read again: {rows.name} is live")
        self._every, self._how, self._has_numbers = every, how, has_numbers
        self._n_read = self._n_damaged = 0
        tally = Tally(rows, codes)
        blocks = tuple(self._joined(tally))
        super().__init__(rows, blocks)
        self.log = tally
        rows.close()
        damaged = f", {self._n_damaged:,} damaged ones left out" if self._n_damaged else ""
        self.notes = (
            *rows.notes,
            f"{self._n_read:,} rows joined to {self.count():,}, one for every {every:g} s with "
            f"rows: the {how} of each reading{damaged}",
        )

    def _joined(self, log: Tally) -> Iterator[Block]:
        """Yield the joined rows; the period that a block ends with goes on in the next one."""
        rows = log.stream
        open_period, n_joined = _Rows.none(len(rows.features)), 0
        for block in log.blocks():
            self._n_read += len(block)
            found = open_period.followed_by(block, self._every)
            if not len(found.periods) or (found.is_timeless and len(found.periods) < _MAX_TIMELESS):
                open_period = found
                continue
            found.check(rows.name)
            begins = np.flatnonzero(np.diff(found.periods, prepend=np.nan) != 0.0)
            open_period = found.part(int(begins[-1]), len(found.periods))
            if len(begins) > 1:
                complete = found.part(0, int(begins[-1]))
                yield self._block(complete, begins[:-1], n_joined + 1)
                n_joined += len(begins) - 1
        open_period.check(rows.name)
        if len(open_period.periods):
            yield self._block(open_period, np.array([0]), n_joined + 1)

    def _block(self, rows: _Rows, begins: Places, first: int) -> Block:
        """Return a joined row for each period of complete ones."""
        is_good = np.array([not why for why in rows.damage])
        readings = np.where(is_good[:, np.newaxis], rows.readings, np.nan)
        ends = [*begins[1:].tolist(), len(is_good)]
        labels, damage = [], {}
        for at, (begin, end) in enumerate(zip(begins.tolist(), ends, strict=True)):
            good = [rows.labels[i] for i in range(begin, end) if is_good[i]]
            labels.append(self._label(good))
            if not good:
                damage[at] = rows.damage[begin]
        n_lost = int(np.count_nonzero(~is_good))
        self._n_damaged += n_lost
        return Block(
            first, joined(readings, begins, self._how), Cells.of(labels),
            rows.periods[begins] * self._every, damage,
        )  # fmt: skip

    def _label(self, cells: Sequence[str]) -> str:
        """Return the label of a period: the last one that is there, or the mean of numbers."""
        known = [cell for cell in cells if cell.strip().lower() not in MISSING_WORDS]
        if not known:
            return cells[-1] if cells else ""
        if self._how == MEAN and self._has_numbers and len(known) > 1:
            try:
                return repr(float(np.mean([float(cell) for cell in known])))
            except ValueError:
                pass
        return known[-1]

    def close(self) -> None:
        """Nothing: the rows are held."""


class _Rows:
    """Rows with the numbers of their periods; of damaged ones, why they cannot be read."""

    def __init__(self, readings: Row, labels: list[str], periods: Row, damage: list[str]) -> None:
        self.readings, self.labels, self.periods, self.damage = readings, labels, periods, damage

    @classmethod
    def none(cls, n_features: int) -> _Rows:
        """No rows."""
        return cls(np.empty((0, n_features)), [], np.empty(0), [])

    @property
    def is_timeless(self) -> bool:
        """Whether no row has a time yet."""
        return bool(np.isnan(self.periods).any())

    def check(self, name: str) -> None:
        """Raise StreamError if no row of the stream of this name has a time."""
        if self.is_timeless:
            raise StreamError(
                f"{name}: every needs the time of each row: name its column with --time"
            )

    def part(self, start: int, end: int) -> _Rows:
        """Some of the rows."""
        some = slice(start, end)
        return _Rows(self.readings[some], self.labels[some], self.periods[some], self.damage[some])

    def followed_by(self, block: Block, every: float) -> _Rows:
        """Return these rows and those of a block; one without a time is of the period before it."""
        words, places = block.labels.words, block.labels.places.tolist()
        labels = ["" if at in block.damage else words[place] for at, place in enumerate(places)]
        damage = [block.damage.get(at, "") for at in range(len(block))]
        periods = np.concatenate([self.periods, np.floor(block.seconds / every)])
        known = np.maximum.accumulate(np.where(np.isnan(periods), -1, np.arange(len(periods))))
        if (known < 0).any() and len(known) and known[-1] >= 0:  # the first rows have none
            known[known < 0] = known[known >= 0][0]
        return _Rows(
            np.concatenate([self.readings, block.rows]),
            [*self.labels, *labels],
            np.where(known >= 0, periods[known], np.nan),
            [*self.damage, *damage],
        )


def joined(rows: Row, begins: Places, how: str) -> Row:
    """Return a row for each run of rows: the last or the mean of the readings that are not NaN.

    begins: index of the first row of each run.
    """
    is_known = ~np.isnan(rows)
    if how == LAST:
        order = np.where(is_known, np.arange(len(rows))[:, np.newaxis], -1)
        last = np.maximum.reduceat(order, begins)
        found = np.take_along_axis(rows, np.maximum(last, 0), axis=0)
        return np.where(last >= 0, found, np.nan)
    counts = np.add.reduceat(is_known.astype(float), begins)
    sums = np.add.reduceat(np.where(is_known, rows, 0.0), begins)
    found = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=found, where=counts > 0.0)
    return found
