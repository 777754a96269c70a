"""The report of a fleet as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

import numpy as np

from firmware_sim.drawing.document import document, drawn, safe
from firmware_sim.drawing.svg import Frame, Plane, both
from firmware_sim.fleet.statistics import shared
from firmware_sim.fleet.summary import Summary

_STYLE = """
.reach{stroke:var(--learner);stroke-width:1.5}
th{white-space:normal}
.box{fill:var(--learner);opacity:.3}.middle{stroke:var(--learner);stroke-width:3}
.far{fill:var(--learner);opacity:.45}.mean{fill:var(--warn)}
"""


def to_page(found: Summary) -> str:
    """Return the page."""
    title = found.summary[-1] if len(found.summary) == 1 else "A fleet of boards"
    body = [
        "<h1>A fleet of boards</h1>",
        f'<p id="verdict">{safe(found.sentence)}</p>',
        *(f'<p class="faint">{safe(line)}</p>' for line in found.summary),
    ]
    if any(found.losses.values()):
        head = f"Error by configuration, {found.over}"
        body += [f"<h2>{safe(head)}</h2>", _legend(), picture(found)]
    for table in found.tables:
        body += [f"<h2>{safe(table.title)}</h2>", drawn(table, stacked=True)]
    return document(title, _STYLE, body)


def _legend() -> str:
    return (
        '<p class="faint">Box: the middle half of the boards, with the median; lines: 5 % to 95 %; '
        "dots: boards beyond; red: the mean.</p>"
    )


#: Units of a configuration: beside its name, and on a telephone below it.
_ROW, _ROW_NARROW = 34, 52
WIDE = Frame(900, _ROW, left=190, right=36, top=10, bottom=44)
NARROW = Frame(345, _ROW_NARROW, left=14, right=22, top=10, bottom=44)


def picture(found: Summary) -> str:
    """Return box plots of the losses, a row for each configuration, for wide and narrow screens."""
    return both(lambda frame: _plot(found, frame), (WIDE, NARROW))


def _plot(found: Summary, frame: Frame) -> str:
    held = shared(found.losses)
    losses = {name: np.array(list(one.values())) for name, one in held.items()}
    names = sorted(losses, key=lambda name: float(losses[name].mean()))
    most = max(float(values.max()) for values in losses.values()) or 1.0
    row, above = frame.height, frame.height == _ROW_NARROW
    frame = frame._replace(height=frame.top + row * len(names) + frame.bottom)
    plane, end = Plane(frame, (0.0, most), (0.0, 1.0)), frame.height - frame.bottom
    parts = []
    for i in range(0, 6, 2 if above else 1):
        value = most * i / 5
        x, shown = plane.x(value), f"{value:.2f}" if found.relative else f"{100 * value:.1f} %"
        anchor = "start" if above and not i else "middle"
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{frame.top}" y2="{end}"/>')
        parts.append(f'<text x="{x:.1f}" y="{end + 22}" text-anchor="{anchor}">{shown}</text>')
    for i, name in enumerate(names):
        parts += _box(name, losses[name], plane, frame.top + row * i, above)
    return frame.drawn("error over boards", parts)


def _box(name: str, values: np.ndarray, plane: Plane, top: float, above: bool) -> list[str]:
    marks = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
    low, first, middle, third, high = map(plane.x, marks)
    half = 0.3 * _ROW
    y = top + (_ROW_NARROW if above else _ROW) - 0.5 * _ROW
    beyond = values[(values < marks[0]) | (values > marks[4])]
    # Boards that would cover each other are drawn once: a page for many boards stays small.
    dots = sorted({round(plane.x(value)) for value in beyond})
    place = (
        f'x="{plane.frame.left}" y="{top + 13:.1f}"'
        if above
        else f'x="{plane.frame.left - 12}" y="{y + 4:.1f}" text-anchor="end"'
    )
    return [
        f"<text {place}>{safe(name[: 45 if above else 24])}</text>",
        f'<line class="reach" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
        f'<rect class="box" x="{first:.1f}" y="{y - half:.1f}" '
        f'width="{max(third - first, 1.0):.1f}" height="{2 * half:.1f}"/>',
        f'<line class="middle" x1="{middle:.1f}" x2="{middle:.1f}" y1="{y - half:.1f}" '
        f'y2="{y + half:.1f}"/>',
        *(f'<circle class="far" cx="{dot}" cy="{y:.1f}" r="2.5"/>' for dot in dots),
        f'<circle class="mean" cx="{plane.x(values.mean()):.1f}" cy="{y:.1f}" r="4"/>',
    ]
