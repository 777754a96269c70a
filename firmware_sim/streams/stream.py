"""The interface of every stream."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from firmware_sim.streams.block import ROWS, Block, Cells
from firmware_sim.streams.row import Row

__all__ = ["Row", "Sample", "Stream"]

#: Seconds that a row of a live stream waits for others of its block.
PATIENCE = 0.05

Item = TypeVar("Item")


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
    """

    name: str
    target: str
    features: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    kept: int | None = None
    notes: tuple[str, ...] = ()
    local_times: bool = False

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
        samples = (None if one is None else (one, row.copy()) for one in self.samples(row))
        for some in self.batched(between(samples, number, limit)):
            rows = np.array([values for _, values in some]).reshape(-1, len(row))
            taken = [sample for sample, _ in some]
            number += len(taken)
            yield Block(
                number + 1 - len(taken),
                rows,
                Cells.of([sample.label for sample in taken]),
                np.array([sample.seconds for sample in taken]),
                {at: sample.damage for at, sample in enumerate(taken) if sample.damage},
            )

    def batched(self, items: Iterator[Item | None]) -> Iterator[list[Item]]:
        """Yield items in lists that make a block; an empty one where nothing has come.

        What goes wrong is raised when the items before it have been given. Those of a live stream
        do not wait for others for long.
        """
        patience = math.inf if self.kept is None else PATIENCE
        going = True
        while going:
            taken: list[Item] = []
            fault: Exception | None = None
            going, began = False, time.monotonic()
            try:
                for item in items:
                    if item is not None:
                        taken.append(item)
                    full = len(taken) == ROWS
                    if item is None or full or time.monotonic() - began > patience:
                        going = True
                        break
            except Exception as error:
                fault = error
            if taken or going:
                yield taken
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


class BlockStream(Stream):
    """A stream that is read in blocks."""

    @abstractmethod
    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows behind row `number`; see `Stream.blocks`."""

    def samples(self, row: Row) -> Iterator[Sample | None]:
        """Yield the rows in order; see `Stream.samples`."""
        for block in self.blocks():
            if not len(block):
                yield None
            words, places = block.labels.words, block.labels.places.tolist()
            for at, seconds in enumerate(block.seconds.tolist()):
                row[:] = block.rows[at]
                damage = block.damage.get(at, "")
                label = "" if damage else words[places[at]]
                yield Sample(block.first + at, label, damage, seconds)


def between(items: Iterable[Item | None], number: int, limit: int | None) -> Iterator[Item | None]:
    """Yield the items behind the first `number` to number `limit`; None is passed on uncounted."""
    at = 0
    for item in items:
        at += item is not None
        if item is None or at > number:
            yield item
        if limit is not None and at >= limit:
            return  # a live stream would wait for one more to leave it out
