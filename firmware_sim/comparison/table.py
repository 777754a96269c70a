"""The words of a comparison: its heading, its ranking as a table, what lasts."""

from __future__ import annotations

import math

from firmware_sim.comparison.run import Comparison
from firmware_sim.comparison.work import DEFAULT
from firmware_sim.configuration.choices import RECOMMENDED
from firmware_sim.drawing.table import Table
from firmware_sim.plaintext import counted


def written(ram: int) -> str:
    """Return a cap in KiB where it is a whole number of them, else in bytes."""
    return f"{ram // 1024}KiB" if ram % 1024 == 0 else f"{ram}B"


def shown(name: str) -> str:
    """Return what a method is called in a report."""
    return f"{DEFAULT} ({RECOMMENDED})" if name == DEFAULT else name


def head_lines(found: Comparison) -> list[str]:
    """Return the stream, what was left out of it, the kernel and the storage."""
    rows, count = found.rows, found.rows.count
    left_out = f", {count.missing:,} with missing values" if count.missing else ""
    left_out += f", {count.damaged:,} damaged" if count.damaged else ""
    return [
        f"stream    {rows.name}: {rows.read:,} rows read, {len(rows.y):,} used{left_out}; "
        f"{counted(len(rows.features), 'reading')}",
        *([f"missing   {count.missing_words()}"] if count.missing_by_column else []),
        *(f"note      {note}" for note in rows.notes),
        *(f"WARNING   {warning}" for warning in rows.warnings),
        f"kernel    gaussian, {rows.width.reason}",
        f"storage   {_storage(found)}, scaling {found.config.scale}",
    ]


def _storage(found: Comparison) -> str:
    """Return the storage types in words, with the methods that have another than the most."""
    by_type: dict[str, list[str]] = {}
    for name in found.algorithms:
        by_type.setdefault(found.storage(name), []).append(name)
    most, *others = sorted(by_type, key=lambda dtype: -len(by_type[dtype])) or [found.config.dtype]
    return ", ".join([most, *(f"{one} for {' and '.join(by_type[one])}" for one in others)])


def ranking(found: Comparison) -> list[str]:
    """Return the default, then methods and baselines by their error under the largest cap."""
    baselines, names = found.rows.baselines, found.algorithms
    first = [name for name in names if name == DEFAULT]
    rank: dict[str, list[float]] = {name: [loss] for name, loss in baselines.items()}
    for name in names:
        errors = [found.cell(name, ram).error for ram in reversed(found.rams)]
        rank[name] = [math.inf if error is None else error for error in errors]
    return [*first, *sorted((name for name in rank if name not in first), key=rank.__getitem__)]


def cells_of(found: Comparison, name: str) -> list[str]:
    """Return the cells of a method or a baseline, one for each cap."""
    if name in found.rows.baselines:
        return [found.rows.evaluator.metrics.cell(found.rows.baselines[name])] * len(found.rams)
    return [_cell(found, name, ram) for ram in found.rams]


def _cell(found: Comparison, name: str, ram: int) -> str:
    cell = found.cell(name, ram)
    if cell.error is None:
        return next((run.status for run in cell.runs if run.status != "done"), "-")
    words = found.rows.evaluator.metrics.cell
    text = words(cell.error)
    return text if cell.deviation is None else f"{text} ({words(cell.deviation)})"


def legend(found: Comparison) -> str:
    """Return what the numbers are."""
    metrics = found.rows.evaluator.metrics
    return (
        f"{metrics.loss_name}{' in %' if metrics.shares else ''} (deviation among seeds), "
        "everything under the cap; small: does not fit, slow: took too long"
    )


def lasting(found: Comparison) -> list[str]:
    """Return a line for each cap: what the default is worth frozen, and how it recovers."""
    lines, words = [], found.rows.evaluator.metrics.words
    for ram in found.rams:
        losses = found.cell(DEFAULT, ram).frozen
        if losses:
            still, going = map(words, losses)
            lines.append(
                f"frozen    the default in {written(ram)} after {found.config.frozen_after:,} rows:"
                f" {still} behind them; learning on: {going}"
            )
    for name in found.algorithms:
        for ram in found.rams:
            rows = found.cell(name, ram).recovery
            if rows:
                said = ", ".join("never" if n is None else f"{n:,.0f}" for n in rows)
                lines.append(f"recovery  {shown(name)} in {written(ram)}: {said} rows")
    return lines


def table(found: Comparison) -> Table:
    """Return the ranking with a column for each cap."""
    head = ("", *(written(ram) for ram in found.rams))
    rows = [(shown(name), *cells_of(found, name)) for name in ranking(found)]
    return Table("ranking", legend(found), head, rows)
