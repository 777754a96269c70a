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
from firmware_sim.streams.dialect import Dialect, cut, is_arff, is_reading, laid_out
from firmware_sim.streams.packed import BUFFER
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream
from firmware_sim.streams.text import Records, encoding_of, open_bytes, open_lines
from firmware_sim.streams.understood import Understood

#: Rows whose dates are inspected if the first ones leave day and month ambiguous.
_LATER = 20_000
_SHOWN = 400  # most characters of names in a message
_NAMES = 60  # ... of another table's
ANOTHER = "it belongs to another table"


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
            sample = _sample(lines, options.header or 1)
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
        # Of words alone, any row may be names.
        self._measures = any(column.kind in ("number", "time") for column in known.columns)

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
        other, width = "", 0  # why rows of this many cells are not read
        for at, line, following in self._with_next():
            if self.reading.is_header(line.cells):
                width = 0
            elif not line.why and self._begins_another(line.cells, following):
                width, names = len(line.cells), ", ".join(line.cells)[:_NAMES]
                other = (
                    f"{ANOTHER}, which begins in line {at} ({names}): read it with --header {at}"
                )
            yield line._replace(why=other) if width == len(line.cells) and not line.why else line

    def _with_next(self) -> Iterator[tuple[int, Line, Sequence[str]]]:
        """Yield each row with the number of its line in the file, and the cells of the next one."""
        at, line = 0, None
        with self._records() as records:
            for record in records:
                number = self._dialect.data - 1 + records.number
                damage, text = records.damage, records.text
                if records.is_long:
                    read = self.reading.read(1, [Line(record, damage, text)])
                    damage = str(read.damage.get(0, ""))
                    if damage:
                        records.split()  # no row is lost with another one
                if line is not None:
                    yield at, line, record
                at, line = number, Line(record, damage, text)
        if line is not None:
            yield at, line, ()

    def _begins_another(self, row: Sequence[str], following: Sequence[str]) -> bool:
        """Whether a row holds the names of another table, in whose columns the next row fits.

        A row of as many cells may also be damaged: it needs a name of this table.
        """
        if not self._measures or len(row) < 2 or len(following) != len(row):
            return False
        if is_reading(row[-1]) or is_reading(row[0]) or len({*row}) < len(row):
            return False
        own = {*self._dialect.names} & {cell.strip() for cell in row}
        known = bool(own) if len(row) == self.reading.width else True
        return known and not any(map(is_reading, row)) and any(map(is_reading, following))

    def blocks(self, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows in order, many at a time; see `Stream.blocks`."""
        given = 0
        with open_bytes(self.path) as file, suppress(NotPlainError):
            chunks = self._chunks(self.path.stat().st_size)
            for lines in lines_of(file, self._dialect.data - 1):
                block = chunks.block(lines, given + 1)
                if any(self._may_begin_another(block, at) for at in block.damage):
                    break  # the careful reader decides
                given += len(block)
                if limit is not None and given >= limit:
                    yield block.part(0, len(block) - (given - limit))
                    return
                if len(block):
                    yield block
            else:
                return
        # The careful reader continues after the last row of the fast reader.
        yield from self.blocks_after(given, limit)

    def _may_begin_another(self, block: Block, at: int) -> bool:
        """Whether an unreadable row may hold the names of another table."""
        assert block.text is not None
        row = cut(block.text(at), self._dialect.separator)
        words = len(row) > 1 and not any(map(is_reading, row))
        return self._measures and words and not self.reading.is_header(row)

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


def _sample(lines: Iterator[str], header: int) -> list[str]:
    """Return the first lines; if the header is far down, blank ones in place of those above it."""
    skipped = header - 1 if header > dialect.INSPECTED_LINES // 2 else 0
    found = [*islice(lines, skipped, skipped + dialect.INSPECTED_LINES)]
    return ["\n"] * skipped + found if found else []
