"""The place of each key of a dict in a learner's row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.checks import check_int
from edgeolk.near import near

UNSEEN = ("ignore", "raise")
MISSING = ("last", "zero", "raise")


def in_order(keys: Iterable[Hashable]) -> list[Hashable]:
    """Keys by their text; those of one text, such as 1 and "1", by their type's name."""
    return sorted(keys, key=lambda key: (str(key), type(key).__name__, repr(key)))


class Columns:
    """Keys of dicts in an order that is fixed once they are known; a row is one array, reused.

    Parameters
    ----------
    features : sequence of keys, int or None
        The keys in order; how many there may be, columns going to keys as they come; None for those
        of the first row that is learned, in the order of their text, and of their types' names
        where two have one text. Keys that are equal are one.
    unseen : {"ignore", "raise"}
        What is done with a key that has no column.
    missing : {"last", "zero", "raise"}
        What stands for a key that a row lacks: what it was in the last row learned that had it (0
        before), 0, or nothing.
    """

    def __init__(self, features: Any, unseen: str, missing: str) -> None:
        for name, value, known in (("unseen", unseen, UNSEEN), ("missing", missing, MISSING)):
            if value not in known:
                allowed = ", ".join(map(repr, known))
                raise ValueError(f"{name} must be one of {allowed}, got {value!r}")
        self.unseen, self.missing = unseen, missing
        self.place: dict[Hashable, int] = {}
        self.n: int | None = None
        if isinstance(features, int):
            self.n = check_int("features", features, 1)
        elif features is not None:
            if isinstance(features, str) or len(set(features)) < len(list(features)):
                raise ValueError(f"features must be keys that differ, got {features!r}")
            self.place = {key: place for place, key in enumerate(features)}
            self.n = check_int("the number of features", len(self.place), 1)
        if self.n is not None:
            self._reserve(self.n)

    def _reserve(self, n: int) -> None:
        self.n = n
        self.last: NDArray[np.float64] = np.zeros(n)
        self._row: NDArray[np.float64] = np.zeros(n)

    @property
    def known(self) -> bool:
        """Whether the number of columns is fixed."""
        return self.n is not None

    def begin(self, x: Mapping[Hashable, Any]) -> None:
        """Fix the columns: one for each key of the first row."""
        if not x:
            raise ValueError("the first row that is learned must have features")
        # Keys of a dict have no order that means anything: the same keys make the same model.
        self.place = {key: place for place, key in enumerate(in_order(x))}
        self._reserve(len(self.place))

    def row(self, x: Mapping[Hashable, Any], *, learning: bool) -> NDArray[np.float64]:
        """The numbers of a dict, in an array that the next call overwrites.

        With ``learning`` keys that are new take free columns. Values are remembered for rows that
        lack them only if ``learned`` is called next.

        Raises
        ------
        TypeError, ValueError
            A value is no finite number (text is none, whatever it says), or a key is unseen or
            missing and may not be.
        """
        place, n = dict(self.place) if self._grows(x) else self.place, self.n
        assert n is not None
        row = self._row
        if self.missing == "last":
            row[:] = self.last
        else:
            row[:] = 0.0
        found = 0
        for key in in_order(x) if place is not self.place else x:
            at = place.get(key)
            if at is None and len(place) < n:
                at = place[key] = len(place)
            if at is None:
                if self.unseen == "raise":
                    known = ", ".join(map(repr, place))
                    raise ValueError(
                        f"feature {key!r} has no column{near(key, map(str, place))}; there are"
                        f" {known}"
                    )
                continue
            value = x[key]
            try:
                if isinstance(value, (str, bytes, bytearray)):
                    raise TypeError
                row[at] = value
            except (TypeError, ValueError):
                raise TypeError(
                    f"feature {key!r} must be a number, got {type(value).__name__}; river's"
                    " OneHotEncoder makes numbers of words"
                ) from None
            except OverflowError:  # the value itself may have more digits than can be shown
                raise ValueError(
                    f"feature {key!r} must be finite, got {type(value).__name__} beyond the range"
                    " of a float"
                ) from None
            if not np.isfinite(row[at]):
                raise ValueError(f"feature {key!r} must be finite, got {value!r}")
            found += 1
        if self.missing == "raise" and found < len(place):
            lacking = [key for key in place if key not in x]
            raise ValueError(f"feature {lacking[0]!r} is missing")
        if learning:
            self.place = place
        return row

    def _grows(self, x: Mapping[Hashable, Any]) -> bool:
        """Whether a row brings keys for columns that are free."""
        free = self.n is not None and len(self.place) < self.n
        return free and any(key not in self.place for key in x)

    def learned(self) -> None:
        """Remember the last row made, for ``missing="last"``: it was learned."""
        self.last[:] = self._row
