"""Alarms and the oddest rows of a stream without labels, in words."""

from __future__ import annotations

import math
from datetime import datetime, timezone
from typing import Any

from firmware_sim.drawing.table import Table
from firmware_sim.metrics import Novelty
from firmware_sim.metrics.formats import short
from firmware_sim.metrics.oddities import Alarm, Oddity
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.tasks.adapters import unpacked

#: Alarms that a table lists, readings of a row that are told.
LISTED, TOLD = 30, 3


def oddity_tables(result: ReplayResult) -> list[Table]:
    """Return the alarms with their reasons, and the oddest rows with their readings."""
    metrics = result.metrics
    assert isinstance(metrics, Novelty)
    names, oddities = tuple(result.stream.features), metrics.oddities
    made: list[Table] = []
    rows: list[tuple[str, ...]]
    if oddities.alarms:
        shown = oddities.alarms[:LISTED]
        many = "" if len(shown) == len(oddities.alarms) else f": the first {len(shown)}"
        rows = [
            (_rows(alarm), moment(alarm.worst.seconds), reason(alarm.worst, names))
            for alarm in shown
        ]
        head: tuple[str, ...] = ("rows", "time of the oddest", "reason")
        made.append(Table("alarms", f"Alarms{many}", head, rows, sentences=head[1:]))
    if oddities.oddest:
        rows = [
            (f"{odd.row:,}", moment(odd.seconds), short(odd.novelty), reason(odd, names),
             readings(odd, names))
            for odd in oddities.oddest
        ]  # fmt: skip
        head = ("row", "time", "score", "reason", "readings furthest off")
        told = (head[1], *head[3:])
        made.append(Table("oddest", "The oddest rows", head, rows, sentences=told))
    return made


def _rows(alarm: Alarm) -> str:
    if alarm.first == alarm.last:
        return f"{alarm.first:,}"
    return f"{alarm.first:,} to {alarm.last:,}"


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


def readings(odd: Oddity, names: tuple[str, ...]) -> str:
    """Return the readings of a row that are furthest off, with their deviations."""
    values, apart = odd.looked.readings, odd.looked.apart
    return ", ".join(
        f"{names[slot]} {values[slot]:.4g} ({apart[slot]:+.1f} sd)" for slot in furthest(odd)
    )


def reason(odd: Oddity, names: tuple[str, ...]) -> str:
    """Return why a row is odd, in words such as "CO2: flat line for 40 rows"."""
    why = unpacked(odd.verdict)
    if why is None:
        found = furthest(odd)
        return f"unlike the rows so far, {names[found[0]]} the most" if found else "-"
    part, channel, what = why
    name = names[channel]
    if part == "pattern" and len(names) == 1:
        return f"{name}: a course that is rare, now {odd.looked.readings[channel]:.4g}"
    if part == "pattern":
        return f"readings that seldom go together, {name} the furthest off"
    if part == "level":
        return f"readings have been unusual for a while, {name} the furthest off"
    value = odd.looked.readings[channel]
    if what == "flat":
        rows = odd.looked.still[channel]
        return f"{name}: {'no reading' if math.isnan(value) else 'flat line'} for {rows:,} rows"
    if what == "value":
        return f"{name}: {value:.4g} is unusual"
    if what == "mean":
        return f"{name}: off its mean for a while, now {value:.4g}"
    return f"{name}: rougher or smoother than usual, now {value:.4g}"


def alarm_records(result: ReplayResult) -> list[dict[str, Any]]:
    """Return the alarms for the report that programs read."""
    metrics, names = result.metrics, tuple(result.stream.features)
    assert isinstance(metrics, Novelty)
    return [
        {
            "first": alarm.first,
            "last": alarm.last,
            "rows": alarm.rows,
            **_record(alarm.worst, names),
        }
        for alarm in metrics.oddities.alarms
    ]


def oddest_records(result: ReplayResult) -> list[dict[str, Any]]:
    """Return the oddest rows for the report that programs read."""
    metrics, names = result.metrics, tuple(result.stream.features)
    assert isinstance(metrics, Novelty)
    return [_record(odd, names) for odd in metrics.oddities.oddest]


def _record(odd: Oddity, names: tuple[str, ...]) -> dict[str, Any]:
    numbers = dict(zip(names, odd.looked.readings, strict=True))
    return {
        "row": odd.row,
        "seconds": odd.seconds if math.isfinite(odd.seconds) else None,
        "score": odd.novelty,
        "reason": reason(odd, names),
        "readings": {n: v if math.isfinite(v) else None for n, v in numbers.items()},
    }
