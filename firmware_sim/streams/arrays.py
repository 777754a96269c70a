"""NPZ archives: one array of rows, one of labels, read row by row from the archive."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from firmware_sim.errors import StreamError
from firmware_sim.streams.stream import Row, Sample, Stream


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
