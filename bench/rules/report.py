"""Cells as tables: how far over the best rule, by group and worst first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bench.rules.cells import OURS, PARTS, RULES
from bench.table import Report, Table

#: Points over the best rule that are counted.
LIMITS = (0.2, 1.0, 5.0)
COLUMNS = (OURS, *PARTS, *RULES)
WORST = 20
#: Set and KiB, and the most wrong answers in % that are asked for, of permuted rows.
GOALS = {
    ("usps10_train", 4): 14.0,
    ("letter", 1): 50.0,
    ("spambase", 1): 10.5,
    ("covtype10k", 1): 28.0,
    ("dna_train", 4): 13.0,
    ("wisdm_activity", 1): 32.0,
}
#: Set, order, KiB.
Key = tuple[str, str, int]
Cells = Mapping[Key, Mapping[str, float]]


def gap(errors: Mapping[str, float], others: Sequence[str] = RULES) -> float:
    """Points over the best of the others; NaN where no learner fits, or none of them."""
    known = [errors[name] for name in others if name in errors]
    return errors.get(OURS, math.nan) - (min(known) if known else math.nan)


def counts(title: str, gaps: Sequence[float]) -> list[str]:
    """A line: cells, those without a learner, mean and largest gap, how many over each limit."""
    known = [one for one in gaps if not math.isnan(one)]
    sizes = [str(len(gaps)), str(len(gaps) - len(known))]
    if not known:
        return [title, *sizes, *[""] * (2 + len(LIMITS))]
    over = [str(sum(one > limit for one in known)) for limit in LIMITS]
    return [title, *sizes, f"{np.mean(known):.2f}", f"{max(known):.2f}", *over]


def group_table(cells: Cells, groups: Mapping[Key, str]) -> Table:
    """Gaps by group, by bytes and in all."""
    gaps = {key: gap(errors) for key, errors in cells.items()}
    lines = []
    for name in dict.fromkeys(groups[key] for key in cells):
        lines.append(counts(name, [one for key, one in gaps.items() if groups[key] == name]))
    for kib in sorted({key[2] for key in cells}):
        lines.append(counts(f"{kib} KiB", [one for key, one in gaps.items() if key[2] == kib]))
    lines.append(counts("all", list(gaps.values())))
    parts = [gap(errors, PARTS) for errors in cells.values()]
    lines.append(counts("all, over the better of its parts", parts))
    limits = (f"> {limit:g}" for limit in LIMITS)
    header = ("cells", "number", "without", "mean gap", "largest", *limits)
    note = (
        "Gap: points of `sorf` over the best rule that fits, chosen afterwards. Without: cells in"
        " which no learner fits, or no such part; they are left out of the other columns."
    )
    return Table("Over the best rule, by group", header, lines, note)


def refused_table(cells: Cells) -> Table | None:
    """The cells in which a linear rule fits and no learner does; None if there are none."""
    linear = RULES[2:]
    refused: dict[tuple[str, int], float] = {}
    for (name, order, kib), errors in cells.items():
        found = [errors[rule] for rule in linear if rule in errors]
        if OURS not in errors and found and order == "permuted":
            refused[name, kib] = min(found)
    lines = [[name, f"{kib} KiB", f"{error:.2f}"] for (name, kib), error in refused.items()]
    title = "Where a linear rule fits and no learner does"
    return Table(title, ("set", "bytes", "linear rule"), lines, left=2) if lines else None


def cell_line(key: Key, errors: Mapping[str, float]) -> list[str]:
    """A cell: its errors, and the gap."""
    name, order, kib = key
    figures = [f"{errors[column]:.2f}" if column in errors else "" for column in COLUMNS]
    return [name, order, f"{kib} KiB", *figures, f"{gap(errors):+.2f}" if OURS in errors else ""]


def cell_table(title: str, cells: Iterable[tuple[Key, Mapping[str, float]]], note: str) -> Table:
    """A line a cell."""
    header = ("set", "order", "bytes", *COLUMNS, "gap")
    return Table(title, header, [cell_line(*one) for one in cells], note, left=3)


def goal_table(cells: Cells) -> Table | None:
    """The cells in which bytes are short; None if there are none of them."""
    lines = []
    for (name, kib), most in GOALS.items():
        for order in ("permuted", "in order"):
            if (errors := cells.get((name, order, kib))) is None:
                continue
            best = min(errors[rule] for rule in RULES if rule in errors)
            cell = f"{errors[OURS]:.2f}" if OURS in errors else ""
            lines.append([name, order, f"{kib} KiB", cell, f"{best:.2f}", f"{most:g}"])
    header = ("set", "order", "bytes", "sorf", "best rule", "goal")
    return Table("Where bytes are short", header, lines, left=3) if lines else None


def report(cells: Cells, groups: Mapping[Key, str], rows: int, seeds: int) -> Report:
    """What was measured."""
    learned = [one for one in cells.items() if OURS in one[1]]
    worst = sorted(learned, key=lambda one: -gap(one[1]))[:WORST]
    tables: list[Any] = [group_table(cells, groups), goal_table(cells), refused_table(cells)]
    tables += [
        cell_table(f"The {len(worst)} worst cells", worst, ""),
        cell_table("All cells", cells.items(), ABOUT),
    ]
    introduction = (
        f"`python -m bench.rules`. The first {rows:,} rows of each set, each answered before it is"
        " learned, wrong answers in %; in regression the squared error in % of the variance. `sorf`"
        f" is `ek.Learner(n_features=d, ram=...)`, the mean of {seeds} seed{'s' * (seeds > 1)}. In"
        ' order: as in the file, with `history="auto"`. 10 and 48 late: as in the file, the label'
        " of a row is known after so many further rows. Permuted: these rows in another order."
        " Noise: rows and labels permuted apart."
    )
    data = {"cells": [[*key, dict(errors)] for key, errors in cells.items()]}
    shown = [table for table in tables if table is not None]
    return Report("`sorf` beside simple rules", introduction, shown, data)


ABOUT = (
    "Features alone: `memory=False`. Memory alone: the largest memory of rows that fits, with"
    " hardly a feature. Both without `constant` and `linear_group`. Commonest: the commonest"
    " label so far; in regression the running mean."
    " Last: the last label that is known. AROW: a linear model with a variance a weight, 8 bytes a"
    " weight. Linear, bytes: passive-aggressive, a byte a weight, and one of its average if that"
    " fits. Linear models have statistics of their inputs (9 bytes each, or 16 bytes for all: the"
    " better of those that fit), the row and 32 bytes more in the same bytes."
)
