"""Many rows of a stream at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firmware_sim.streams.row import Row

Places = npt.NDArray[np.int64]

#: Rows of a block where nothing else says.
ROWS = 512
#: Characters of a damaged row that are kept.
_SHOWN = 120


@dataclass(frozen=True)
class Cells:
    """The cells of one column: each text there is once, and where it stands.

    words: the texts, in the order of their first rows.
    places (ndarray of int64, shape (n,)): for each row the place of its text.
    """

    words: Sequence[str]
    places: Places

    @cached_property
    def floats(self) -> Row | None:
        """The words as numbers, None where one is no number; read once, however often it is asked.

        Several replays of one block ask.
        """
        try:
            return np.fromiter(map(float, self.words), float, len(self.words))
        except ValueError:
            return None

    @classmethod
    def of(cls, cells: Sequence[str]) -> Cells:
        """Return those of a list of texts."""
        known: dict[str, int] = {}
        places = [known.setdefault(cell, len(known)) for cell in cells]
        return cls([*known], np.array(places, dtype=np.int64))

    def part(self, rows: slice | Places | npt.NDArray[np.bool_]) -> Cells:
        """Return those of some rows; texts that are no longer there stay."""
        return Cells(self.words, self.places[rows])


class Damage(str):
    """Why a row cannot be read; `row` is its beginning as it is in the log."""

    __slots__ = ("row",)
    row: str

    @classmethod
    def of(cls, why: str, row: str | Sequence[str]) -> Damage:
        """Return one for a row, or for its cells."""
        if isinstance(why, Damage):
            return why
        out = cls(why)
        out.row = (row if isinstance(row, str) else ",".join(row))[:_SHOWN].rstrip("\r\n")
        return out


@dataclass(frozen=True)
class Block:
    """Rows that were read together.

    first: number of the first one.
    rows (ndarray of float64, shape (n, n_features)): NaN where a reading is absent, without meaning
        where a row is damaged.
    labels: the cells of the target column; those of damaged rows mean nothing.
    seconds (ndarray of float64, shape (n,)): when they were taken, NaN where that is not known.
    damage: why rows cannot be read, by their places in the block.
    """

    first: int
    rows: Row
    labels: Cells
    seconds: Row
    damage: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def among(self, odd: Mapping[int, str]) -> Block:
        """Return the same with rows between them, at these places, that cannot be read."""
        n = len(self) + len(odd)
        places = np.delete(np.arange(n), [*odd])
        rows = np.full((n, self.rows.shape[1]), np.nan)
        labels, seconds = np.zeros(n, np.int64), np.full(n, np.nan)
        rows[places], labels[places], seconds[places] = self.rows, self.labels.places, self.seconds
        damage = {int(places[at]): why for at, why in self.damage.items()} | {**odd}
        words = self.labels.words or [""]
        return Block(self.first, rows, Cells(words, labels), seconds, damage)

    def part(self, start: int, end: int) -> Block:
        """Return the rows from place `start` to `end`."""
        some = slice(start, end)
        damage = {at - start: why for at, why in self.damage.items() if start <= at < end}
        return Block(
            self.first + start, self.rows[some], self.labels.part(some), self.seconds[some], damage
        )
