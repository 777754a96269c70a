"""scikit-learn: SGDClassifier with the hinge loss, on the readings or on features of a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDClassifier

from bench.peers.child import Spec
from bench.peers.models import BULK

CLASSES = np.array([-1.0, 1.0])


class Linear:
    """SGD on the readings as they are."""

    def __init__(self, spec: Spec) -> None:
        constant = {"learning_rate": "constant"} if "eta0" in spec.params else {}
        self.model = SGDClassifier(loss="hinge", random_state=0, **constant, **spec.params)
        self.spec = spec
        self.fitted = False

    def prepare(self, X: Any, y: Any) -> Any:
        if self.spec.mode == BULK:
            return [(X, y)]
        return [(X[i : i + 1], y[i : i + 1]) for i in range(len(y))]

    def learn(self, block: Any) -> Any:
        return np.concatenate([self.step(X, y) for X, y in block])

    def step(self, X: Any, y: Any) -> Any:
        """Scores of some rows, then the fit to them."""
        return self.fit(X, y)

    def fit(self, Z: Any, y: Any) -> Any:
        """The same on features."""
        scores = self.model.decision_function(Z) if self.fitted else np.zeros(len(y))
        self.model.partial_fit(Z, y, CLASSES)
        self.fitted = True
        return scores


class Fourier(Linear):
    """SGD on random Fourier features: one transformation for the score and the fit."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        sampler = RBFSampler(gamma=spec.gamma, n_components=spec.size, random_state=0)
        self.map = sampler.fit(np.zeros((1, spec.features), np.float32))

    def step(self, X: Any, y: Any) -> Any:
        return self.fit(self.map.transform(X), y)


class Landmarks(Linear):
    """SGD on Nystrom features of the first rows; until there are enough, the majority label."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self.map: Any = None
        self.pending: list[Any] = []
        self.majority = 0.0

    def step(self, X: Any, y: Any) -> Any:
        if self.map is not None:
            return self.fit(self.map.transform(X), y)
        scores = np.full(len(y), self.majority)
        self.majority += y.sum()
        self.pending.append((X, y))
        first = np.concatenate([rows for rows, _ in self.pending])
        assert self.spec.size is not None
        if len(first) >= self.spec.size:
            self.map = Nystroem(
                gamma=self.spec.gamma, n_components=self.spec.size, random_state=0
            ).fit(first)
            self.fit(self.map.transform(first), np.concatenate([y for _, y in self.pending]))
            self.pending.clear()
        return scores


def make(spec: Spec) -> Linear:
    """The model by its name."""
    # Checks that cost more than a row's arithmetic, which users can switch off.
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    kinds = {"SGD": Linear, "RBFSampler + SGD": Fourier, "Nystroem + SGD": Landmarks}
    return kinds[spec.name](spec)
