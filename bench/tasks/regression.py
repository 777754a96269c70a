"""Regression in one pass, compared with linear peers."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from river import linear_model, optim, preprocessing
from sklearn.linear_model import SGDRegressor

import edgeolk as ek
from bench.table import Table
from bench.tasks.classes import width
from bench.tasks.data import REGRESSION, Rows, regression
from bench.timing import dicts, in_turns, seconds_of, timed

PREFIX = 2000
#: Errors count from this row on: the first answers know no mean of the targets yet.
FIRST = 100
SIZES = ("4KiB", "16KiB", "64KiB")

Found = tuple[Any, int, float]


def _ours(rows: Rows, n: int, ram: str, times: float, linear: bool) -> Found:
    """Predictions before each row, bytes, microseconds a row."""
    learner = ek.Learner(
        "sorf",
        n_features=rows.X.shape[1],
        ram=ram,
        loss="square",
        kernel=ek.Gaussian(times * width(rows)),
        scale="standard",
        linear=linear,
        seed=1,
    )
    f, seconds = timed(lambda: learner.learn_many(rows.X[:n], rows.y[:n]))
    return f, learner.nbytes, 1e6 * seconds / n


def _river(rows: Rows, n: int, rate: float) -> Found:
    model = preprocessing.StandardScaler() | preprocessing.TargetStandardScaler(
        linear_model.LinearRegression(optimizer=optim.SGD(rate))
    )
    f, us = in_turns(model.predict_one, model.learn_one, dicts(rows.X[:n]), rows.y[:n].tolist())
    return np.array(f), len(pickle.dumps(model)), us


def _sklearn(rows: Rows, n: int, rate: float) -> Found:
    """One row a call; targets standardised by the prefix, which flatters it."""
    model = SGDRegressor(eta0=rate, learning_rate="constant", average=False, random_state=0)
    scaler = ek.RunningScaler(rows.X.shape[1])
    mean, sd = rows.y[:PREFIX].mean(), rows.y[:PREFIX].std()
    f = np.full(n, mean)

    def run() -> None:
        for at in range(n):
            x = scaler.learn_transform_one(rows.X[at])[None]
            if at:
                f[at] = model.predict(x)[0] * sd + mean
            model.partial_fit(x, [(rows.y[at] - mean) / sd])

    us = 1e6 * seconds_of(run) / n
    return f, model.coef_.nbytes + 8 + scaler.nbytes, us


def _methods() -> dict[str, tuple[Callable[..., Found], list[tuple[Any, ...]]]]:
    ours = [(times, linear) for times, linear in product((0.3, 1.0, 3.0), (False, True))]
    rates = [(rate,) for rate in (0.001, 0.003, 0.01, 0.03)]
    made: dict[str, tuple[Callable[..., Found], list[tuple[Any, ...]]]] = {
        f"sorf {ram}": (_ours, [(ram, *setting) for setting in ours]) for ram in SIZES
    }
    made["river LinearRegression"] = (_river, rates)
    made["SGDRegressor"] = (_sklearn, rates)
    return made


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The tables and the numbers behind them."""
    data: dict[str, Any] = {}
    lines = []
    for name in names or tuple(REGRESSION):
        rows = regression(name)
        data[name] = {}
        for method, (ask, settings) in _methods().items():
            tried = {
                setting: float(
                    np.abs(ask(rows, PREFIX, *setting)[0] - rows.y[:PREFIX])[FIRST:].mean()
                )
                for setting in settings
            }
            best = min(tried, key=lambda setting: tried[setting])
            f, nbytes, us = ask(rows, len(rows.y), *best)
            errors, y = (f - rows.y)[FIRST:], rows.y[FIRST:]
            data[name][method] = {
                "mae": float(np.abs(errors).mean()),
                "r2": float(1.0 - (errors**2).sum() / ((y - y.mean()) ** 2).sum()),
                "bytes": nbytes,
                "us": us,
                "settings": [str(value) for value in best],
            }
        least = min(data[name][m]["mae"] for m in ("river LinearRegression", "SGDRegressor"))
        for method, found in data[name].items():
            lines.append(
                [
                    name,
                    method,
                    f"{found['mae']:.4g}",
                    f"{found['mae'] / least:.2f}",
                    f"{found['r2']:.3f}",
                    f"{found['bytes'] / 1024:.1f}",
                    f"{found['us']:.1f}",
                    ", ".join(found["settings"][-2:] if "sorf" in method else found["settings"]),
                ]
            )
    table = Table(
        "Regression: one pass",
        ("set", "method", "mean error", "ratio", "R2", "KiB", "us a row", "settings"),
        lines,
        f"Errors of predictions made before each row was learned, from row {FIRST} on. The ratio is"
        f" to the better linear peer. Settings are the best on the first {PREFIX} rows: `sorf` 3"
        " multiples of the width, with and without its linear part; the others 4 rates. The peers"
        " are called a row at a time; ours has one call for all rows.",
        left=2,
    )
    return [table], data
