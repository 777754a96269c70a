"""Forecasts compared with those of river and statsforecast, each in one pass, one row ahead."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from river import forest, linear_model, optim, preprocessing, time_series

from bench.table import Table
from bench.time import streams
from bench.time.forecasts import error_of, formatted, one_pass
from bench.time.streams import Numbers, rows_of

#: Rows between two fits of exponential smoothing where a stream has no season, and rows of a fit
#: in seasons, at most so many.
REFIT, SEASONS, FITTED = 100, 14, 1000


def _peers(
    title: str,
    peers: dict[str, Peer],
    names: tuple[str, ...],
    data: dict[str, Any],
    note: str,
    most: int | None = None,
) -> Table:
    """Errors of peers on the first ``most`` rows, and the forecaster's, also without a kernel."""
    lines = []
    for name in names:
        X, y = (part[:most] for part in rows_of(name))
        season = streams.SEASONS.get(name, 0)
        found = {
            "forecaster": one_pass(X, y, history=True)[0],
            "no kernel": one_pass(X, y, history=True, D=0)[0],
            **{peer: error_of(ask(X, y, season), y) for peer, ask in peers.items()},
        }
        data.setdefault(name, {}).setdefault("peers", {})[title] = found
        lines.append([name, *map(formatted, found.values())])
    return Table(title, ("stream", "forecaster", "no kernel", *peers), lines, note)


_GUARDED = (
    " A forecast that is none, or further off than targets ever went, counts as the last value."
)
_ONLINE = (
    "river's models one row ahead, every row answered before it is learned: SNARIMAX of 12"
    " values and a season where there is one; Holt-Winters with an additive season; a linear"
    " model on scaled inputs and the last three values. Their memory is that of Python." + _GUARDED
)
_SLOW = (
    "The same on the first {most:,} rows, for models that take milliseconds a row: river's adaptive"
    " random forest of ten trees on the inputs and the last three values; statsforecast's AutoETS,"
    f" chosen and fitted again after every season (every {REFIT} rows where there is none) on the"
    f" last {SEASONS} of them, at most {FITTED:,} rows; in between its states follow each target."
    + _GUARDED
)
#: Rows for slow peers.
FIRST = 5000


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The tables and the numbers behind them."""
    data: dict[str, Any] = {}
    all_names = (*streams.DESIGN, "mg", *streams.ASIDE)
    wanted = tuple(name for name in all_names if not names or name in names)
    slow = _SLOW.format(most=FIRST)
    tables = [
        _peers("Online peers", PEERS, wanted, data, _ONLINE),
        _peers("Slower peers", SLOW_PEERS, wanted, data, slow, FIRST),
    ]
    return tables, data


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
    return _of_rows(
        preprocessing.StandardScaler() | preprocessing.TargetStandardScaler(regressor), X, y
    )


def trees(X: Numbers, y: Numbers, season: int) -> Numbers:
    """An adaptive random forest of ten trees on the inputs and the last three values."""
    return _of_rows(forest.ARFRegressor(n_models=10, seed=1), X, y)


def _of_rows(model: Any, X: Numbers, y: Numbers) -> Numbers:
    f, back, guard = np.empty(len(y)), [0.0, 0.0, 0.0], _Guard()
    for t, target in enumerate(y.tolist()):
        row = dict(enumerate([*back, *X[t].tolist()]))
        f[t] = guard(model.predict_one(row)) if t else 0.0
        model.learn_one(row, target)
        guard.learn(target)
        back = [target, *back[:2]]
    return f


def smoothing(X: Numbers, y: Numbers, season: int) -> Numbers:
    """AutoETS, selected and fitted again each season; in between its states follow the targets."""
    ets_f: Any = import_module("statsforecast.ets").ets_f  # takes seconds, and is not everywhere
    every = season or REFIT
    f = np.empty(len(y))
    f[0], f[1:] = 0.0, y[:-1]
    for begin in range(2 * every, len(y), every):
        first = max(0, begin - min(FITTED, SEASONS * every))
        fitted = ets_f(y[first:begin], m=season or 1)
        end = min(begin + every, len(y))
        if "states" not in fitted:  # a constant series
            continue
        # The parameters and first states of the fit, states moved on: no target of the rows ahead.
        fitted_values = np.asarray(ets_f(y[first:end], m=season or 1, model=fitted)["fitted"])
        f[begin:end] = fitted_values[begin - first :]
    guard = _Guard()
    for t, target in enumerate(y.tolist()):
        f[t] = guard(f[t]) if t else 0.0
        guard.learn(target)
    return f


Peer = Callable[[Numbers, Numbers, int], Numbers]
PEERS: dict[str, Peer] = {"SNARIMAX": snarimax, "HoltWinters": holt_winters, "linear": linear}
#: Those that take milliseconds a row.
SLOW_PEERS: dict[str, Peer] = {"ARFRegressor": trees, "AutoETS": smoothing}
