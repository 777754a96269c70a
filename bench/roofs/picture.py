"""The picture: share of the roof by shape and variant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.drawing import figure_of, save
from bench.machine import variant_title
from bench.roofs.peak import DTYPES
from bench.roofs.report import GOAL, Share
from bench.roofs.roof import SHAPES

COLOURS = ("#8C8C8C", "#0072B2", "#D55E00")


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
