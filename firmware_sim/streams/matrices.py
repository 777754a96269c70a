"""Formats of machine learning without named columns: LIBSVM text, NPZ archives."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from firmware_sim.errors import StreamError
from firmware_sim.plaintext import shortened
from firmware_sim.streams.block import Row
from firmware_sim.streams.stream import Sample, Stream
from firmware_sim.streams.text import open_lines

#: Most readings in a row; a larger index is an error, so that it cannot exhaust memory.
MAX_FEATURES = 1 << 20
_LINE = re.compile(r"[^\s,;:]+(\s+\d+:[^\s,;:]+)+\s*")


def is_libsvm(line: str) -> bool:
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


class NpzStream(Stream):
    """A file of ``numpy.savez(path, X=rows, y=labels)``, compressed or not.

    path: the file. Its only two-dimensional array holds the rows; the name is free.
    target: name of the one-dimensional array of labels; required if there are several.
    name: the stream's name in reports; the file's name by default.
    """

    def __init__(
        self, path: str | Path, *, target: str | None = None, name: str | None = None
    ) -> None:
        self.path = Path(path)
        self.name = name if name is not None else self.path.name
        with self._archive() as archive:
            shapes = {}
            for member in archive.namelist():
                with self._array(archive, member.removesuffix(".npy")) as (shape, _, _):
                    shapes[member.removesuffix(".npy")] = shape
        rows = [key for key, shape in shapes.items() if len(shape) == 2]
        labels = [key for key, shape in shapes.items() if len(shape) == 1]
        if len(rows) != 1:
            raise StreamError(
                f"{self.name}: expected exactly one 2-d array (the rows); found: "
                + ", ".join(f"{key} {shape}" for key, shape in shapes.items())
            )
        if not labels:
            raise StreamError(
                f"{self.name}: no 1-d array of labels next to the rows {rows[0]}; save both: "
                "numpy.savez(path, X=rows, y=labels)"
            )
        known = ", ".join(labels)
        if target is not None and target not in labels:
            raise StreamError(f"{self.name} has no 1-d array {target!r}; it has: {known}")
        if target is None and len(labels) != 1:
            raise StreamError(f"{self.name}: name the array of labels with --target: {known}")
        self.target = target if target is not None else labels[0]
        self._rows = rows[0]
        self._count, width = shapes[self._rows]
        if shapes[self.target] != (self._count,):
            raise StreamError(
                f"{self.name}: {self._count:,} rows and {shapes[self.target][0]:,} labels"
            )
        self.features = tuple(f"{self._rows}{i}" for i in range(width))
        if not self.features:
            raise StreamError(f"{self.name}: its rows are empty")

    def samples(self, row: Row) -> Iterator[Sample]:
        """Yield the rows in order; see `Stream.samples`."""
        with (
            self._archive() as archive,
            self._array(archive, self._rows) as (_, kind, rows),
            self._array(archive, self.target) as (_, label_kind, labels),
        ):
            for number in range(1, self._count + 1):
                row[:] = self._next(rows, kind, len(row))
                label = self._next(labels, label_kind, 1)[0]
                yield Sample(number, str(label))

    def count(self) -> int | None:
        """Return the number of rows."""
        return self._count

    def _next(self, file: IO[bytes], kind: np.dtype, n: int) -> np.ndarray:
        data = file.read(n * kind.itemsize)
        if len(data) < n * kind.itemsize:
            raise StreamError(f"cannot read {self.path}: an array is truncated")
        return np.frombuffer(data, kind)

    @contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(self.path) as archive:
                yield archive
        except OSError as error:
            raise StreamError(f"cannot read {self.path}: {error.strerror or error}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as e:
            raise StreamError(f"cannot read {self.path}: {e}") from None

    @contextmanager
    def _array(
        self, archive: zipfile.ZipFile, name: str
    ) -> Iterator[tuple[tuple[int, ...], np.dtype, IO[bytes]]]:
        """Open one array; yield its shape, its dtype and the file positioned at the first value."""
        with archive.open(name + ".npy") as file:
            try:
                version = np.lib.format.read_magic(file)
                read = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }[version]
                shape, by_columns, kind = read(file)
            except (ValueError, KeyError) as error:
                raise StreamError(f"{self.name}: array {name!r} is not an array: {error}") from None
            if kind.hasobject or kind.kind not in "biufUS":
                raise StreamError(f"{self.name}: array {name!r} holds {kind}, not numbers")
            if kind.kind in "US" and len(shape) != 1:
                raise StreamError(f"{self.name}: array {name!r} holds text, not numbers")
            if by_columns and len(shape) == 2 and min(shape) > 1:
                raise StreamError(
                    f"{self.name}: array {name!r} is stored by columns; save it with "
                    "numpy.ascontiguousarray"
                )
            yield shape, kind, file
