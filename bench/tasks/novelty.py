"""Anomalies without labels in one pass, compared with batch and online detectors."""

from __future__ import annotations

import pickle
from collections.abc import Callable
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
from bench.timing import dicts, in_turns, timed

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
    g: list[float] = []
    answers, us = in_turns(
        lambda _: learner.threshold, lambda x: g.append(learner.learn_one(x)), rows.X
    )
    level, scores = np.array(answers), np.array(g)
    return -(scores + level), scores < 0.0, learner.nbytes, us


def _forest(rows: Rows) -> Found:
    model = IsolationForest(contamination=SHARE, random_state=0)
    answers, seconds = timed(lambda: model.fit(rows.X).score_samples(rows.X))
    alarms = -answers > -model.offset_
    return -answers, alarms, len(pickle.dumps(model)), 1e6 * seconds / len(answers)


def _machine(rows: Rows) -> Found:
    model = OneClassSVM(nu=SHARE)

    def run() -> Any:
        X = StandardScaler().fit_transform(rows.X)
        return -model.fit(X[:BATCH]).decision_function(X)

    scores, seconds = timed(run)
    nbytes = model.support_vectors_.nbytes
    return scores, scores > 0.0, nbytes, 1e6 * seconds / len(scores)


def _stream(rows: Rows, scaler: Any, detector: Any) -> Found:
    model = scaler | anomaly.QuantileFilter(detector, q=1.0 - SHARE)

    def answer(row: dict[int, float]) -> tuple[float, bool]:
        score = model.score_one(row)
        return score, model["QuantileFilter"].classify(score)

    answers, us = in_turns(answer, model.learn_one, dicts(rows.X))
    scores, alarms = (np.array(column) for column in zip(*answers, strict=True))
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
