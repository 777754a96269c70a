"""Results on disk as they come, so that a comparison can go on where it was."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

from firmware_sim.comparison.work import Outcome
from firmware_sim.errors import SimulatorError


class Book:
    """A file with a line for each result, after a mark of what was compared.

    Parameters
    ----------
    path : Path
        The file; one with another mark is overwritten.
    mark : str
        What must be the same for results to count.

    Attributes
    ----------
    outcomes : dict
        Those there are, by the key of their run.
    """

    def __init__(self, path: Path, mark: str) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._path = path
        with _writing(path):
            whole = self._read(path, mark)
            if not whole:
                path.write_text(json.dumps({"mark": mark}) + "\n")
            self._file = path.open("a")

    def _read(self, path: Path, mark: str) -> bool:
        """Take in the results that count; return whether the file can be appended to."""
        if not path.exists():
            return False
        lines = path.read_text(errors="replace").split("\n")
        try:
            if json.loads(lines[0]).get("mark") != mark:
                return False
            for line in filter(None, lines[1:]):
                outcome = Outcome(**json.loads(line))
                self.outcomes[outcome.key] = outcome
        except (ValueError, TypeError, AttributeError):
            # A line was cut off, or the file is not ours: whole results are written again.
            if not self.outcomes:
                return False
            text = [json.dumps({"mark": mark})]
            text += [json.dumps(one.to_dict()) for one in self.outcomes.values()]
            path.write_text("\n".join(text) + "\n")
        return True

    def enter(self, outcome: Outcome) -> None:
        """Keep a result.

        Raises
        ------
        SimulatorError
            It cannot be written.
        """
        with _writing(self._path):
            self._file.write(json.dumps(outcome.to_dict()) + "\n")
            self._file.flush()
        self.outcomes[outcome.key] = outcome

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(OSError):  # of a write that failed before
            self._file.close()


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say which file cannot be written, and why."""
    try:
        yield
    except OSError as error:
        raise SimulatorError(f"cannot write to {path}: {error.strerror}") from None
