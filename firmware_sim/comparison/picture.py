"""Error against bytes of every method, the frontier in front."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from firmware_sim.comparison.caps import written
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.table import shown as name_of
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.plaintext import printable
from firmware_sim.report.picture import FAINT, PERCENTS, STYLE, TEXT, logarithmic

_FRONT = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")


def draw(found: Comparison, path: Path) -> None:
    """Draw the picture of a comparison into a PNG file.

    found: what was found.
    path: the file, overwritten.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(11.0, 6.6), facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        figure.subplots_adjust(left=0.08, right=0.78, bottom=0.1, top=0.86)
        title = printable(f"{found.rows.name}: error against memory")
        figure.text(0.02, 0.94, title, fontsize=16, fontweight="bold", parse_math=False)
        figure.text(
            0.02,
            0.895,
            f"{len(found.rows.y):,} rows, each predicted before it is learned; "
            "everything under the cap counts",
            color=FAINT,
        )
        lines = {
            name: [(ram, e) for ram in found.rams if (e := found.cell(name, ram).error) is not None]
            for name in found.algorithms
        }
        front = {
            min(got)[1]
            for ram in found.rams
            if (
                got := [
                    (dict(line)[ram], name) for name, line in lines.items() if ram in dict(line)
                ]
            )
        }
        shown = [name for name in lines if name in front or name == DEFAULT]
        for name, line in lines.items():
            if name not in shown and line:
                axes.plot(*zip(*line, strict=True), color="#CDD3DA", linewidth=1.2, zorder=1)
        for name, colour in zip(shown, _FRONT, strict=False):
            axes.plot(
                *zip(*lines[name], strict=True),
                color=colour,
                linewidth=2.6,
                marker="o",
                label=name_of(name),
                zorder=3,
            )
        for (name, error), dash in zip(
            found.rows.baselines.items(), (":", "--", "-."), strict=False
        ):
            axes.axhline(error, color=TEXT, linewidth=1.2, linestyle=dash, label=name, zorder=2)
        axes.plot([], [], color="#CDD3DA", label="the other methods")
        axes.set_xscale("log")
        logarithmic(axes, percent=found.rows.evaluator.metrics.shares)
        axes.set_ylim(*_limits(found, [e for line in lines.values() for _, e in line]))
        axes.xaxis.set_major_locator(FixedLocator(found.rams))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: written(int(value))))
        axes.grid(axis="y", color="#EDF0F3")
        axes.set_xlabel("cap, bytes")
        axes.set_ylabel(f"{found.rows.evaluator.metrics.loss_name} (log scale)")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
        figure.savefig(path, dpi=130, metadata={"Software": None})


def _limits(found: Comparison, errors: list[float]) -> tuple[float, float]:
    """Return the marks that enclose all errors that are no worse than twice the worst baseline."""
    known = [error for error in (*errors, *found.rows.baselines.values()) if error > 0.0] or [0.01]
    high = min(max(known), 2.0 * max(found.rows.baselines.values(), default=max(known)))
    if found.rows.evaluator.metrics.shares:
        marks = [mark / 100 for mark in PERCENTS]
    else:
        least, most = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
        marks = [step * 10.0**power for power in range(least, most + 1) for step in (1, 2, 5)]
    below = max((mark for mark in marks if mark <= min(known)), default=min(known))
    above = min((mark for mark in marks if mark >= high and mark > below), default=2.0 * below)
    return below, above
