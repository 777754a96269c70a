"""The error over time as a chart, with faults, alarms, labelled windows and rises of the error."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from firmware_sim.drawing.chart import BUFFER, FIRST, LEARNER, SCALER, SECOND, WARN, Chart, Mark
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.summary import name_of
from firmware_sim.streams.faulty import FaultyStream

_COLOURS = (LEARNER, FIRST, SECOND, SCALER)
#: Bands by kind: name, colour and opacity.
BANDS = {
    "fault": ("a fault lasts", "#cc79a7", 0.22),
    "window": ("labelled window", BUFFER, 0.3),
    "alarm": ("alarm", WARN, 0.5),
    "event": ("event", WARN, 0.1),
    "rise": ("the error rises", WARN, 0.14),
    "drift": ("the learner's alarm of drift", SECOND, 1.0),
}


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
        metrics.timeline_title,
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
    yield from metrics.bands(stream.features)
    for fault in stream.faults if isinstance(stream, FaultyStream) else ():
        yield "fault", fault.first, fault.last or last_row, str(fault)
