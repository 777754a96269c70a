"""The frontier as tables, pictures, and sentences on where ours is not the best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.bytes.frontier import Choice, Frontier, finished
from bench.bytes.grid import SETS, Grid, Job
from bench.bytes.picture import draw_set, draw_summary
from bench.bytes.sets import SPECS
from bench.papers.work import Cache
from bench.table import RESULTS, Report, Table

#: Ours at this size sets the error that the bytes of the others are asked for.
REFERENCE = 4096


def bytes_of(size: int) -> str:
    """A size for people."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} B"


def _cell(choice: Choice | None) -> str:
    return "-" if choice is None else f"{choice.error:.2f} {choice.name}"


def _errors(grid: Grid, frontiers: Sequence[Frontier], size: int) -> Table:
    rows = []
    for each in frontiers:
        mine = each.ours(size)
        if mine is not None:
            others = _cell(each.tuned(size)), _cell(each.hindsight(size))
            rows.append((each.data, f"{mine.error:.2f}", *others))
    return Table(
        f"{bytes_of(size)}: error in %",
        ("set", "sorf, untuned", "best other, chosen on the first rows", "best other, hindsight"),
        rows,
    )


def _needed(grid: Grid, frontiers: Sequence[Frontier]) -> Table:
    rows = []
    for each in frontiers:
        mine = each.ours(REFERENCE)
        if mine is None:
            continue
        other = each.needed(mine.error)
        need = (f"none up to {bytes_of(max(grid.sizes))}", "-") if other is None else (
            other.name, f"{bytes_of(other.nbytes)}"
        )  # fmt: skip
        rows.append((each.data, need[0], f"{mine.error:.2f}", bytes_of(mine.nbytes), need[1]))
    return Table(
        f"Bytes for the error of sorf in {bytes_of(REFERENCE)}",
        ("set", "smallest other, by hindsight", "error %", "sorf", "other"),
        rows,
        left=2,
    )


def _libraries(frontiers: Sequence[Frontier]) -> Table:
    rows = [
        (each.data, choice.name, f"{choice.error:.2f}", bytes_of(choice.nbytes))
        for each in frontiers
        for choice in each.others()
    ]
    return Table(
        "Learners of other libraries",
        ("set", "learner", "error %", "bytes measured"),
        rows,
        note="The best of the rates tried, by hindsight.",
        left=2,
    )


def losses(grid: Grid, frontiers: Sequence[Frontier]) -> list[str]:
    """A sentence a set and size where something else errs less in no more bytes."""
    said = []
    for each in frontiers:
        for size in grid.sizes:
            mine, other = each.ours(size), each.better(size)
            if mine is not None and other is not None:
                said.append(
                    f"- {each.data}, {bytes_of(size)}: {other.name} errs {other.error:.2f} % in"
                    f" {bytes_of(other.nbytes)}, ours {mine.error:.2f} %."
                )
    return said


def _sentences(grid: Grid, frontiers: Sequence[Frontier], done: int, asked: int) -> str:
    compared = won = tuned = 0
    for each in frontiers:
        for size in grid.sizes:
            mine, best, chosen = each.ours(size), each.hindsight(size), each.tuned(size)
            if mine is not None and best is not None and chosen is not None:
                compared += 1
                won += mine.error <= best.error
                tuned += mine.error <= chosen.error
    lines = [
        f"{done:,} runs of {asked:,}: {len(grid.names)} published algorithms in"
        f" {len(grid.storage)} storages, {len(grid.widths)} widths, few other settings,"
        f" at {', '.join(map(bytes_of, grid.sizes))}, the first"
        f" {grid.rows:,} rows of {len(frontiers)} sets, one pass, each row scored before it is"
        " learned. sorf is untuned, its kernel 1 / the median squared distance like everyone's. An"
        " error is the share of wrong answers; in regression the mean square over the variance of"
        " the targets.",
        "",
        f"Of {compared} comparisons of set and size, sorf errs at most as much as the best other"
        f" chosen on the first rows in {tuned}, and as the best by hindsight in {won}.",
    ]
    lost = losses(grid, frontiers)
    if lost:
        title = "Where something errs less in no more bytes, settings by hindsight:"
        lines += ["", title, "", *lost]
    return "\n".join(lines)


def write(grid: Grid, jobs: Sequence[Job], cache: Cache, folder: Path = RESULTS) -> list[Path]:
    """Writes what there is; returns the files."""
    runs = finished(jobs, cache)
    frontiers = [each for each in (Frontier(data, runs) for data in SETS) if each.runs]
    tables = [_needed(grid, frontiers), *(_errors(grid, frontiers, size) for size in grid.sizes)]
    tables.append(_libraries(frontiers))
    introduction = _sentences(grid, frontiers, len(runs), len(jobs))
    report = Report("Error against bytes", introduction, tables)
    written = report.save("bytes", folder)
    pictures = folder / "bytes"
    for each in frontiers:
        if any(each.ours(size) for size in grid.sizes):
            title = f"{each.data} ({SPECS[each.data].task})"
            written.append(draw_set(grid, each, title, pictures / f"{each.data}.png"))
    written.append(draw_summary(grid, frontiers, REFERENCE, folder / "bytes.png"))
    return written
