"""The figures of a record: those of a replay, whichever way its rows were learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from firmware_sim.metrics import Figures, Metrics
from firmware_sim.metrics.base import finite
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.replaying.rows import RowCount


def figures_of(
    rows: RowCount, metrics: Metrics, learner: Mapping[str, int], nbytes: int
) -> Figures:
    """Return rows, the learner's figures, and of each baseline the first one.

    rows: what became of the rows.
    metrics: what was counted.
    learner: the learner's counters.
    nbytes: bytes under the cap that are used.
    """
    summary, first = metrics.summary(), next(iter(metrics.table))
    return finite(
        {
            "rows_read": rows.read,
            "rows_missing": rows.missing,
            "rows_damaged": rows.damaged,
            "rows_repaired": rows.repaired,
            "rows_used": rows.used,
            **summary["learner"],
            "rows_refused": rows.refused,
            "budget": learner["budget"],
            "nbytes": nbytes,
            "n_support": learner["n_support"],
            "updates": learner["updates"],
            "drift_alarms": learner["alarms"],
            **{f"{who}_{first}": summary[who][first] for who in metrics.baselines},
        }
    )


def of_result(result: ReplayResult) -> Figures:
    """Return the figures of a replay, and what befell its labels and its power."""
    out = figures_of(result.rows, result.metrics, result.learner, result.layout.end)
    if result.config.is_eventful:
        out |= {f"labels_{name}": count for name, count in asdict(result.labels).items()}
    if result.power is not None:
        out |= {f"power_{name}": count for name, count in asdict(result.power).items()}
    return out
