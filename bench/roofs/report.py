"""From timings to shares of the roof, their tables and their picture."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.drawing import figure_of, save
from bench.machine import sentence, variant_title
from bench.roofs.peak import DTYPES, LEVELS, Caches, Instructions
from bench.roofs.roof import (
    HEADLINE,
    SHAPES,
    Roof,
    Shape,
    exponential_instructions,
    key_of,
    roof_of,
)
from bench.table import Report, Table
from bench.timing import Timing

COLOURS = ("#8C8C8C", "#0072B2", "#D55E00")
GOAL = 65.0
Timings = Mapping[str, Timing]


@dataclass(frozen=True)
class Share:
    """One measurement against its roofs; percentages of the tighter one, round by round."""

    shape: Shape
    dtype: str
    variant: str
    microseconds: float
    roof: Roof
    percentages: list[float]

    @property
    def percentage(self) -> float:
        """The median."""
        return statistics.median(self.percentages)


def share_of(
    shape: Shape, dtype: str, instructions: Instructions, caches: Caches, timings: Timings
) -> Share:
    """A score against roofs from the same round: what slows a round slows both."""
    score = timings[key_of(shape, dtype, instructions.variant)]

    def in_round(number: int) -> Roof:
        return roof_of(
            shape, dtype, instructions, caches, lambda key: timings[key].per_row()[number]
        )

    def over_all(key: str) -> float:
        return timings[key].median / timings[key].rows

    return Share(
        shape,
        dtype,
        instructions.variant,
        score.microseconds,
        roof_of(shape, dtype, instructions, caches, over_all),
        [
            100.0 * in_round(number).tighter / (1e6 * seconds)
            for number, seconds in enumerate(score.per_row())
        ],
    )


def shares_of(variants: Sequence[str], caches: Caches, timings: Timings) -> list[Share]:
    """Every shape, type and variant."""
    return [
        share_of(shape, dtype, Instructions.of(variant), caches, timings)
        for dtype in DTYPES
        for shape in SHAPES
        for variant in variants
    ]


def peak_table(variants: Sequence[str], caches: Caches, timings: Timings) -> Table:
    """Peaks of the core by variant."""
    lines = []
    for variant in variants:
        instructions = Instructions.of(variant)

        def rate(kind: str, dtype: str, instructions: Instructions = instructions) -> float:
            timing = timings[f"{kind} {instructions.variant} {dtype}"]
            return 1e-9 * timing.rate * instructions.lanes(dtype)

        lines.append(
            [
                variant_title(variant),
                *(f"{2 * rate('madd', dtype):.0f}" for dtype in DTYPES),
                *(f"{rate('squares', dtype):.1f}" for dtype in DTYPES),
                *(f"{1e-9 * timings[f'{level} {variant}'].rate:.0f}" for level in LEVELS),
            ]
        )
    header = (
        *("variant", *(f"GF/s {dtype}" for dtype in DTYPES)),
        *(f"G terms/s {dtype}" for dtype in DTYPES),
        *("L1 GB/s", "L2 GB/s", "beyond GB/s"),
    )
    kib = {level: f"{nbytes // 1024:,} KiB" for level, nbytes in caches.buffers().items()}
    note = (
        "GF/s: multiply-adds in registers, two operations each. Terms: (x - s)^2 added up in"
        " registers. GB/s: reading"
        f" {kib['L1']} (half of L1d), {kib['L2']} (half of L2) and {kib['beyond']} (4 times L2)"
        " again and again. One core, median of the rounds."
    )
    return Table("Peaks of this core", header, lines, note)


def share_table(dtype: str, shares: Sequence[Share]) -> Table:
    """Every shape and variant of one type."""
    lines = []
    for share in shares:
        if share.dtype != dtype:
            continue
        roof = share.roof
        low, high = min(share.percentages), max(share.percentages)
        lines.append(
            [
                share.shape.title,
                variant_title(share.variant),
                f"{share.microseconds:.3f}",
                f"{roof.arithmetic:.3f}",
                f"{roof.bandwidth:.3f}",
                f"{roof.exponentials:.3f}",
                roof.limit,
                f"{share.percentage:.0f}",
                f"{low:.0f} to {high:.0f}",
            ]
        )
    header = (
        *("B, d", "variant", "us a score", "arithmetic us", "bandwidth us", "of it exp us"),
        *("tighter", "% of it", "min to max"),
    )
    return Table(f"Scores against their roofs, {dtype}", header, lines, left=2)


def goal_sentence(shares: Sequence[Share]) -> str:
    """How the headline shape does against the goal."""
    headline = [s for s in shares if s.shape == HEADLINE and s.dtype == "float32"]
    parts = [
        f"{variant_title(s.variant)} {s.percentage:.0f} %"
        f" ({'met' if s.percentage >= GOAL else 'missed'})"
        for s in headline
    ]
    return (
        f"Goal: at least {GOAL:.0f} % of the tighter roof for dense ({HEADLINE.title}) in float32"
        f" on each instruction set. Here: {', '.join(parts)}."
    )


def make_report(
    variants: Sequence[str], caches: Caches, timings: Timings, shares: Sequence[Share], rounds: int
) -> Report:
    """The report, with every timing behind it."""
    counted = ", ".join(
        f"{exponential_instructions(dtype, True)} ({exponential_instructions(dtype, False)}"
        f" without fused multiply-adds) in {dtype}"
        for dtype in DTYPES
    )
    introduction = (
        f"`python -m bench.roofs`: {sentence()}; L1d {caches.l1 // 1024} KiB, L2"
        f" {caches.l2 // 1024:,} KiB; {rounds} rounds, interleaved, processor time.\n\n"
        "![Share of the roof by shape and instruction set](roofs.png)\n\n"
        f"{goal_sentence(shares)}\n\n"
        "A score is one row of a bulk `decision_function` over 1,000 rows, Gaussian kernel, the"
        " ring full, the variant forced with `EDGEOLK_SIMD`. Roofs: the time of B products at the"
        " peak rate of terms (arithmetic; multiply-adds where only non-zeros are looked at) or of"
        " reading the ring's bytes from the smallest level that it fits (bandwidth), each plus B"
        " exponentials, one after the other. An exponential is counted as the vector instructions"
        f" that it cannot do without, {counted}, at the rate measured for the terms' own. Not in"
        " the roofs: the weighted sum in double, sparse rows' norms and their search for the"
        " non-zeros, checking the input, the call. A percentage is the median over the rounds of"
        " the tighter roof by the time of a score, both from one round; over 100 would mean that"
        " reading and exponentials overlap."
    )
    tables = [peak_table(variants, caches, timings)]
    tables += [share_table(dtype, shares) for dtype in DTYPES]
    data: dict[str, Any] = {
        "caches": asdict(caches),
        "shares": [{**asdict(share), "percentage": share.percentage} for share in shares],
        "timings": {
            key: {"operations": timing.rows, "seconds": timing.seconds}
            for key, timing in timings.items()
        },
    }
    return Report("Scores against what this core can do", introduction, tables, data)


def draw(shares: Sequence[Share], variants: Sequence[str], path: Path) -> None:
    """Bars by shape, one panel a type; what limits each is written into it."""
    figure, axes = figure_of(len(DTYPES), 1, (8.6, 6.4))
    width = 0.84 / len(variants)
    for axis, dtype in zip(axes, DTYPES, strict=True):
        for place, variant in enumerate(variants):
            chosen = [s for s in shares if s.dtype == dtype and s.variant == variant]
            at = [i + (place - (len(variants) - 1) / 2) * width for i in range(len(chosen))]
            heights = [s.percentage for s in chosen]
            axis.bar(at, heights, 0.92 * width, color=COLOURS[place], label=variant_title(variant))
            for x, share in zip(at, chosen, strict=True):
                short = {"arithmetic": "A", "beyond": "M"}.get(share.roof.limit, share.roof.limit)
                axis.annotate(
                    f"{share.percentage:.0f}\n{short}",
                    (x, share.percentage),
                    (0, 2),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8,
                    linespacing=0.95,
                )
        axis.axhline(GOAL, color="#1F2933", linewidth=1.0, linestyle="--", zorder=0.5)
        axis.annotate(
            f"goal {GOAL:.0f}", (len(SHAPES) - 0.48, GOAL), (2, -3), textcoords="offset points"
        )
        axis.set_xticks(
            range(len(SHAPES)), [shape.title.replace(", 14", ",\n14") for shape in SHAPES]
        )
        axis.set_xlim(-0.55, len(SHAPES) - 0.45)
        axis.set_ylim(0, 1.16 * max(100.0, *(s.percentage for s in shares)))
        axis.set_ylabel("% of the tighter roof")
        axis.set_title(f"{dtype}: a score against what the core can do")
        axis.grid(False, axis="x")
    axes[-1].set_xlabel(
        "support vectors, features\n"
        "what limits: A arithmetic; L1, L2, M reading from there or from beyond"
    )
    figure.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside upper right",
        ncols=len(variants),
        frameon=False,
    )
    save(figure, path)
