"""The picture of the growth laws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.drawing import figure_of, save
from bench.growth.axes import REPRESENTATIVES, Curve
from bench.growth.endless import ALGORITHM, BUDGET, D, Journey

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
