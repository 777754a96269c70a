"""The figures of a replay as those of a record."""

from __future__ import annotations

from dataclasses import asdict

from firmware_sim.metrics import Figures, Metrics, Multiclass, Novelty, Regression
from firmware_sim.replaying.loop import ReplayResult

#: The figure of a baseline that a record has.
_OF_BASELINES = {
    "binary": "error",
    "multiclass": "error",
    "regression": "mae",
    "novelty": "auc",
}


def of_result(result: ReplayResult) -> Figures:
    """Return rows, the learner's figures, those of baselines, and what befell labels and power."""
    rows, learner, summary = result.rows, result.learner, result.metrics.summary()
    what = _OF_BASELINES[result.metrics.kind]
    out: Figures = {
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
        **{f"{who}_{what}": summary[who][what] for who in result.metrics.baselines},
    }
    if result.config.is_eventful:
        out |= {f"labels_{name}": count for name, count in asdict(result.labels).items()}
    if isinstance(result.metrics, Multiclass):
        out["classes_seen"] = sum(one.support > 0 for one in result.metrics.by_class())
    if result.power is not None:
        out |= {f"power_{name}": count for name, count in asdict(result.power).items()}
    return out


def loss_of(metrics: Metrics) -> float | None:
    """Return what is compared over boards; None where there is nothing to judge by."""
    if isinstance(metrics, Novelty):
        return metrics.loss("learner") if metrics.judged else None
    if isinstance(metrics, Regression):
        last = metrics.loss("last_value")
        return metrics.loss("learner") / last if last else None
    return metrics.mean_loss("learner")
