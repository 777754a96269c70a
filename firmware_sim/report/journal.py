"""Results on disk, one line of JSON each, so that an interrupted run can continue."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from firmware_sim.errors import SimulatorError

Item = TypeVar("Item")


class Journal:
    """A file of lines, in the order of results.

    A line that was cut off by a loss of power is ignored; later lines are not.

    path: the file.
    mark: the expected first line; a file with another first line is overwritten. Empty for a file
        without such a line.
    Raises SimulatorError: the file cannot be written.
    """

    def __init__(self, path: Path, mark: str = "") -> None:
        self._path = path
        self._lines: list[Any] = []
        with self._report_errors():
            complete = self._read_lines() if path.exists() else True
            if mark and self._lines[:1] != [{"mark": mark}]:
                path.write_text(json.dumps({"mark": mark}) + "\n", encoding="utf-8")
                self._lines, complete = [], True
            self._lines = self._lines[bool(mark) :]
            self._file = path.open("a", encoding="utf-8")
            if not complete:
                self._file.write("\n")

    def _read_lines(self) -> bool:
        """Read the complete lines; return whether the last line has its end."""
        line = "\n"
        with self._path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                with suppress(ValueError):
                    self._lines.append(json.loads(line))
        return line.endswith("\n")

    def read(self, make: Callable[[Any], Item]) -> Iterator[Item]:
        """Yield `make` of each earlier line, once; lines for which it raises are skipped."""
        lines, self._lines = self._lines, []
        for record in lines:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                yield make(record)

    def add(self, record: Mapping[str, Any]) -> None:
        """Write a line.

        Raises SimulatorError: it cannot be written.
        """
        with self._report_errors():
            self._file.write(json.dumps(record, allow_nan=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Flush everything to disk and close the file.

        Raises SimulatorError: it cannot be written; the file is closed anyway.
        """
        with self._report_errors(), self._file:
            self._file.flush()
            os.fsync(self._file.fileno())

    @contextmanager
    def _report_errors(self) -> Iterator[None]:
        """Turn OSError into a SimulatorError that names the file."""
        try:
            yield
        except OSError as error:
            raise SimulatorError(f"cannot write to {self._path}: {error.strerror}") from None
