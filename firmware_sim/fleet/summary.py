"""The summary of a fleet as sentences and tables, for text and page.

It lists outlier boards: their figures indicate problems of the stream, not of the learner.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from firmware_sim.drawing.document import Table
from firmware_sim.fleet import statistics
from firmware_sim.fleet.run import Fleet
from firmware_sim.fleet.task import Record
from firmware_sim.kinds import metrics_of
from firmware_sim.metrics.base import Metrics, ratio
from firmware_sim.plaintext import counted

_WORST = 10
_REASONS = 12
_MAX_OUTLIERS = 20
#: Shares of a board's rows from which on it is reported.
_UNREADABLE = 0.05
_LEFT_OUT = 0.5
#: Figures of which more is better, among the first of each kind of labels.
_HIGHER_IS_BETTER = ("auc",)


@dataclass(frozen=True)
class Summary:
    """The contents of a report."""

    summary: list[str]  # lines on the run
    sentence: str  # the recommended configuration
    tables: list[Table]  # the figures
    losses: statistics.Losses  # losses by configuration and device
    relative: bool  # whether losses are relative to a baseline's, instead of shares
    over: str  # the boards over which means are taken
    alert: bool  # whether the best configuration does not beat a baseline


def summarize(fleet: Fleet) -> Summary:
    """Return the summary of a fleet's run."""
    table = statistics.losses(fleet.records)
    judge = metrics_of([name for record in fleet.records for name in record.figures])
    unit, relative = judge.over_boards, not judge.shares
    shown = partial(_loss, relative)
    best = statistics.reference(table)
    differences = [] if best is None else statistics.differences(table, best)
    tables = [
        _distributions(table, unit, shown),
        _differences(differences, shown, "in that unit" if relative else "points"),
        _worst(fleet, table, best, unit, shown),
        _outlier_boards(fleet),
        _failures(fleet),
    ]
    sentence = _sentence(fleet, best, differences, table, shown, "" if relative else " %")
    unbeaten = _unbeaten([one for one in fleet.records if one.configuration == best], judge)
    sentence = " ".join([*(f"{best} {clause}." for clause in unbeaten), sentence])
    tables = [replace(one, stacked=True) for one in tables if one.rows]
    return Summary(_summary(fleet), sentence, tables, table, relative, _over(table), bool(unbeaten))


def _unbeaten(records: Sequence[Record], judge: type[Metrics]) -> list[str]:
    """Return a clause for each baseline that is as good on at least half of the boards."""
    first = next(iter(judge.table))
    sign = -1.0 if first in _HIGHER_IS_BETTER else 1.0
    clauses = []
    for who, name in judge.baselines.items():
        pairs = [(one.figures.get(first), one.figures.get(f"{who}_{first}")) for one in records]
        worse = [sign * a >= sign * b for a, b in pairs if a is not None and b is not None]
        if worse and 2 * sum(worse) >= len(worse):
            clauses.append(
                f"does not beat {name} on {sum(worse):,} of {counted(len(worse), 'board')}"
            )
    return clauses


def _loss(relative: bool, value: float, sign: str = "") -> str:
    return f"{value:{sign}.3f}" if relative else f"{100.0 * value:{sign}.2f}"


def _summary(fleet: Fleet) -> list[str]:
    done = len(fleet.records) - len(fleet.failed)
    lines = [
        f"fleet     {fleet.boards:,} boards x {len(fleet.configurations):,} configurations: "
        f"{done:,} done, {len(fleet.failed):,} failed; {fleet.rows:,} rows learned"
    ]
    if not fleet.complete:
        lines.insert(0, "INTERRUPTED: run the same command again to continue.")
    if fleet.earlier:
        lines.append(f"earlier   {fleet.earlier:,} records were there already")
    if fleet.busy and fleet.seconds:
        share = 1.0 - min(1.0, fleet.busy / (fleet.seconds * fleet.workers))
        lines.append(
            f"host      {fleet.seconds:.1f} s on {fleet.workers} worker"
            f"{'s' if fleet.workers > 1 else ''}; {100 * share:.1f} % of their time was not "
            "spent in tasks"
        )
    return lines


def _distributions(table: statistics.Losses, unit: str, shown: Callable[..., str]) -> Table:
    shared_losses = statistics.shared(table)
    rows: list[tuple[str, ...]] = []
    for one in sorted(statistics.distributions(shared_losses), key=lambda one: one.mean):
        figures = map(shown, (one.mean, *one.quantiles))
        rows.append((one.name, f"{len(table[one.name]):,}", *figures, f"{one.best_on:,}"))
    others = [name for name in table if table[name] and name not in shared_losses]
    rows += [(name, f"{len(table[name]):,}", *("-",) * 7) for name in others]
    head = ("configuration", "done", "mean", "least", "10 %", "median", "90 %", "most", "best on")
    return Table("distributions", f"{unit}, {_over(table)}", head, rows)


def _over(table: statistics.Losses) -> str:
    """Return the boards over which means are taken, as text."""
    shared_losses = statistics.shared(table)
    n = len(next(iter(shared_losses.values()), {}))
    if all(len(found) == n for found in table.values() if found):
        return f"over {counted(n, 'board')}"
    others = [name for name in table if table[name] and name not in shared_losses]
    which = f" but {', '.join(others)}, with too few," if others else ""
    return f"over the {counted(n, 'board')} that all{which} have finished"


