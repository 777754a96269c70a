"""Several classes in one pass at three sizes of memory."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

import edgeolk as ek
from bench.table import Table
from bench.tasks.data import CLASSES, STREAMS, Rows, classes
from bench.timing import timed

SIZES = ("16KiB", "64KiB", "256KiB")
PREFIX = 2000
#: Settings tried on the prefix: multiples of the width, and C.
WIDTHS = (0.25, 1.0, 4.0)
STEPS = (0.3, 1.0, 10.0)


def _learner(name: str, rows: Rows, ram: str, gamma: float, **own: Any) -> ek.Learner:
    return ek.Learner(
        name,
        n_features=rows.X.shape[1],
        n_classes=int(rows.y.max()) + 1,
        ram=ram,
        kernel=ek.Gaussian(gamma),
        scale=rows.scale,
        seed=1,
        **own,
    )


def width(rows: Rows) -> float:
    """The median heuristic on the first rows, scaled as the learner scales them."""
    first = rows.X[:500]
    if rows.scale is not None:
        scaler = ek.RunningScaler(first.shape[1], method=rows.scale)
        scaler.learn_many(first)
        first = scaler.transform(first)
    return ek.gamma_from(first)


def _passed(learner: ek.Learner, rows: Rows, n: int | None = None) -> dict[str, Any]:
    """One pass: error before learning each row, bytes, and microseconds a row."""
    X, y = rows.X[:n], rows.y[:n].astype(np.float64)
    margins, seconds = timed(lambda: learner.learn_many(X, y))
    return {
        "error": float((margins <= 0.0).mean()),
        "bytes": learner.nbytes,
        "us": 1e6 * seconds / len(y),
    }


def _ring(rows: Rows, ram: str) -> dict[str, Any]:
    """The budgeted passive-aggressive method, its settings chosen on the prefix."""
    gamma = width(rows)
    tried = {
        (times, C): _passed(
            _learner("bpa_s", rows, ram, times * gamma, C=C, coefficients="float32"), rows, PREFIX
        )["error"]
        for times, C in product(WIDTHS, STEPS)
    }
    times, C = min(tried, key=lambda setting: tried[setting])
    learner = _learner("bpa_s", rows, ram, times * gamma, C=C, coefficients="float32")
    return {
        **_passed(learner, rows),
        "settings": f"{times:g} gamma, C {C:g}",
        "size": learner.budget,
    }


def _features(rows: Rows, ram: str) -> dict[str, Any]:
    learner = _learner("sorf", rows, ram, width(rows))
    return {**_passed(learner, rows), "settings": "none", "size": learner.budget}


def _linear(rows: Rows) -> dict[str, Any]:
    """scikit-learn's linear classifier, 32 rows at a time, on rows scaled as ours are."""
    X, n = rows.X, len(rows.y)
    if rows.scale is not None:
        scaler = ek.RunningScaler(X.shape[1], method=rows.scale)
        X = np.stack([scaler.learn_transform_one(x) for x in X])
    known = np.unique(rows.y)

    def passed(alpha: float, n: int) -> tuple[float, Any]:
        """The share of wrong answers in the first rows, and the model."""
        model, wrong = SGDClassifier(alpha=alpha, average=True, random_state=0), 0
        for at in range(0, n, 32):
            some = slice(at, min(at + 32, n))
            if at:
                wrong += int((model.predict(X[some]) != rows.y[some]).sum())
            model.partial_fit(X[some], rows.y[some], classes=known)
        return wrong / n, model

    chosen = min((1e-5, 1e-4, 1e-3), key=lambda alpha: passed(alpha, PREFIX)[0])
    (error, model), seconds = timed(lambda: passed(chosen, n))
    return {
        "error": error,
        "us": 1e6 * seconds / n,
        "bytes": 2 * model.coef_.nbytes,
        "settings": f"alpha {chosen:g}",
        "size": 0,
    }


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The tables and the numbers behind them."""
    data: dict[str, Any] = {}
    lines = []
    for name in names or (*CLASSES, *STREAMS):
        rows = classes(name)
        found = {}
        for ram in SIZES:
            found[f"sorf {ram}"] = _features(rows, ram)
            found[f"bpa_s {ram}"] = _ring(rows, ram)
        found["SGDClassifier"] = _linear(rows)
        data[name] = found
        K = int(rows.y.max()) + 1
        for method in ("sorf", "bpa_s"):
            each = [found[f"{method} {ram}"] for ram in SIZES]
            lines.append(
                [
                    f"{name} ({len(rows.y)} x {rows.X.shape[1]}, K = {K})",
                    method,
                    *(f"{100 * (1 - one['error']):.2f}" for one in each),
                    *(f"{one['us']:.0f}" for one in each),
                    each[1]["settings"],
                ]
            )
        line = found["SGDClassifier"]
        lines.append(
            [
                "",
                f"linear, {line['bytes'] / 1024:.1f} KiB",
                f"{100 * (1 - line['error']):.2f}",
                *("", ""),
                f"{line['us']:.0f}",
                *("", ""),
                line["settings"],
            ]
        )
    table = Table(
        "Several classes: accuracy in one pass",
        (
            "set", "method", *(f"% at {ram}" for ram in SIZES), *(f"us at {ram}" for ram in SIZES),
            "settings at 64KiB",
        ),
        lines,
        "Per cent of rows whose class was said right before they were learned, over the whole set."
        f" `sorf` has nothing chosen; `bpa_s` (coefficients in float32) the best of"
        f" {len(WIDTHS) * len(STEPS)} settings on the first {PREFIX} rows; the linear one is"
        " scikit-learn's averaged SGDClassifier, 32 rows a call, alpha from the same rows.",
        left=2,
    )  # fmt: skip
    return [table], data
