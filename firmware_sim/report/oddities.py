"""Alarms and the oddest rows of a stream without labels, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from firmware_sim.drawing.table import Table
from firmware_sim.metrics import Novelty
from firmware_sim.metrics.formats import short
from firmware_sim.metrics.oddities import Alarm, Oddity
from firmware_sim.tasks.adapters import unpacked

#: Alarms that a table lists, readings of a row that are told.
LISTED, TOLD = 30, 3


def oddity_tables(metrics: Novelty, names: Sequence[str]) -> list[Table]:
    """Return the alarms with their reasons, and the oddest rows with their readings."""
    oddities = metrics.oddities
    shown = oddities.alarms[:LISTED]
    many = "" if len(shown) == len(oddities.alarms) else f": the first {len(shown)}"
    alarms: list[tuple[str, ...]] = [
        (_rows(alarm), moment(alarm.worst.seconds), reason(alarm.worst, names)) for alarm in shown
    ]
    oddest: list[tuple[str, ...]] = [
        (f"{odd.row:,}", moment(odd.seconds), short(odd.novelty), reason(odd, names),
         readings(odd, names))
        for odd in oddities.oddest
    ]  # fmt: skip
    first = ("rows", "time of the oddest", "reason")
    head = ("row", "time", "score", "reason", "readings furthest off")
    made = [
        Table("alarms", f"Alarms{many}", first, alarms, sentences=first[1:]),
        Table("oddest", "The oddest rows", head, oddest, sentences=(head[1], *head[3:])),
    ]
    return [table for table in made if table.rows]


def _rows(alarm: Alarm) -> str:
    last = "" if alarm.first == alarm.last else f" to {alarm.last:,}"
    return f"{alarm.first:,}{last}"


def moment(seconds: float) -> str:
    """Return a time of the stream as people write it; a dash where it is not known."""
    if not math.isfinite(seconds):
        return "-"
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"


def furthest(odd: Oddity) -> list[int]:
    """Return the readings of a row that lie furthest from their means."""
    apart = odd.looked.apart
    order = sorted(range(len(apart)), key=lambda slot: -abs(apart[slot]))
    return [slot for slot in order if apart[slot] != 0.0][:TOLD]


def readings(odd: Oddity, names: Sequence[str]) -> str:
    """Return the readings of a row that are furthest off, with their deviations."""
    values, apart = odd.looked.readings, odd.looked.apart
    return ", ".join(
        f"{names[slot]} {short(values[slot])} ({apart[slot]:+.1f} sd)" for slot in furthest(odd)
    )


def reason(odd: Oddity, names: Sequence[str]) -> str:
    """Return why a row is odd, in words such as "CO2: flat line for 40 rows"."""
    why = unpacked(odd.verdict)
    if why is None:
        found = furthest(odd)
        return f"unlike the rows so far, {names[found[0]]} the most" if found else "-"
    part, channel, what = why
    name = names[channel]
    if part == "pattern" and len(names) == 1:
        return f"{name}: a course that is rare, now {short(odd.looked.readings[channel])}"
    if part == "pattern":
        return f"readings that seldom go together, {name} the furthest off"
    if part == "level":
        return f"readings have been unusual for a while, {name} the furthest off"
    value = odd.looked.readings[channel]
    if what == "flat":
        rows = odd.looked.still[channel]
        return f"{name}: {'no reading' if math.isnan(value) else 'flat line'} for {rows:,} rows"
    if what == "value":
        return f"{name}: {short(value)} is unusual"
    if what == "mean":
        return f"{name}: off its mean for a while, now {short(value)}"
    return f"{name}: rougher or smoother than usual, now {short(value)}"


def alarm_records(metrics: Novelty, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the alarms for the report that programs read."""
    return [
        {"first": one.first, "last": one.last, "rows": one.rows, **record(one.worst, names)}
        for one in metrics.oddities.alarms
    ]


def record(odd: Oddity, names: Sequence[str]) -> dict[str, Any]:
    """Return an odd row for the report that programs read."""
    numbers = dict(zip(names, odd.looked.readings, strict=True))
    return {
        "row": odd.row,
        "seconds": odd.seconds if math.isfinite(odd.seconds) else None,
        "score": odd.novelty,
        "reason": reason(odd, names),
        "readings": {n: v if math.isfinite(v) else None for n, v in numbers.items()},
    }
