"""LIBSVM files: a label, then index:value for each nonzero reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from firmware_sim.errors import StreamError
from firmware_sim.plaintext import shortened
from firmware_sim.streams.stream import Row, Sample, Stream
from firmware_sim.streams.text import open_lines

#: Most readings in a row; a larger index is an error, so that it cannot exhaust memory.
MAX_FEATURES = 1 << 20
_LINE = re.compile(r"[^\s,;:]+(\s+\d+:[^\s,;:]+)+\s*")


def looks_like(line: str) -> bool:
    """Whether a line has the LIBSVM format."""
    return _LINE.fullmatch(line.partition("#")[0].strip()) is not None


class LibsvmStream(Stream):
    """A LIBSVM file, plain or compressed (gzip, xz).

    path: the file. A first pass finds the highest index, which is the number of readings.
    name: the stream's name in reports; the file's name by default.
    """

    target = "label"

    def __init__(self, path: str | Path, *, name: str | None = None) -> None:
        self.path = Path(path)
        self.name = name if name is not None else self.path.name
        highest = self._count = 0
        for line in self._lines():
            self._count += 1
            for pair in line[1:]:
                index = pair.partition(":")[0]
                if index.isascii() and index.isdigit() and len(index) < 9:
                    highest = max(highest, int(index))
        if highest < 1:
            raise StreamError(f"{self.name}: the file contains no readings")
        if highest > MAX_FEATURES:
            raise StreamError(
                f"{self.name}: the highest index is {highest:,}; the maximum is {MAX_FEATURES:,}"
            )
        self.features = tuple(str(i) for i in range(1, highest + 1))

    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order; see `Stream.samples`."""
        for number, (label, *pairs) in enumerate(self._lines(), 1):
            row[:] = 0.0
            damage = ""
            for pair in pairs:
                index, _, value = pair.partition(":")
                try:
                    place = int(index) - 1
                    if place < 0:
                        raise ValueError(index)
                    row[place] = float(value)
                except (ValueError, IndexError):
                    damage = f"{shortened(pair)} is not index:value"
                    break
            yield Sample(number, label, damage)

    def count(self) -> int | None:
        """Return the number of rows."""
        return self._count

    def _lines(self) -> Iterator[list[str]]:
        with open_lines(self.path) as lines:
            for line in lines:
                words = line.partition("#")[0].split()
                if words:
                    yield words
