"""Charts of the readings of a watched stream, with its alarms and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

import numpy as np

from firmware_sim.drawing.chart import BUFFER, LEARNER, WARN, Chart, Mark
from firmware_sim.metrics.base import Band
from firmware_sim.metrics.watching import Watching
from firmware_sim.streams import Row

#: Most channels that are drawn, and ticks below them.
SHOWN, _TICKS = 4, 6
#: Readings beyond the usual ones by so many times their range are cut off.
_BEYOND = 4.0
_DAY = 86_400.0


def courses(
    watching: Watching,
    features: Sequence[str],
    bands: Sequence[Band],
    reasons: Mapping[int, tuple[str, int]],
) -> list[Chart]:
    """Return a chart of each channel: those with the most alarms.

    features: names of the channels.
    bands: alarms, events and labelled windows; see `Metrics.bands`.
    reasons: why there was an alarm, in few words, and its channel; by the alarm's first row.
    """
    rows, low, high, seconds = watching.envelope.course()
    if not len(rows):
        return []
    counts = {at: sum(watching.by_channel.get(at, ())) for at in range(low.shape[1])}
    busiest = sorted(counts, key=lambda at: (-counts[at], at))[:SHOWN]
    last = float(rows[-1]) + watching.envelope.step
    found = []
    for place, at in enumerate(sorted(busiest)):
        marks = _bands(bands, reasons, at)  # below the readings, which they would hide
        if watching.envelope.step > 1:
            marks.append(Mark("", LEARNER, rows, high[:, at], low[:, at], alpha=0.35))
        middle = (low[:, at] + high[:, at]) / 2.0
        marks.append(Mark(features[at], LEARNER, rows, middle, width=1.0))
        y_range = _range(low[:, at], high[:, at])
        marks += _beyond(rows, low[:, at], high[:, at], y_range)
        found.append(
            Chart(
                features[at],
                marks,
                (0.0, last),
                y_range,
                x_label="row of the stream" if place == len(busiest) - 1 else "",
                x_ticks=_ticks(rows, seconds),
                height=0.8,
            )
        )
    return found


def _bands(
    bands: Sequence[Band], reasons: Mapping[int, tuple[str, int]], channel: int
) -> list[Mark]:
    """Return the bands of a channel's chart; alarms of other channels are faint."""
    looks = {
        "window": ("labelled window", BUFFER, 0.3),
        "event": ("event", WARN, 0.1),
        "alarm": ("alarm", WARN, 0.45),
    }
    marks = []
    for kind, first, last, tooltip in bands:
        name, colour, alpha = looks[kind]
        note, owner = reasons.get(first, ("", channel)) if kind == "alarm" else ("", channel)
        if owner != channel:
            name, alpha, note = "alarm of another channel", 0.2, ""
        marks.append(Mark(name, colour, (first, last), alpha=alpha, tooltip=tooltip, note=note))
    return marks


def _range(low: Row, high: Row) -> tuple[float, float]:
    """Return the limits of an axis: all readings, unless a few are far beyond the others."""
    if not np.isfinite(low).any():
        return 0.0, 1.0
    least, greatest = float(np.nanmin(low)), float(np.nanmax(high))
    usual = np.nanquantile(np.concatenate([low, high]), [0.02, 0.98])
    room = _BEYOND * max(float(usual[1] - usual[0]), 1e-12 * max(abs(least), abs(greatest), 1e-300))
    bottom, top = max(least, float(usual[0]) - room), min(greatest, float(usual[1]) + room)
    margin = 0.04 * (top - bottom) or 1.0
    return bottom - margin, top + margin


def _beyond(rows: Row, low: Row, high: Row, y_range: tuple[float, float]) -> list[Mark]:
    """Return marks at the edges of an axis where readings are beyond it, with the farthest one."""
    bottom, top = y_range
    marks = []
    for edge, readings, is_beyond, farthest, arrow in (
        (top, high, high > top, np.max, "^"),
        (bottom, low, low < bottom, np.min, "v"),
    ):
        if is_beyond.any():
            where, value = rows[is_beyond], float(farthest(readings[is_beyond]))
            name = f"beyond the axis, {'up' if arrow == '^' else 'down'} to {value:.4g}"
            marks.append(Mark(name, WARN, where, np.full(len(where), edge), points=arrow))
    return marks


def _ticks(rows: Row, seconds: Row) -> list[tuple[float, str]]:
    """Return ticks at rows with their dates; none if times are unknown."""
    known = np.flatnonzero(np.isfinite(seconds))
    starts = (rows - rows[0] + 1.0).tolist()
    if len(known) < 2:
        return []
    places = known[np.linspace(0, len(known) - 1, min(_TICKS, len(known))).astype(int)]
    span = float(seconds[known[-1]] - seconds[known[0]])
    form = "%Y-%m-%d" if abs(span) > 2 * _DAY else "%m-%d %H:%M"
    ticks = []
    for at in places.tolist():
        try:
            text = datetime.fromtimestamp(float(seconds[at]), timezone.utc).strftime(form)
        except (ValueError, OverflowError, OSError):
            return []
        ticks.append((starts[at], f"{starts[at]:,.0f}\n{text}"))
    return ticks
