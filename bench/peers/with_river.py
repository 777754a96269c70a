"""river: linear models on dictionaries of a row's non-zeros, and its random features."""

from __future__ import annotations

from typing import Any

import numpy as np
from river.feature_extraction import RBFSampler
from river.linear_model import ALMAClassifier, LogisticRegression, PAClassifier, Perceptron
from river.optim import SGD

from bench.peers.child import Spec


class Linear:
    """A classifier on the readings."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def prepare(self, X: Any, y: Any) -> Any:
        rows = []
        for x in X:
            at = np.flatnonzero(x).tolist()
            rows.append(dict(zip(at, x[at].tolist(), strict=True)))
        return rows, (y > 0).tolist()

    def learn(self, block: Any) -> Any:
        model, scores = self.model, []
        for x, label in zip(*block, strict=True):
            scores.append(model.predict_proba_one(x).get(True, 0.5) - 0.5)
            model.learn_one(x, label)
        return scores


class Sampled(Linear):
    """A classifier on the sampler's features: one transformation for the score and the fit."""

    def __init__(self, model: Any, sampler: Any) -> None:
        super().__init__(model)
        self.sampler = sampler

    def learn(self, block: Any) -> Any:
        model, transform, scores = self.model, self.sampler.transform_one, []
        for x, label in zip(*block, strict=True):
            z = transform(x)
            scores.append(model.predict_proba_one(z).get(True, 0.5) - 0.5)
            model.learn_one(z, label)
        return scores


def make(spec: Spec) -> Linear:
    """The model by its name."""
    if spec.name == "PAClassifier":
        return Linear(PAClassifier(C=spec.params["C"], mode=1))
    if spec.name == "Perceptron":
        return Linear(Perceptron())
    if spec.name == "ALMAClassifier":
        return Linear(ALMAClassifier())
    logistic = LogisticRegression(optimizer=SGD(spec.params["lr"]))
    if spec.name == "LogisticRegression":
        return Linear(logistic)
    return Sampled(logistic, RBFSampler(gamma=spec.gamma, n_components=spec.size, seed=0))
