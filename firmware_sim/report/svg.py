"""Error over time as an SVG drawing, for a page that needs no network and no script."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

from firmware_sim.metrics import Novelty
from firmware_sim.replaying.loop import ReplayResult
from firmware_sim.report.rises import rises
from firmware_sim.report.verdict import name_of, over_time
from firmware_sim.streams.faulty import FaultyStream

WIDTH, HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 14, 34
_CLASSES = ("learner", "first", "second")


def errors(result: ReplayResult) -> str:
    """Return the drawing: running errors, the recent one, and what befell the stream.

    Parameters
    ----------
    result : ReplayResult
        What a replay returned.
    """
    curve = result.metrics.curve
    rows, running = curve.cumulative()
    if len(rows) == 0:
        return "<p>No row was scored.</p>"
    recent_rows, recent, _ = curve.windowed()
    shares = result.metrics.shares
    good = running[running > 0.0]
    low = float(good.min()) / 2.0 if good.size else 1e-3
    high = max(float(running.max()), float(recent.max(initial=0.0)), 2.0 * low)
    scale = _Scale(int(rows[-1]), low, min(high, 1.0) if shares else high)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{over_time(result).lower()}">',
        *_bands(result, scale),
        *_grid(scale, shares),
    ]
    area = [
        (scale.x(row), scale.y(value)) for row, value in zip(recent_rows, recent[:, 0], strict=True)
    ] or [(scale.x(0), scale.y(low))]
    area += [(area[-1][0], scale.y(low)), (area[0][0], scale.y(low))]
    parts.append(f'<polygon class="recent" points="{_points(area)}"/>')
    for i in reversed(range(len(curve.names))):
        line = [
            (scale.x(row), scale.y(value))
            for row, value in zip(rows, running[:, i], strict=True)
            if value > 0.0
        ]
        parts.append(f'<polyline class="{_CLASSES[i]}" points="{_points(line)}"/>')
    return "".join([*parts, "</svg>", _legend(result)])


class _Scale:
    """Rows to the right, errors upwards on a logarithmic scale."""

    def __init__(self, rows: int, low: float, high: float) -> None:
        self.rows, self.low, self.high = rows, low, high

    def x(self, row: Any) -> float:
        """Return where a row is."""
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * float(row) / self.rows

    def y(self, value: Any) -> float:
        """Return where an error is; the least and the most are at the edges."""
        held = min(max(float(value), self.low), self.high)
        part = math.log(held / self.low) / math.log(self.high / self.low)
        return HEIGHT - _BOTTOM - (HEIGHT - _BOTTOM - _TOP) * part


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _bands(result: ReplayResult, scale: _Scale) -> list[str]:
    """Stretches of rows with faults, and those where the error rises."""
    out = []
    stream = result.stream
    for fault in stream.faults if isinstance(stream, FaultyStream) else ():
        out.append(_band("fault", fault.first, fault.last or scale.rows, str(fault), scale))
    for first, last in result.metrics.windows if isinstance(result.metrics, Novelty) else ():
        said = f"labelled window, rows {first:,} to {last:,}"
        out.append(_band("window", first, last, said, scale))
    for first, last in rises(result):
        said = f"the error rises, rows {first:,} to {last:,}"
        out.append(_band("rise", first, last, said, scale))
    return out


def _band(kind: str, first: int, last: int, said: str, scale: _Scale) -> str:
    left, right = scale.x(min(first, scale.rows)), scale.x(min(last, scale.rows))
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{_TOP}" width="{max(right - left, 1.5):.1f}" '
        f'height="{HEIGHT - _BOTTOM - _TOP}"><title>{html.escape(said)}</title></rect>'
    )


def _grid(scale: _Scale, shares: bool) -> list[str]:
    out = []
    for value in _ticks(scale.low, scale.high):
        y = scale.y(value)
        text = f"{100 * value:g} %" if shares else f"{value:g}"
        ends = f'x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"'
        out.append(f'<line class="grid" {ends}/>')
        out.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    for row in row_marks(scale.rows):
        anchor = "start" if row == 0 else "end" if row == scale.rows else "middle"
        out.append(
            f'<text x="{scale.x(row):.1f}" y="{HEIGHT - 12}" text-anchor="{anchor}">{row:,}</text>'
        )
    return out


def row_marks(rows: int) -> list[int]:
    """Return 0 and the last row, and round numbers between them that leave both room."""
    decade = 10 ** (len(str(max(rows // 4, 1))) - 1)
    step = next((n * decade for n in (1, 2, 5) if n * decade * 5 >= rows), 10 * decade)
    return [0, *(row for row in range(step, rows, step) if rows - row > 0.6 * step), rows]


def _ticks(low: float, high: float) -> list[float]:
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1.0, 2.0, 5.0) if len(exponents) < 5 else (1.0,)
    ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
    return [tick for tick in ticks if low <= tick <= high]


def _legend(result: ReplayResult) -> str:
    curve = result.metrics.curve
    _, _, window = curve.windowed()
    items = [
        f'<li class="{kind}">{html.escape(name_of(result, name))}</li>'
        for kind, name in zip(_CLASSES, curve.names, strict=False)
    ]
    learner = html.escape(result.config.algorithm)
    items.append(f'<li class="recent">{learner}, over the last {window:,} rows</li>')
    if isinstance(result.stream, FaultyStream):
        items.append('<li class="fault">a fault lasts</li>')
    if isinstance(result.metrics, Novelty) and result.metrics.windows:
        items.append('<li class="window">labelled window</li>')
    if rises(result):
        items.append('<li class="rise">the error rises</li>')
    return f'<ul class="legend">{"".join(items)}</ul>'
