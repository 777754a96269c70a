"""Lines and macros of the loops by what they are for: ``python -m bench.loops``."""

from __future__ import annotations

import re

from bench.table import Table
from edgeolk.core.units import LOOPS

_DEFINE = re.compile(r"^ *# *define", re.MULTILINE)
#: What headers are for, by their stems; the first that fits. The rest is `sorf` without the others.
PARTS: dict[str, tuple[str, ...]] = {
    "learners on the ring": (
        *("angles", "coefficients", "dots", "eigen", "kernel_column", "kernel_row"),
        *("kernel_rows", "kernel_values", "linalg", "matrices", "merge", "nonzeros", "number"),
        *("one_row", "probabilities", "rings", "searches", "selection", "simd", "sparse_row"),
        *("tiles", "variants"),
    ),
    "vectors, sets of instructions, numbers as they are stored, approximations": (
        *("approximations", "compiler", "exponential", "finite", "logarithm", "processor"),
        *("range_reduction", "roots", "set", "storage", "vector", "vector_plain", "vector_wide"),
    ),
    "random numbers": ("normals", "pcg", "rng", "ziggurat"),
    "scaler, length of a row, width of the kernel": (
        *("length", "lines", "preprocessing", "width", "winsor"),
    ),
    "one scale for all inputs, statistics in 9 bytes (sections 8, 15)": (
        *("common", "compact", "compact_rows"),
    ),
    "learned widths of the inputs (7c)": ("gradient", "relevance", "unfold"),
    "one learned width for all inputs (7e), beside 7c": ("along",),
    "a memory of rows (7f)": ("exact_memory", "kept_rows", "row_memory", "whole_memory"),
    "drift (13)": ("drift",),
    "forecasts": (
        *("bounded", "forecast", "forecast_types", "guard", "interval", "least_squares"),
        *("season_ring", "target_history", "waiting_rows"),
    ),
    "novelty in time": (
        *("channel_gate", "channels", "event_words", "novelty_event", "novelty_in_time"),
        *("novelty_scores", "novelty_threshold", "running_moments"),
    ),
}
REST = "`sorf`: features, scores, rounding, a step"


def part_of(stem: str) -> str:
    """What a header is for."""
    return next((part for part, stems in PARTS.items() if stem in stems), REST)


def table() -> Table:
    """A row a part, and all of them."""
    counts: dict[str, list[int]] = {part: [0, 0, 0] for part in (*PARTS, REST, "all")}
    for header in LOOPS.glob("*.h"):
        text = header.read_text(encoding="utf-8")
        lines, defines = text.count("\n"), len(_DEFINE.findall(text))
        for name in (part_of(header.stem), "all"):
            counts[name] = [a + b for a, b in zip(counts[name], (1, lines, defines), strict=True)]
    rows = [(name, *map(str, row)) for name, row in counts.items()]
    return Table("Lines of the loops", ["for", "headers", "lines", "`#define`"], rows)


if __name__ == "__main__":
    print(table().markdown())
