"""The look of pictures, drawn by matplotlib."""

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
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
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
    """Give a figure of so many inches, and save it as a PNG in the end.

    path: the file, overwritten.
    saved: of ``Figure.savefig``.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a style file of the user's must not change a report
        matplotlib.rcParams.update(_STYLE)
        # Not pyplot: a report must not touch the state of a program that draws its own figures.
        figure = Figure(figsize=size, facecolor="white")
        FigureCanvasAgg(figure)
        yield figure
        figure.savefig(path, metadata={"Software": None}, **saved)


#: Numbers with commas, as marks of an axis.
THOUSANDS = FuncFormatter(lambda value, _: f"{value:,.0f}")


def plot(axes: Any, chart: Chart, **legend: Any) -> None:
    """Draw a chart, its title apart.

    legend: of ``Axes.legend``; above the axes, in two columns, where that says nothing else.
    """
    axes.set_xlim(*chart.across)
    axes.set_ylim(*chart.up)
    if chart.logarithmic:
        axes.set_yscale("log")
    for axis, marks in ((axes.xaxis, chart.columns(6)), (axes.yaxis, chart.levels())):
        axis.set_major_locator(FixedLocator([at for at, _ in marks]))
        axis.set_minor_locator(NullLocator())
        axis.set_ticklabels([text for _, text in marks])
    axes.grid(axis="y")
    axes.set_xlabel(chart.along)
    axes.set_ylabel(chart.upward)
    keys = {}
    for mark in chart.ordered:
        look: Any = {"color": mark.colour, "alpha": mark.alpha}
        if mark.y is None:
            key = axes.axvspan(*mark.x, linewidth=1.0, **look)
        elif mark.low is not None:
            key = axes.fill_between(
                mark.x, chart.held(mark.low), chart.held(mark.y), linewidth=0, **look
            )
        else:
            # A dash is as long as in SVG, whatever the width of the line.
            dash = (0, [one / mark.width for one in mark.dash]) if mark.dash else "-"
            look |= {"linewidth": mark.width, "linestyle": dash, "marker": "o" * mark.dots}
            (key,) = axes.plot(mark.x, mark.y, **look)
        keys[mark.name] = key
    where: Any = {"loc": "lower left", "bbox_to_anchor": (-0.01, 0.995), "ncols": 2}
    axes.legend([keys[name] for name in chart.legend], [*chart.legend], **{**where, **legend})
