"""The interface of every stream."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

import edgeolk as ek
from firmware_sim.streams.block import ROWS, Block, Cells, Places, Row

__all__ = ["Row", "Sample", "Stream"]

#: Seconds that a row of a live stream waits for its block to fill.
PATIENCE = 0.05

#: Most readings in a block: a row may have a million of them.
_MAX_NUMBERS = 1 << 22

Item = TypeVar("Item")


class Sample(NamedTuple):
    """One row of a stream, without its readings, which are in the row buffer."""

    number: int  # from 1
    label: str  # the target cell, unchanged
    damage: str = ""  # why the row is unreadable, or ""
    seconds: float = math.nan  # its time, NaN if unknown


class Groups(NamedTuple):
    """The groups of rows, such as machines.

    names: of the groups.
    places (ndarray of int64, shape (n,)): for each row the index of its group; -1 if unknown.
    """

    names: list[str]
    places: Places


class Stream(ABC):
    """A labelled sensor stream that can be read repeatedly from its first row.

    Page: docs/tutorial.md.

    Attributes
    ----------
    name : str
        The name in reports.
    target : str
        Name of the label column.
    features : tuple of str
        Names of the readings, in the order of the row buffer.
    ignored : tuple of str
        Columns that are left out.
    notes : tuple of str
        What was detected in the stream automatically, one sentence each.
    kept : int or None
        The number of rows up to which it can be read again from the first; None for no limit.
    local_times : bool
        Whether its times have no zone and so are local.
    is_dated : bool
        Whether its times have a date, and so an hour of the day.
    windows : WindowsPlan or None
        Of the samples that its rows were made of; None if rows are as they are logged.
    ahead : int
        Rows from readings to the target beside them, where a forecast's are put together already.
    groups : Groups or None
        The groups of its rows, where they are known already.
    """

    name: str
    target: str
    features: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    kept: int | None = None
    notes: tuple[str, ...] = ()
    local_times: bool = False
    is_dated: bool = False
    windows: ek.WindowsPlan | None = None
    ahead: int = 0
    groups: Groups | None = None

    @abstractmethod
    def samples(self, row: Row) -> Iterator[Sample | None]:
        """Yield the rows in order, from the first one.

        row (ndarray of float64, shape (n_features,)): overwritten in place before each sample is
            yielded; NaN where a reading is missing, undefined if the sample is damaged.

        Yields: None several times a second while a live stream has no row, so that callers can
            stop.
        """

    def blocks(self, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows that `samples` yields, many at a time.

        limit: most rows to read.

        Yields: an empty block several times a second while a live stream has no row.

        An error is raised after the rows before it have been yielded.
        """
        yield from self.blocks_after(0, limit)

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `blocks`."""
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
        """Yield items in lists of at most a block; an empty list if nothing has arrived.

        An error is raised after the items before it have been yielded. Items of a live stream wait
        only `PATIENCE` seconds for others.
        """
        patience = math.inf if self.kept is None else PATIENCE
        most = max(1, min(ROWS, _MAX_NUMBERS // len(self.features)))
        going = True
        while going:
            taken: list[Item] = []
            fault: Exception | None = None
            going, began = False, time.monotonic()
            try:
                for item in items:
                    if item is not None:
                        taken.append(item)
                    full = len(taken) == most
                    if item is None or full or time.monotonic() - began > patience:
                        going = True
                        break
            except Exception as error:
                fault = error
            if taken or going:
                yield taken
            if fault is not None:
                raise fault

    def describe_as(self, other: Stream) -> None:
        """Adopt what is known of another stream, whose rows those of this one are made of.

        Not its notes, nor up to which row it can be read again.
        """
        self.name, self.target, self.features = other.name, other.target, other.features
        self.ignored, self.groups = other.ignored, other.groups
        self.local_times, self.is_dated = other.local_times, other.is_dated
        self.windows, self.ahead = other.windows, other.ahead

    @property
    def clean(self) -> Stream:
        """The same stream without sensor faults."""
        return self

    def count(self) -> int | None:
        """Return the number of rows, or None if it cannot be known without waiting."""
        return None

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release all resources; the stream is no longer readable."""


class BlockStream(Stream):
    """A stream that is read in blocks."""

    @abstractmethod
    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `Stream.blocks`."""

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
    """Yield the items after the first `number`, up to `limit`; None is passed on uncounted."""
    at = 0
    for item in items:
        at += item is not None
        if item is None or at > number:
            yield item
        if limit is not None and at >= limit:
            return  # do not wait for another item of a live stream
