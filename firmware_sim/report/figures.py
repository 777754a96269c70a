"""Names and formats of the figures in a report, and the tables of each kind of labels."""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.metrics import Multiclass, Novelty, Prequential
from firmware_sim.replaying.loop import ReplayResult
from firmware_sim.report.table import Table
from firmware_sim.report.verdict import name_of

#: Classes whose confusion is shown whole in text; of more, the commonest mistakes.
_WHOLE = 12
_MISTAKES = 8
#: Figures that find room beside each other.
_ABREAST = 6

Number = float | int | None


def percent(value: Number) -> str:
    """Return a share as people write it."""
    return "-" if value is None else f"{100 * value:.2f} %"


def short(value: Number) -> str:
    """Return a number with four digits."""
    return "-" if value is None else f"{value:.4g}"


def thousandths(value: Number) -> str:
    """Return a number to three decimals."""
    return "-" if value is None else f"{value:.3f}"


def count(value: Number) -> str:
    """Return a whole number."""
    return "-" if value is None else f"{value:,.0f}"


def duration(seconds: Number) -> str:
    """Return a time in the unit that suits it."""
    if seconds is None:
        return "-"
    for unit, length in (("days", 172_800.0), ("h", 7_200.0), ("min", 120.0), ("s", 1.0)):
        if seconds >= length:
            each = {"days": 86_400.0, "h": 3_600.0, "min": 60.0, "s": 1.0}[unit]
            return f"{seconds / each:.3g} {unit}"
    return f"{seconds:.3g} s"


#: Title and writing of each figure, in the order of the report.
FIGURES: dict[str, tuple[str, Callable[[Number], str]]] = {
    "error": ("error", percent),
    "kappa": ("kappa", thousandths),
    "kappa_no_change": ("kappa vs no-change", thousandths),
    "f1": ("F1", thousandths),
    "macro_f1": ("macro F1", thousandths),
    "mae": ("MAE", short),
    "rmse": ("RMSE", short),
    "r2": ("R2", thousandths),
    "r2_last_value": ("R2 vs last value", thousandths),
    "auc": ("AUC", thousandths),
    "alarm_rows": ("rows alarmed", count),
    "alarms": ("alarms", count),
    "alarms_a_day": ("alarms a day", short),
    "false_alarms": ("false alarms", count),
    "false_alarms_a_day": ("false a day", short),
    "windows": ("windows", count),
    "detected": ("found", count),
    "delay_rows": ("delay in rows", short),
    "delay_seconds": ("in time", duration),
}


def figures(result: ReplayResult) -> Table:
    """Return the figures of the learner and the baselines; many of them lie on their side."""
    summary = result.metrics.summary()
    shown = [name for name in FIGURES if name in summary["learner"]]
    who = [name_of(result, one) for one in summary]
    cells = [[FIGURES[name][1](own[name]) for own in summary.values()] for name in shown]
    titles = [FIGURES[name][0] for name in shown]
    if len(shown) > _ABREAST:
        rows = [(title, *line) for title, line in zip(titles, cells, strict=True)]
        return Table("figures", "Figures", ("", *who), rows)
    turned = zip(*cells, strict=True)
    rows = [(name, *line) for name, line in zip(who, turned, strict=True)]
    return Table("figures", "Figures", ("prequential", *titles), rows)


def tables(result: ReplayResult) -> list[Table]:
    """Return what a kind of labels has beside the figures that all learners are held to.

    Parameters
    ----------
    result : ReplayResult
        What a replay returned.
    """
    metrics = result.metrics
    if metrics.rows == 0:
        return []
    if isinstance(metrics, Prequential):
        return [_two_classes(metrics)]
    if isinstance(metrics, Multiclass):
        return [_classes(metrics), _confusion(metrics)]
    return []


def _two_classes(metrics: Prequential) -> Table:
    counts = metrics.learner
    rows: list[tuple[str, ...]] = [
        ("+1 in the stream", count(counts.true_positive), count(counts.false_negative)),
        ("-1 in the stream", count(counts.false_positive), count(counts.true_negative)),
    ]
    return Table("confusion", "Answers", ("", "said +1", "said -1"), rows)


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
    known = {name: summary[name] for name in FIGURES if summary.get(name) is not None}
    return ", ".join(f"{FIGURES[name][0]} {FIGURES[name][1](known[name])}" for name in known)


def judged_by(metrics: Novelty) -> str:
    """Return what alarms were held against, in words."""
    if not metrics.judged:
        return "no labelled windows to judge by"
    windows = metrics.learner.windows
    text = f"judged by {windows:,} labelled window{'' if windows == 1 else 's'}"
    return text + (", AUC from a sample of the rows" if metrics.sampled else "")
