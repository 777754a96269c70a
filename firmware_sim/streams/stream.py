"""What every stream is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Row = npt.NDArray[np.float64]


class Sample(NamedTuple):
    """One row of a stream, apart from the readings, which are in the row buffer."""

    number: int  # 1 for the first row of data
    label: str  # the target cell as it stands in the stream
    damage: str = ""  # why the row cannot be read, where it cannot
    seconds: float = math.nan  # when it was taken, where the stream knows


class Stream(ABC):
    """A labelled sensor stream that can be read from its first row again and again.

    Attributes
    ----------
    name : str
        What reports call the stream.
    target : str
        Name of the label column.
    features : tuple of str
        Names of the readings, in the order of the row buffer.
    ignored : tuple of str
        Columns that are left out.
    notes : tuple of str
        What was recognised in the stream without being asked for, a sentence each.
    kept : int or None
        The most rows after which it can still be read from its first row again; None for ever.
    """

    name: str
    target: str
    features: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    kept: int | None = None
    notes: tuple[str, ...] = ()

    @abstractmethod
    def samples(self, row: Row) -> Iterator[Sample | None]:
        """Yield the rows in order, from the first one.

        row (ndarray of float64, shape (n_features,)): overwritten in place before each sample is
            yielded; NaN where a reading is absent, without meaning where the sample tells of
            damage.

        Yields: None, several times a second while a live stream has nothing: a chance to stop.
        """

    def count(self) -> int | None:
        """Return the number of rows where it can be known without an endless wait."""
        return None

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of what the stream holds; it cannot be read any more."""
