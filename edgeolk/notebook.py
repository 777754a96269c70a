"""A learner as notebooks show it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgeolk.learner import Learner


def table_of(learner: Learner) -> str:
    """The learner's task, size and counters as an HTML table."""
    config = learner._config
    if learner.is_regression:
        task = "regression"
    elif not config.needs_labels:
        task = "novelty"
    else:
        task = f"{learner.n_classes or 2} classes"
    rows = {
        "task": f"{task}, {learner.n_features} inputs",
        "memory": f"{learner.nbytes:,} bytes",
        "kernel": repr(learner.kernel),
        "rows learned": f"{learner.steps:,}",
        "updates": f"{learner.updates:,}",
    }
    if config.basis.keeps_vectors:
        rows["support vectors"] = f"{learner.n_support:,} of {learner.budget:,}"
    if config.needs_labels and not learner.is_regression and learner.steps:
        share = 100.0 * learner.mistakes / learner.steps
        rows["mistakes"] = f"{learner.mistakes:,} ({share:.1f} %)"
    if learner.is_regression and learner.steps:
        rows["mean absolute error"] = f"{learner.absolute_error / learner.steps:.4g}"
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption>{escape(learner.algorithm)}</caption>{cells}</table>"
