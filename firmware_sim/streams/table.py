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
from firmware_sim.streams.block import Block, Damage
from firmware_sim.streams.chunks import Chunks, NotPlainError, lines_of
from firmware_sim.streams.columns import INSPECTED_ROWS
from firmware_sim.streams.dialect import Dialect, cut, is_arff, laid_out
from firmware_sim.streams.packed import BUFFER
from firmware_sim.streams.reading import Reading, ReadingOptions
from firmware_sim.streams.tables import CellStream, Line
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
        self._dialect = Dialect()
        known = options.given
        self._dialect = self._layout(sample, options, known)
        with self._records() as records:
            first = [record for record in islice(records, INSPECTED_ROWS) if not records.damage]
        if known is None:
            known = options.study(
                self._dialect.names,
                first,
                self._dialect.separator,
                has_names=self._dialect.header > 0,
                later=self._later,
            ).laid_out("a table", self._dialect, self._encoding)
        self._read_as(Reading(self.name, known, first, options))

    def _layout(
        self, sample: Sequence[str], options: ReadingOptions, known: Understood | None
    ) -> Dialect:
        """Return the dialect from a record, or detect it from the first lines."""
        if known is None or known.dialect is None:
            return laid_out(
                sample, separator=options.sep, header=options.header, comment=options.comment
            )
        layout = known.dialect
        if layout.header and layout.header <= len(sample):
            line = sample[layout.header - 1].lstrip("\ufeff")
            names = cut(line.removeprefix(layout.comment), layout.separator)
            own = [known.renamed.get(name, name) for name in known.names]
            if names != own and {*names} - {""} != {*own} - {""}:
                raise StreamError(
                    f"{self.name}: {options.understood} is of another log: line {layout.header} "
                    f"has the names {', '.join(names)[:_SHOWN]}"
                )
        return layout

    def records(self) -> Iterator[Line]:
        """Yield the rows; see `CellStream.records`."""
        with self._records() as records:
            for record in records:
                damage = records.damage
                if records.is_long:
                    damage = self._reading.read(1, [(record, damage)]).damage.get(0, "")
                    if damage:
                        damage = Damage.of(str(damage), records.text)
                        records.split()  # no row is lost with another one
                yield record, Damage.of(damage, records.text) if damage else ""

    def blocks(self, limit: int | None = None) -> Iterator[Block]:
        """Yield the rows in order, many at a time; see `Stream.blocks`."""
        given = 0
        with open_bytes(self.path) as file, suppress(NotPlainError):
            chunks = self._chunks(self.path.stat().st_size)
            for lines in lines_of(file, self._dialect.data - 1):
                block = chunks.block(lines, given + 1)
                if block is None:
                    continue
                given += len(block)
                if limit is not None and given >= limit:
                    yield block.part(0, len(block) - (given - limit))
                    return
                yield block
            return
        # The careful reader continues after the last row of the fast reader.
        yield from self.blocks_after(given, limit)

    def count(self) -> int | None:
        """Count the rows by reading the file once."""
        with open_bytes(self.path) as file, suppress(NotPlainError):
            chunks = self._chunks(0)
            return sum(map(chunks.count, lines_of(file, self._dialect.data - 1)))
        return sum(1 for _ in self.records())

    def _chunks(self, size: int) -> Chunks:
        layout = self._dialect
        return Chunks(self._reading, layout.separator, size, layout.comment, self._encoding)

    def _later(self, places: Sequence[int]) -> list[str]:
        """Return the cells of later rows in some columns, joined per row."""
        width = len(self._dialect.names)
        with self._records() as records:
            some = islice(records, INSPECTED_ROWS, _LATER)
            return [" ".join(one[at] for at in places) for one in some if len(one) == width]

    @contextmanager
    def _records(self) -> Iterator[Records]:
        """Open the file at its first row."""
        with open_lines(self.path) as lines:
            rest = islice(lines, self._dialect.data - 1, None)
            yield Records(rest, self._dialect.separator, self._dialect.comment)
