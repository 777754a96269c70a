"""Error over time on the page of a replay."""

from __future__ import annotations

import html

from firmware_sim.drawing.svg import Frame, Plane, both, legend, points, row_marks, ticks
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
    rows = int(drawn.rows[-1])
    ends = low, min(high, 1.0) if drawn.shares else high
    plane = Plane(frame, (0, rows), ends, logarithmic=True)
    parts = [
        *(_band(band, plane) for band in drawn.bands),
        *plane.lines(ticks(*ends), percent=drawn.shares),
    ]
    for row in row_marks(rows, frame.inner_width):
        anchor = "start" if row == 0 else "end" if row == rows else "middle"
        parts.append(frame.below(plane.x(row), f"{row:,}", anchor))
    area = plane.places(drawn.recent_rows, drawn.recent[:, 0]) or [(plane.x(0), plane.y(low))]
    area += [(area[-1][0], plane.y(low)), (area[0][0], plane.y(low))]
    parts.append(f'<polygon class="recent" points="{points(area)}"/>')
    for i in reversed(range(len(drawn.names))):
        above = drawn.running[:, i] > 0.0
        look = f'class="{_CLASSES[i]}"'
        parts.append(plane.line(look, drawn.rows[above], drawn.running[above, i]))
    return frame.drawn(drawn.title, parts)


def _band(band: Band, plane: Plane) -> str:
    left, right = (plane.x(min(row, plane.last)) for row in (band.first, band.last))
    frame = plane.frame
    return (
        f'<rect class="{band.kind}" x="{left:.1f}" y="{frame.top}" '
        f'width="{max(right - left, 1.5):.1f}" height="{frame.height - frame.bottom - frame.top}">'
        f"<title>{html.escape(band.said)}</title></rect>"
    )


def _legend(drawn: Series) -> str:
    items = [*zip(_CLASSES, drawn.names, strict=False)]
    items.append(("recent", f"{drawn.names[0]}, over the last {drawn.window:,} rows"))
    kinds = {band.kind for band in drawn.bands}
    items += [(kind, said) for kind, said in _BANDS.items() if kind in kinds]
    return legend((f'class="{kind}"', said) for kind, said in items)
