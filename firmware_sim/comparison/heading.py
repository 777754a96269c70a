"""The heading of a comparison."""

from __future__ import annotations

from firmware_sim.comparison.run import Comparison
from firmware_sim.plaintext import counted


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
