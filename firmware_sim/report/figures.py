"""The figures of a report as tables and sentences, for each kind of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from firmware_sim.drawing.document import Table
from firmware_sim.metrics import Metrics, Multiclass, Novelty, Prequential, Regression
from firmware_sim.metrics.anomalies import Alarm, Anomaly
from firmware_sim.metrics.base import count, short, thousandths
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.summary import name_of
from firmware_sim.tasks.adapters import unpack_reason

#: Most classes with a full confusion matrix; of more, the commonest mistakes are shown.
_MAX_CLASSES = 12
_MAX_MISTAKES = 8
#: Most figures that fit side by side.
_MAX_COLUMNS = 6
#: Most inputs that are shown, the most important ones.
_MAX_INPUTS = 12
#: Meaning of the bars of the inputs.
ABOUT_INPUTS = "change of the answers when this input is shuffled among rows from the whole stream"
#: Most alarms of the table, most readings of a row.
MAX_ALARMS, MAX_READINGS = 30, 3


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


def inputs(result: ReplayResult) -> list[tuple[str, float]]:
    """Return the most important inputs and their shares of the total."""
    ranked = sorted(result.inputs.items(), key=lambda item: -item[1])
    return ranked[:_MAX_INPUTS] if any(share > 0.0 for _, share in ranked) else []


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
    return f"{share:.1f} % of {record.intervals:,} targets fell into their interval."


def judged_by(metrics: Metrics) -> str:
    """Return how alarms were evaluated, as a sentence; empty if they were not."""
    if not isinstance(metrics, Novelty) or not metrics.judged:
        return ""
    windows = metrics.learner.windows
    text = f"Judged by {windows:,} labelled window{'' if windows == 1 else 's'}"
    return text + (", AUC from a sample of the rows." if metrics.sampled else ".")


def anomaly_tables(metrics: Novelty, names: Sequence[str]) -> list[Table]:
    """Return the alarms with their reasons, and the most novel rows with their readings."""
    anomalies = metrics.anomalies
    shown = anomalies.alarms[:MAX_ALARMS]
    many = "" if len(shown) == len(anomalies.alarms) else f": the first {len(shown)}"
    alarms: list[tuple[str, ...]] = [
        (_rows(alarm), moment(alarm.strongest.seconds), reason(alarm.strongest, names))
        for alarm in shown
    ]
    most_anomalous: list[tuple[str, ...]] = [
        (f"{top.row:,}", moment(top.seconds), short(top.novelty), reason(top, names),
         readings(top, names))
        for top in anomalies.oddest
    ]  # fmt: skip
    first = ("rows", "time of the most anomalous", "reason")
    head = ("row", "time", "score", "reason", "readings furthest off")
    tables = [
        Table("alarms", f"Alarms{many}", first, alarms, sentences=first[1:]),
        Table(
            *("anomalies", "The most anomalous rows", head, most_anomalous),
            sentences=head[1:2] + head[3:],
            stacked=True,
        ),
    ]
    return [table for table in tables if table.rows]


def _rows(alarm: Alarm) -> str:
    last = "" if alarm.first == alarm.last else f" to {alarm.last:,}"
    return f"{alarm.first:,}{last}"


def moment(seconds: float) -> str:
    """Return a time of the stream as date and time; a dash if unknown."""
    if not math.isfinite(seconds):
        return "-"
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return f"{seconds:g} s"


def furthest(anomaly: Anomaly) -> list[int]:
    """Return the indices of the readings that are furthest from their means."""
    z_scores = anomaly.deviations.z_scores
    order = sorted(range(len(z_scores)), key=lambda slot: -abs(z_scores[slot]))
    return [slot for slot in order if z_scores[slot] != 0.0][:MAX_READINGS]


def readings(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return the readings that are furthest from their means, with their deviations."""
    values, z_scores = anomaly.deviations.readings, anomaly.deviations.z_scores
    return ", ".join(
        f"{names[slot]} {short(values[slot])} ({z_scores[slot]:+.1f} sd)"
        for slot in furthest(anomaly)
    )


def reason(anomaly: Anomaly, names: Sequence[str]) -> str:
    """Return why a row is novel, such as "CO2: flat line for 40 rows"."""
    why = unpack_reason(anomaly.reason)
    if why is None:
        found = furthest(anomaly)
        return f"different from all earlier rows, {names[found[0]]} most of all" if found else "-"
    part, channel, what = why
    name = names[channel]
    if part == "pattern" and len(names) == 1:
        now = short(anomaly.deviations.readings[channel])
        return f"{name}: an unusual pattern over time, now {now}"
    if part == "pattern":
        return f"readings that seldom go together, {name} the furthest off"
    if part == "level":
        return f"readings have been unusual for a while, {name} the furthest off"
    value = anomaly.deviations.readings[channel]
    if what == "flat":
        rows = anomaly.deviations.unchanged[channel]
        return f"{name}: {'no reading' if math.isnan(value) else 'flat line'} for {rows:,} rows"
    if what == "value":
        return f"{name}: {short(value)} is unusual"
    if what == "mean":
        return f"{name}: off its mean for a while, now {short(value)}"
    return f"{name}: rougher or smoother than usual, now {short(value)}"


def alarm_records(metrics: Novelty, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the alarms for the JSON report."""
    return [
        {"first": one.first, "last": one.last, "rows": one.rows, **record(one.strongest, names)}
        for one in metrics.anomalies.alarms
    ]


def record(anomaly: Anomaly, names: Sequence[str]) -> dict[str, Any]:
    """Return a row for the JSON report."""
    numbers = dict(zip(names, anomaly.deviations.readings, strict=True))
    return {
        "row": anomaly.row,
        "seconds": anomaly.seconds if math.isfinite(anomaly.seconds) else None,
        "score": anomaly.novelty,
        "reason": reason(anomaly, names),
        "readings": {n: v if math.isfinite(v) else None for n, v in numbers.items()},
    }
