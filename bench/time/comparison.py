"""Forecasts compared with those of river, each in one pass, one row ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from river import linear_model, optim, preprocessing, time_series

from bench.table import Table
from bench.time import streams
from bench.time.forecasts import error_of, formatted, one_pass
from bench.time.streams import Numbers, rows_of

NOTE = (
    "river's models one row ahead, every row answered before it is learned: SNARIMAX of 12"
    " values and a season where there is one; Holt-Winters with an additive season; a linear"
    " model on scaled inputs and the last three values. Their memory is that of Python. A forecast"
    " that is none, or further off than targets ever went, counts as the last value."
)


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The table and the numbers behind it."""
    data: dict[str, Any] = {}
    lines = []
    for name in (*streams.DESIGN, "mg", *streams.ASIDE):
        if names and name not in names:
            continue
        X, y = rows_of(name)
        season = streams.SEASONS.get(name, 0)
        data[name] = {
            "forecaster": one_pass(X, y, history=True)[0],
            "no kernel": one_pass(X, y, history=True, D=0)[0],
            **{peer: error_of(ask(X, y, season), y) for peer, ask in PEERS.items()},
        }
        lines.append([name, *map(formatted, data[name].values())])
    header = ("stream", "forecaster", "no kernel", *PEERS)
    return [Table("Online peers", header, lines, NOTE)], data


class _Guard:
    """Takes the last value where a forecast is none, or further off than targets ever went.

    Peers that run away would otherwise have errors of 1e10 that say nothing.
    """

    def __init__(self) -> None:
        self.last, self._low, self._high = 0.0, np.inf, -np.inf

    def __call__(self, value: float) -> float:
        reach = self._high - self._low
        return value if self._low - reach <= value <= self._high + reach else self.last

    def learn(self, target: float) -> None:
        self.last = target
        self._low, self._high = min(self._low, target), max(self._high, target)


def snarimax(X: Numbers, y: Numbers, season: int) -> Numbers:
    """Twelve values back, and one season."""
    seasonal = {"m": season, "sp": 1} if season else {}
    model = time_series.SNARIMAX(p=12, d=0, q=0, **seasonal)
    f, guard = np.empty(len(y)), _Guard()
    for t, target in enumerate(y.tolist()):
        f[t] = guard(model.forecast(horizon=1)[0]) if t else 0.0
        model.learn_one(target)
        guard.learn(target)
    return f


def holt_winters(X: Numbers, y: Numbers, season: int) -> Numbers:
    """Level, trend and an additive season."""
    parts = {"gamma": 0.1, "seasonality": season} if season else {}
    model = time_series.HoltWinters(alpha=0.3, beta=0.1, **parts)
    f, guard = np.empty(len(y)), _Guard()
    for t, target in enumerate(y.tolist()):
        try:
            f[t] = guard(model.forecast(horizon=1)[0])
        except (AttributeError, IndexError, TypeError, ValueError):  # the first season
            f[t] = guard.last
        model.learn_one(target)
        guard.learn(target)
    return f


def linear(X: Numbers, y: Numbers, season: int) -> Numbers:
    """A linear model of the scaled inputs and the last three values."""
    regressor = linear_model.LinearRegression(optimizer=optim.SGD(0.001))
    model = preprocessing.StandardScaler() | preprocessing.TargetStandardScaler(regressor)
    f, back, guard = np.empty(len(y)), [0.0, 0.0, 0.0], _Guard()
    for t, target in enumerate(y.tolist()):
        row = dict(enumerate([*back, *X[t].tolist()]))
        f[t] = guard(model.predict_one(row)) if t else 0.0
        model.learn_one(row, target)
        guard.learn(target)
        back = [target, *back[:2]]
    return f


Peer = Callable[[Numbers, Numbers, int], Numbers]
PEERS: dict[str, Peer] = {"SNARIMAX": snarimax, "HoltWinters": holt_winters, "linear": linear}
