"""The figures of a record: those of a replay."""

from __future__ import annotations

from dataclasses import asdict

from firmware_sim.metrics import Figures
from firmware_sim.metrics.base import finite
from firmware_sim.replaying.result import ReplayResult


def figures_of(result: ReplayResult) -> Figures:
    """Return rows, the learner's figures, of each baseline the first one, labels and power."""
    rows, metrics, learner = result.rows, result.metrics, result.learner
    summary, first = metrics.summary(), next(iter(metrics.table))
    out = finite(
        {
            "rows_read": rows.read,
            "rows_missing": rows.missing,
            "rows_damaged": rows.damaged,
            "rows_repaired": rows.repaired,
            "rows_used": rows.used,
            **summary["learner"],
            "rows_refused": rows.refused,
            "budget": learner["budget"],
            "nbytes": result.layout.end,
            "n_support": learner["n_support"],
            "updates": learner["updates"],
            "drift_alarms": learner["alarms"],
            **{f"{who}_{first}": summary[who][first] for who in metrics.baselines},
        }
    )
    if result.config.is_eventful:
        out |= {f"labels_{name}": count for name, count in asdict(result.labels).items()}
    if result.power is not None:
        out |= {f"power_{name}": count for name, count in asdict(result.power).items()}
    return out
