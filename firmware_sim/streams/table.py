"""Text tables in any common dialect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from firmware_sim.errors import StreamError
from firmware_sim.streams import dialect
from firmware_sim.streams.block import Block, Line
from firmware_sim.streams.chunks import Chunks, NotPlainError, lines_of
from firmware_sim.streams.columns import INSPECTED_ROWS, study
from firmware_sim.streams.dialect import Dialect, cut, is_arff, laid_out
from firmware_sim.streams.packed import BUFFER
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream
from firmware_sim.streams.text import Records, encoding_of, open_bytes, open_lines
from firmware_sim.streams.understood import Understood

#: Rows whose dates are inspected if the first ones leave day and month ambiguous.
_LATER = 20_000
_SHOWN = 400  # most characters of names in a message


class CsvStream(CellStream):
    """A text table, plain or compressed (gzip, xz, bzip2, ZIP).

    The content determines the compression, encoding, separator, header, comments, units, number and
    time formats, and an index column without a name.

    Parameters
    ----------
    path : str or Path
        The file.
    name : str, optional
        The name in reports; the file's name by default.
    options : ReadingOptions, optional
        Settings of the columns.
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
        with open_bytes(self.path) as file:
            self._encoding = encoding_of(file.peek(BUFFER)[:BUFFER], str(self.path))
        with open_lines(self.path) as lines:
            sample = [*islice(lines, dialect.INSPECTED_LINES)]
            if is_arff(sample):
                for line in islice(lines, _LATER):  # one line per column
                    sample.append(line)
                    if line.lower().startswith("@data"):
                        break
        known = options.given
        if known is None or known.dialect is None:
            self._dialect = laid_out(sample, **options.layout)
        else:
            self._dialect = self._checked(sample, known, known.dialect, options)
        with self._records() as records:
            first = [record for record in islice(records, INSPECTED_ROWS) if not records.damage]
        layout, encoding = self._dialect, self._encoding
        known = study(options, layout.names, first, layout, encoding=encoding, later=self._later)
        self._read_as(Reading(self.name, known, first, options))

    def _checked(
        self, sample: Sequence[str], known: Understood, layout: Dialect, options: ReadingOptions
    ) -> Dialect:
        """Return the dialect of a record; raises StreamError if the log has other names."""
        if 0 < layout.header <= len(sample):
            line = sample[layout.header - 1].lstrip("\ufeff")
            names = cut(line.removeprefix(layout.comment), layout.separator)
            own = [known.renamed.get(name, name) for name in known.names]
            if names != own and {*names} - {""} != {*own} - {""}:
                raise StreamError(
                    f"{self.name}: {options.understood} is of another log: line {layout.header} "
                    f"has the names {', '.join(names)[:_SHOWN]}"
                )
        return layout

    def lines(self) -> Iterator[Line]:
        """Yield the rows; see `CellStream.lines`."""
        with self._records() as records:
            for record in records:
                damage, text = records.damage, records.text
                if records.is_long:
                    read = self.reading.read(1, [Line(record, damage, text)])
                    damage = str(read.damage.get(0, ""))
                    if damage:
                        records.split()  # no row is lost with another one
                yield Line(record, damage, text)

    def blocks(self, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows in order, many at a time; see `Stream.blocks`."""
        given = 0
        with open_bytes(self.path) as file, suppress(NotPlainError):
            chunks = self._chunks(self.path.stat().st_size)
            for lines in lines_of(file, self._dialect.data - 1):
                block = chunks.block(lines, given + 1)
                given += len(block)
                if limit is not None and given >= limit:
                    yield block.part(0, len(block) - (given - limit))
                    return
                if len(block):
                    yield block
            return
        # The careful reader continues after the last row of the fast reader.
        yield from self.blocks_after(given, limit)

    def count(self) -> int | None:
        """Count the rows by reading the file once."""
        with open_bytes(self.path) as file, suppress(NotPlainError):
            chunks = self._chunks(0)
            return sum(map(chunks.count, lines_of(file, self._dialect.data - 1)))
        return super().count()

    def _chunks(self, size: int) -> Chunks:
        layout = self._dialect
        return Chunks(self.reading, layout.separator, size, layout.comment, self._encoding)

    def _later(self, place: int) -> list[str]:
        """Return the cells of later rows in a column."""
        width = len(self._dialect.names)
        with self._records() as records:
            some = islice(records, INSPECTED_ROWS, _LATER)
            return [one[place] for one in some if len(one) == width]

    @contextmanager
    def _records(self) -> Iterator[Records]:
        """Open the file at its first row."""
        with open_lines(self.path) as lines:
            rest = islice(lines, self._dialect.data - 1, None)
            yield Records(rest, self._dialect.separator, self._dialect.comment)
