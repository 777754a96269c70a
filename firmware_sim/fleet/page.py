"""The report of a fleet as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

import numpy as np

from firmware_sim.fleet.statistics import shared
from firmware_sim.fleet.summary import Summary
from firmware_sim.report.document import document, drawn, safe

_WIDTH, _ROW, _LEFT, _RIGHT, _TOP, _BOTTOM = 900, 34, 190, 36, 10, 44
_STYLE = """
.reach{stroke:var(--learner);stroke-width:1.5}
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
        body += [f"<h2>{safe(table.title)}</h2>", drawn(table)]
    return document(title, _STYLE, body)


def _legend() -> str:
    return (
        '<p class="faint">Box: the middle half of the boards, with the median; lines: 5 % to 95 %; '
        "dots: boards beyond; red: the mean.</p>"
    )


def picture(found: Summary) -> str:
    """Return box plots of the losses, one row for each configuration."""
    held = shared(found.losses)
    losses = {name: np.array(list(one.values())) for name, one in held.items()}
    names = sorted(losses, key=lambda name: float(losses[name].mean()))
    most = max(float(values.max()) for values in losses.values()) or 1.0
    height = _TOP + _ROW * len(names) + _BOTTOM
    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="error over boards">']
    for i in range(6):
        value = most * i / 5
        x, end = _x(value, most), height - _BOTTOM
        shown = f"{value:.2f}" if found.relative else f"{100 * value:.1f} %"
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{end}"/>')
        parts.append(f'<text x="{x:.1f}" y="{end + 22}" text-anchor="middle">{shown}</text>')
    for i, name in enumerate(names):
        parts += _box(name, losses[name], most, _TOP + _ROW * (i + 0.5))
    return "".join([*parts, "</svg>"])


def _x(value: float, most: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * value / most


def _box(name: str, values: np.ndarray, most: float, y: float) -> list[str]:
    marks = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
    low, first, middle, third, high = (_x(float(mark), most) for mark in marks)
    half = 0.3 * _ROW
    beyond = values[(values < marks[0]) | (values > marks[4])]
    # Boards that would cover each other are drawn once: a page for many boards stays small.
    dots = sorted({round(_x(float(value), most)) for value in beyond})
    label = f'<text x="{_LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{safe(name[:24])}</text>'
    return [
        label,
        f'<line class="reach" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
        f'<rect class="box" x="{first:.1f}" y="{y - half:.1f}" '
        f'width="{max(third - first, 1.0):.1f}" height="{2 * half:.1f}"/>',
        f'<line class="middle" x1="{middle:.1f}" x2="{middle:.1f}" y1="{y - half:.1f}" '
        f'y2="{y + half:.1f}"/>',
        *(f'<circle class="far" cx="{dot}" cy="{y:.1f}" r="2.5"/>' for dot in dots),
        f'<circle class="mean" cx="{_x(float(values.mean()), most):.1f}" cy="{y:.1f}" r="4"/>',
    ]
