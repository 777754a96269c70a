"""The figures of a report, and the tables of each kind of labels."""

from __future__ import annotations

from firmware_sim.drawing.table import Table
from firmware_sim.metrics import Metrics, Multiclass, Novelty, Prequential, Regression
from firmware_sim.metrics.formats import count, thousandths
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.oddities import oddity_tables
from firmware_sim.report.verdict import name_of

#: Classes whose confusion is shown whole in text; of more, the commonest mistakes.
_WHOLE = 12
_MISTAKES = 8
#: Figures that find room beside each other.
_ABREAST = 6


def table(result: ReplayResult) -> Table:
    """Return the figures of the learner and the baselines; many of them lie on their side."""
    summary = result.metrics.summary()
    who = [name_of(result, one) for one in summary]
    told = {name: one for name, one in result.metrics.table.items() if one.title}
    cells = [[one.shown(own[name]) for own in summary.values()] for name, one in told.items()]
    titles = [one.title for one in told.values()]
    if len(titles) > _ABREAST:
        rows = [(title, *line) for title, line in zip(titles, cells, strict=True)]
        return Table("figures", "Figures", ("", *who), rows)
    turned = zip(*cells, strict=True)
    rows = [(name, *line) for name, line in zip(who, turned, strict=True)]
    return Table("figures", "Figures", ("prequential", *titles), rows)


def meanings(result: ReplayResult) -> list[str]:
    """Return a line for each figure there is that is not plain from its title."""
    summary = result.metrics.summary().values()
    return [
        f"{one.title}: {one.meaning}"
        for name, one in result.metrics.table.items()
        if one.meaning and any(one.shown(own[name]) != "-" for own in summary)
    ]


#: Inputs that are shown; of more, those that matter most.
_INPUTS = 12


def inputs(result: ReplayResult) -> list[tuple[str, float]]:
    """Return the inputs that matter most, and how much: shares of all."""
    ranked = sorted(result.inputs.items(), key=lambda item: -item[1])
    return ranked[:_INPUTS] if any(share > 0.0 for _, share in ranked) else []


#: What their bars are.
ABOUT_INPUTS = "change of the answers when this input is shuffled among rows from the whole stream"


def tables(result: ReplayResult) -> list[Table]:
    """Return what a kind of labels has beside the figures that all learners are held to.

    result: what a replay returned.
    """
    metrics = result.metrics
    if metrics.rows == 0:
        return []
    if isinstance(metrics, Prequential):
        told = metrics.learner
        rows: list[tuple[str, ...]] = [
            ("+1 in the stream", count(told.true_positive), count(told.false_negative)),
            ("-1 in the stream", count(told.false_positive), count(told.true_negative)),
        ]
        return [Table("confusion", "Answers", ("", "predicted +1", "predicted -1"), rows)]
    if isinstance(metrics, Multiclass):
        return [_classes(metrics), _confusion(metrics)]
    if isinstance(metrics, Novelty):
        return oddity_tables(metrics, result.stream.features)
    return []


def _classes(metrics: Multiclass) -> Table:
    rows = [
        (one.name, count(one.support), *map(thousandths, (one.precision, one.recall, one.f1)))
        for one in metrics.by_class()
    ]
    return Table("classes", "Classes", ("", "support", "precision", "recall", "F1"), rows)


def _confusion(metrics: Multiclass) -> Table:
    counts, names = metrics.learner.counts, metrics.names
    if len(names) <= _WHOLE:
        rows = [
            (name, *map(count, line.tolist())) for name, line in zip(names, counts, strict=True)
        ]
        title = "Answers: a row for each class of the stream, a column for each answer"
        return Table("confusion", title, ("", *names), rows)
    mistakes = sorted(
        (-int(counts[i, j]), i, j) for i, j in zip(*counts.nonzero(), strict=True) if i != j
    )
    rows = [(names[i], names[j], count(-n)) for n, i, j in mistakes[:_MISTAKES]]
    return Table("confusion", "Commonest mistakes", ("in the stream", "answered", "rows"), rows)


def in_short(result: ReplayResult) -> str:
    """Return the learner's figures in one line."""
    summary = result.metrics.summary()["learner"]
    return ", ".join(
        f"{one.title} {one.shown(summary[name])}"
        for name, one in result.metrics.table.items()
        if one.title and summary[name] is not None
    )


def frozen(result: ReplayResult) -> str:
    """Return what learning on the board was worth, in words; "" where that is not known."""
    found = result.frozen
    if found is None:
        return ""
    return (
        f"Frozen after {found.after:,} rows: {found.said} on the {found.rows:,} later rows, "
        f"against {found.learner_said} with continued learning."
    )


def inside(metrics: Metrics) -> str:
    """Return how many targets fell into their intervals, in words; "" where there were none."""
    held = metrics.learner
    if not isinstance(metrics, Regression) or not held.intervals:
        return ""
    share = 100 * held.inside / held.intervals
    return f"{share:.1f} % of {held.intervals:,} targets fell into their interval"


def judged_by(metrics: Novelty) -> str:
    """Return what alarms were held against, in words."""
    if not metrics.judged:
        return "no labelled windows to judge by"
    windows = metrics.learner.windows
    text = f"judged by {windows:,} labelled window{'' if windows == 1 else 's'}"
    return text + (", AUC from a sample of the rows" if metrics.sampled else "")
