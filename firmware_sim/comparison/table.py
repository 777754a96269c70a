"""The words of a comparison: its heading, its ranking as a table, what lasts."""

from __future__ import annotations

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
    commonest, *others = sorted(by_type, key=lambda dtype: -len(by_type[dtype])) or [
        found.storage(DEFAULT)
    ]
    return ", ".join([commonest, *(f"{one} for {' and '.join(by_type[one])}" for one in others)])


def ranking(found: Comparison) -> list[str]:
    """Return the default, then methods and baselines by their error under the largest cap."""
    names = found.algorithms
    others = [name for name in (*found.rows.baselines, *names) if name != DEFAULT]
    return [*(name for name in names if name == DEFAULT), *sorted(others, key=found.rank)]


def table(found: Comparison) -> Table:
    """Return the ranking with a column for each cap."""
    metrics = found.rows.evaluator.metrics
    title = (
        f"{metrics.loss_name}{' in %' if metrics.shares else ''} (deviation among seeds), "
        "everything under the cap; small: does not fit, slow: took too long"
    )
    rows = [
        (shown(name), *(_cell(found, name, ram) for ram in found.rams)) for name in ranking(found)
    ]
    return Table("ranking", title, ("", *map(written, found.rams)), rows)


def _cell(found: Comparison, name: str, ram: int) -> str:
    words, cell = found.rows.evaluator.metrics.cell, found.cell(name, ram)
    if name in found.rows.baselines:
        return words(found.rows.baselines[name])
    if cell.error is None:
        return next((run.status for run in cell.runs if run.status != "done"), "-")
    deviation = "" if cell.deviation is None else f" ({words(cell.deviation)})"
    return words(cell.error) + deviation


def lasting(found: Comparison) -> list[str]:
    """Return a line for each cap: what the default is worth frozen, and how it recovers."""
    lines, words = [], found.rows.evaluator.metrics.words
    for ram in found.rams:
        losses = found.cell(DEFAULT, ram).means("frozen")
        if losses:
            still, going = map(words, losses)
            lines.append(
                f"frozen    the default in {written(ram)} after {found.config.frozen_after:,} rows:"
                f" {still} behind them; learning on: {going}"
            )
    for name in found.algorithms:
        for ram in found.rams:
            rows = found.cell(name, ram).means("recovery")
            if rows:
                listing = ", ".join("never" if n is None else f"{n:,.0f}" for n in rows)
                lines.append(f"recovery  {shown(name)} in {written(ram)}: {listing} rows")
    return lines
