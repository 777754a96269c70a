"""The file of ``--record``: the records of all rows of a replay, for `numpy.load`."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.lib import format as npy

from firmware_sim.errors import SimulatorError
from firmware_sim.metrics.batch import Batch


class RecordFile:
    """A file that grows batch by batch, in constant memory.

    path: the file; it is replaced when the last row is written.
    Raises SimulatorError: it cannot be written, here or later.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._scratch = path, path.with_name(f".{path.name}")
        self._dtype: np.dtype[Any] = np.dtype([])
        self._rows = 0
        try:
            self._file = self._scratch.open("wb")
        except OSError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: OSError) -> SimulatorError:
        return SimulatorError(f"cannot write to {self._path}: {error.strerror}")

    def add(self, batch: Batch) -> None:
        """Append the records of a batch."""
        try:
            if not self._rows:
                self._dtype = batch.rows.dtype
                self._write_header()
            self._file.write(batch.rows.tobytes())
        except OSError as error:
            raise self._refusal(error) from None
        self._rows += len(batch.rows)

    def _write_header(self) -> None:
        """Write the header, which has the same length for every number of rows."""
        self._file.seek(0)
        about = {"descr": npy.dtype_to_descr(self._dtype), "fortran_order": False}
        npy.write_array_header_1_0(self._file, {**about, "shape": (self._rows,)})

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Complete the file; without any row it stays as it was."""
        with self._file:
            if self._rows:
                self._write_header()
        if self._rows:
            os.replace(self._scratch, self._path)
        else:
            self._scratch.unlink()
