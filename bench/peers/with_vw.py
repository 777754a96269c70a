"""Vowpal Wabbit: its linear learner, and ksvm, which keeps every support vector it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
from vowpalwabbit import Workspace

from bench.peers.child import Spec


def line(x: Any, label: float) -> str:
    """A row in VW's text format, its non-zeros."""
    at = np.flatnonzero(x).tolist()
    cells = " ".join(f"{j}:{v:.9g}" for j, v in zip(at, x[at].tolist(), strict=True))
    return f"{'1' if label > 0 else '-1'} |f {cells}"


class Examples:
    """Learns examples parsed beforehand; learning leaves the score before it in the example."""

    def __init__(self, arguments: str, kernel: bool) -> None:
        self.workspace = Workspace(f"{arguments} --quiet")
        self.kernel = kernel

    def prepare(self, X: Any, y: Any) -> Any:
        return [self.workspace.parse(line(x, label)) for x, label in zip(X, y, strict=True)]

    def learn(self, block: Any) -> Any:
        workspace, scores = self.workspace, []
        for example in block:
            workspace.learn(example)
            # The linear learner clips its prediction; ksvm leaves the other field at nought.
            if self.kernel:
                scores.append(example.get_simplelabel_prediction())
            else:
                scores.append(example.get_partial_prediction())
            workspace.finish_example(example)
        return scores


def make(spec: Spec) -> Examples:
    """The learner by its name."""
    if spec.name == "ksvm":
        kernel = f"--kernel rbf --bandwidth {spec.gamma:.9g}"
        return Examples(f"--ksvm {kernel} --l2 {spec.params['l2']:.9g}", kernel=True)
    return Examples(f"--loss_function logistic -l {spec.params['rate']:.9g}", kernel=False)
