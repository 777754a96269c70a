"""The report of a fleet: its text, and one HTML page without scripts or network access."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from firmware_sim.drawing.chart import Frame, both
from firmware_sim.drawing.document import document, drawn, paragraph, safe, section
from firmware_sim.fleet.statistics import shared
from firmware_sim.fleet.summary import Summary
from firmware_sim.plaintext import printable
from firmware_sim.report.writing import Contents, write_each

_STYLE = """
.reach{stroke:var(--learner);stroke-width:1.5}
th{white-space:normal}
.box{fill:var(--learner);opacity:.3}.middle{stroke:var(--learner);stroke-width:3}
.far{fill:var(--learner);opacity:.45}.mean{fill:var(--warn)}
"""
_LEGEND = (
    "Box: the middle half of the boards, with the median; lines: 5 % to 95 %; dots: boards beyond; "
    "red: the mean."
)
#: Height of a configuration's row: with the name on the left, and above it on a phone.
_ROW, _ROW_NARROW = 34, 52
WIDE = Frame(900, _ROW, left=190, right=36, top=10, bottom=44)
NARROW = Frame(345, _ROW_NARROW, left=14, right=22, top=10, bottom=44)


def to_text(found: Summary) -> str:
    """Return the report as plain text, with a final newline."""
    lines = [*found.summary, "", found.sentence]
    for table in found.tables:
        lines += ["", table.title, *table.to_lines()]
    return printable("\n".join(lines) + "\n", keep="\n")


def write_fleet(found: Summary, folder: str | Path) -> list[Path]:
    """Write ``fleet.txt`` and ``fleet.html``; return the files.

    Raises NotWrittenError: one of them cannot be written.
    """
    contents: Contents = {"fleet.txt": to_text(found), "fleet.html": to_page(found)}
    return write_each(Path(folder), contents)


def to_page(found: Summary) -> str:
    """Return the page."""
    plotted = picture(found) if any(found.losses.values()) else ""
    return document(
        "A fleet of boards",
        _STYLE,
        found.sentence,
        *(paragraph(line, "faint") for line in found.summary),
        section(
            f"Error by configuration, {found.over}",
            plotted and paragraph(_LEGEND, "faint"),
            plotted,
        ),
        *(section(table.title, drawn(table, stacked=True)) for table in found.tables),
    )


def picture(found: Summary) -> str:
    """Return box plots of the losses, a row for each configuration, for wide and narrow screens."""
    return both(lambda frame: _plot(found, frame), (WIDE, NARROW))


def _plot(found: Summary, frame: Frame) -> str:
    losses_shared = shared(found.losses)
    losses = {name: np.array(list(one.values())) for name, one in losses_shared.items()}
    names = sorted(losses, key=lambda name: float(losses[name].mean()))
    largest = max(float(values.max()) for values in losses.values()) or 1.0
    row, is_narrow = frame.height, frame.height == _ROW_NARROW
    frame = frame._replace(height=frame.top + row * len(names) + frame.bottom)
    ends, end = (0.0, largest), frame.height - frame.bottom
    parts = []
    for i in range(0, 6, 2 if is_narrow else 1):
        value = largest * i / 5
        x, shown = (
            frame.x(value, ends),
            f"{value:.2f}" if found.relative else f"{100 * value:.1f} %",
        )
        anchor = "start" if is_narrow and not i else "middle"
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{frame.top}" y2="{end}"/>')
        parts.append(f'<text x="{x:.1f}" y="{end + 22}" text-anchor="{anchor}">{shown}</text>')
    for i, name in enumerate(names):
        top, y = frame.top + row * i, frame.top + row * (i + 1) - 0.5 * _ROW
        place = (
            f'x="{frame.left}" y="{top + 13:.1f}"'
            if is_narrow
            else f'x="{frame.left - 12}" y="{y + 4:.1f}" text-anchor="end"'
        )
        parts.append(f"<text {place}>{safe(name[: 45 if is_narrow else 24])}</text>")
        parts += _box(losses[name], lambda values: frame.x(values, ends), y)
    return frame.drawn("error over boards", parts)


def _box(values: np.ndarray, place: Callable[[Any], Any], y: float) -> list[str]:
    """Return the SVG elements of one configuration; `place` maps a loss to a position."""
    marks = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
    low, first, middle, third, high = place(marks)
    half = 0.3 * _ROW
    beyond = values[(values < marks[0]) | (values > marks[4])]
    # Dots at the same position are drawn once, which keeps the page of many boards small.
    dots = np.unique(np.round(place(beyond))).astype(int)
    return [
        f'<line class="reach" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
        f'<rect class="box" x="{first:.1f}" y="{y - half:.1f}" '
        f'width="{max(third - first, 1.0):.1f}" height="{2 * half:.1f}"/>',
        f'<line class="middle" x1="{middle:.1f}" x2="{middle:.1f}" y1="{y - half:.1f}" '
        f'y2="{y + half:.1f}"/>',
        *(f'<circle class="far" cx="{dot}" cy="{y:.1f}" r="2.5"/>' for dot in dots),
        f'<circle class="mean" cx="{place(values.mean()):.1f}" cy="{y:.1f}" r="4"/>',
    ]
