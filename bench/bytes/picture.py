"""Pictures of the frontier: one a set, and the bytes that an error needs over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.bytes.frontier import Frontier
from bench.bytes.grid import Grid
from bench.memory.style import figure_of, save

OURS, TUNED, BEST, LIBRARY = "#D55E00", "#0072B2", "#56A0D3", "#8C8C8C"
#: Ticks of the axis of bytes.
TICKS = {
    2**9: "512 B", 2**12: "4 KiB", 2**15: "32 KiB", 2**18: "256 KiB", 2**21: "2 MiB",
    2**24: "16 MiB", 2**27: "128 MiB",
}  # fmt: skip


def draw_set(grid: Grid, frontier: Frontier, title: str, path: Path) -> Path:
    """Error over bytes: ours, the others chosen on the first rows and by hindsight, libraries."""
    figure, (axes,) = figure_of(1, 1, (6.4, 4.2))
    for find, label, colour, style in (
        (frontier.hindsight, "best published, hindsight", BEST, ":"),
        (frontier.tuned, "best published, chosen on first rows", TUNED, "--"),
        (frontier.ours, "sorf, untuned", OURS, "-"),
    ):
        found = [(size, choice.error) for size in grid.sizes if (choice := find(size))]
        if found:
            sizes, errors = zip(*found, strict=True)
            axes.plot(sizes, errors, style, color=colour, marker="o", ms=4, label=label)
    for choice in frontier.others():
        axes.plot([choice.nbytes], [choice.error], "x", color=LIBRARY)
        axes.annotate(
            choice.name, (choice.nbytes, choice.error), fontsize=7.5, color=LIBRARY,
            textcoords="offset points", xytext=(4, 3),
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xlabel("bytes, everything counted")
    axes.set_ylabel("error in %")
    axes.set_ylim(bottom=0.0)
    axes.set_title(title)
    axes.legend(frameon=False, fontsize=8.5)
    save(figure, path)
    return path


def draw_summary(grid: Grid, frontiers: Sequence[Frontier], size: int, path: Path) -> Path:
    """Draw a line for each set: our bytes, and those of the smallest other that errs no more.

    An arrow ends beyond the largest size that published algorithms were given.
    """
    rows = []
    end = 2 * max(grid.sizes)
    for each in frontiers:
        mine = each.ours(size)
        if mine is not None:
            other = each.needed(mine.error)
            rows.append((end if other is None else other.nbytes, each.data, mine, other))
    rows.sort(key=lambda row: (row[0], row[1]))
    figure, (axes,) = figure_of(1, 1, (8.2, 1.4 + 0.27 * len(rows)))
    for at, (need, _, mine, other) in enumerate(rows):
        colour = OURS if need >= mine.nbytes else TUNED
        axes.plot([mine.nbytes, need], [at, at], color=colour, lw=1.6, alpha=0.5)
        axes.plot([mine.nbytes], [at], "o", color=OURS, ms=6)
        axes.plot([need], [at], ">" if other is None else "s", color=TUNED, ms=6)
        said = f"none up to {max(grid.sizes) >> 10} KiB" if other is None else other.name
        axes.annotate(
            said, (need, at), fontsize=8, color="#555555", va="center",
            textcoords="offset points", xytext=(8, 0),
        )  # fmt: skip
    axes.set_yticks(range(len(rows)), [f"{name}  {mine.error:.2f} %" for _, name, mine, _ in rows])
    axes.set_xscale("log", base=2)
    last = 16 * max([end, *(need for need, *_ in rows)])
    axes.set_xlim(256, last)
    shown = {at: name for at, name in TICKS.items() if at <= last}
    axes.set_xticks(list(shown), list(shown.values()))
    axes.set_title("Bytes for the same error: sorf untuned (round), best tuned other")
    save(figure, path)
    return path
