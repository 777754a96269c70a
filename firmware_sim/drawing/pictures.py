"""The style of pictures, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from firmware_sim.drawing.chart import TEXT, Chart

FAINT, GRID = "#6B7785", "#EDF0F3"
_STYLE: Any = {
    "font.family": "DejaVu Sans",  # part of matplotlib: the same picture on every machine
    "font.size": 10.5,
    "text.color": TEXT,
    "axes.axisbelow": True,
    "axes.edgecolor": "#B8C0CA",
    "axes.labelcolor": FAINT,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.9,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
}


@contextmanager
def canvas(path: Path, size: tuple[float, float], **saved: Any) -> Iterator[Any]:
    """Yield a figure of a size in inches, and save it as a PNG at the end.

    path: the file, overwritten.
    saved: arguments of ``Figure.savefig``.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a style file of the user's must not change a report
        matplotlib.rcParams.update(_STYLE)
        # Not pyplot: a report must not touch the state of a program that draws its own figures.
        figure = Figure(figsize=size, facecolor="white")
        FigureCanvasAgg(figure)
        yield figure
        figure.savefig(path, metadata={"Software": None}, **saved)


#: Tick labels with thousands separators.
THOUSANDS = FuncFormatter(lambda value, _: f"{value:,.0f}")


def plot(axes: Any, chart: Chart, **legend: Any) -> None:
    """Draw a chart without its title.

    legend: arguments of ``Axes.legend``; by default above the axes, in two columns.
    """
    axes.set_xlim(*chart.x_range)
    axes.set_ylim(*chart.y_range)
    if chart.logarithmic:
        axes.set_yscale("log")
    for axis, marks in ((axes.xaxis, chart.x_tick_labels(6)), (axes.yaxis, chart.y_tick_labels())):
        axis.set_major_locator(FixedLocator([at for at, _ in marks]))
        axis.set_minor_locator(NullLocator())
        axis.set_ticklabels([text for _, text in marks])
    axes.grid(axis="y")
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    keys = {}
    for mark in chart.back_to_front:
        look: Any = {"color": mark.colour, "alpha": mark.alpha}
        if mark.y is None:
            key = axes.axvspan(*mark.x, linewidth=1.0, **look)
        elif mark.low is not None:
            key = axes.fill_between(
                mark.x, chart.clipped(mark.low), chart.clipped(mark.y), linewidth=0, **look
            )
        else:
            # matplotlib scales dashes by the line width; SVG does not.
            dash = (0, [one / mark.width for one in mark.dash]) if mark.dash else "-"
            look |= {"linewidth": mark.width, "linestyle": dash, "marker": "o" * mark.dots}
            (key,) = axes.plot(mark.x, mark.y, **look)
        keys[mark.name] = key
    where: Any = {"loc": "lower left", "bbox_to_anchor": (-0.01, 0.995), "ncols": 2}
    axes.legend([keys[name] for name in chart.legend], [*chart.legend], **{**where, **legend})
