"""The frontier as tables, pictures, and sentences on where ours is not the best."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from bench.bytes import offline
from bench.bytes.frontier import Frontier, Run, finished
from bench.bytes.grid import SETS, Grid, Job
from bench.bytes.others import KINDS
from bench.bytes.picture import draw_set, draw_summary
from bench.bytes.sets import SPECS
from bench.cache import Cache
from bench.table import RESULTS, Report, Table

#: Tasks for people.
TASKS = {"two": "two classes", "classes": "several classes", "regression": "real targets"}
#: Ours at this size sets the error that the bytes of the others are asked for.
REFERENCE = 4096
#: Storage and coefficients with which the others are compared.
PLAIN = ("float32", "float64")


def bytes_of(size: int) -> str:
    """A size for people."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} B"


def _cell(choice: Run | None) -> str:
    return "-" if choice is None else f"{choice.error:.2f} {choice.name}"


def _median(shares: Sequence[float]) -> str:
    return f"{statistics.median(shares):.2f} ({len(shares)})" if shares else "-"


def _errors(grid: Grid, frontiers: Sequence[Frontier], size: int) -> Table:
    rows = []
    for each in frontiers:
        mine = each.ours(size)
        if mine is not None:
            others = _cell(each.tuned(size)), _cell(each.hindsight(size))
            rows.append((each.data, f"{mine.error:.2f}", *others))
    return Table(
        f"{bytes_of(size)}: error in %",
        (
            *("set", "sorf, untuned"),
            *("best published, chosen on the first rows", "best published, hindsight"),
        ),
        rows,
    )


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


def _algorithms(grid: Grid, frontiers: Sequence[Frontier]) -> Table:
    shares: dict[tuple[str, int], list[float]] = {}
    for each in frontiers:
        for size in grid.sizes:
            mine = each.ours(size)
            if mine is not None and mine.error > 0.0:
                for name, choice in each.of_each(size, lambda job: job.name).items():
                    shares.setdefault((name, size), []).append(choice.error / mine.error)
    rows = [
        (name, *(_median(shares.get((name, size), ())) for size in grid.sizes))
        for name in grid.names
    ]
    return Table(
        "Every algorithm: its error as a multiple of sorf's",
        ("algorithm", *map(bytes_of, grid.sizes)),
        rows,
        note="Median over the sets that the algorithm can learn, and their number; storage, width"
        " and parameters chosen on the first rows of each.",
    )


def _storages(grid: Grid, frontiers: Sequence[Frontier]) -> Table:
    def of(job: Job) -> tuple[str, tuple[str, str]]:
        return job.name, (job.dtype, job.coefficients)

    shares: dict[tuple[tuple[str, str], int], list[float]] = {}
    for each in frontiers:
        for size in grid.sizes:
            found = each.of_each(size, of)
            for (name, storage), choice in found.items():
                plain = found.get((name, PLAIN))
                if plain is not None and plain.error > 0.0:
                    shares.setdefault((storage, size), []).append(choice.error / plain.error)
    rows = [
        (*storage, *(_median(shares.get((storage, size), ())) for size in grid.sizes))
        for storage in grid.storage
    ]
    return Table(
        f"Storage and coefficients: error as a multiple of that with {' and '.join(PLAIN)}",
        ("vectors", "coefficients", *map(bytes_of, grid.sizes)),
        rows,
        note="In the same bytes: narrower numbers leave room for more of them. Median over"
        " algorithms and sets, and their number; width and parameters chosen on the first rows.",
        left=2,
    )


def _others(frontiers: Sequence[Frontier]) -> Table:
    def cell(choices: Sequence[Run]) -> str:
        best = min(choices, key=lambda choice: choice.error, default=None)
        return "-" if best is None else f"{best.error:.2f} in {bytes_of(best.nbytes)}"

    rows = [
        (each.data, *(cell(each.of_kind(names)) for names in KINDS.values())) for each in frontiers
    ]
    return Table(
        "Other learners: error in %, and bytes as measured",
        ("set", *KINDS),
        rows,
        note="The best of the settings tried, by hindsight: rates of the linear learners; 1 or 5"
        " neighbours among the last rows that fit in 4, 16, 64 or 256 KiB, or among all. Linear:"
        " the best of Vowpal Wabbit, scikit-learn and river. Bytes of river's learners are those of"
        " its Python objects, of scikit-learn's of the pickled model; the same trees in C would"
        " take less.",
    )


def kinds(frontiers: Sequence[Frontier]) -> list[str]:
    """A sentence a kind of other learner: where it errs no more than ours, and in what bytes."""
    listing = []
    for kind, names in KINDS.items():
        met = [each for each in frontiers if each.of_kind(names) and each.ours(REFERENCE)]
        if not met:
            continue
        places = []
        for each in met:
            mine = each.ours(REFERENCE)
            found = each.needed(mine.error, names) if mine is not None else None
            if found is not None:
                places.append(f"{each.data} ({found.error:.2f} % in {bytes_of(found.nbytes)})")
        listed = f": {', '.join(places)}" if places else ""
        listing.append(f"- {kind}: {len(places)} of {len(met)} sets{listed}.")
    return listing


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
        f" {won}."
    )


def _sentences(grid: Grid, frontiers: Sequence[Frontier], runs: str) -> str:
    lines = [
        f"{runs}: {len(grid.names)} published algorithms in"
        f" {len(grid.storage)} storages, {len(grid.widths)} widths, few other settings,"
        f" at {', '.join(map(bytes_of, grid.sizes))}, the first"
        f" {grid.rows:,} rows of {len(frontiers)} sets, one pass, each row scored before it is"
        " learned. sorf is untuned, its kernel 1 / the median squared distance like everyone's. An"
        " error is the share of wrong answers; in regression the mean square over the variance of"
        " the targets.",
        "",
        comparisons(grid, frontiers),
    ]
    elsewhere = kinds(frontiers)
    if elsewhere:
        title = f"Others that err at most as much as sorf in {bytes_of(REFERENCE)}, by hindsight:"
        lines += ["", title, "", *elsewhere]
    lost = losses(grid, frontiers)
    if lost:
        title = "Where something errs less in no more bytes, settings by hindsight:"
        lines += ["", title, "", *lost]
    return "\n".join(lines)


def write(grid: Grid, jobs: Sequence[Job], cache: Cache, folder: Path = RESULTS) -> list[Path]:
    """Writes what there is; returns the files."""
    runs = finished(jobs, cache)
    frontiers = [each for each in (Frontier(data, runs) for data in SETS) if each.runs]
    tables = [needed_bytes(frontiers), *(_errors(grid, frontiers, size) for size in grid.sizes)]
    tables += [_algorithms(grid, frontiers), _storages(grid, frontiers), _others(frontiers)]
    compact = offline.table(cache)
    if compact is not None:
        tables.append(compact)
    refused = sum("refused" in (cache.get(job.key) or {}) for job in jobs)
    done = f"{len(runs):,} runs of {len(jobs):,} ({refused:,} more do not fit in their bytes)"
    introduction = _sentences(grid, frontiers, done)
    report = Report("Error against bytes", introduction, tables)
    written = report.save("bytes", folder)
    pictures = folder / "bytes"
    for each in frontiers:
        if any(each.ours(size) for size in grid.sizes):
            title = f"{each.data}, {TASKS[SPECS[each.data].task]}"
            written.append(draw_set(grid, each, title, pictures / f"{each.data}.png"))
    written.append(draw_summary(grid, frontiers, REFERENCE, folder / "bytes.png"))
    return written
