"""Error over time as an SVG drawing, for a page that needs no network and no script."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

from firmware_sim.replaying.loop import ReplayResult
from firmware_sim.report.series import Band, Series, series

WIDTH, HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 14, 34
_CLASSES = ("learner", "first", "second")
_BANDS = {
    "fault": "a fault lasts",
    "window": "labelled window",
    "alarm": "alarm",
    "rise": "the error rises",
}


def errors(result: ReplayResult) -> str:
    """Return the drawing: running errors, the recent one, and what befell the stream.

    result: what a replay returned.
    """
    drawn = series(result)
    if not len(drawn.rows):
        return "<p>No row was scored.</p>"
    good = drawn.running[drawn.running > 0.0]
    low = float(good.min()) / 2.0 if good.size else 1e-3
    high = max(float(drawn.running.max()), float(drawn.recent.max(initial=0.0)), 2.0 * low)
    scale = _Scale(int(drawn.rows[-1]), low, min(high, 1.0) if drawn.shares else high)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{drawn.title.lower()}">',
        *(_band(band, scale) for band in drawn.bands),
        *_grid(scale, drawn.shares),
    ]
    area = scale.places(drawn.recent_rows, drawn.recent[:, 0]) or [(scale.x(0), scale.y(low))]
    area += [(area[-1][0], scale.y(low)), (area[0][0], scale.y(low))]
    parts.append(f'<polygon class="recent" points="{_points(area)}"/>')
    for i in reversed(range(len(drawn.names))):
        above = drawn.running[:, i] > 0.0
        line = scale.places(drawn.rows[above], drawn.running[above, i])
        parts.append(f'<polyline class="{_CLASSES[i]}" points="{_points(line)}"/>')
    return "".join([*parts, "</svg>", _legend(drawn)])


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

    def places(self, rows: Iterable[Any], values: Iterable[Any]) -> list[tuple[float, float]]:
        """Return where points are."""
        return [(self.x(row), self.y(value)) for row, value in zip(rows, values, strict=True)]


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _band(band: Band, scale: _Scale) -> str:
    left, right = (scale.x(min(row, scale.rows)) for row in (band.first, band.last))
    return (
        f'<rect class="{band.kind}" x="{left:.1f}" y="{_TOP}" width="{max(right - left, 1.5):.1f}" '
        f'height="{HEIGHT - _BOTTOM - _TOP}"><title>{html.escape(band.said)}</title></rect>'
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


def _legend(drawn: Series) -> str:
    items = [
        f'<li class="{kind}">{html.escape(name)}</li>'
        for kind, name in zip(_CLASSES, drawn.names, strict=False)
    ]
    learner = html.escape(drawn.names[0])
    items.append(f'<li class="recent">{learner}, over the last {drawn.window:,} rows</li>')
    kinds = {band.kind for band in drawn.bands}
    items += [f'<li class="{kind}">{said}</li>' for kind, said in _BANDS.items() if kind in kinds]
    return f'<ul class="legend">{"".join(items)}</ul>'
