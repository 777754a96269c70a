"""Blocks: many rows of a stream at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

#: The type of the row buffer, and of many rows.
Row = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

#: Default number of rows in a block.
ROWS = 512


class Line(NamedTuple):
    """A row of a log before its cells are interpreted."""

    cells: Sequence[str]
    why: str = ""  # why it cannot be cut into cells, or ""
    text: str = ""  # as it stands in the log; "" if it had no text of its own

    @property
    def shown(self) -> str:
        """The row for messages."""
        return self.text or ",".join(self.cells)


@dataclass(frozen=True)
class Cells:
    """The cells of one column, as distinct texts and an index into them for each row.

    words: the distinct texts, in order of first occurrence.
    places (ndarray of int64, shape (n,)): for each row the index of its text in `words`.
    """

    words: Sequence[str]
    places: Places

    @cached_property
    def floats(self) -> Row | None:
        """The words as numbers, or None if one of them is not a number.

        Cached, because several replays use the same block.
        """
        try:
            return np.fromiter(map(float, self.words), float, len(self.words))
        except ValueError:
            return None

    @classmethod
    def of(cls, cells: Sequence[str]) -> Cells:
        """Return the cells of a list of texts."""
        known: dict[str, int] = {}
        places = [known.setdefault(cell, len(known)) for cell in cells]
        return cls([*known], np.array(places, dtype=np.int64))


@dataclass(frozen=True)
class Block:
    """Consecutive rows.

    first: number of the first row.
    rows (ndarray of float64, shape (n, n_features)): NaN where a reading is absent; undefined
        for damaged rows.
    labels: the cells of the target column; undefined for damaged rows.
    seconds (ndarray of float64, shape (n,)): when the rows were taken; NaN if unknown.
    damage: why rows cannot be read, by index in the block.
    text: returns a row as it stands in the log, by index; None if it is not kept.
    without (ndarray of bool, shape (n,)): rows of a forecast whose readings were in a row that was
        skipped, or before a gap; None for other rows.
    periods (ndarray of int64, shape (n,)): of a forecast, the number of each readable row's period;
        None for other rows.
    between: of a forecast, by the index of a row after a gap, the first period without a row and
        the readings for it and the next ones.
    """

    first: int
    rows: Row
    labels: Cells
    seconds: Row
    damage: dict[int, str] = field(default_factory=dict)
    text: Callable[[int], str] | None = field(default=None, compare=False, repr=False)
    without: npt.NDArray[np.bool_] | None = None
    periods: Places | None = None
    between: dict[int, tuple[int, Row]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, start: int, end: int) -> Block:
        """Return the rows from index `start` up to `end`."""
        some, text = slice(start, end), self.text
        return Block(
            self.first + start,
            self.rows[some],
            Cells(self.labels.words, self.labels.places[some]),
            self.seconds[some],
            {at - start: why for at, why in self.damage.items() if start <= at < end},
            None if text is None else lambda at: text(at + start),
            None if self.without is None else self.without[some],
            None if self.periods is None else self.periods[some],
            {at - start: rows for at, rows in self.between.items() if start <= at < end},
        )
