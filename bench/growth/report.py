"""From curves to the tables and the picture of the growth report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.drawing import figure_of, save
from bench.growth import endless
from bench.growth.axes import REPRESENTATIVES, Curve
from bench.growth.endless import ALGORITHM, BUDGET, D, Journey
from bench.machine import facts, sentence
from bench.table import Report, Table

COLOURS = (
    *("#0072B2", "#56B4E9", "#009E73", "#000000", "#999999"),
    *("#E69F00", "#D55E00", "#CC79A7", "#7B3294", "#8C510A"),
)
MARKERS = "osD^vP*Xph"
LOOKS = {
    one.name: {
        "color": colour,
        "marker": marker,
        "linestyle": "-" if one.power_of_budget == 1 else "--",
    }
    for one, colour, marker in zip(REPRESENTATIVES, COLOURS, MARKERS, strict=True)
}
#: A fitted exponent this much above the expected one is named in the note.
TOLERANCE = 0.15


def _table(curves: Sequence[Curve]) -> Table:
    axis = curves[0].axis
    rows = axis.key == "rows"
    header = ["algorithm", "order", "exponent at most", "fitted", *(f"{n:,}" for n in axis.sizes)]
    lines = []
    for curve in curves:
        shown = dict(zip(curve.sizes, curve.cost, strict=True))
        cells = [f"{shown[n] if rows else 1e6 * shown[n]:.4g}" if n in shown else "" for n in
                 axis.sizes]  # fmt: skip
        order = "rows" if rows else curve.one.order.replace("d", "nnz" if axis.sparse else "d")
        lines.append([curve.one.name, order, str(curve.expected), f"{curve.fitted:.2f}", *cells])
    above = [c.one.name for c in curves if c.fitted > c.expected + TOLERANCE]
    unit = "Seconds of a pass" if rows else "Microseconds of a step"
    note = f"{unit} against {axis.symbol}."
    note += f" More than {TOLERANCE} above the expected exponent: {', '.join(above) or 'none'}."
    return Table(axis.title, header, lines, note, left=2)


def make_report(groups: Sequence[Sequence[Curve]], journey: Journey | None, rounds: int) -> Report:
    """The report of one run."""
    introduction = (
        f"{sentence()}. One run of `python -m bench.growth`: {rounds} rounds, the cases"
        " interleaved; medians of processor time.\n\n![Time against size](growth.png)\n\n"
        "A step is one of `learn_many` on a full ring, normal rows, each with the label that"
        " contradicts the learner, so that nearly every step updates; float32, Gaussian kernel of"
        " width 1/d (1/non-zeros), default parameters. Passes over rows begin with an empty learner"
        " and have labels by chance. Exponents: least squares on log-log over the upper half of"
        " the sizes. An order holds for large sizes: below its expected exponent a curve still"
        " shows the parts of a step that grow more slowly, or not at all. Costs that come now and"
        " then (halvings) are spread over the steps; the change of basis of nogd, once, is outside"
        " of the steps and inside the passes."
    )
    tables = [_table(curves) for curves in groups]
    if journey is not None:
        tables.append(endless.table(journey))
    data = {
        "machine": facts(),
        "rounds": rounds,
        "curves": [
            {
                **{"axis": curve.axis.key, "algorithm": curve.one.name},
                **{"expected": curve.expected, "fitted": curve.fitted},
                **{"sizes": curve.sizes, "seconds": curve.cost},
            }
            for curves in groups
            for curve in curves
        ],
        "long_pass": None
        if journey is None
        else {**vars(journey), "exponent": journey.exponent, "growth_kib": journey.growth},
    }
    return Report("Growth", introduction, tables, data)


def _panel(axes: Any, curves: Sequence[Curve]) -> None:
    axis = curves[0].axis
    factor = 1.0 if axis.key == "rows" else 1e6
    for curve in curves:
        cost = [factor * one for one in curve.cost]
        axes.plot(curve.sizes, cost, ms=4.5, lw=1.6, label=curve.one.name, **LOOKS[curve.one.name])
    axes.set_xscale("log", base=10 if axis.key == "rows" else 2)
    axes.set_yscale("log")
    if axis.key != "rows":
        axes.set_xticks(axis.sizes, [str(size) for size in axis.sizes])
        axes.minorticks_off()
    _guides(axes, curves)
    # The panels are narrow; the table says which rows are sparse.
    axes.set_title(axis.title.replace(" a row, sparse=True", ""))
    axes.set_xlabel(axis.symbol)
    axes.set_ylabel("seconds a pass" if axis.key == "rows" else "us a step")


def _guides(axes: Any, curves: Sequence[Curve]) -> None:
    """Dotted slopes of the orders to be expected, in a strip below the curves."""
    sizes = curves[0].axis.sizes
    start, end = sizes[-5], sizes[-3]
    powers = sorted({curve.expected for curve in curves})
    bottom = 0.2 * axes.dataLim.ymin if powers == [1] else 0.15 * axes.dataLim.ymin
    for power in powers:
        top = bottom * (end / start) ** power
        axes.plot((start, end), (bottom, top), color="#6B7580", lw=1.3, ls=":")
        axes.annotate(
            f"slope {power}",
            (end, top),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color="#4A545E",
            fontsize=9,
        )


def _journey(axes: Any, journey: Journey) -> None:
    million = [rows / 1e6 for rows in journey.rows]
    axes.plot(million, journey.seconds, **LOOKS[ALGORITHM], ms=4.5, lw=1.6)
    axes.set_xlim(0, None)
    axes.set_ylim(0, 1.25 * journey.seconds[-1])
    axes.annotate(
        f"time grows with exponent {journey.exponent:.3f};\nresident memory:"
        f" {journey.resident[0]:,} KiB after the\nfirst block, then +{journey.growth} KiB",
        (0.04, 0.96),
        xycoords="axes fraction",
        va="top",
        fontsize=10,
    )
    axes.set_title(f"One pass: {ALGORITHM}, B = {BUDGET}, d = {D}")
    axes.set_xlabel("million rows")
    axes.set_ylabel("seconds of learning")


def draw(groups: Sequence[Sequence[Curve]], journey: Journey | None, path: Path) -> None:
    """A panel for each axis, and one for the long pass."""
    figure, panels = figure_of(2, 3, (13.5, 8.2))
    for axes, curves in zip(panels, groups, strict=False):
        _panel(axes, curves)
    rest = panels[len(groups) :]
    if journey is not None:
        _journey(rest.pop(0), journey)
    for axes in rest:
        axes.set_visible(False)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
    save(figure, path, colours=64)
