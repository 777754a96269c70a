"""RBP in plain numpy: what one would write without a library."""

from __future__ import annotations

from typing import Any

from bench.peers.child import Spec
from bench.peers.numpy_rbp import NumpyRbp


class Plain:
    """A loop over the rows of a block."""

    def __init__(self, learner: NumpyRbp) -> None:
        self.learner = learner

    def prepare(self, X: Any, y: Any) -> Any:
        return X, y

    def learn(self, block: Any) -> Any:
        return self.learner.learn_many(*block)


def make(spec: Spec) -> Plain:
    """An RBP of the budget asked for."""
    assert spec.size is not None
    return Plain(NumpyRbp(spec.features, spec.size, spec.gamma))
