"""Pictures of the frontier: one a set, and the bytes that an error needs over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.bytes.frontier import Frontier
from bench.bytes.grid import Grid
from bench.bytes.others import KINDS, NEIGHBOURS
from bench.drawing import figure_of, save

OURS, TUNED, BEST, LIBRARY = "#D55E00", "#0072B2", "#56A0D3", "#8C8C8C"
MARKERS = "xdsvP"
#: How far above the worst of ours and of the published methods another learner is drawn.
TALL = 1.6
#: Ticks of the axis of bytes.
TICKS = {
    2**6: "64 B", 2**9: "512 B", 2**12: "4 KiB", 2**15: "32 KiB", 2**18: "256 KiB", 2**21: "2 MiB",
    2**24: "16 MiB", 2**27: "128 MiB", 2**30: "1 GiB",
}  # fmt: skip


def draw_set(grid: Grid, frontier: Frontier, title: str, path: Path) -> Path:
    """Error over bytes: ours, published methods chosen on first rows and by hindsight, others."""
    figure, (axes,) = figure_of(1, 1, (8.4, 4.2))
    for find, label, colour, style in (
        (frontier.hindsight, "best published, hindsight", BEST, ":"),
        (frontier.tuned, "best published, chosen on first rows", TUNED, "--"),
        (frontier.ours, "sorf, untuned", OURS, "-"),
    ):
        found = [(size, choice.error) for size in grid.sizes if (choice := find(size))]
        if found:
            sizes, errors = zip(*found, strict=True)
            axes.plot(sizes, errors, style, color=colour, marker="o", ms=4, label=label)
    drawn = [error for line in axes.lines for error in line.get_ydata()]
    top = TALL * max(drawn)
    for (kind, names), marker in zip(KINDS.items(), MARKERS, strict=True):
        found = [(choice.nbytes, choice.error) for choice in frontier.of_kind(names)]
        if not found:
            continue
        sizes, errors = zip(*found, strict=True)
        shown = [min(error, top) for error in errors]
        above = f" (up to {max(errors):.0f} %)" if max(errors) > top else ""
        axes.plot(
            sizes, shown, marker, color=LIBRARY, ms=6, label=kind + above, clip_on=False,
            ls="-" if kind == NEIGHBOURS else "", lw=1.0,
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    low, high = axes.get_xlim()
    ticks = {at: name for at, name in TICKS.items() if low <= at <= high}
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_xlabel("bytes, everything counted")
    axes.set_ylabel("error in %")
    axes.set_ylim(bottom=0.0)
    axes.set_title(title)
    axes.legend(frameon=False, fontsize=8.5, loc="center left", bbox_to_anchor=(1.02, 0.5))
    save(figure, path)
    return path


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
        colour = OURS if need >= mine.nbytes else TUNED
        axes.plot([mine.nbytes, need], [at, at], color=colour, lw=1.6, alpha=0.5)
        axes.plot([mine.nbytes], [at], "o", color=OURS, ms=6)
        axes.plot([need], [at], ">" if other is None else "s", color=TUNED, ms=6)
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
