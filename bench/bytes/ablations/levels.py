"""int8 whose levels adapt: the unit halved when weights saturate, over long streams."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bench.bytes.ablations.tries import Try, halves
from bench.bytes.figures import frequencies
from bench.bytes.grid import KIB
from bench.bytes.sets import gamma_of, load
from bench.bytes.shim import Sorf

ROWS = 120_000
CHUNK = 500
MOST = 127
#: Setting -> unit to begin with, share of saturated weights that shrinks it, and by what.
SETTINGS: Mapping[str, tuple[float, float, float]] = {
    "unit 3": (3.0, 1.0, 1.0),
    "unit 6": (6.0, 1.0, 1.0),
    "unit 2": (2.0, 1.0, 1.0),
    "unit 1.5": (1.5, 1.0, 1.0),
    "from 3, x .7 at 1 % saturated": (3.0, 0.01, 0.7),
    "from 8, x .7 at .1 % saturated": (8.0, 0.001, 0.7),
}
SETS = (
    *("ijcnn1_train", "a9a_train", "covtype10k", "phishing", "phoneme", "elec2", "ring", "w8a"),
    *("banana", "weather_rain", "spambase", "insects_gradual"),
)


def shrink(learner: Sorf, factor: float, draws: np.random.Generator) -> None:
    """Fewer levels a unit of weight; what is stored is rounded by chance."""
    learner.config.kappa *= factor
    for stored in (learner.parts["w"], learner.parts["a"]):
        stored[:] = np.floor(stored * factor + draws.random(stored.shape)).astype(np.int8)


def error(data: str, size: int, setting: str) -> float:
    """The error in % over a stream made long by repeating the set."""
    X, y = load(data, None)
    rows = X.astype(np.float32)
    unit, limit, factor = SETTINGS[setting]
    learner = Sorf(X.shape[1], frequencies(size), gamma_of(X), seed=1, unit=unit, row=True)
    draws = np.random.default_rng(1)
    wrong = 0
    for at in range(0, ROWS, CHUNK):
        some = np.arange(at, at + CHUNK) % len(y)
        wrong += int(np.sum(y[some] * learner.steps(rows[some], y[some]) <= 0.0))
        if np.mean(np.abs(learner.parts["w"]) == MOST) > limit:
            shrink(learner, factor, draws)
    return 100.0 * wrong / ROWS


TRIES = (
    Try(
        "levels that adapt",
        f"int8 levels a unit of weight, fixed or fewer whenever more of w than a share is saturated"
        f" (looked at every {CHUNK} rows); {ROWS:,} rows, sets repeated until there are so many.",
        tuple(SETTINGS),
        (KIB,),
        *halves(SETS),
        error,
    ),
)
