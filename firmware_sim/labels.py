"""From what a stream calls a class to the labels a learner knows, -1 and +1."""

from __future__ import annotations

import math
from collections.abc import Sequence

from firmware_sim.errors import StreamError

# What spreadsheets and data tools write where a reading is absent.
MISSING_WORDS = frozenset({"", "nan", "na", "n/a", "null", "none"})


class LabelMap:
    """Decode the cells of the target column.

    Parameters
    ----------
    positive : str, optional
        The value that means +1; every other value then means -1. Numbers are compared as
        numbers, so ``"1"`` and ``"1.0"`` are the same label. Without it the stream must
        use 1 and -1, or 1 and 0.
    missing_codes : sequence of float
        Numbers that mean "no label", unless they are a label that is understood.
    """

    def __init__(self, positive: str | None = None, missing_codes: Sequence[float] = ()) -> None:
        self._missing = MISSING_WORDS.union(missing_codes)
        self._positive_key = None if positive is None else _key(positive)
        self._negative_seen: float | None = None

    def decode(self, cell: str) -> int | None:
        """Return +1 or -1, or None where the label is missing.

        Raises
        ------
        StreamError
            The label is not understood. The message does not know the row: the caller adds it.
        """
        key = _key(cell)
        if self._positive_key is not None and key == self._positive_key:
            return 1
        if self._positive_key is not None:
            return None if key in self._missing else -1
        if key == 1.0:
            return 1
        if key in (0.0, -1.0):
            # 1, 0 and -1 in one stream are three classes, and guessing which two belong
            # together would be silent and wrong half of the time.
            if self._negative_seen is None:
                self._negative_seen = float(key)
            elif key != self._negative_seen:
                raise StreamError(
                    "the labels 0 and -1 both occur: name the one that means +1 with --positive"
                )
            return -1
        if key in self._missing:
            return None
        raise StreamError(
            f"label {cell.strip()!r} is neither 1 nor -1 or 0: "
            "name the value that means +1 with --positive VALUE"
        )


def _key(cell: str) -> str | float:
    """Return what two spellings of one label have in common."""
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        return text.lower() if text.lower() in MISSING_WORDS else text
    return "nan" if math.isnan(number) else number
