"""Classes of windows: learners in 4 and 16 KiB that include the windows, and a random forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score

import edgeolk as ek
from bench.table import Table
from bench.windows.sets import Windowed, ecg, fan

CAPS = (4096, 16384)
SEEDS = range(1)


def learned(rows: Windowed, train: Any, cap: int, passes: int, seed: int) -> tuple[Any, int]:
    """The answers of a learner that takes what the windows leave of a cap, and its bytes."""
    n_classes = int(rows.y.max()) + 1
    ram = cap - rows.plan.nbytes
    learner = ek.Learner(n_features=rows.plan.n_features, n_classes=n_classes, ram=ram, seed=seed)
    order = np.random.default_rng(seed)
    for _ in range(passes):
        at = order.permutation(np.flatnonzero(train))
        learner.learn_many(rows.X[at], rows.y[at])
    return learner.predict(rows.X[~train]), learner.nbytes + rows.plan.nbytes


def run(some: tuple[str, ...]) -> tuple[list[Table], dict[str, Any]]:
    """The table of accuracies."""
    sets = {
        "fan, unseen speeds": (fan(), None),
        "ecg_805, second half": (ecg(), "second"),
    }
    table = []
    for name, (rows, held_out) in sets.items():
        if some and not any(word in name for word in some):
            continue
        groups = np.unique(rows.group) if held_out is None else [held_out]
        answers: dict[str, list[tuple[Any, Any]]] = {}
        taken = {}
        for group in groups:
            train = rows.group != group
            truth = rows.y[~train]
            for seed in SEEDS:
                for cap in CAPS:
                    for passes in (1, 5):
                        key = f"sorf, {cap // 1024} KiB in all, {passes} pass" + "es" * (passes > 1)
                        found, taken[key] = learned(rows, train, cap, passes, seed)
                        answers.setdefault(key, []).append((truth, found))
                forest = RandomForestClassifier(100, random_state=seed, n_jobs=1)
                forest.fit(rows.X[train], rows.y[train])
                key = "random forest, 100 trees"
                answers.setdefault(key, []).append((truth, forest.predict(rows.X[~train])))
                taken[key] = sum(56 * tree.tree_.node_count for tree in forest.estimators_)
        for key, pairs in answers.items():
            truth, found = (np.concatenate(some_) for some_ in zip(*pairs, strict=True))
            table.append(
                (name, key, f"{np.mean(truth == found):.3f}",
                 f"{balanced_accuracy_score(truth, found):.3f}", f"{taken[key]:,}")
            )  # fmt: skip
    return [
        Table(
            "Rows that were not learned from",
            ("set", "learner", "accuracy", "balanced", "bytes"),
            table,
            "Features `vibration` of int16. Fan: three ways of weights, each of 17 speeds answered"
            " by a learner of the others, rows in a random order, one seed. A forest's bytes: 56 a"
            " node.",
            left=2,
        )
    ], {}
