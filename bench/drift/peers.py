"""Models of river for streams that change, one row at a time."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from river import ensemble, forest, linear_model, naive_bayes, neighbors, preprocessing, tree

from bench.drift.streams import Numbers
from bench.timing import dicts, in_turns

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
    model, labels = MODELS[name](), (y > 0.0).tolist()
    predictions, microseconds = in_turns(model.predict_one, model.learn_one, dicts(X), labels)
    wrong = np.array([bool(one) for one in predictions]) != labels
    return wrong.astype(float), len(pickle.dumps(model)), microseconds
