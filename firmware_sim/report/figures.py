"""The figures of a report, and the tables of each kind of labels."""

from __future__ import annotations

from firmware_sim.drawing.table import Table
from firmware_sim.metrics import Metrics, Multiclass, Novelty, Prequential, Regression
from firmware_sim.metrics.formats import count, thousandths
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.anomalies import anomaly_tables
from firmware_sim.report.summary import name_of

#: Most classes with a full confusion matrix; of more, the commonest mistakes are shown.
_MAX_CLASSES = 12
_MAX_MISTAKES = 8
#: Most figures that fit side by side.
_MAX_COLUMNS = 6


def table(result: ReplayResult) -> Table:
    """Return the figures of the learner and the baselines, as rows if there are many."""
    summary = result.metrics.summary()
    names = [name_of(result, one) for one in summary]
    titled = {name: one for name, one in result.metrics.table.items() if one.title}
    cells = [
        [one.shown(figures[name]) for figures in summary.values()] for name, one in titled.items()
    ]
    titles = [one.title for one in titled.values()]
    if len(titles) > _MAX_COLUMNS:
        rows = [(title, *line) for title, line in zip(titles, cells, strict=True)]
        return Table("figures", "Figures", ("", *names), rows)
    columns = zip(*cells, strict=True)
    rows = [(name, *line) for name, line in zip(names, columns, strict=True)]
    return Table("figures", "Figures", ("prequential", *titles), rows)


def meanings(result: ReplayResult) -> list[str]:
    """Return an explanation of each figure whose title does not suffice."""
    summary = result.metrics.summary().values()
    return [
        f"{one.title}: {one.meaning}"
        for name, one in result.metrics.table.items()
        if one.meaning and any(one.shown(figures[name]) != "-" for figures in summary)
    ]


#: Most inputs that are shown, the most important ones.
_MAX_INPUTS = 12


def inputs(result: ReplayResult) -> list[tuple[str, float]]:
    """Return the most important inputs and their shares of the total."""
    ranked = sorted(result.inputs.items(), key=lambda item: -item[1])
    return ranked[:_MAX_INPUTS] if any(share > 0.0 for _, share in ranked) else []


#: Meaning of their bars.
ABOUT_INPUTS = "change of the answers when this input is shuffled among rows from the whole stream"


def tables(result: ReplayResult) -> list[Table]:
    """Return the tables of this kind of labels, besides the figures of `table`.

    result: the result of a replay.
    """
    metrics = result.metrics
    if metrics.rows == 0:
        return []
    if isinstance(metrics, Prequential):
        confusion = metrics.learner
        rows: list[tuple[str, ...]] = [
            ("+1 in the stream", count(confusion.true_positive), count(confusion.false_negative)),
            ("-1 in the stream", count(confusion.false_positive), count(confusion.true_negative)),
        ]
        return [Table("confusion", "Answers", ("", "predicted +1", "predicted -1"), rows)]
    if isinstance(metrics, Multiclass):
        return [_classes(metrics), _confusion(metrics)]
    if isinstance(metrics, Novelty):
        return anomaly_tables(metrics, result.stream.features)
    return []


def _classes(metrics: Multiclass) -> Table:
    rows = [
        (one.name, count(one.support), *map(thousandths, (one.precision, one.recall, one.f1)))
        for one in metrics.by_class()
    ]
    return Table("classes", "Classes", ("", "support", "precision", "recall", "F1"), rows)


def _confusion(metrics: Multiclass) -> Table:
    counts, names = metrics.learner.counts, metrics.names
    if len(names) <= _MAX_CLASSES:
        rows = [
            (name, *map(count, line.tolist())) for name, line in zip(names, counts, strict=True)
        ]
        title = "Answers: a row for each class of the stream, a column for each answer"
        return Table("confusion", title, ("", *names), rows)
    mistakes = sorted(
        (-int(counts[i, j]), i, j) for i, j in zip(*counts.nonzero(), strict=True) if i != j
    )
    rows = [(names[i], names[j], count(-n)) for n, i, j in mistakes[:_MAX_MISTAKES]]
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
    """Return the value of learning on the board as a sentence; empty if unknown."""
    found = result.frozen
    if found is None:
        return ""
    return (
        f"Frozen after {found.after:,} rows: {found.said} on the {found.rows:,} later rows, "
        f"against {found.learner_said} with continued learning."
    )


def inside(metrics: Metrics) -> str:
    """Return the share of targets within their intervals as a sentence; empty without intervals."""
    record = metrics.learner
    if not isinstance(metrics, Regression) or not record.intervals:
        return ""
    share = 100 * record.inside / record.intervals
    return f"{share:.1f} % of {record.intervals:,} targets fell into their interval"


def judged_by(metrics: Novelty) -> str:
    """Return how alarms were evaluated, as a phrase."""
    if not metrics.judged:
        return "no labelled windows to judge by"
    windows = metrics.learner.windows
    text = f"judged by {windows:,} labelled window{'' if windows == 1 else 's'}"
    return text + (", AUC from a sample of the rows" if metrics.sampled else "")
