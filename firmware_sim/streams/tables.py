"""Tables whose cells are held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firmware_sim.streams.columns import LOOKED_AT
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.stream import Row, Sample, Stream


class TableStream(Stream):
    """Rows of cells, read as those of a CSV file.

    name: of the file.
    header: the names of the columns.
    records: the cells of each row, in order.
    options: what is known of the columns.
    Raises StreamError: the columns do not fit the options.
    """

    def __init__(
        self, name: str, header: list[str], records: Sequence[list[str]], options: ReadingOptions
    ) -> None:
        self.name = name
        self._records = records
        self._reading = Reading(name, header, [*records[:LOOKED_AT]], "\t", options)
        self.target = self._reading.target
        self.features = self._reading.features
        self.ignored = self._reading.ignored
        self.notes, self.local_times = self._reading.notes, self._reading.local_times

    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order; see `Stream.samples`."""
        reading = self._reading
        for number, record in enumerate(self._records[int(reading.units) :], 1):
            damage = reading.fill(record, row)
            if damage:
                yield Sample(number, "", damage)
            else:
                yield Sample(number, reading.label(record), "", reading.seconds(record))

    def count(self) -> int | None:
        """Return the number of rows."""
        return len(self._records) - int(self._reading.units)
