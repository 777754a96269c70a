"""The report of a comparison: what its text, JSON, page and picture show."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from firmware_sim.comparison.choice import choice, recommended, sentence, unbeaten
from firmware_sim.comparison.program import program
from firmware_sim.comparison.ranking import errors, head_lines, lasting, table
from firmware_sim.comparison.run import Comparison
from firmware_sim.drawing.document import Report, Section, split_sentence

FORMAT = 4  # of compare.json


def to_dict(found: Comparison) -> dict[str, Any]:
    """Return all results, in types of strict JSON."""
    rows = found.rows
    best, taken = choice(found), recommended(found)
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
        "forecast": found.config.forecast,
        "rows_ahead": rows.evaluator.ahead,
        "group": found.config.group,
        "baselines": rows.baselines,
        "frozen_after": found.config.frozen_after,
        "changes": rows.evaluator.changes,
        "choice": None if best is None else {"algorithm": best[0], "ram": best[1]},
        "recommended": None if taken is None else taken[0],
        "unbeaten": [] if taken is None else unbeaten(found, *taken),
        "runs": [asdict(one) for one in found.outcomes],
    }


def report_of(found: Comparison) -> Report:
    """Return the report of a comparison: ranking, recommendation and Python program."""
    best, chart, ranked = recommended(found), errors(found), table(found)
    about = "Each row is predicted before it is learned"
    if found.config.group is not None:
        about = f"Each group of {found.config.group!r} is answered by a learner of all the others"
    about += "; everything under the cap counts. Both scales are logarithmic."
    python = program(found, *best) if best else []
    headline, notes = split_sentence(sentence(found))
    early = "INTERRUPTED: these are the runs so far; run the same command again to continue."
    early, left_out = "" if found.complete else early, found.rows.left_out
    return Report(
        f"{found.rows.name}: error against memory",
        headline,
        [
            Section("", chart.title, about, {"errors": chart}),
            Section("", "Ranking", ranked.title, table=ranked),
            Section("lasting", "While it runs", lines=lasting(found)),
            Section("run", "The run", lines=head_lines(found)),
            Section("program", "In Python", lines=python),
        ],
        to_dict(found),
        " ".join(filter(None, [early, left_out])),
        alert=best is not None and bool(unbeaten(found, *best)),
        notes=notes,
        warnings=[warning for warning in found.rows.warnings if warning != left_out],
    )
