"""A picture of the bytes that the same error needs, over all sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.bytes.frontier import Frontier
from bench.bytes.grid import Grid
from bench.drawing import figure_of, save

OURS, OTHER = "#D55E00", "#0072B2"
#: Ticks of the axis of bytes.
TICKS = {
    2**6: "64 B", 2**9: "512 B", 2**12: "4 KiB", 2**15: "32 KiB", 2**18: "256 KiB", 2**21: "2 MiB",
    2**24: "16 MiB", 2**27: "128 MiB", 2**30: "1 GiB",
}  # fmt: skip


def draw_summary(grid: Grid, frontiers: Sequence[Frontier], size: int, path: Path) -> Path:
    """Draw a line for each set: our bytes, and those of the smallest other that errs no more.

    An arrow ends beyond the largest size: nothing that was tried errs so little.
    """
    found = [(each, each.ours(size)) for each in frontiers]
    met = [(each.data, mine, each.needed(mine.error)) for each, mine in found if mine is not None]
    end = 4 * max([max(grid.sizes), *(other.nbytes for *_, other in met if other is not None)])
    rows = [
        (end if other is None else other.nbytes, data, mine, other) for data, mine, other in met
    ]
    rows.sort(key=lambda row: (row[0], row[1]))
    beyond = f"more than {max(grid.sizes) >> 10} KiB"
    figure, (axes,) = figure_of(1, 1, (8.2, 1.4 + 0.27 * len(rows)))
    for at, (need, _, mine, other) in enumerate(rows):
        colour = OURS if need >= mine.nbytes else OTHER
        axes.plot([mine.nbytes, need], [at, at], color=colour, lw=1.6, alpha=0.5)
        axes.plot([mine.nbytes], [at], "o", color=OURS, ms=6)
        axes.plot([need], [at], ">" if other is None else "s", color=OTHER, ms=6)
        less = need < mine.nbytes
        axes.annotate(
            beyond if other is None else other.name, (need, at), fontsize=8, color="#555555",
            va="center", ha="right" if less else "left",
            textcoords="offset points", xytext=(-8 if less else 8, 0),
        )  # fmt: skip
    axes.set_yticks(range(len(rows)), [f"{name}  {mine.error:.2f} %" for _, name, mine, _ in rows])
    axes.set_xscale("log", base=2)
    last = 16 * max([end, *(need for need, *_ in rows)])
    axes.set_xlim(min([size, *(need for need, *_ in rows)]) / 16, last)
    shown = {at: name for at, name in TICKS.items() if axes.get_xlim()[0] <= at <= last}
    axes.set_xticks(list(shown), list(shown.values()))
    axes.set_title("Bytes for the same error: sorf untuned (round), smallest other")
    save(figure, path)
    return path
