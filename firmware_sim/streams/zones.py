"""Hours of the place: times of a stream as seconds whose days begin at a midnight of the place."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np

from firmware_sim.errors import StreamError
from firmware_sim.streams.block import Row

#: Offsets from UTC change at multiples of so many seconds.
_STEP = 900.0
_OFFSET = re.compile(r"(?:UTC)?([+-])(\d\d?)(?::?(\d\d))?", re.IGNORECASE)


def zone_of(text: str) -> tzinfo:
    """Return a time zone by its name, such as Europe/Berlin, or its offset, such as +05:30.

    Raises StreamError: there is no such zone.
    """
    if text.upper() in ("UTC", "Z"):
        return timezone.utc
    if offset := _OFFSET.fullmatch(text):
        sign, hours, minutes = offset.groups()
        span = timedelta(hours=int(hours), minutes=int(minutes or 0))
        if span < timedelta(hours=24):
            return timezone(-span if sign == "-" else span)
    try:
        return ZoneInfo(text)
    except (LookupError, OSError, ValueError):
        raise StreamError(
            f"there is no time zone {text!r}: name one such as Europe/Berlin, UTC or +05:30"
        ) from None


class Clock:
    """Converts times of a stream to those of the place.

    zone: the zone of the place, as of `zone_of`; None to take times as they are written.
    """

    def __init__(self, zone: str | None = None) -> None:
        self._zone = None if zone is None else zone_of(zone)
        self._known: dict[float, float] = {}

    def local(self, seconds: Row) -> Row:
        """Return times of the place; NaN stays NaN."""
        if self._zone is None or not len(seconds):
            return seconds
        steps, at = np.unique(np.floor(seconds / _STEP), return_inverse=True)
        return np.asarray(seconds + np.array([self._offset(step) for step in steps.tolist()])[at])

    def _offset(self, step: float) -> float:
        """Return the offset from UTC in seconds; 0 for times beyond the calendar."""
        if step not in self._known:
            if len(self._known) > 100_000:  # three years
                self._known.clear()
            try:
                moment = datetime.fromtimestamp(step * _STEP, self._zone)
                self._known[step] = (moment.utcoffset() or timedelta()).total_seconds()
            except (ValueError, OverflowError, OSError):
                self._known[step] = 0.0
        return self._known[step]
