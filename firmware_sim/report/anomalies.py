"""Alarms and the most novel rows of a stream without labels, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from firmware_sim.drawing.table import Table
from firmware_sim.metrics import Novelty
from firmware_sim.metrics.anomalies import Alarm, Anomaly
from firmware_sim.metrics.formats import short
from firmware_sim.tasks.adapters import unpack_reason

#: Most alarms of the table, most readings of a row.
MAX_ALARMS, MAX_READINGS = 30, 3


def anomaly_tables(metrics: Novelty, names: Sequence[str]) -> list[Table]:
    """Return the alarms with their reasons, and the most novel rows with their readings."""
    anomalies = metrics.anomalies
    shown = anomalies.alarms[:MAX_ALARMS]
    many = "" if len(shown) == len(anomalies.alarms) else f": the first {len(shown)}"
    alarms: list[tuple[str, ...]] = [
        (_rows(alarm), moment(alarm.strongest.seconds), reason(alarm.strongest, names))
        for alarm in shown
    ]
    oddest: list[tuple[str, ...]] = [
        (f"{top.row:,}", moment(top.seconds), short(top.novelty), reason(top, names),
         readings(top, names))
        for top in anomalies.oddest
    ]  # fmt: skip
    first = ("rows", "time of the oddest", "reason")
    head = ("row", "time", "score", "reason", "readings furthest off")
    tables = [
        Table("alarms", f"Alarms{many}", first, alarms, sentences=first[1:]),
        Table("oddest", "The oddest rows", head, oddest, sentences=(head[1], *head[3:])),
    ]
    return [table for table in tables if table.rows]


def _rows(alarm: Alarm) -> str:
    last = "" if alarm.first == alarm.last else f" to {alarm.last:,}"
    return f"{alarm.first:,}{last}"


def moment(seconds: float) -> str:
    """Return a time of the stream as date and time; a dash if unknown."""
    if not math.isfinite(seconds):
        return "-"
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"


def furthest(anomaly: Anomaly) -> list[int]:
    """Return the indices of the readings that are furthest from their means."""
    z_scores = anomaly.deviations.z_scores
    order = sorted(range(len(z_scores)), key=lambda slot: -abs(z_scores[slot]))
    return [slot for slot in order if z_scores[slot] != 0.0][:MAX_READINGS]


def readings(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return the readings that are furthest from their means, with their deviations."""
    values, z_scores = anomaly.deviations.readings, anomaly.deviations.z_scores
    return ", ".join(
        f"{names[slot]} {short(values[slot])} ({z_scores[slot]:+.1f} sd)"
        for slot in furthest(anomaly)
    )


def reason(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return why a row is novel, such as "CO2: flat line for 40 rows"."""
    why = unpack_reason(anomaly.reason)
    if why is None:
        found = furthest(anomaly)
        return f"different from all earlier rows, {names[found[0]]} most of all" if found else "-"
    part, channel, what = why
    name = names[channel]
    if part == "pattern" and len(names) == 1:
        now = short(anomaly.deviations.readings[channel])
        return f"{name}: an unusual pattern over time, now {now}"
    if part == "pattern":
        return f"readings that seldom go together, {name} the furthest off"
    if part == "level":
        return f"readings have been unusual for a while, {name} the furthest off"
    value = anomaly.deviations.readings[channel]
    if what == "flat":
        rows = anomaly.deviations.unchanged[channel]
        return f"{name}: {'no reading' if math.isnan(value) else 'flat line'} for {rows:,} rows"
    if what == "value":
        return f"{name}: {short(value)} is unusual"
    if what == "mean":
        return f"{name}: off its mean for a while, now {short(value)}"
    return f"{name}: rougher or smoother than usual, now {short(value)}"


def alarm_records(metrics: Novelty, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the alarms for the JSON report."""
    return [
        {"first": one.first, "last": one.last, "rows": one.rows, **record(one.strongest, names)}
        for one in metrics.anomalies.alarms
    ]


def record(anomaly: Anomaly, names: Sequence[str]) -> dict[str, Any]:
    """Return a row for the JSON report."""
    numbers = dict(zip(names, anomaly.deviations.readings, strict=True))
    return {
        "row": anomaly.row,
        "seconds": anomaly.seconds if math.isfinite(anomaly.seconds) else None,
        "score": anomaly.novelty,
        "reason": reason(anomaly, names),
        "readings": {n: v if math.isfinite(v) else None for n, v in numbers.items()},
    }
