"""Learned widths of the inputs: for the kernels of vector methods, and in fewer bytes a column."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import edgeolk as ek
from bench.bytes.ablations.tries import Try, halves
from bench.bytes.figures import frequencies
from bench.bytes.grid import BINARY, KIB, Job
from bench.bytes.runs import learner_of
from bench.bytes.scoring import record
from bench.bytes.sets import Rows, gamma_of, load
from bench.bytes.shim import Sorf

ROWS = 5_000
CHUNK = 50
USUAL = "rows as they are"
GIVEN = ("widths learned beside it", "widths learned in a pass before (hindsight)")


def scales(X: Rows, y: Rows) -> Rows:
    """What sorf multiplies each row by, as it was some rows before."""
    learner = Sorf(X.shape[1], 928, gamma_of(X), seed=1, relevance=True, row=True)
    made = np.empty_like(X)
    for at in range(0, len(y), CHUNK):
        made[at : at + CHUNK] = np.exp(learner.parts["lam"])
        learner.steps(X[at : at + CHUNK], y[at : at + CHUNK])
    return made


def of_vectors(data: str, size: int, setting: str) -> float:
    """The error of bpa_s on rows whose columns have been given widths."""
    X, y = load(data, ROWS)
    if setting == GIVEN[0]:
        X = X * scales(X, y)
    elif setting == GIVEN[1]:
        X = X * scales(X, y)[-1]
    learner = learner_of(Job(data, "bpa_s", size, "float32", "float32", params={"C": 1.0}), X)
    return float(record("two", learner.learn_many(X, y), y, learner.nbytes, 0.0)["error"])


#: Wide rows, where 16 bytes a column are much.
WIDE = (
    *("a9a_train", "phishing", "spambase", "covtype10k", "usps_train", "w8a", "mushrooms"),
    *("insects_gradual", "german", "ijcnn1_train"),
)
#: Bytes of state and of scratch for a column; None without relevance.
COLUMN: Mapping[str, int | None] = {
    "the rule as it is": None,
    "never": None,
    "always, 16 bytes a column": 16,
    "always, 11 bytes a column (bound)": 11,
    "always, in 3 bytes and no scratch (bound)": 3,
}


def of_columns(data: str, size: int, setting: str) -> float:
    """The error of sorf where relevance takes so many bytes a column, as exact as ever."""
    X, y = load(data)
    kernel, d = ek.Gaussian(gamma_of(X)), X.shape[1]
    found = []
    for seed in (1,):
        if setting == "the rule as it is":
            learner = ek.Learner(
                "sorf", n_features=d, kernel=kernel, scale=None, ram=size, seed=seed, memory=False
            )
        else:
            each = COLUMN[setting] or 0
            # 64 more for the header, and the row, as a block of this library has them.
            D = frequencies(size, each * d + 4 * d + 64)
            if D < 64:
                D = frequencies(size, 4 * d + 64)
                each = 0
            learner = ek.Learner(
                "sorf",
                n_features=d,
                kernel=kernel,
                scale=None,
                budget=D,
                seed=seed,
                relevance=each > 0,
            )
        made = record("two", learner.learn_many(X, y), y, learner.nbytes, 0.0)
        found.append(float(made["error"]))
    return sum(found) / len(found)


TRIES = (
    Try(
        "learned widths for the kernels of vectors",
        f"bpa_s, float32, C = 1, the first {ROWS:,} rows; the inputs' widths learned by a sorf of"
        " 928 frequencies whose bytes are not counted: a bound. gamma from the widened rows.",
        (USUAL, *GIVEN),
        (4 * KIB, 16 * KIB),
        *halves(tuple(name for name in BINARY if name not in ("usps_train", "w8a"))),
        of_vectors,
        bounds=GIVEN,
    ),
    Try(
        "relevance in fewer bytes a column",
        "Learned widths of the inputs, as exact as ever, in fewer bytes: what 3 bytes of state"
        " instead of 8 could give at best, beside 8 of scratch or none.",
        tuple(COLUMN),
        (4 * KIB, 16 * KIB),
        *halves(WIDE),
        of_columns,
        bounds=tuple(setting for setting in COLUMN if "bound" in setting),
    ),
)
