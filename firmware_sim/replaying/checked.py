"""Rows as the main loop takes them, many at a time: labels decoded, absent readings found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firmware_sim.config import ReplayConfig
from firmware_sim.device.repair import Gaps, Repair
from firmware_sim.errors import StreamError
from firmware_sim.replaying.rows import CheckedRow, RowCount, gaps
from firmware_sim.streams import Row, Stream
from firmware_sim.streams.block import Block, Cells, Places
from firmware_sim.tasks.labels import Labels, Targets

Flags = npt.NDArray[np.bool_]


@dataclass
class Checked:
    """A block that was looked at.

    gone (ndarray of bool, shape (n, n_features)): readings that are no values.
    y (ndarray of shape (n,)): labels; NaN where there is none.
    fault: the label that nobody understands behind the last row, where there is one.
    """

    block: Block
    gone: Flags
    y: Row
    fault: StreamError | None = None

    def __len__(self) -> int:
        return len(self.block)

    @property
    def damaged(self) -> Flags:
        """Which rows cannot be read."""
        found = np.zeros(len(self), dtype=bool)
        found[[*self.block.damage]] = True
        return found

    @property
    def absent(self) -> Flags:
        """Which rows lack a reading."""
        return np.asarray(self.gone.any(axis=1))

    def part(self, start: int, end: int) -> Checked:
        """Return the rows from place `start` to `end`."""
        return Checked(self.block.part(start, end), self.gone[start:end], self.y[start:end])

    def row(self, at: int) -> CheckedRow:
        """Return one row as the main loop takes it by itself."""
        number, damage = self.block.first + at, self.block.damage.get(at, "")
        if damage:
            return CheckedRow(number, damage=damage)
        absent = tuple(np.flatnonzero(self.gone[at]).tolist())
        label = float(self.y[at])
        unlabelled = label != label  # noqa: PLR0124
        seconds = float(self.block.seconds[at])
        return CheckedRow(number, 0.0 if unlabelled else label, absent, unlabelled, "", seconds)

    def tally(self, labels: Labels, end: int) -> None:
        """Count the labels of the rows to place `end`."""
        if isinstance(labels, Targets):  # nobody asks how often a number occurred
            return
        cells = self.block.labels
        places = cells.places[:end][~self.damaged[:end]]
        for word, times in _counted(cells, places):
            labels.tally(word, labels.value(word), times)


def _counted(cells: Cells, places: Places) -> list[tuple[str, int]]:
    """Return the texts at these places and how often they are there, in order of their rows."""
    found, first, times = np.unique(places, return_index=True, return_counts=True)
    order = np.argsort(first).tolist()
    return [(cells.words[found[at]], int(times[at])) for at in order]


def told_words(block: Block) -> list[str]:
    """Return the different labels of the rows of a block that can be read."""
    good = np.ones(len(block), dtype=bool)
    good[[*block.damage]] = False
    return [word for word, _ in _counted(block.labels, block.labels.places[good])]


def checked(config: ReplayConfig, stream: Stream, labels: Labels | None) -> Iterator[Checked]:
    """Yield the blocks of a stream as far as the configuration goes; without labels if so told."""
    codes = np.array(config.missing_numbers)
    for block in stream.blocks(config.limit):
        fault = None
        y = np.zeros(len(block))
        if labels is not None:
            y, end, fault = _decoded(labels, block, stream)
            if fault is not None:
                block, y = block.part(0, end), y[:end]
        gone = gaps(block.rows, codes)
        gone[[*block.damage]] = False
        yield Checked(block, gone, y, fault)


def _decoded(labels: Labels, block: Block, stream: Stream) -> tuple[Row, int, StreamError | None]:
    """Return the labels of a block, the place of the first that is none, and why it is none."""
    cells = block.labels
    places = cells.places.copy()
    places[[*block.damage]] = -1
    numbers = labels.numbers(cells.words) if isinstance(labels, Targets) else None
    if numbers is not None:
        return np.append(numbers, np.nan)[places], len(block), None
    found, first = np.unique(places, return_index=True)
    values = np.full(len(cells.words) + 1, np.nan)
    end, fault = len(block), None
    for at in np.argsort(first).tolist():
        if found[at] < 0:
            continue
        try:
            label = labels.value(cells.words[found[at]])
        except StreamError as error:
            end = int(first[at])
            row = f"row {block.first + end}, column {stream.target!r}"
            fault = StreamError(f"{stream.name}: {row}: {error}")
            break
        values[found[at]] = np.nan if label is None else label
    return values[places], end, fault


def mended(repair: Repair | Gaps | None, rows: Row, block: Checked) -> tuple[Row, Flags]:
    """Return rows with absent readings filled in where that is done, and which are whole."""
    whole = ~(block.damaged | block.absent)
    if repair is None or not len(rows):
        return rows, whole
    rows = rows.copy()
    damaged = block.damaged
    if isinstance(repair, Gaps):
        rows[block.gone] = np.nan
        return rows, ~damaged
    if repair.keeps_last and not block.absent.any() and not damaged.any():
        repair.mend(rows[-1], ())
        return rows, whole
    for at in np.flatnonzero(~damaged).tolist():
        whole[at] = repair.mend(rows[at], np.flatnonzero(block.gone[at]).tolist())
    return rows, whole


def usable(
    block: Checked, repair: Repair | Gaps | None, rows: RowCount, stream: Stream, *, taught: bool
) -> tuple[Row, Places]:
    """Return the rows of a block that a learner gets, and their places; the others are counted.

    repair: what stands in for absent readings, where something does.
    rows: what became of the rows so far.
    taught: whether a row without a label is left out.
    """
    numbers = block.block
    X, whole = mended(repair, numbers.rows, block)
    given = whole & ~np.isnan(block.y) if taught else whole
    damaged, absent = block.damaged, block.absent
    for at in sorted(numbers.damage):
        rows.add_damaged(block.row(at))
    lacks = absent | np.isnan(block.y) if taught else absent
    for at in np.flatnonzero(lacks & ~damaged).tolist():
        row = block.row(at)
        rows.add_missing((row if taught else row._replace(unlabelled=False)).missing(stream))
    rows.missing += int(np.sum(~damaged & ~given))
    rows.read = numbers.first + len(block) - 1
    places = np.flatnonzero(given)
    return (X if len(places) == len(block) else X[places]), places
