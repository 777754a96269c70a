"""A comparison as text, JSON, and one sentence with the Python that does it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from firmware_sim.comparison.caps import written
from firmware_sim.comparison.program import program
from firmware_sim.comparison.run import Comparison
from firmware_sim.plaintext import counted, printable
from firmware_sim.report.files import text_of, write_each

FORMAT = 2  # of compare.json
#: An error so little above the least, in its own measure, counts as no worse.
_AS_GOOD = 1.05


def write_comparison(found: Comparison, folder: str | Path, *, picture: bool = True) -> list[Path]:
    """Write ``compare.txt``, ``compare.json`` and ``compare.png``; return them.

    Raises NotWrittenError: some of them cannot be written; those that are there are whole.
    """
    data = json.dumps(to_dict(found), indent=1, allow_nan=False)
    writers = {"compare.txt": text_of(to_text(found)), "compare.json": text_of(data + "\n")}
    if picture:
        from firmware_sim.comparison.picture import draw

        writers["compare.png"] = partial(draw, found)
    return write_each(Path(folder), writers)


def to_dict(found: Comparison) -> dict[str, Any]:
    """Return all that was found, in types strict JSON has."""
    rows = found.rows
    best = choice(found)
    return {
        "format": FORMAT,
        "complete": found.complete,
        "stream": {
            "name": rows.name,
            "features": list(rows.features),
            "rows_read": rows.read,
            "rows_used": len(rows.y),
            "rows_missing": rows.count.missing,
            "missing_by_column": dict(rows.count.missing_by_column),
            "rows_damaged": rows.count.damaged,
            "first_damage": rows.count.first_damage,
            "notes": rows.notes,
        },
        "warnings": rows.warnings,
        "gamma": rows.width.gamma,
        "gamma_reason": rows.width.reason,
        "dtype": found.config.dtype,
        "scale": found.config.scale,
        "rams": found.rams,
        "kind": rows.config.kind,
        "classes": list(rows.config.classes),
        "loss": rows.evaluator.metrics.loss_name,
        "baselines": rows.baselines,
        "choice": None if best is None else {"algorithm": best[0], "ram": best[1]},
        "runs": [one.to_dict() for one in found.outcomes],
    }


def choice(found: Comparison) -> tuple[str, int] | None:
    """Return method and cap to take: the smallest cap whose error is as good as the least."""
    cells = [
        (cell.error, ram, sum(run.seconds for run in cell.runs), name)
        for name in found.algorithms
        for ram in found.rams
        if (cell := found.cell(name, ram)).error is not None
    ]
    if not cells:
        return None
    least = min(one[0] for one in cells if one[0] is not None)
    good = [one for one in cells if one[0] is not None and one[0] <= _AS_GOOD * least]
    smallest = min(one[1] for one in good)
    _, ram, _, name = min(one for one in good if one[1] == smallest)
    return name, ram


def to_text(found: Comparison) -> str:
    """Return the table, the sentence and the Python, as text that ends with a line end."""
    rows, count, metrics = found.rows, found.rows.count, found.rows.evaluator.metrics
    left_out = f", {count.missing:,} with missing values" if count.missing else ""
    left_out += f", {count.damaged:,} damaged" if count.damaged else ""
    lines = [
        f"stream    {rows.name}: {rows.read:,} rows read, {len(rows.y):,} used{left_out}; "
        f"{counted(len(rows.features), 'reading')}",
        *([f"missing   {count.missing_words()}"] if count.missing_by_column else []),
        *(f"note      {note}" for note in rows.notes),
        *(f"WARNING   {warning}" for warning in rows.warnings),
        f"kernel    gaussian, {rows.width.reason}",
        f"storage   {_storage(found)}, scaling {found.config.scale}",
        "",
        f"{metrics.loss_name}{' in %' if metrics.shares else ''} (deviation among seeds), "
        "everything under the cap; small: does not fit, slow: took too long",
        f"{'':<20}" + "".join(f"{written(ram):>16}" for ram in found.rams),
    ]
    if not found.complete:
        lines.insert(0, "INTERRUPTED: the same command goes on where this one stopped.\n")
    for name in found.algorithms:
        cells = "".join(f"{_cell(found, name, ram):>16}" for ram in found.rams)
        lines.append(f"{name:<20}{cells}")
    lines.append("")
    for name, error in rows.baselines.items():
        lines.append(f"{name:<20}{metrics.cell(error):>16}")
    lines += ["", sentence(found)]
    best = choice(found)
    if best is not None:
        lines += ["", *program(found, *best)]
    return printable("\n".join(lines) + "\n", keep="\n")


def _storage(found: Comparison) -> str:
    """Return the storage types in words, with the methods that have another than the most."""
    by_type: dict[str, list[str]] = {}
    for name in found.algorithms:
        by_type.setdefault(found.storage(name), []).append(name)
    most, *others = sorted(by_type, key=lambda dtype: -len(by_type[dtype])) or [found.config.dtype]
    return ", ".join([most, *(f"{one} for {' and '.join(by_type[one])}" for one in others)])


def _cell(found: Comparison, name: str, ram: int) -> str:
    cell = found.cell(name, ram)
    if cell.error is None:
        return next((run.status for run in cell.runs if run.status != "done"), "-")
    shown = found.rows.evaluator.metrics.cell
    text = shown(cell.error)
    return text if cell.deviation is None else f"{text} ({shown(cell.deviation)})"


def sentence(found: Comparison) -> str:
    """Return what to take, and how it stands against the baselines."""
    best = choice(found)
    if best is None:
        if not found.complete:
            return "No method has run to the end yet: the same command goes on."
        return "No method ran to the end under these caps: give a larger --ram or --limit rows."
    name, ram = best
    error = found.cell(name, ram).error
    assert error is not None
    others = found.rows.baselines
    beaten = [other for other, loss in others.items() if error < loss]
    lost = [other for other in others if other not in beaten]
    gamma = found.rows.width.gamma
    text = f"For this stream take {name} with ram={written(ram)!r} and gamma={gamma:.4g}"
    text += f": {found.rows.evaluator.metrics.words(error)}"
    if lost:
        text += f", though {' and '.join(lost)} err{'s' if len(lost) == 1 else ''} no more"
    return f"{text}. (Chosen on the rows it is reported on.)"
