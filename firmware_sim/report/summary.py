"""The conclusions from the figures of a replay, as sentences."""

from __future__ import annotations

from firmware_sim.metrics import Novelty
from firmware_sim.replaying.result import ReplayResult

#: Parts of the device that are drawn in the colour of the scaler.
SCALING = ("scaler", "target scaler", "repair")


def headline(result: ReplayResult) -> str:
    """Return the stream and the learner, with its parameters."""
    algorithm, params, _, _ = result.config.resolved
    shown = ", ".join(f"{name}={value}" for name, value in params.items())
    learner = algorithm + (f" ({shown})" if shown else "")
    return f"{result.stream.name}: {learner}"


def name_of(result: ReplayResult, who: str) -> str:
    """Return the name of the learner, or of a baseline, in a report."""
    return result.metrics.baselines.get(who, result.config.resolved.algorithm)


def summary_sentence(result: ReplayResult, *, counts: bool = True) -> str:
    """Return one sentence that compares the learner with the baselines."""
    metrics, algorithm = result.metrics, result.config.resolved.algorithm
    if metrics.rows == 0:
        return "No row was scored."
    if isinstance(metrics, Novelty) and not metrics.judged:
        alarms = metrics.learner.alarms
        if not alarms:
            return f"{algorithm} gave no alarm in {metrics.rows:,} rows."
        count = "1 alarm" if alarms == 1 else f"{alarms:,} alarms"
        return (
            f"{algorithm} gave {count} in {metrics.rows:,} rows; without labelled "
            "windows nothing says which of them were false."
        )
    clauses = []
    for who, name in metrics.baselines.items():
        word = "beats" if metrics.loss("learner") < metrics.loss(who) else "does not beat"
        against = metrics.shown(who).removesuffix(" wrong")
        shown = f" ({metrics.shown('learner')} against {against})" if counts else ""
        clauses.append(f"{word} {name}{shown}")
    return f"{algorithm} {' and '.join(clauses)}."


def timeline_title(result: ReplayResult) -> str:
    """Return the title of the chart over time."""
    return "Alarms over time" if isinstance(result.metrics, Novelty) else "Error over time"


def learner_size(result: ReplayResult) -> str:
    """Return the number of support vectors or frequencies, as text."""
    regions = result.layout.part("learner").regions
    if all(region.name != "support_vectors" for region in regions):
        return f"{result.learner['budget']:,} frequencies"
    return f"{result.learner['n_support']:,} of {result.learner['budget']:,} support vectors"
