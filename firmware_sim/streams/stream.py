"""The interface of every stream."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from firmware_sim.streams.block import ROWS, Block, Cells
from firmware_sim.streams.row import Row

__all__ = ["Row", "Sample", "Stream"]

#: Seconds that a row of a live stream waits for others of its block.
PATIENCE = 0.05


class Sample(NamedTuple):
    """One row of a stream, apart from the readings, which are in the row buffer."""

    number: int  # 1 for the first row of data
    label: str  # the target cell as it stands in the stream
    damage: str = ""  # why the row cannot be read, where it cannot
    seconds: float = math.nan  # when it was taken, where the stream knows


class Stream(ABC):
    """A labelled sensor stream that can be read from its first row again and again.

    Page: docs/tutorial.md.

    Attributes
    ----------
    name : str
        What reports call the stream.
    target : str
        Name of the label column.
    features : tuple of str
        Names of the readings, in the order of the row buffer.
    ignored : tuple of str
        Columns that are left out.
    notes : tuple of str
        What was recognised in the stream without being asked for, a sentence each.
    kept : int or None
        The most rows after which it can still be read from its first row again; None for ever.
    local_times : bool
        Whether its times have no zone: those of the place.
    at_once : int
        The most rows of a block.
    """

    name: str
    target: str
    features: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    kept: int | None = None
    notes: tuple[str, ...] = ()
    local_times: bool = False
    at_once: int = ROWS

    @abstractmethod
    def samples(self, row: Row) -> Iterator[Sample | None]:
        """Yield the rows in order, from the first one.

        row (ndarray of float64, shape (n_features,)): overwritten in place before each sample is
            yielded; NaN where a reading is absent, without meaning where the sample tells of
            damage.

        Yields: None, several times a second while a live stream has nothing: a chance to stop.
        """

    def blocks(self, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows that `samples` yields, many at a time.

        limit: rows to read at most.

        Yields: a block without rows, several times a second, while a live stream has nothing.

        What goes wrong while rows are read is raised when those before it have been given.
        """
        yield from self.blocks_after(0, limit)

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows behind row `number`; see `blocks`."""
        row = np.empty(len(self.features))
        samples = self.samples(row)
        given, going = 0, limit is None or number < limit
        at_once, live = self.at_once, self.kept is not None
        while going:
            rows = np.empty((at_once, len(row)))
            taken: list[Sample] = []
            fault: BaseException | None = None
            going, began = False, time.monotonic()
            try:
                for sample in samples:
                    going = sample is None
                    if sample is None:
                        break
                    given += 1
                    if given <= number:
                        continue
                    rows[len(taken)] = row
                    taken.append(sample)
                    full = len(taken) == at_once
                    # Rows of a live stream do not wait for others for long.
                    waited = live and time.monotonic() - began > PATIENCE
                    if full or waited or given == limit:
                        going = given != limit
                        break
            except Exception as error:
                fault = error
            if taken:
                yield block_of(taken, rows)
            elif going:
                yield Block(given + 1, rows[:0], Cells.of([]), np.empty(0))
            if fault is not None:
                raise fault

    @property
    def clean(self) -> Stream:
        """The same stream with whole sensors."""
        return self

    def count(self) -> int | None:
        """Return the number of rows where it can be known without an endless wait."""
        return None

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of what the stream holds; it cannot be read any more."""


def block_of(samples: Sequence[Sample], rows: Row) -> Block:
    """Return the block of rows that were read one by one; `rows` may have room for more."""
    return Block(
        samples[0].number,
        rows[: len(samples)],
        Cells.of([sample.label for sample in samples]),
        np.array([sample.seconds for sample in samples]),
        {at: sample.damage for at, sample in enumerate(samples) if sample.damage},
    )
