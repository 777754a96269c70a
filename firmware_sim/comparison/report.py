"""The report of a comparison: text, JSON, and an HTML page without scripts or network access."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from firmware_sim.comparison.choice import choice, program, sentence, unbeaten
from firmware_sim.comparison.ranking import draw, errors, head_lines, lasting, table
from firmware_sim.comparison.run import Comparison
from firmware_sim.drawing.chart import charted
from firmware_sim.drawing.document import document, drawn, lines_of, paragraph, section
from firmware_sim.plaintext import printable
from firmware_sim.report.writing import Contents, write_each

FORMAT = 4  # of compare.json


def write_comparison(found: Comparison, folder: str | Path, *, picture: bool = True) -> list[Path]:
    """Write ``compare.txt``, ``.json``, ``.html`` and ``.png``; return them.

    Raises NotWrittenError: some of them cannot be written; the others are complete.
    """
    contents: Contents = {
        "compare.txt": to_text(found),
        "compare.json": to_dict(found),
        "compare.html": to_page(found),
    }
    if picture:
        contents["compare.png"] = partial(draw, found)
    return write_each(Path(folder), contents)


def to_dict(found: Comparison) -> dict[str, Any]:
    """Return all results, in types of strict JSON."""
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
        "dtype": found.config.dtype or None,
        "storage": {name: found.storage(name) for name in found.algorithms},
        "scale": found.config.scale,
        "rams": found.rams,
        "kind": rows.config.resolved.kind,
        "classes": list(rows.config.classes),
        "loss": rows.evaluator.metrics.loss_name,
        "baselines": rows.baselines,
        "frozen_after": found.config.frozen_after,
        "changes": rows.evaluator.changes,
        "choice": None if best is None else {"algorithm": best[0], "ram": best[1]},
        "unbeaten": [] if best is None else unbeaten(found, *best),
        "runs": [asdict(one) for one in found.outcomes],
    }


def to_text(found: Comparison) -> str:
    """Return ranking, recommendation and Python program as text, with a final newline."""
    ranked, best = table(found), choice(found)
    parts = [
        head_lines(found),
        [ranked.title, *ranked.to_lines()],
        lasting(found),
        [sentence(found)],
        program(found, *best) if best else [],
    ]
    early = "" if found.complete else "INTERRUPTED: run the same command again to continue.\n\n"
    text = "\n\n".join("\n".join(lines) for lines in parts if lines)
    return printable(f"{early}{text}\n", keep="\n")


def to_page(found: Comparison) -> str:
    """Return the page."""
    best, chart, ranked = choice(found), errors(found), table(found)
    about = (
        "Each row is predicted before it is learned; everything under the cap counts. Both scales "
        "are logarithmic."
    )
    return document(
        f"{found.rows.name}: error against memory",
        "",
        sentence(found),
        *(paragraph(text, "warn") for text in found.rows.warnings),
        section(chart.title, paragraph(about, "faint"), f'<div id="errors">{charted(chart)}</div>'),
        section("Ranking", paragraph(f"{ranked.title}.", "faint"), drawn(ranked)),
        section("While it runs", lines_of("lasting", lasting(found))),
        section("In Python", lines_of("program", program(found, *best) if best else ())),
        section("The run", lines_of("run", head_lines(found))),
        early="" if found.complete else "interrupted: these are the runs so far.",
    )
