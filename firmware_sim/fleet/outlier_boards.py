"""Outlier boards, whose figures indicate problems of the stream rather than of the learner."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_sim.fleet.task import Record
from firmware_sim.metrics.base import ratio

#: Shares of a board's rows from which on it is reported.
_UNREADABLE = 0.05
_LEFT_OUT = 0.5


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
    constant = _constant_labels(record, rows["used"])
    return (1.0, [constant, *reasons]) if constant else (largest_share, reasons)


def _constant_labels(record: Record, used: int) -> str:
    """Return the sentence on labels that are all equal; empty if they are not."""
    figures = record.figures
    if used < 2:
        return ""
    sides = [
        sum(int(figures.get(name) or 0) for name in names)
        for names in (("true_positive", "false_negative"), ("true_negative", "false_positive"))
    ]
    if "true_positive" in figures and not all(sides):
        return f"all {sum(sides):,} labels mean {'+1' if sides[0] else '-1'}"
    if figures.get("classes_seen") == 1:
        return f"all {used:,} labels are of one class"
    if "mae" in figures and figures.get("last_value_mae") == 0.0:
        return f"all {used:,} targets are 0"
    return ""