def _differences(found: list[statistics.Difference], shown: Callable[..., str], unit: str) -> Table:
    rows: list[tuple[str, ...]] = []
    for one in sorted(found, key=lambda one: one.mean):
        mean, low, high = (shown(value, "+") for value in (one.mean, one.low, one.high))
        name, boards = f"{one.name} - {one.reference}", f"{one.streams:,}"
        rows.append((name, boards, mean, f"{low} to {high}", f"{one.wins:,}", f"{one.losses:,}"))
    head = ("difference", "boards", "mean", "95 % interval", "lower error on", "higher on")
    return Table("differences", f"paired differences, {unit}", head, rows)


def _worst(
    fleet: Fleet,
    table: statistics.Losses,
    best: str | None,
    unit: str,
    shown: Callable[..., str],
) -> Table:
    lowest: dict[str, tuple[float, str]] = {}
    for name in fleet.configurations:
        for device, loss in table.get(name, {}).items():
            lowest[device] = min(lowest.get(device, (math.inf, "")), (loss, name))
    rows: list[tuple[str, ...]] = []
    for device in sorted(lowest, key=lambda device: -lowest[device][0])[:_WORST]:
        loss, name = lowest[device]
        loss_with_best = table.get(best or "", {}).get(device)
        rows.append(
            (device, shown(loss), name, "-" if loss_with_best is None else shown(loss_with_best))
        )
    head = ("board", "at best", "with", f"with {best}")
    return Table("worst", f"worst boards: {unit}", head, rows)


def _outlier_boards(fleet: Fleet) -> Table:
    """Return the table of outlier boards."""
    found = outlier_boards(fleet.records)
    rows: list[tuple[str, ...]] = [(board, why) for board, why in found.items()]
    del rows[_MAX_OUTLIERS:]
    if len(found) > _MAX_OUTLIERS:
        rows.append((f"and {len(found) - _MAX_OUTLIERS:,} more", "see the records"))
    title = f"outlier boards: {len(found):,}"
    return Table("outliers", title, ("board", "why"), rows, sentences=("why",))


def _failures(fleet: Fleet) -> Table:
    """Return the table of failures by reason: one line for all boards with the same reason."""
    reasons: dict[str, list[Record]] = {}
    for record in fleet.failed:
        why = record.detail.replace(Path(record.stream).name, "...")
        reasons.setdefault(why, []).append(record)
    rows: list[tuple[str, ...]] = []
    for why, found in sorted(reasons.items(), key=lambda one: -len(one[1]))[:_REASONS]:
        boards = list(dict.fromkeys(record.device for record in found))
        more = f" and {len(boards) - 1:,} more" if len(boards) > 1 else ""
        rows.append((boards[0] + more, f"{len(found):,}", why))
    if len(reasons) > _REASONS:
        rows.append((f"and {len(reasons) - _REASONS:,} more reasons", "", "see the records"))
    return Table("failures", "failed", ("board", "runs", "why"), rows, sentences=("why",))


def _sentence(
    fleet: Fleet,
    best: str | None,
    found: list[statistics.Difference],
    table: statistics.Losses,
    shown: Callable[..., str],
    unit: str,
) -> str:
    if best is None:
        if len(fleet.failed) < len(fleet.records):
            return "No board has labels to judge by: the best configuration cannot be determined."
        return "No configuration got to the end of any stream."
    shared_losses = statistics.shared(table)
    mean = statistics.distributions({best: shared_losses[best]})[0].mean
    same_boards = all(len(one) == len(shared_losses[best]) for one in table.values() if one)
    prefix = f"Of those that finish most boards, {len(table[best]):,},"
    text = f"{'On these boards' if same_boards else prefix} {best} has the lowest error: "
    text += f"{shown(mean)}{unit} on average"
    text += "" if same_boards else f" {_over(table)}"
    close = [one.name for one in found if one.low <= 0.0 <= one.high]
    if close:
        verb = "is" if len(close) == 1 else "are"
        text += f"; {', '.join(close)} {verb} not significantly different"
    better = [f"{one.name} (on {one.streams:,})" for one in found if one.high < 0.0]
    if better:
        text += f"; {', '.join(better)} has a lower error where both finished, but finished fewer"
    return f"{text}."


def outlier_boards(records: Sequence[Record]) -> dict[str, str]:
    """Return why boards are outliers, by name, those with the most lost rows first.

    records: the records of all boards. Boards without a finished run are failures, not outliers.
    """
    found: dict[str, tuple[float, str]] = {}
    for record in records:
        if record.status != "done" or record.device in found:
            continue
        share, reasons = _reasons(record)
        if reasons:
            found[record.device] = (share, "; ".join(reasons))
    return {device: why for device, (_, why) in sorted(found.items(), key=lambda one: -one[1][0])}


def _reasons(record: Record) -> tuple[float, list[str]]:
    """Return the largest share of affected rows, and the reasons."""
    rows = {
        name: int(record.figures.get(f"rows_{name}") or 0)
        for name in ("read", "damaged", "missing", "used", "refused")
    }
    checks = (
        ("damaged", _UNREADABLE, "cannot be read"),
        ("missing", _LEFT_OUT, "lack a value"),
        ("refused", _UNREADABLE, "are refused by the learner"),
    )
    largest_share, reasons = 0.0, []
    for name, min_share, what in checks:
        share = ratio(rows[name], rows["read"]) or 0.0
        if share >= min_share:
            largest_share = max(largest_share, share)
            reasons.append(
                f"{rows[name]:,} of {rows['read']:,} rows {what} ({100.0 * share:.0f} %)"
            )
    used = rows["used"]
    figures = record.figures
    constant = metrics_of([*figures]).constant_labels(figures, used) if used > 1 else ""
    return (1.0, [constant, *reasons]) if constant else (largest_share, reasons)
