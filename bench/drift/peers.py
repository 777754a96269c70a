"""Models of river for streams that change, one row at a time."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from river import ensemble, forest, linear_model, naive_bayes, neighbors, preprocessing, tree

from bench.drift.streams import Numbers

MODELS: dict[str, Callable[[], Any]] = {
    "Hoeffding adaptive tree": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    "ARF (10 trees)": lambda: forest.ARFClassifier(n_models=10, seed=1),
    "SRP (5 trees)": lambda: ensemble.SRPClassifier(n_models=5, seed=1),
    "kNN": lambda: preprocessing.StandardScaler() | neighbors.KNNClassifier(),
    "logistic regression": lambda: (
        preprocessing.StandardScaler() | linear_model.LogisticRegression()
    ),
    "naive Bayes": naive_bayes.GaussianNB,
}


def ask(name: str, X: Numbers, y: Numbers) -> tuple[Numbers, int, float]:
    """Have a model answer and learn each row: what it said wrongly, bytes, microseconds a row."""
    model, wrong = MODELS[name](), np.empty(len(y))
    labels = (y > 0.0).tolist()
    rows = [dict(enumerate(row)) for row in X.tolist()]
    began = time.process_time()
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        wrong[at] = (model.predict_one(row) or False) != label
        model.learn_one(row, label)
    seconds = time.process_time() - began
    return wrong, len(pickle.dumps(model)), 1e6 * seconds / len(y)
