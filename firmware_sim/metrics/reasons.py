"""Why rows are unusual, in words; the tables and records of alarms and of the most novel rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from edgeolk import hosting
from firmware_sim.drawing.document import Table
from firmware_sim.metrics.anomalies import ALARMS, MIN_DISTANCE, Alarm, Anomaly
from firmware_sim.metrics.base import duration, moment, short
from firmware_sim.metrics.watching import Watching
from firmware_sim.plaintext import counted

#: Most alarms of the table, most readings of a row.
_MAX_ALARMS, _MAX_READINGS = 30, 3
#: Most repetitions of a reading that may be chance.
_MAX_REPEATS = 2
#: Why a row is unusual, by what it is unusual in; {0} is the channel, {1} its reading.
_REASONS = {
    "value": "{0}: {1} is outside everything seen so far",
    "change": "{0}: changed faster than ever, now {1}",
    "season": "{0}: {1} is unusual for this hour",
    "level": "{0}: away from its usual level, now {1}",
    "roughness": "{0}: rougher or smoother than usual, now {1}",
    "mean": "{0}: off its mean for a while, now {1}",
}
#: Their names in a table.
_TITLES = {
    "value": "outside all so far", "change": "faster than ever", "season": "unusual for the hour",
    "flat": "flat", "pattern": "unusual pattern",
}  # fmt: skip


def furthest(anomaly: Anomaly) -> list[int]:
    """Return the indices of the readings that are furthest from their means."""
    z_scores = anomaly.deviations.z_scores
    order = sorted(range(len(z_scores)), key=lambda slot: -abs(z_scores[slot]))
    return [slot for slot in order if z_scores[slot] != 0.0][:_MAX_READINGS]


def _reading(value: float) -> str:
    """Return a reading with four significant digits, or more before the point."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e7 else short(value)


