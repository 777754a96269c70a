"""Classes of windows: learners in 4 and 16 KiB that include the windows, and a random forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score

import edgeolk as ek
from bench.table import Table
from bench.windows.sets import BEARINGS, Windowed, bearings, bearings_folder, ecg, fan

CAPS = (4096, 16384)
SEEDS = range(3)
#: Figures of small convolutional networks in the literature, with what they were measured on.
PUBLISHED = (
    ("bearings, the same ones at the same load", "1-D CNN of raw samples", ".951 to .991",
     "Pubalan et al., arXiv:2602.09699: each of the four loads trained and tested by itself"),
)  # fmt: skip


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


def all_sets() -> dict[str, tuple[Windowed, Any]]:
    """Sets by name, and the group that is held out; None for each in turn."""
    found = {
        "fan, unseen speeds": (fan(), None),
        "ecg_805, second half": (ecg(), "second"),
    }
    place = bearings_folder()
    if place is not None:
        found["bearings, unseen loads"] = bearings(place, "load"), None
        found["bearings, unseen fault sizes"] = bearings(place, "size"), None
    return found


def answered(rows: Windowed, groups: Any) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Truth and answers of each learner by seed, and the bytes of each."""
    answers: dict[str, list[Any]] = {}
    taken: dict[str, int] = {}
    for seed in SEEDS:
        found: dict[str, list[Any]] = {}
        truth = []
        for group in groups:
            train = rows.group != group
            truth.append(rows.y[~train])
            for cap in CAPS:
                for passes in (1, 5):
                    key = f"sorf, {cap // 1024} KiB in all, {passes} pass" + "es" * (passes > 1)
                    answer, taken[key] = learned(rows, train, cap, passes, seed)
                    found.setdefault(key, []).append(answer)
            forest = RandomForestClassifier(100, random_state=seed, n_jobs=1)
            forest.fit(rows.X[train], rows.y[train])
            key = "random forest, 100 trees"
            found.setdefault(key, []).append(forest.predict(rows.X[~train]))
            taken[key] = sum(56 * tree.tree_.node_count for tree in forest.estimators_)
        for key, parts in found.items():
            pair = np.concatenate(truth), np.concatenate(parts)
            answers.setdefault(key, []).append(pair)
    return answers, taken


def run(some: tuple[str, ...]) -> tuple[list[Table], dict[str, Any]]:
    """The tables of accuracies, measured and published."""
    table = []
    for name, (rows, held_out) in all_sets().items():
        if some and not any(word in name for word in some):
            continue
        groups = np.unique(rows.group) if held_out is None else [held_out]
        answers, taken = answered(rows, groups)
        for key, pairs in answers.items():
            right = [np.mean(truth == found) for truth, found in pairs]
            balanced = [balanced_accuracy_score(truth, found) for truth, found in pairs]
            table.append(
                (name, key, f"{np.mean(right):.3f}", f"{np.std(right, ddof=1):.3f}",
                 f"{np.mean(balanced):.3f}", f"{taken[key]:,}")
            )  # fmt: skip
    skipped = "" if bearings_folder() else (
        f" Bearings are left out: there is no clone of github.com/{BEARINGS} as cwru in the data"
        " folder (EDGEOLK_DATA)."
    )  # fmt: skip
    return [
        Table(
            "Rows that were not learned from",
            ("set", "learner", "accuracy", "among seeds", "balanced", "bytes"),
            table,
            f"Features `vibration` of int16; means and standard deviations of {len(SEEDS)} seeds,"
            " which draw the order of the rows and what a learner draws. Fan: three ways of"
            " weights, each of 17 speeds answered by a learner of the others. Bearings: faults in"
            " three places (inner race, ball, outer race at 6 o'clock), of three sizes, at four"
            " loads, drive end, 12 kHz, windows of 512 samples without overlap; at another load"
            " they are the same bearings, of another size others. They are recordings of the Case"
            f" Western Reserve University, read from github.com/{BEARINGS}; no licence is stated,"
            f" so none of them is in this repository. A forest's bytes: 56 a node.{skipped}",
            left=2,
        ),
        Table(
            "Small convolutional networks of the literature, as published",
            ("set", "model", "accuracy", "source"),
            list(PUBLISHED),
            "Not measured here, and not on the same split: see the source.",
            left=4,
        ),
    ], {}
