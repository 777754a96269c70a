"""Error over time as an SVG drawing, for a page that needs no network and no script."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.series import Band, Series, series

_CLASSES = ("learner", "first", "second")
_BANDS = {
    "fault": "a fault lasts",
    "window": "labelled window",
    "alarm": "alarm",
    "rise": "the error rises",
    "drift": "the learner's alarm of drift",
}


class Frame(NamedTuple):
    """A drawing and the margins around what is drawn, in units that a page shows as pixels."""

    width: int
    height: int
    left: int = 64
    right: int = 12
    top: int = 14
    bottom: int = 34

    @property
    def inner_width(self) -> int:
        """Units between the margins."""
        return self.width - self.left - self.right

    def open(self, label: str) -> str:
        """Return the beginning of the drawing."""
        box = f'viewBox="0 0 {self.width} {self.height}"'
        return f'<svg {box} role="img" aria-label="{html.escape(label.lower())}">'

    def y(self, value: Any, low: float, high: float) -> float:
        """Return where a number is on a logarithmic scale; the least and the most at the edges."""
        held = min(max(float(value), low), high)
        part = math.log(held / low) / math.log(high / low)
        return self.height - self.bottom - (self.height - self.bottom - self.top) * part

    def line_at(self, y: float, text: str) -> list[str]:
        """Return a line of the grid and what it is for."""
        ends = f'x1="{self.left}" x2="{self.width - self.right}" y1="{y:.1f}" y2="{y:.1f}"'
        return [
            f'<line class="grid" {ends}/>',
            f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>',
        ]

    def below(self, x: float, text: str, anchor: str = "middle") -> str:
        """Return a mark of the horizontal axis."""
        return f'<text x="{x:.1f}" y="{self.height - 12}" text-anchor="{anchor}">{text}</text>'


#: On a desktop, and on a telephone, where the same drawing would be a strip of 100 pixels.
WIDE, NARROW = Frame(720, 340), Frame(345, 300, left=48, right=8)


def both(draw: Callable[[Frame], str]) -> str:
    """Return a drawing for wide screens and one for narrow ones; a page shows one of them."""
    return f'<div class="wide">{draw(WIDE)}</div><div class="narrow">{draw(NARROW)}</div>'


def errors(result: ReplayResult) -> str:
    """Return the drawing: running errors, the recent one, and what befell the stream.

    result: what a replay returned.
    """
    drawn = series(result)
    if not len(drawn.rows):
        return "<p>No row was scored.</p>"
    return both(lambda frame: _errors(drawn, frame)) + _legend(drawn)


def _errors(drawn: Series, frame: Frame) -> str:
    good = drawn.running[drawn.running > 0.0]
    low = float(good.min()) / 2.0 if good.size else 1e-3
    high = max(float(drawn.running.max()), float(drawn.recent.max(initial=0.0)), 2.0 * low)
    scale = _Scale(frame, int(drawn.rows[-1]), low, min(high, 1.0) if drawn.shares else high)
    parts = [
        frame.open(drawn.title),
        *(_band(band, scale) for band in drawn.bands),
        *_grid(scale, drawn.shares),
    ]
    area = scale.places(drawn.recent_rows, drawn.recent[:, 0]) or [(scale.x(0), scale.y(low))]
    area += [(area[-1][0], scale.y(low)), (area[0][0], scale.y(low))]
    parts.append(f'<polygon class="recent" points="{points(area)}"/>')
    for i in reversed(range(len(drawn.names))):
        above = drawn.running[:, i] > 0.0
        line = scale.places(drawn.rows[above], drawn.running[above, i])
        parts.append(f'<polyline class="{_CLASSES[i]}" points="{points(line)}"/>')
    return "".join([*parts, "</svg>"])


class _Scale:
    """Rows to the right, errors upwards on a logarithmic scale."""

    def __init__(self, frame: Frame, rows: int, low: float, high: float) -> None:
        self.frame, self.rows, self.low, self.high = frame, rows, low, high

    def x(self, row: Any) -> float:
        """Return where a row is."""
        return self.frame.left + self.frame.inner_width * float(row) / self.rows

    def y(self, value: Any) -> float:
        """Return where an error is; the least and the most are at the edges."""
        return self.frame.y(value, self.low, self.high)

    def places(self, rows: Iterable[Any], values: Iterable[Any]) -> list[tuple[float, float]]:
        """Return where points are."""
        return [(self.x(row), self.y(value)) for row, value in zip(rows, values, strict=True)]


def points(places: Sequence[tuple[float, float]]) -> str:
    """Return places as an attribute of a line has them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _band(band: Band, scale: _Scale) -> str:
    left, right = (scale.x(min(row, scale.rows)) for row in (band.first, band.last))
    frame = scale.frame
    return (
        f'<rect class="{band.kind}" x="{left:.1f}" y="{frame.top}" '
        f'width="{max(right - left, 1.5):.1f}" height="{frame.height - frame.bottom - frame.top}">'
        f"<title>{html.escape(band.said)}</title></rect>"
    )


def _grid(scale: _Scale, shares: bool) -> list[str]:
    out, frame = [], scale.frame
    for value in ticks(scale.low, scale.high):
        out += frame.line_at(scale.y(value), f"{100 * value:g} %" if shares else f"{value:g}")
    for row in row_marks(scale.rows, frame.inner_width):
        anchor = "start" if row == 0 else "end" if row == scale.rows else "middle"
        out.append(frame.below(scale.x(row), f"{row:,}", anchor))
    return out


def row_marks(rows: int, width: int = 640) -> list[int]:
    """Return 0 and the last row, and round numbers between them that leave both room."""
    most = max(3, width // 120)  # marks, each with room for a number
    decade = 10 ** (len(str(max(rows // most, 1))) - 1)
    steps = (n * decade for n in (1, 2, 5, 10))
    step = next((step for step in steps if step * most >= rows), 10 * decade)
    return [0, *(row for row in range(step, rows, step) if rows - row > 0.6 * step), rows]


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two, a few to a decade."""
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
