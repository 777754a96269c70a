"""Error against memory of every method, the first of the ranking in front."""

from __future__ import annotations

import math
from pathlib import Path

from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.table import ranking, shown, written
from firmware_sim.drawing.chart import TEXT, Chart, Mark
from firmware_sim.plaintext import printable

#: Colours of the first methods of the ranking; the others are grey.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
_OTHERS = "#cdd3da"
_DASHES = ((2.0, 4.0), (8.0, 4.0), (8.0, 3.0, 2.0, 3.0), (14.0, 4.0), (1.0, 2.0))


def errors(found: Comparison) -> Chart:
    """Return the losses by cap, on logarithmic scales, between those of the baselines."""
    baselines, metrics = found.rows.baselines, found.rows.evaluator.metrics
    lines = {
        name: [(ram, e) for ram in found.rams if (e := found.cell(name, ram).error) is not None]
        for name in ranking(found)
        if name not in baselines
    }
    lines = {name: line for name, line in lines.items() if line}
    known = [error for line in lines.values() for _, error in line] + [*baselines.values()]
    above = [error for error in known if error > 0.0] or [0.01]
    # What errs more than twice as often as the worst trivial answer lies on the upper edge.
    most = 2.0 * max(baselines.values(), default=max(above))
    low, high = min(above) / 1.3, max(min(max(above) * 1.1, most), 2.0 * min(above))
    # Caps on a logarithmic scale, a little off the edges; a single one in the middle.
    at = {ram: math.log(ram) for ram in found.rams}
    off = max(0.03 * (max(at.values()) - min(at.values())), 1e-3)
    across = min(at.values()) - off, max(at.values()) + off
    marks = []
    for place, (name, line) in enumerate(lines.items()):
        points = [at[ram] for ram, _ in line], [error for _, error in line]
        if place < len(_COLOURS):
            marks.append(Mark(shown(name), _COLOURS[place], *points, dots=True))
        else:
            marks.append(Mark("the other methods", _OTHERS, *points, width=1.2))
    for place, (name, error) in enumerate(baselines.items()):
        dash = _DASHES[place % len(_DASHES)]
        marks.append(Mark(name, TEXT, across, (error, error), width=1.2, dash=dash))
    return Chart(
        "Error against memory",
        marks,
        across,
        (low, high),
        x_label="cap, bytes",
        y_label=f"{metrics.loss_name} (log scale)",
        logarithmic=True,
        percent=metrics.shares,
        x_ticks=[(place, written(ram)) for ram, place in at.items()],
    )


def draw(found: Comparison, path: Path) -> None:
    """Draw the picture of a comparison into a PNG file.

    found: what was found.
    path: the file, overwritten.
    """
    from firmware_sim.drawing.pictures import FAINT, canvas, plot  # matplotlib takes a second

    about = "rows, each predicted before it is learned; everything under the cap counts"
    with canvas(path, (11.0, 6.6), dpi=130) as figure:
        axes = figure.subplots()
        figure.subplots_adjust(left=0.08, right=0.78, bottom=0.1, top=0.86)
        title = printable(f"{found.rows.name}: error against memory")
        figure.text(0.02, 0.94, title, fontsize=16, fontweight="bold", parse_math=False)
        figure.text(0.02, 0.895, f"{len(found.rows.y):,} {about}", color=FAINT)
        where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "ncols": 1}
        plot(axes, errors(found), fontsize=10.5, **where)
