"""Ours, in bulk and call by call."""

from __future__ import annotations

from typing import Any

from bench.peers.child import Spec
from bench.peers.models import BULK
from edgeolk import Gaussian, Learner


class InBulk:
    """A call for a block."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner

    def prepare(self, X: Any, y: Any) -> Any:
        return X, y

    def learn(self, block: Any) -> Any:
        return self.learner.learn_many(*block)


class ByRow(InBulk):
    """A call for a row."""

    def prepare(self, X: Any, y: Any) -> Any:
        return list(X), y.tolist()

    def learn(self, block: Any) -> Any:
        learn_one = self.learner.learn_one
        return [learn_one(x, label) for x, label in zip(*block, strict=True)]


def make(spec: Spec) -> InBulk:
    """A learner of the catalogue."""
    learner = Learner(
        spec.name,
        n_features=spec.features,
        budget=spec.size,
        kernel=Gaussian(spec.gamma),
        sparse=spec.sparse,
        **spec.params,
    )
    return (InBulk if spec.mode == BULK else ByRow)(learner)
