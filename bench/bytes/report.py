"""Tables and sentences on bytes and errors, and on where ours is not the best."""

from __future__ import annotations

from collections.abc import Sequence

from bench.bytes.frontier import Frontier
from bench.bytes.grid import Grid
from bench.table import Table

#: Ours at this size sets the error that the bytes of the others are asked for.
REFERENCE = 4096


def bytes_of(size: int) -> str:
    """A size for people."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} B"


def needed_bytes(frontiers: Sequence[Frontier]) -> Table:
    """The bytes of ours, and of the smallest other that errs no more."""
    rows = []
    for each in frontiers:
        mine = each.ours(REFERENCE)
        if mine is None:
            continue
        other = each.needed(mine.error)
        need = ("none of those tried", "-")
        if other is not None:
            need = other.name, bytes_of(other.nbytes)
        rows.append((each.data, need[0], f"{mine.error:.2f}", bytes_of(mine.nbytes), need[1]))
    return Table(
        f"Bytes for the error of sorf in {bytes_of(REFERENCE)}",
        ("set", "smallest other, by hindsight", "error %", "sorf", "other"),
        rows,
        left=2,
    )


def losses(grid: Grid, frontiers: Sequence[Frontier]) -> list[str]:
    """A sentence a set and size where something else errs less in no more bytes."""
    listing = []
    for each in frontiers:
        for size in grid.sizes:
            mine, other = each.ours(size), each.better(size)
            if mine is not None and other is not None:
                listing.append(
                    f"- {each.data}, {bytes_of(size)}: {other.name} errs {other.error:.2f} % in"
                    f" {bytes_of(other.nbytes)}, ours {mine.error:.2f} %."
                )
    return listing


def comparisons(grid: Grid, frontiers: Sequence[Frontier]) -> str:
    """In how many sets and sizes ours errs at most as much as the best published method."""
    compared = won = tuned = 0
    for each in frontiers:
        for size in grid.sizes:
            mine, best, chosen = each.ours(size), each.hindsight(size), each.tuned(size)
            if mine is not None and best is not None and chosen is not None:
                compared += 1
                won += mine.error <= best.error
                tuned += mine.error <= chosen.error
    return (
        f"Of {compared} comparisons of set and size, sorf errs at most as much as the best"
        f" published method chosen on the first rows in {tuned}, and as the best by hindsight in"
        f" {won}. Compared are the sizes of {bytes_of(min(grid.sizes))} to"
        f" {bytes_of(max(grid.sizes))} that hold both, with methods planned for that size."
    )
