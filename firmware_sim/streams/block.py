"""Blocks: many rows of a stream at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firmware_sim.streams.row import Row

Places = npt.NDArray[np.int64]

#: Default number of rows in a block.
ROWS = 512
#: Characters kept of a damaged row.
_SHOWN = 120


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

    def part(self, rows: slice | Places | npt.NDArray[np.bool_]) -> Cells:
        """Return the cells of some rows; `words` keeps texts that no longer occur."""
        return Cells(self.words, self.places[rows])


class Damage(str):
    """Why a row cannot be read; `row` is its beginning, as written in the log."""

    __slots__ = ("row",)
    row: str

    @classmethod
    def of(cls, why: str, row: str | Sequence[str]) -> Damage:
        """Return the damage of a row, given as text or as cells."""
        if isinstance(why, Damage):
            return why
        out = cls(why)
        out.row = (row if isinstance(row, str) else ",".join(row))[:_SHOWN].rstrip("\r\n")
        return out


@dataclass(frozen=True)
class Block:
    """Consecutive rows.

    first: number of the first row.
    rows (ndarray of float64, shape (n, n_features)): NaN where a reading is absent; undefined
        for damaged rows.
    labels: the cells of the target column; undefined for damaged rows.
    seconds (ndarray of float64, shape (n,)): when the rows were taken; NaN if unknown.
    damage: why rows cannot be read, by index in the block.
    """

    first: int
    rows: Row
    labels: Cells
    seconds: Row
    damage: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def among(self, odd: Mapping[int, str]) -> Block:
        """Return the block with unreadable rows inserted at the given indices."""
        n = len(self) + len(odd)
        places = np.delete(np.arange(n), [*odd])
        rows = np.full((n, self.rows.shape[1]), np.nan)
        labels, seconds = np.zeros(n, np.int64), np.full(n, np.nan)
        rows[places], labels[places], seconds[places] = self.rows, self.labels.places, self.seconds
        damage = {int(places[at]): why for at, why in self.damage.items()} | {**odd}
        words = self.labels.words or [""]
        return Block(self.first, rows, Cells(words, labels), seconds, damage)

    def part(self, start: int, end: int) -> Block:
        """Return the rows from index `start` up to `end`."""
        some = slice(start, end)
        damage = {at - start: why for at, why in self.damage.items() if start <= at < end}
        return Block(
            self.first + start, self.rows[some], self.labels.part(some), self.seconds[some], damage
        )
