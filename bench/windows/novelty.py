"""Novelty on few healthy rows: from how many on a detector works, and why not before."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

import edgeolk as ek
from bench.datasets import read_table
from bench.table import Table
from bench.windows.sets import ecg, fan
from firmware_sim.metrics.healthy import nearest_distance, spread_ratio

COUNTS = (30, 100, 300, 1000)
SEEDS = range(3)
#: The most rows that are scored.
SCORED = 3000
IN_TIME = "in the order of time 8 KiB"
DETECTORS = ("sorf 8 KiB", IN_TIME, "sorf 8 KiB, narrow", "vectors 8 KiB, narrow",
             "local outlier factor", "isolation forest", "one-class SVM", "distance")  # fmt: skip


def scores(A: Any, T: Any, name: str, seed: int) -> Any:
    """Scores of rows T by a detector of healthy rows A, higher where more novel."""
    d = A.shape[1]
    if name in ("sorf 8 KiB", IN_TIME):
        in_time = name == IN_TIME
        try:
            learner = ek.Learner(
                n_features=d, ram="8KiB", loss="novelty", history=in_time, seed=seed
            )
        except ValueError:  # it does not fit
            return np.full(len(T), np.nan)
        learner.learn_many(A)
        return -learner.decision_function(T)
    scaler = StandardScaler().fit(A)
    a, t = scaler.transform(A), scaler.transform(T)
    if name.endswith("narrow"):
        gamma = 1 / (4 * nearest_distance(a[:500]))
        kernel = ek.Gaussian(gamma)
        if name.startswith("sorf"):
            learner = ek.Learner("sorf", n_features=d, ram="8KiB", loss="novelty", kernel=kernel)
        else:
            learner = ek.Learner(
                update=ek.Update.GRADIENT, loss=ek.Loss.NOVELTY, policy=ek.Policy.OLDEST,
                n_features=d, ram="8KiB", kernel=kernel, dtype="int8", nu=0.05, eta=0.1, lam=0.01,
            )  # fmt: skip
        learner.learn_many(a)
        return -learner.decision_function(t)
    if name == "distance":
        return (t**2).sum(axis=1)
    made = {
        "local outlier factor": LocalOutlierFactor(min(20, len(a) - 1), novelty=True),
        "isolation forest": IsolationForest(random_state=seed, n_jobs=1),
        "one-class SVM": OneClassSVM(nu=0.05),
    }[name]
    return -made.fit(a).score_samples(t)


def labelled(name: str, drop: int = 0) -> tuple[Any, Any]:
    """Rows and labels of a set whose last column is the label."""
    _, rows = read_table(f"{name}.csv.gz")
    values = np.array([row[drop:] for row in rows], float)
    return values[:, :-1], values[:, -1] > 0


def sets() -> dict[str, tuple[Any, Any]]:
    """Rows, and which are novel."""
    rows = fan(hop=64)
    one = rows.group == "60"
    found = {
        "fan, 17 speeds": (rows.X, rows.y > 0),
        "fan, speed 60": (rows.X[one], rows.y[one] > 0),
    }
    beats = ecg()
    found["ecg_805"] = (beats.X, beats.y > 0)
    X, y = labelled("skab_pump", 2)
    found["skab_pump"] = (X[:, :-1], y)
    for name in ("thyroid", "cardio", "satellite", "shuttle", "mammography", "optdigits"):
        found[f"ad_{name}"] = labelled(f"ad_{name}")
    return found


def run(some: tuple[str, ...]) -> tuple[list[Table], dict[str, Any]]:
    """Areas under curves by set and number of healthy rows."""
    table = []
    for name, (X, novel) in sets().items():
        if some and name not in some:
            continue
        healthy, strange = X[~novel], X[novel]
        for n in COUNTS:
            if n > 0.8 * len(healthy):
                continue
            areas: dict[str, list[float]] = {}
            ratio = []
            for seed in SEEDS:
                rng = np.random.default_rng(seed)
                at = rng.permutation(len(healthy))
                A, H = healthy[at[:n]], healthy[at[n:]][:SCORED]
                S = strange[rng.permutation(len(strange))[:SCORED]]
                T, truth = np.concatenate([H, S]), np.r_[np.zeros(len(H)), np.ones(len(S))]
                a = StandardScaler().fit_transform(A)
                ratio.append(spread_ratio(a[:500]))
                for detector in DETECTORS:
                    found = scores(A, T, detector, seed)
                    area = np.nan if np.isnan(found).any() else roc_auc_score(truth, found)
                    areas.setdefault(detector, []).append(area)
            table.append(
                (name, f"{n:,}",
                 *(f"{np.mean(areas[key]):.2f}".replace("nan", "small") for key in DETECTORS),
                 f"{np.mean(ratio):,.0f}")
            )  # fmt: skip
    return [
        Table(
            "Area under the ROC curve after so many healthy rows",
            ("set", "rows", *DETECTORS, "median / nearest"),
            table,
            "Healthy rows in a random order, 3 seeds. median / nearest: the median squared distance"
            " of two healthy rows over that of a row to its nearest; narrow: gamma is 1/4 of"
            " 1 / the latter. In the order of time: no verdict before 200 rows; small: it does"
            " not fit. The fan: way 1 is healthy.",
        )
    ], {}