def readings(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return the readings that are furthest from their means, with their deviations."""
    values, z_scores = anomaly.deviations.readings, anomaly.deviations.z_scores
    return ", ".join(
        f"{names[slot]} {_reading(values[slot])} ({z_scores[slot]:+.1f} sd)"
        for slot in furthest(anomaly)
    )


def reason_of(anomaly: Anomaly, names: Sequence[str]) -> tuple[str, int | None]:
    """Return why a row is novel, such as "CO2: flat for 40 readings", and the strongest channel.

    The channel counts from 0; None if the readings are unknown.
    """
    why = hosting.unpack_reason(anomaly.reason)
    if why is None:
        found = furthest(anomaly)
        if not found:
            return "-", None
        return f"different from all earlier rows, {names[found[0]]} most of all", found[0]
    part, channel = why
    name, reading = names[channel], math.nan
    if anomaly.deviations.readings:
        reading = anomaly.deviations.readings[channel]
    now = "no reading" if math.isnan(reading) else _reading(reading)
    if part == "pattern":
        if len(names) == 1:
            return f"{name}: an unusual course over time, now {now}", channel
        return f"an unusual combination, {name} the furthest off", channel
    if part == "flat":
        rows = anomaly.deviations.unchanged[channel] if anomaly.deviations.unchanged else 0
        if math.isnan(reading):
            return f"{name}: no reading for {counted(rows, 'row')}", channel
        # The one that the others repeat is part of the line.
        return f"{name}: flat for {counted(rows + 1, 'reading')}", channel
    return _REASONS[part].format(name, now), channel


def briefly(anomaly: Anomaly) -> tuple[str, int]:
    """Return why a row of a stream is novel in few words, and the channel, from 0."""
    part, channel = hosting.unpack_reason(anomaly.reason) or ("", 0)
    return _TITLES.get(part, part), channel


def reason(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return why a row is novel in words."""
    return reason_of(anomaly, names)[0]


def is_short_flat(alarm: Alarm) -> bool:
    """Whether an alarm is only that a reading came two or three times in a row."""
    if alarm.rows > _MAX_REPEATS or not alarm.trigger.deviations.unchanged:
        return False
    part, channel = hosting.unpack_reason(alarm.trigger.reason) or ("", 0)
    found = alarm.trigger.deviations
    is_known = not math.isnan(found.readings[channel])
    return part == "flat" and is_known and found.unchanged[channel] <= _MAX_REPEATS


def alarm_table(alarms: Sequence[Alarm], names: Sequence[str], count: int) -> Table:
    """Return the first alarms: begin, end, strongest channel, and why they began and went on.

    count: of all, where those near each other are counted apart; they are in one line.
    Streams without times have no columns of time.
    """
    shown = alarms[:_MAX_ALARMS]
    title = "Alarms" if len(shown) == len(alarms) else f"Alarms: the first {len(shown)}"
    if count > len(alarms) and len(alarms) < ALARMS:
        title += f" (of {count:,}, those at most {MIN_DISTANCE} rows apart are in one line)"
    is_timed = any(math.isfinite(one.began) for one in shown)
    rows: list[tuple[str, ...]] = []
    for one in shown:
        why, channel = reason_of(one.strongest, names)
        lasted = one.ended - one.began
        times = moment(one.began), moment(one.ended), duration(lasted) if lasted > 0.0 else "-"
        where = "-" if channel is None else names[channel]
        began = reason(one.trigger, names)
        if hosting.unpack_reason(one.trigger.reason) != hosting.unpack_reason(one.strongest.reason):
            why = f"{began}; then {why}"
        rows.append((_rows(one), *(times if is_timed else ()), where, why))
    head = ("rows", *(("begin", "end", "duration") if is_timed else ()), "channel", "reason")
    return Table("alarms", title, head, rows, sentences=head[1:])


def _rows(alarm: Alarm) -> str:
    last = "" if alarm.first == alarm.last else f" to {alarm.last:,}"
    return f"{alarm.first:,}{last}"


def anomaly_table(anomalies: Sequence[Anomaly], names: Sequence[str]) -> Table:
    """Return the most novel rows with their readings."""
    head = ("row", "time", "score", "reason", "readings furthest off")
    rows: list[tuple[str, ...]] = [
        (f"{top.row:,}", moment(top.seconds), short(top.novelty), reason(top, names),
         readings(top, names))
        for top in anomalies
    ]  # fmt: skip
    return Table(
        *("anomalies", "The most anomalous rows", head, rows),
        sentences=(head[1], *head[3:]),
        stacked=True,
    )


def channel_table(watching: Watching, names: Sequence[str]) -> Table:
    """Return the alarms by channel and reason."""
    order = sorted(watching.by_channel.items(), key=lambda one: (-sum(one[1]), one[0]))
    at = [watching.reasons.index(name) for name in _TITLES]
    shown = [(channel, (sum(counts), *(counts[i] for i in at))) for channel, counts in order]
    rows = [
        (names[channel], *(f"{n:,}" if n else "" for n in numbers))
        for channel, numbers in shown[:_MAX_ALARMS]
    ]
    head = ("", "alarms", *_TITLES.values())
    return Table("channels", "Alarms by channel", head, rows, stacked=True)


def anomaly_record(anomaly: Anomaly, names: Sequence[str]) -> dict[str, Any]:
    """Return a row for the JSON report."""
    numbers = dict(zip(names, anomaly.deviations.readings, strict=True))
    return {
        "row": anomaly.row,
        "seconds": _known(anomaly.seconds),
        "score": anomaly.novelty,
        "reason": reason(anomaly, names),
        "readings": {name: _known(value) for name, value in numbers.items()},
    }


def alarm_record(alarm: Alarm, names: Sequence[str]) -> dict[str, Any]:
    """Return an alarm for the JSON report, with its most novel row."""
    _, channel = reason_of(alarm.strongest, names)
    return {
        "first": alarm.first,
        "last": alarm.last,
        "rows": alarm.rows,
        "begin_seconds": _known(alarm.began),
        "end_seconds": _known(alarm.ended),
        "channel": None if channel is None else names[channel],
        "began_with": reason(alarm.trigger, names),
        **anomaly_record(alarm.strongest, names),
    }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
