"""Tries inside the step: the plain implementations of edgeolk.reference, changed a little."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

import edgeolk as ek
from bench.bytes.ablations.tries import Try, halves
from bench.bytes.grid import BINARY, KIB
from bench.bytes.sets import Rows, gamma_of, load
from edgeolk.reference import LEARNERS, base

#: Changed here more than its types allow.
structured: Any = import_module("edgeolk.reference.structured")
TWINS: Mapping[str, Any] = LEARNERS

ROWS = 4_000
NARROW = tuple(name for name in BINARY if name not in ("usps_train", "w8a", "a9a_train"))
LAST, AVERAGE, BLEND = "the last model", "the average", "the blend"
#: The settings of the vector methods.
PARAMS: Mapping[str, Mapping[str, Any]] = {
    "ogd": {"eta": 0.3},
    "nogd": {"eta": 0.3},
    "spa": {"eta": 0.3},
    "fogd": {"eta": 0.3},
}


def wrong(steps: Any, X: Rows, y: Rows) -> float:
    """The error in % of what answers rows before it learns them."""
    pairs = zip(X, y, strict=True)
    return 100.0 * float(np.mean([label * steps(x, label) <= 0.0 for x, label in pairs]))


# --- a last and an averaged model ---


class Both:
    """A method and the running average of its coefficients, blended as sorf blends its two models.

    A vector that leaves takes its part of the average with it.
    """

    def __init__(self, method: Any, setting: str) -> None:
        self.method = method
        blends = {AVERAGE: (0.0,), BLEND: (0.0, 0.1, 0.3, 1.0)}[setting]
        self.blend = structured.Sorf(1, 1, 1.0, blends=blends)
        self.blend.phi = lambda x: x
        self.blend.models = self.models
        self.blend._tau = lambda *_: None
        self.blend._average = self.learn
        self.blend.inputs = self.seen
        self.mean: Rows = np.zeros(0)
        self.arrival: Rows = np.zeros(0)

    def seen(self, x: Rows) -> Rows:
        """What the models score, kept for the step."""
        self.x = x
        return x

    def models(self, x: Rows) -> tuple[Rows, Rows]:
        """Scores of the last model and of the average."""
        if hasattr(self.method, "omega"):
            made = self.method.features(x)
            last = self.method.w
        else:
            made = self.method.kernel(self.method.sv, x) if self.method.m else np.zeros(0)
            last = self.method.alpha
        self.follow(last)
        return np.array([[float(last @ made)]]), np.array([[float(self.mean @ made)]])

    def follow(self, last: Rows) -> None:
        """Make room for new vectors in the average, and forget those that left."""
        mean = np.zeros(len(last))
        mean[: len(self.mean)] = self.mean[: len(last)]
        if not hasattr(self.method, "omega"):
            arrival = self.method.arrival.copy()
            known = min(len(arrival), len(self.arrival))
            mean[:known][arrival[:known] != self.arrival[:known]] = 0.0
            self.arrival = arrival
        self.mean = mean

    def learn(self) -> None:
        """The method's own step, and every eighth row the average's."""
        self.method.step(self.x, self.label)
        last = self.method.w if hasattr(self.method, "omega") else self.method.alpha
        self.follow(last)
        if self.blend.t % 8 == 7:
            self.mean += (last - self.mean) / self.blend.n[0]

    def step(self, x: Rows, y: float) -> float:
        """The blended score, before the step."""
        self.label = y
        return float(self.blend.step(x, y))


def budget_of(name: str, size: int, d: int, averaged: bool) -> int:
    """Vectors or frequencies that fit, with 4 bytes more for each averaged coefficient."""
    coefficients = "float64" if name == "nogd" else "float32"
    learner = ek.Learner(
        name, n_features=d, kernel=ek.Gaussian(1.0), ram=size, dtype="float32",
        coefficients=coefficients, **PARAMS[name],
    )  # fmt: skip
    B = int(learner.budget)
    # The map of nogd outweighs the average of its few coefficients.
    if not averaged or name == "nogd":
        return B
    each, more = (4 * d + 16, 8) if name == "fogd" else (4 * d + 8, 4)
    return B * each // (each + more)


def blended(name: str) -> Any:
    """The error of a method, of its average, and of both."""

    def measure(data: str, size: int, setting: str) -> float:
        X, y = load(data, ROWS)
        kernel = base.gaussian(gamma_of(X))
        B = budget_of(name, size, X.shape[1], setting != LAST)
        params = dict(PARAMS[name])
        sized = {"D": B} if name == "fogd" else {"budget": B}
        method = TWINS[name](kernel, seed=1, **sized, **params)
        return wrong(method.step if setting == LAST else Both(method, setting).step, X, y)

    return measure


# --- features replaced ---

KEPT = "features as drawn"
#: Setting -> rows between two replacements of a block.
EVERY: Mapping[str, int] = {"a block every 500 rows": 500, "a block every 2,000 rows": 2_000}


def replace_weakest(learner: Any, draws: np.random.Generator) -> None:
    """New signs for the block of 64 frequencies whose averaged weights are smallest."""
    lines, phi = structured.P, learner.phi
    strength = [
        float(np.sum(learner.a.v[lines * b : lines * (b + 1)].astype(float) ** 2))
        for b in range(phi.N)
    ]
    b = int(np.argmin(strength))
    for signs in (phi.s1, phi.s2, phi.s3):
        signs[b] = 2.0 * draws.integers(0, 2, signs.shape[1]) - 1.0
    for weights in (learner.w, learner.a):
        weights.v[lines * b : lines * (b + 1)] = 0


def replaced(data: str, size: int, setting: str) -> float:
    """The error where the weakest block is drawn anew now and then; its seeds cost nothing here."""
    X, y = load(data, ROWS)
    D = structured.P * ((size - 640) // 4 // structured.P)
    learner = structured.Sorf(X.shape[1], D, gamma_of(X), seed=1, dtype="float32")
    draws = np.random.default_rng(1)

    def step(x: Rows, label: float) -> float:
        said = float(learner.step(x, label))
        if setting in EVERY and learner.t % EVERY[setting] == 0:
            replace_weakest(learner, draws)
        return said

    return wrong(step, X, y)


TRIES = (
    Try(
        "features replaced under new seeds",
        f"The first {ROWS:,} rows, weights in float32, as many frequencies as int8 would have.",
        (KEPT, *EVERY),
        (2 * KIB, 4 * KIB),
        *halves(NARROW),
        replaced,
    ),
    *(
        Try(
            f"the blend of last and average, {name}",
            f"The first {ROWS:,} rows, eta .3, numbers in float32; the average's coefficients take"
            " their bytes from the budget.",
            (LAST, AVERAGE, BLEND),
            (4 * KIB,),
            *halves(NARROW),
            blended(name),
        )
        for name in PARAMS
    ),
)
