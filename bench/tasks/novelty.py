"""Anomalies without labels in one pass, beside batch and online detectors."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from river import anomaly, preprocessing
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

import edgeolk as ek
from bench.table import Table
from bench.tasks.data import ANOMALIES, Rows, anomalies

#: Rows of each set that every detector sees; the slow ones allow no more.
MOST = 10_000
FIRST = 500
SHARE = 0.05
#: Rows that the batch support vector machine is fitted on; its time grows with their square.
BATCH = 5000

Found = tuple[Any, Any, int, float]


def _ours(rows: Rows, **own: Any) -> Found:
    """Scores that grow with novelty, alarms, bytes, microseconds a row."""
    learner = ek.Learner(n_features=rows.X.shape[1], loss="novelty", nu=SHARE, seed=1, **own)
    start = process_time()
    g = np.empty(len(rows.y))
    level = np.empty(len(rows.y))
    for at, x in enumerate(rows.X):
        level[at] = learner.threshold
        g[at] = learner.learn_one(x)
    us = 1e6 * (process_time() - start) / len(g)
    return -(g + level), g < 0.0, learner.nbytes, us


def _forest(rows: Rows) -> Found:
    start = process_time()
    model = IsolationForest(contamination=SHARE, random_state=0).fit(rows.X)
    scores = -model.score_samples(rows.X)
    us = 1e6 * (process_time() - start) / len(scores)
    return scores, scores > -model.offset_, len(pickle.dumps(model)), us


def _machine(rows: Rows) -> Found:
    start = process_time()
    scaler = StandardScaler().fit(rows.X)
    X = scaler.transform(rows.X)
    model = OneClassSVM(nu=SHARE).fit(X[:BATCH])
    scores = -model.decision_function(X)
    us = 1e6 * (process_time() - start) / len(scores)
    return scores, scores > 0.0, model.support_vectors_.nbytes, us


def _stream(rows: Rows, scaler: Any, detector: Any) -> Found:
    model = scaler | anomaly.QuantileFilter(detector, q=1.0 - SHARE)
    keys = list(range(rows.X.shape[1]))
    scores = np.empty(len(rows.y))
    alarms = np.zeros(len(rows.y), dtype=bool)
    start = process_time()
    for at, x in enumerate(rows.X.tolist()):
        row = dict(zip(keys, x, strict=True))
        scores[at] = model.score_one(row)
        alarms[at] = model["QuantileFilter"].classify(scores[at])
        model.learn_one(row)
    us = 1e6 * (process_time() - start) / len(scores)
    return scores, alarms, len(pickle.dumps(model)), us


DETECTORS: dict[str, Callable[[Rows], Found]] = {
    "sorf 4 KiB": lambda rows: _ours(rows, ram="4KiB"),
    "sorf 16 KiB": lambda rows: _ours(rows, ram="16KiB"),
    "IsolationForest*": _forest,
    "OneClassSVM*": _machine,
    "HalfSpaceTrees": lambda rows: _stream(
        rows, preprocessing.MinMaxScaler(), anomaly.HalfSpaceTrees(seed=1)
    ),
    "river OneClassSVM": lambda rows: _stream(
        rows, preprocessing.StandardScaler(), anomaly.OneClassSVM(nu=SHARE)
    ),
}


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The tables and the numbers behind them."""
    data: dict[str, Any] = {}
    for name in names or ANOMALIES:
        rows = anomalies(name, MOST)
        truth = rows.y[FIRST:]
        data[name] = {}
        for detector, ask in DETECTORS.items():
            scores, alarms, nbytes, us = ask(rows)
            late = alarms[FIRST:]
            data[name][detector] = {
                "auc": float(roc_auc_score(truth, scores[FIRST:])) if truth.any() else None,
                "false": float(late[~truth].mean()),
                "hits": float(late[truth].mean()) if truth.any() else None,
                "bytes": nbytes,
                "us": us,
            }
    return [_areas(data), _alarms(data)], data


def _areas(data: dict[str, Any]) -> Table:
    def shown(value: float | None) -> str:
        return "" if value is None else f"{value:.3f}"

    lines = [
        [name, *(shown(found[detector]["auc"]) for detector in DETECTORS)]
        for name, found in data.items()
    ]

    def middle(what: str, form: str, by: float = 1.0) -> list[str]:
        return [
            form.format(
                np.median([f[d][what] for f in data.values() if f[d][what] is not None]) / by
            )
            for d in DETECTORS
        ]

    lines.append(["median", *middle("auc", "{:.3f}")])
    lines.append(["KiB, median", *middle("bytes", "{:.1f}", 1024.0)])
    lines.append(["us a row, median", *middle("us", "{:.0f}")])
    return Table(
        "Novelty: area under the curve",
        ("set", *DETECTORS),
        lines,
        f"From row {FIRST} on, of the first {MOST} rows. * fitted on all of these rows beforehand"
        f" (OneClassSVM on {BATCH}); the others score each row before they learn it. `sorf` and"
        " its scaler are in the bytes said, everything at its defaults; bytes of the others are"
        " those of their pickles (OneClassSVM: of its support vectors). river's one-class machine"
        " is linear.",
    )


def _alarms(data: dict[str, Any]) -> Table:
    def shown(found: dict[str, Any]) -> str:
        hits = "-" if found["hits"] is None else f"{100 * found['hits']:.0f}"
        return f"{100 * found['false']:.1f} / {hits}"

    lines = [[n, *(shown(found[d]) for d in DETECTORS)] for n, found in data.items()]
    return Table(
        "Novelty: false alarms / anomalies alarmed, %",
        ("set", *DETECTORS),
        lines,
        f"A share of {SHARE:.0%} was asked of each: nu, contamination, or a filter of quantiles.",
    )
