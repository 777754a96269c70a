"""A CSV file as people have it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from firmware_sim.streams.columns import LOOKED_AT
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.stream import Row, Sample, Stream
from firmware_sim.streams.text import Records, open_lines

DELIMITERS = ",;\t"


class CsvStream(Stream):
    """A CSV file with a header line, plain or compressed (gzip, xz).

    Recognised by what the file holds: compression, UTF-8 or UTF-16, the delimiter (comma,
    semicolon, tab), decimal commas, a row of units under the header, columns of dates and times, an
    index without a name.

    Parameters
    ----------
    path : str or Path
        The file.
    name : str, optional
        What reports call the stream; the file's name by default.
    options : ReadingOptions, optional
        What is known of the columns.
    **changes
        Fields of `ReadingOptions`, such as ``target="label"``.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        options: ReadingOptions | None = None,
        **changes: Any,
    ) -> None:
        self.path = Path(path)
        self.name = name if name is not None else self.path.name
        options = replace(options or ReadingOptions(), **changes)
        with self._cells() as (header, records, delimiter):
            first = list(islice(records, LOOKED_AT))
            self._reading = Reading(self.name, header, first, delimiter, options)
        self.target = self._reading.target
        self.features = self._reading.features
        self.ignored = self._reading.ignored
        self.notes = self._reading.notes

    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order; see `Stream.samples`."""
        reading = self._reading
        with self._cells() as (_, records, _):
            for number, record in enumerate(islice(records, int(reading.units), None), 1):
                damage = records.damage or reading.fill(record, row)
                if damage:
                    records.split()  # no row is lost with another one
                    yield Sample(number, "", damage)
                else:
                    yield Sample(number, reading.label(record), "", reading.seconds(record))

    def count(self) -> int | None:
        """Return the number of rows, by reading the file once."""
        with self._cells() as (_, records, _):
            row, count = np.empty(len(self.features)), -int(self._reading.units)
            for record in records:
                count += 1
                if records.is_long and self._reading.fill(record, row):
                    records.split()
            return max(0, count)

    @contextmanager
    def _cells(self) -> Iterator[tuple[list[str], Records, str]]:
        """Open the file: the header's cells, the other rows' that are not blank, the delimiter."""
        with open_lines(self.path) as lines:
            head = next(lines, "")
            delimiter = max(DELIMITERS, key=head.count)
            if not head.strip():
                yield [], Records(iter(()), delimiter), delimiter
                return
            records = Records(chain([head], lines), delimiter)
            header = [cell.strip() for cell in next(records)]
            yield header, records, delimiter
