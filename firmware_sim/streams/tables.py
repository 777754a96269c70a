"""Base classes of streams whose rows are cells."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from firmware_sim.streams.block import Block
from firmware_sim.streams.columns import INSPECTED_ROWS
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.stream import BlockStream, between

#: Cells of a row, and why it is unreadable, or "".
Line = tuple[Sequence[str], str]


class CellStream(BlockStream):
    """A stream of rows of cells, with a header."""

    _reading: Reading

    def _read_as(self, reading: Reading) -> None:
        """Set the columns of the stream."""
        self._reading = reading
        self.target, self.features = reading.target, reading.features
        self.ignored, self.local_times = reading.ignored, reading.local_times

    @property
    def reading(self) -> Reading:
        """The columns, and the readings made of each."""
        return self._reading

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was detected, one sentence each."""
        return self._reading.notes

    @abstractmethod
    def records(self) -> Iterator[Line | None]:
        """Yield the rows below header and units; None while a live stream has no row."""

    def blocks_after(self, number: int, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows after row `number`; see `Stream.blocks`."""
        for some in self.batched(between(self.records(), number, limit)):
            yield self._reading.read(number + 1, some)
            number += len(some)


class TableStream(CellStream):
    """Rows of cells held in memory, interpreted like those of a CSV file.

    name: of the file.
    header: the names of the columns.
    records: the cells of each row, in order.
    options: settings of the columns.
    kind: the file format, in words.
    Raises StreamError: the columns do not fit the options.
    """

    def __init__(
        self,
        name: str,
        header: Sequence[str],
        records: Sequence[Sequence[str]],
        options: ReadingOptions,
        kind: str = "a table",
    ) -> None:
        self.name = name
        first = [*records[:INSPECTED_ROWS]]
        known = options.given or options.study(header, first, "\t").laid_out(kind, None)
        self._read_as(Reading(name, known, first, options))
        self._held: list[Line] = [(record, "") for record in records]

    def records(self) -> Iterator[Line]:
        """Yield the rows; see `CellStream.records`."""
        return iter(self._held)

    def count(self) -> int | None:
        """Return the number of rows."""
        return len(self._held)
