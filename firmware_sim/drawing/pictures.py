"""The look of pictures, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

# Colours that stay apart for the colour-blind (Okabe and Ito) and in grey.
LEARNER, FIRST, SECOND = "#0072B2", "#8C8C8C", "#D55E00"  # the learner and its baselines
BUFFER, SCALER, FREE, CAP = "#E69F00", "#009E73", "#E4E7EB", "#B00020"
TEXT, FAINT, GRID = "#222B36", "#6B7785", "#EDF0F3"
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
PERCENTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


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


def logarithmic(axes: Any, *, percent: bool) -> None:
    """Give an axis of losses its logarithmic scale, and marks that people can read."""
    axes.set_yscale("log")
    if percent:
        axes.yaxis.set_major_locator(FixedLocator([mark / 100 for mark in PERCENTS]))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_locator(NullLocator())
