"""Results on disk as they come, a line of JSON each, so that a run can go on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from firmware_sim.errors import SimulatorError

Made = TypeVar("Made")


class Journal:
    """A file of lines, in the order in which results came.

    A line that was cut off by a loss of power does not count; what comes after it does.

    path: the file.
    mark: what must stand in the first line for the others to count; a file with another mark, or
        none, is overwritten. Empty for no such line.
    Raises SimulatorError: the file cannot be written.
    """

    def __init__(self, path: Path, mark: str = "") -> None:
        self._path = path
        self._there: list[Any] = []
        with self._writing():
            ended = self._take() if path.exists() else True
            if mark and self._there[:1] != [{"mark": mark}]:
                path.write_text(json.dumps({"mark": mark}) + "\n", encoding="utf-8")
                self._there, ended = [], True
            self._there = self._there[bool(mark) :]
            self._file = path.open("a", encoding="utf-8")
            if not ended:
                self._file.write("\n")

    def _take(self) -> bool:
        """Take in what is whole; whether the last line has its end."""
        line = "\n"
        with self._path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                with suppress(ValueError):
                    self._there.append(json.loads(line))
        return line.endswith("\n")

    def read(self, make: Callable[[Any], Made]) -> Iterator[Made]:
        """Yield, once, what is made of each line there was; `make` raises for a strange one."""
        there, self._there = self._there, []
        for said in there:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                yield make(said)

    def add(self, said: Mapping[str, Any]) -> None:
        """Write a line.

        Raises SimulatorError: it cannot be written.
        """
        with self._writing():
            self._file.write(json.dumps(said, allow_nan=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Write all of it to disk and close the file.

        Raises SimulatorError: it cannot be written; the file is closed all the same.
        """
        with self._writing(), self._file:
            self._file.flush()
            os.fsync(self._file.fileno())

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say which file cannot be written, and why."""
        try:
            yield
        except OSError as error:
            raise SimulatorError(f"cannot write to {self._path}: {error.strerror}") from None
