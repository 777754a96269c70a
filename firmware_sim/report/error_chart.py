"""The error over time as a chart, with faults, alarms, labelled windows and rises of the error."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from firmware_sim.drawing.chart import BUFFER, FIRST, LEARNER, SECOND, WARN, Chart, Mark
from firmware_sim.metrics import Novelty
from firmware_sim.metrics.classes import Answers
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.figures import reason
from firmware_sim.report.summary import name_of, timeline_title
from firmware_sim.streams.faulty import FaultyStream

_COLOURS = (LEARNER, FIRST, SECOND)
#: Bands by kind: name, colour and opacity.
BANDS = {
    "fault": ("a fault lasts", "#cc79a7", 0.22),
    "window": ("labelled window", BUFFER, 0.3),
    "alarm": ("alarm", WARN, 0.5),
    "rise": ("the error rises", WARN, 0.14),
    "drift": ("the learner's alarm of drift", SECOND, 1.0),
}
#: Standard deviations above the earlier error that count as a rise.
_DEVIATIONS = 5.0
#: Windows before the first possible rise, so that there is an error to compare with.
_WINDOWS = 4


def errors(result: ReplayResult) -> Chart | None:
    """Return the chart of cumulative and recent errors with bands; None if no row was scored.

    result: the result of a replay.
    """
    metrics = result.metrics
    rows, running = metrics.curve.cumulative()
    if not len(rows):
        return None
    recent_rows, recent, window = metrics.curve.windowed()
    # A logarithmic scale has no 0: a line starts at its first error, the recent error has a floor.
    above = running[running > 0.0]
    low = float(above.min()) / 2.0 if above.size else 1e-3
    high = max(float(running.max()), float(recent.max(initial=0.0)), 2.0 * low)
    marks = []
    for i, name in enumerate(name_of(result, one) for one in metrics.curve.names):
        last, there = running[-1, i], running[:, i] > 0.0
        figure = f"{100 * last:.2f} % of all rows" if metrics.shares else f"{last:.4g} on average"
        look = {"dash": (6.0, 4.0), "width": 1.5} if i else {}
        line = rows[there], running[there, i]
        marks.append(Mark(f"{name}: {figure}", _COLOURS[i], *line, **look))  # type: ignore[arg-type]
    floor = np.full(len(recent_rows), low)
    name = f"{name_of(result, 'learner')}, over the last {window:,} rows"
    marks.insert(1, Mark(name, LEARNER, recent_rows, recent[:, 0], floor, alpha=0.2))
    last_row = int(rows[-1])
    for kind, first, last, tooltip in _bands(result, last_row):
        name, colour, alpha = BANDS[kind]
        note = tooltip.partition(": ")[2] if kind == "alarm" else ""
        band = Mark(name, colour, (first, last), alpha=alpha, tooltip=tooltip, note=note)
        marks.append(band)
    return Chart(
        timeline_title(result),
        marks,
        (0, last_row),
        (low, min(high, 1.0) if metrics.shares else high),
        y_label=f"{metrics.over_time} (log scale)",
        logarithmic=True,
        percent=metrics.shares,
    )


def _bands(result: ReplayResult, last_row: int) -> Iterator[tuple[str, int, int, str]]:
    """Yield the bands: kind, first and last row, and a tooltip."""
    stream, metrics = result.stream, result.metrics
    for row in result.alarms:
        yield "drift", row, row, f"the learner's alarm of drift, row {row:,}"
    if isinstance(metrics, Novelty):
        for alarm in metrics.anomalies.alarms:
            why = reason(alarm.strongest, stream.features)
            tooltip = f"rows {alarm.first:,} to {alarm.last:,}: {why}"
            yield "alarm", alarm.first, alarm.last, tooltip
        for first, last in metrics.windows:
            yield "window", first, last, f"labelled window, rows {first:,} to {last:,}"
    for first, last in rising_errors(result):
        yield "rise", first, last, f"the error rises, rows {first:,} to {last:,}"
    for fault in stream.faults if isinstance(stream, FaultyStream) else ():
        yield "fault", fault.first, fault.last or last_row, str(fault)


def rising_errors(result: ReplayResult) -> list[tuple[int, int]]:
    """Return ranges of rows whose error is far above that of all rows before them.

    Far means five standard deviations of the error in a window, for random errors at the earlier
    rate. Only for classes, and only as a hint: a rise may be drift, a fault, or difficult rows.

    Returns: the first and the last row of each range.
    """
    if not isinstance(result.metrics, Answers):
        return []
    curve = result.metrics.curve
    rows, errors, window = curve.windowed()
    every, wrong = curve.table()
    wrong_before = {0: 0} | dict(zip(every.tolist(), wrong[:, 0].tolist(), strict=True))
    events: list[tuple[int, int]] = []
    for row, error in zip(rows.tolist(), errors[:, 0].tolist(), strict=True):
        start = row - window
        if start < _WINDOWS * window:
            continue
        share = (wrong_before[start] + 1.0) / (start + 2.0)
        if error <= share + _DEVIATIONS * math.sqrt(share * (1.0 - share) / window):
            continue
        if events and start <= events[-1][1]:
            events[-1] = (events[-1][0], row)
        else:
            events.append((start + 1, row))
    return events
