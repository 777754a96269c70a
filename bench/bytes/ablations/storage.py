"""Vector methods in fewer bytes: stored rows, coefficients, scratch of the kernel row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import edgeolk as ek
from bench.bytes.ablations.tries import Measure, Try, halves
from bench.bytes.grid import BINARY, KIB, Job, record
from bench.bytes.runs import learner_of
from bench.bytes.sets import load

USUAL = "rows float32, coefficients float64"
TYPES: Mapping[str, tuple[str, str]] = {
    USUAL: ("float32", "float64"),
    "rows float32, coefficients float32": ("float32", "float32"),
    "rows float16, coefficients float32": ("float16", "float32"),
    "rows int8, coefficients float64": ("int8", "float64"),
    "rows int8, coefficients float32": ("int8", "float32"),
}
#: What shorter types for these would save, a vector, at best: as if they were as good as the long.
BOUNDS: Mapping[str, int] = {
    "rows int8, coefficients float32, kernel row in 2 bytes (bound)": 2,
    "rows int8, coefficients in 1 byte, kernel row in 2 (bound)": 5,
}
ROWS = 5_000
#: Bytes a vector that both rows int8 and coefficients float32 take beside the inputs: 4 for the
#: coefficient, 4 for the kernel row.
BESIDE = 8


def longer(held: int, d: int, saved: int) -> int:
    """How many vectors fit if each took less by so much."""
    each = d + BESIDE
    return held * each // (each - saved)


def measure_of(name: str, **params: Any) -> Measure:
    """The error of a vector method with its rows and coefficients in a type."""

    def measure(data: str, size: int, setting: str) -> float:
        X, y = load(data, ROWS)
        bound = BOUNDS.get(setting, 0)
        dtype, coefficients = TYPES.get(setting, ("int8", "float32"))
        learner = learner_of(Job(data, name, size, dtype, coefficients, params=params), X)
        if bound:
            more = longer(learner.budget, X.shape[1], bound)
            learner = ek.Learner(
                name, n_features=X.shape[1], kernel=learner.kernel, seed=1, budget=more,
                dtype=dtype, coefficients=coefficients, **params,
            )  # fmt: skip
        made = record("two", learner.learn_many(X, y), y, learner.nbytes, 0.0)
        return float(made["error"])

    return measure


#: Sets whose rows fit at 4 KiB in the longest type.
FIT = tuple(name for name in BINARY if name not in ("usps_train", "w8a"))
TRIES = tuple(
    Try(
        f"fewer bytes a vector, {name}",
        f"{name}, {about}, the first {ROWS:,} rows. Bounds: the budget that such types would allow,"
        " numbers as exact as before.",
        (*TYPES, *BOUNDS),
        (4 * KIB, 16 * KIB),
        *halves(FIT),
        measure_of(name, **params),
        bounds=tuple(BOUNDS),
    )
    for name, about, params in (
        ("bpa_s", "C = 1", {"C": 1.0}),
        ("ogd", "eta = .3", {"eta": 0.3}),
    )
)
