"""Streams, learners and references of forecasts that the tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_forecast import Forecaster, Widened

Numbers = NDArray[np.float64]


def series(n: int = 600, d: int = 3, seed: int = 0) -> tuple[Numbers, Numbers]:
    """A drifting target, season 12; the effect of its input changes sign every 100 rows."""
    r = np.random.default_rng(seed)
    X = np.cumsum(r.normal(size=(n, d)), axis=0) * 0.1 + r.normal(size=(n, d)) * 0.3
    t = np.arange(n)
    y = 3.0 * np.sin(2 * np.pi * t / 12) + np.cumsum(r.normal(size=n)) * 0.3 + 20.0
    if d:
        y += np.where(t % 200 < 100, 1.0, -1.0) * np.tanh(X[:, 0]) * 2.0
    return X, y


def troubled(n: int = 900, d: int = 3, seed: int = 0) -> tuple[Numbers, Numbers]:
    """The same with missing readings and targets, outliers, and a target stuck for 260 rows."""
    X, y = series(n, d, seed)
    r = np.random.default_rng(seed + 1)
    X[r.random(X.shape) < 0.05] = np.nan
    y[r.random(n) < 0.05] = np.nan
    y[[7, 120]] = 1e9, -1e9
    y[300:560] = y[299] if np.isfinite(y[299]) else 20.0
    y[800] = 1e9
    return X, y


def learner_of(d: int = 3, D: int = 96, **options: Any) -> ek.Learner:
    options = {"dtype": "float64", **({"relevance": True} if D else {}), **options}
    return ek.Learner("sorf", n_features=d, D=D, loss="square", history=True, seed=5, **options)


def plain_of(learner: ek.Learner) -> Forecaster:
    """The reference of an untrained learner."""
    config = learner.config
    d, own = config.n_features, learner.parameters
    scalers = [ek.RunningScaler(1, clip=5.0) for _ in range(d)]
    # Of rows in single precision, which then have no gaps: roundings go by row and input.
    narrow = [ek.RunningScaler(d, clip=5.0, compact=True)] if d else []

    def scaled(x: Numbers, keep: bool) -> Numbers:
        if learner.dtype != "float64":
            one = [scaler if keep else _copied(scaler) for scaler in narrow]
            return one[0].learn_transform_one(x) if one else np.zeros(0)
        z = np.zeros(d)
        for j, reading in enumerate(x):
            if np.isnan(reading):
                continue
            scaler = scalers[j] if keep else _copied(scalers[j])
            z[j] = scaler.learn_transform_one(np.array([reading]))[0]
        return z

    kernel: Any = None
    if config.budget:
        follows = config._settings.preprocessing.follows
        kernel = Sorf(
            d + 4,
            config.budget,
            0.5 if follows else learner._engine.gamma(),
            seed=config.seed,
            dtype=learner.dtype,
            loss="square",
            relevance=own["relevance"],
            drift=False,
            constant=False,
        )
        if follows:
            kernel = Widened(kernel)
    return Forecaster(
        d,
        scale=lambda x: scaled(x, True),
        peek=lambda x: scaled(x, False),
        kernel=kernel,
        k=own["horizon"],
        season=own["season"],
        levels=own.get("interval", (0.9,)),
        real=float if learner.dtype == "float64" else np.float32,
    )


def _copied(scaler: ek.RunningScaler) -> ek.RunningScaler:
    make, arguments = scaler.__reduce__()[:2]
    copy: ek.RunningScaler = make(*arguments)
    return copy


def run(learner: Any, X: Numbers, y: Numbers, horizon: int = 1) -> Numbers:
    """Answers to all rows; each target is given when it is due, one step before the next row."""
    said = np.empty(len(X))
    for t in range(len(X)):
        if t >= horizon:
            learner.tell_one(y[t - horizon])
        said[t] = learner.ask_one(X[t])
    return said


def state(learner: ek.Learner, *without: str) -> dict[str, bytes]:
    """Regions of state by name, except some."""
    return {
        region.name: bytes(memoryview(learner._engine.view(region.name)))
        for region in learner.plan.regions
        if region.is_state and region.element != "w" and region.name not in without
    }


def sealed(learner: ek.Learner) -> bytes:
    return bytes(learner._sealed())
