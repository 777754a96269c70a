"""Models of river that forecast one row ahead."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from river import linear_model, optim, preprocessing, time_series

from bench.time.streams import Numbers


def _guarded(value: float, last: float) -> float:
    """A forecast, or the last value where there is none, or one that has run away."""
    return value if np.isfinite(value) and abs(value) < 1e12 else last


def snarimax(X: Numbers, y: Numbers, season: int) -> Numbers:
    """Twelve values back, and one season."""
    seasonal = {"m": season, "sp": 1} if season else {}
    model = time_series.SNARIMAX(p=12, d=0, q=0, **seasonal)
    f, last = np.empty(len(y)), 0.0
    for t, target in enumerate(y.tolist()):
        f[t] = _guarded(model.forecast(horizon=1)[0], last) if t else 0.0
        model.learn_one(target)
        last = target
    return f


def holt_winters(X: Numbers, y: Numbers, season: int) -> Numbers:
    """Level, trend and an additive season."""
    parts = {"gamma": 0.1, "seasonality": season} if season else {}
    model = time_series.HoltWinters(alpha=0.3, beta=0.1, **parts)
    f, last = np.empty(len(y)), 0.0
    for t, target in enumerate(y.tolist()):
        try:
            f[t] = _guarded(model.forecast(horizon=1)[0], last)
        except (AttributeError, IndexError, TypeError, ValueError):  # the first season
            f[t] = last
        model.learn_one(target)
        last = target
    return f


def linear(X: Numbers, y: Numbers, season: int) -> Numbers:
    """A linear model of the scaled inputs and the last three values."""
    model = preprocessing.StandardScaler() | preprocessing.TargetStandardScaler(
        linear_model.LinearRegression(optimizer=optim.SGD(0.001))
    )
    f, back = np.empty(len(y)), [0.0, 0.0, 0.0]
    for t, target in enumerate(y.tolist()):
        row = dict(enumerate([*back, *X[t].tolist()]))
        f[t] = _guarded(model.predict_one(row), back[0])
        model.learn_one(row, target)
        back = [target, *back[:2]]
    return f


PEERS: dict[str, Callable[[Numbers, Numbers, int], Numbers]] = {
    "SNARIMAX": snarimax,
    "HoltWinters": holt_winters,
    "linear": linear,
}
