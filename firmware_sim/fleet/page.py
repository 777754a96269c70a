"""The report of a fleet as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from firmware_sim.fleet.statistics import shared
from firmware_sim.fleet.summary import Summary
from firmware_sim.report.document import document, drawn, safe

_TOP, _BOTTOM = 10, 44  # margins
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


class Frame(NamedTuple):
    """How wide the plot is, and where it puts the names of configurations."""

    width: int
    row: int  # high
    left: int
    right: int
    named_above: bool = False  # each name over its box, not beside it

    def x(self, value: float, most: float) -> float:
        """Return where a loss is."""
        return self.left + (self.width - self.left - self.right) * value / most


#: On a desktop, and on a telephone.
WIDE, NARROW = Frame(900, 34, 190, 36), Frame(345, 52, 14, 22, named_above=True)


def picture(found: Summary) -> str:
    """Return box plots of the losses, a row for each configuration, for wide and narrow screens."""
    wide, narrow = _plot(found, WIDE), _plot(found, NARROW)
    return f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'


def _plot(found: Summary, frame: Frame) -> str:
    held = shared(found.losses)
    losses = {name: np.array(list(one.values())) for name, one in held.items()}
    names = sorted(losses, key=lambda name: float(losses[name].mean()))
    most = max(float(values.max()) for values in losses.values()) or 1.0
    height = _TOP + frame.row * len(names) + _BOTTOM
    parts = [
        f'<svg viewBox="0 0 {frame.width} {height}" role="img" aria-label="error over boards">'
    ]
    for i in range(0, 6, 2 if frame.named_above else 1):
        value = most * i / 5
        x, end = frame.x(value, most), height - _BOTTOM
        shown = f"{value:.2f}" if found.relative else f"{100 * value:.1f} %"
        anchor = "start" if frame.named_above and not i else "middle"
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{end}"/>')
        parts.append(f'<text x="{x:.1f}" y="{end + 22}" text-anchor="{anchor}">{shown}</text>')
    for i, name in enumerate(names):
        parts += _box(name, losses[name], most, _TOP + frame.row * i, frame)
    return "".join([*parts, "</svg>"])


def _box(name: str, values: np.ndarray, most: float, top: float, frame: Frame) -> list[str]:
    marks = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
    low, first, middle, third, high = (frame.x(float(mark), most) for mark in marks)
    half = 0.3 * WIDE.row
    y = top + frame.row - 0.5 * WIDE.row
    beyond = values[(values < marks[0]) | (values > marks[4])]
    # Boards that would cover each other are drawn once: a page for many boards stays small.
    dots = sorted({round(frame.x(float(value), most)) for value in beyond})
    place = (
        f'x="{frame.left}" y="{top + 13:.1f}"'
        if frame.named_above
        else f'x="{frame.left - 12}" y="{y + 4:.1f}" text-anchor="end"'
    )
    return [
        f"<text {place}>{safe(name[: 45 if frame.named_above else 24])}</text>",
        f'<line class="reach" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
        f'<rect class="box" x="{first:.1f}" y="{y - half:.1f}" '
        f'width="{max(third - first, 1.0):.1f}" height="{2 * half:.1f}"/>',
        f'<line class="middle" x1="{middle:.1f}" x2="{middle:.1f}" y1="{y - half:.1f}" '
        f'y2="{y + half:.1f}"/>',
        *(f'<circle class="far" cx="{dot}" cy="{y:.1f}" r="2.5"/>' for dot in dots),
        f'<circle class="mean" cx="{frame.x(float(values.mean()), most):.1f}" cy="{y:.1f}" r="4"/>',
    ]
