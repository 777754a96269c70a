"""Error against bytes of every method, the first of the ranking in front."""

from __future__ import annotations

import math
from pathlib import Path

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from firmware_sim.comparison.caps import written
from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.series import OTHERS, coloured, lines
from firmware_sim.comparison.table import shown as name_of
from firmware_sim.drawing.pictures import FAINT, PERCENTS, TEXT, canvas, logarithmic
from firmware_sim.plaintext import printable


def draw(found: Comparison, path: Path) -> None:
    """Draw the picture of a comparison into a PNG file.

    found: what was found.
    path: the file, overwritten.
    """
    metrics, drawn, colours = found.rows.evaluator.metrics, lines(found), coloured(found)
    with canvas(path, (11.0, 6.6), dpi=130) as figure:
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
        for name, line in drawn.items():
            if name not in colours:
                axes.plot(*zip(*line, strict=True), color=OTHERS, linewidth=1.2, zorder=1)
        for name, colour in colours.items():
            axes.plot(
                *zip(*drawn[name], strict=True),
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
        if len(drawn) > len(colours):
            axes.plot([], [], color=OTHERS, label="the other methods")
        axes.set_xscale("log")
        logarithmic(axes, percent=metrics.shares)
        axes.set_ylim(*_limits(found, [e for line in drawn.values() for _, e in line]))
        axes.xaxis.set_major_locator(FixedLocator(found.rams))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: written(int(value))))
        axes.grid(axis="y")
        axes.set_xlabel("cap, bytes")
        axes.set_ylabel(f"{metrics.loss_name} (log scale)")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=10.5)


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
