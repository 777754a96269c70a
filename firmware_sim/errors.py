"""The errors that a user of the simulator can cause."""

from __future__ import annotations

from pathlib import Path


class SimulatorError(ValueError):
    """A configuration or a stream that cannot be replayed; the message is one line.

    Page: docs/tutorial.md.
    """


class StreamError(SimulatorError):
    """The stream cannot be read: the message names the row and the column, if known.

    Page: docs/tutorial.md.
    """


class NotWrittenError(SimulatorError):
    """Files of a report cannot be written; the message names each of them.

    Attributes
    ----------
    files : list of Path
        The files that were written.
    """

    def __init__(self, message: str, files: list[Path]) -> None:
        super().__init__(message)
        self.files = files

    def __reduce__(self) -> tuple[type, tuple[str, list[Path]]]:
        return type(self), (str(self), self.files)  # processes send each other exceptions


class DoesNotFitError(SimulatorError):
    """The parts do not fit the RAM cap.

    Page: docs/tutorial.md.

    Attributes
    ----------
    smallest : int
        The smallest cap in bytes that fits the same configuration.
    """

    def __init__(self, message: str, smallest: int) -> None:
        super().__init__(message)
        self.smallest = smallest

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (str(self), self.smallest)


class BeyondCapError(SimulatorError):
    """A part exceeded its memory limit and was terminated.

    Page: docs/tutorial.md.
    """


class LearnerDiedError(SimulatorError):
    """The learner's process ended or stopped responding, for another reason than its memory.

    Page: docs/tutorial.md.
    """
