"""Suspicious boards, whose figures reveal more about the stream than about the learner."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_sim.fleet.task import Record
from firmware_sim.metrics.base import ratio

#: Shares of a board's rows from which on it is told.
_UNREADABLE = 0.05
_LEFT_OUT = 0.5


def suspicions(records: Sequence[Record]) -> dict[str, str]:
    """Return why boards are suspicious, by their names, those with the most rows lost first.

    records: of all boards. A board without a finished run is among the failures, not here.
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
    """Return the largest share of rows that is wrong with a board, and what is."""
    rows = {
        name: int(record.figures.get(f"rows_{name}") or 0)
        for name in ("read", "damaged", "missing", "used", "refused")
    }
    looked_at = (
        ("damaged", _UNREADABLE, "cannot be read"),
        ("missing", _LEFT_OUT, "lack a value"),
        ("refused", _UNREADABLE, "are refused by the learner"),
    )
    most, reasons = 0.0, []
    for name, least, what in looked_at:
        share = ratio(rows[name], rows["read"]) or 0.0
        if share >= least:
            most = max(most, share)
            reasons.append(
                f"{rows[name]:,} of {rows['read']:,} rows {what} ({100.0 * share:.0f} %)"
            )
    same = _same(record, rows["used"])
    return (1.0, [same, *reasons]) if same else (most, reasons)


def _same(record: Record, used: int) -> str:
    """Return the sentence on labels of which there is nothing to learn; empty where there is."""
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
