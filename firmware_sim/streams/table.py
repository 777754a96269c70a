"""CSV files of any common dialect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from firmware_sim.streams.block import Block
from firmware_sim.streams.chunks import Chunks, NotPlainError, lines_of
from firmware_sim.streams.columns import LOOKED_AT
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream, Line
from firmware_sim.streams.text import WIDE_MARKS, Records, open_bytes, open_lines

DELIMITERS = ",;\t"


class CsvStream(CellStream):
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
            self._read_as(Reading(self.name, header, first, delimiter, options))
            self._delimiter = delimiter

    def records(self) -> Iterator[Line]:
        """Yield the rows; see `CellStream.records`."""
        with self._cells() as (_, records, _):
            for record in islice(records, int(self._reading.units), None):
                damage = records.damage
                if records.is_long:
                    damage = self._reading.read(1, [(record, damage)]).damage.get(0, "")
                    if damage:
                        records.split()  # no row is lost with another one
                yield record, damage

    def blocks(self, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows in order, many at a time; see `Stream.blocks`."""
        given = 0
        with open_bytes(self.path) as file:
            if file.peek(2)[:2] not in WIDE_MARKS:
                chunks = Chunks(self._reading, self._delimiter, self.path.stat().st_size)
                skipped = 1 + int(self._reading.units)
                try:
                    for lines in lines_of(file):
                        while skipped and lines:
                            if not lines.partition(b"\n")[0].strip():
                                raise NotPlainError
                            lines, skipped = lines.partition(b"\n")[2], skipped - 1
                        block = chunks.block(lines, given + 1) if lines else None
                        if block is None:
                            continue
                        given += len(block)
                        if limit is not None and given >= limit:
                            yield block.part(0, len(block) - (given - limit))
                            return
                        yield block
                    return
                except NotPlainError:
                    pass
        # Whatever the fast reader does not know, from the first row that it has not given.
        yield from self.blocks_after(given, limit)

    def count(self) -> int | None:
        """Return the number of rows, by reading the file once."""
        chunks = Chunks(self._reading, self._delimiter, 0)
        with open_bytes(self.path) as file, suppress(NotPlainError):
            if file.peek(2)[:2] not in WIDE_MARKS:
                lines = sum(map(chunks.count, lines_of(file)))
                return max(0, lines - 1 - int(self._reading.units))
        return sum(1 for _ in self.records())

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
