"""From timings to the tables of the speed report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bench.machine import facts, sentence, variant_title
from bench.table import Report, Table
from bench.timing import Timing, difference, ratio

HEADER = ("median s", "min to max s", "rows/s", "us a row", "ratio")


def _row(timing: Timing, base: Timing) -> list[str]:
    low, high = timing.span
    return [
        timing.title,
        f"{timing.median:.4f}",
        f"{low:.4f} to {high:.4f}",
        f"{timing.rate:,.0f}",
        f"{timing.microseconds:.3f}",
        f"{ratio(timing, base):.2f}",
    ]


def _table(title: str, first: str, timings: Sequence[Timing], base: Timing, note: str) -> Table:
    return Table(title, (first, *HEADER), [_row(timing, base) for timing in timings], note)


def a9a_table(timings: dict[str, Timing], budget: int, mistakes: tuple[int, int]) -> Table:
    """rbp over a9a, with the peer."""
    tag = f"a9a-{budget}-"
    chosen = [timing for key, timing in timings.items() if key.startswith(tag)]
    base = timings[f"{tag}rbp"]
    peer = ratio(timings[f"{tag}numpy"], base)
    note = (
        f"Ratio to rbp. The peer takes {peer:.1f} times as long a row, over the same"
        f" {base.rows:,} rows; mistakes {mistakes[0]:,} here, {mistakes[1]:,} there."
    )
    title = f"a9a, {base.rows:,} rows, d = 123 dense, gamma 0.4, B = {budget}, learn_many, float32"
    return _table(title, "how", chosen, base, note)


def synthetic_table(timings: dict[str, Timing], budget: int) -> Table:
    """RBP in bulk and by single calls."""
    base = timings["synthetic-float32"]
    chosen = [timing for key, timing in timings.items() if key.startswith("synthetic-")]
    note = "Ratio a row to learn_many in float32. A loop that cuts its rows out makes a view a row."
    title = f"Synthetic, {base.rows:,} rows, d = 16 dense, gamma 1/16, B = {budget}, rbp"
    return _table(title, "how", chosen, base, note)


def variant_table(
    timings: dict[str, Timing], variants: Sequence[str], budgets: Sequence[int]
) -> Table:
    """The headline pass by instruction set."""
    rows = []
    for budget in budgets:
        base = timings[f"variant-{variants[-1]}-{budget}"]
        for name in variants:
            row = _row(timings[f"variant-{name}-{budget}"], base)
            rows.append([variant_title(name), str(budget), *row[1:]])
    best = variant_title(variants[-1])
    note = f"Ratio to {best}. Forced with EDGEOLK_SIMD, a process for each pass."
    return Table("The rbp pass over a9a by instruction set", ("variant", "B", *HEADER), rows, note)


def overheads(timings: dict[str, Timing]) -> dict[str, float]:
    """Nanoseconds of a call above the work it does and above the loop around it."""
    bare = timings["call-bare"]
    return {
        name: 1e9 * difference(timings[f"call-{name}"], timings[f"call-{name}-many"], bare)
        for name in ("decide", "learn")
    }


def call_table(timings: dict[str, Timing]) -> Table:
    """What a call costs beyond its arithmetic."""
    chosen = [timing for key, timing in timings.items() if key.startswith("call-")]
    rows = [
        [t.title, f"{1e3 * t.microseconds:.1f}", *(f"{1e9 * s / t.rows:.1f}" for s in t.span)]
        for t in chosen
    ]
    bare = timings["call-bare"]
    for name, title in (("decide", "decision_one"), ("learn", "learn_one")):
        one, many = timings[f"call-{name}"], timings[f"call-{name}-many"]
        for what, value in (
            (f"{title} above bulk", difference(one, many)),
            (f"{title} above bulk and the loop", difference(one, many, bare)),
        ):
            rows.append([f"**{what}**", f"**{1e9 * value:.1f}**", "", ""])
    note = f"{bare.rows:,} calls on 1,000 rows in turn; the model is frozen. Differences: medians."
    title = "A call beside its arithmetic: ns a row, d = 16, 1 support vector"
    return Table(title, ("what", "median", "min", "max"), rows, note)


def make_report(tables: Sequence[Table], timings: dict[str, Timing], rounds: int) -> Report:
    """The report of one run."""
    introduction = (
        "rbp beside the same algorithm in plain numpy, in detail; [whole passes](passes.md) of"
        " every algorithm over several sets; what a step costs [beyond its kernel"
        f" row](policies.md).\n\n{sentence()}. One run of `python -m bench.speed`: {rounds} rounds,"
        " the cases interleaved."
        " Seconds of processor time, medians; every pass has one thread, numpy's too. A ratio is"
        " the median of the ratios within a round. Other work ran beside it: trust ratios before"
        " seconds. Rows of a9a in the order of `default_rng(0).permutation`."
    )
    data: dict[str, Any] = {"machine": facts(), "rounds": rounds}
    data["timings"] = {
        key: {**asdict(t), "median": t.median, "rows_per_second": t.rate}
        for key, t in timings.items()
    }
    data["call_overhead_ns"] = overheads(timings)
    return Report("Speed", introduction, tables, data)
