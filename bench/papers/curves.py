"""Runs whose accuracy is looked at on the way, for the figures."""

from __future__ import annotations

import numpy as np

import edgeolk as ek
from bench.cases import Record
from bench.datasets import Dataset
from bench.papers.data import BOARD_NOISE, TEST_SEED, checkerboard, split
from bench.papers.runs import learner_of, wrong
from bench.papers.setting import Setting

MARKS = 14
TEST_ROWS = 4_000
STREAM_ROWS = 1_000_000
STREAM_MARKS = 40


def marks(rows: int, first: int, count: int) -> list[int]:
    """Numbers of examples, evenly spaced on a logarithmic scale, the last being ``rows``."""
    return sorted({round(float(n)) for n in np.geomspace(first, rows, count)})


def learning(setting: Setting, seed: int) -> Record:
    """Accuracy on test rows during training."""
    train, test = split(setting.data, seed)
    test = test.head(TEST_ROWS)
    learner = learner_of(setting, train.X.shape[1], seed)
    model = learner.averaged if setting.averaged else learner
    seen, accuracy, support, start = [], [], [], 0
    for end in marks(len(train), 100, MARKS):
        learner.learn_many(train.X[start:end], train.y[start:end])
        seen.append(end)
        accuracy.append(100.0 - wrong(model.decision_function(test.X), test))
        support.append(learner.n_support)
        start = end
    return {"seen": seen, "accuracy": accuracy, "support": support}


def _learn(learner: ek.Learner, rows: Dataset, ramp: bool) -> int:
    """Learn rows, with the ramp loss only on request; return the number of requested labels."""
    if not ramp:
        learner.learn_many(rows.X, rows.y)
        return len(rows)
    before = learner.labels_asked
    wants, learn = learner.ask_label, learner.learn_one
    for x, y in zip(rows.X, rows.y.tolist(), strict=True):
        if wants(x):
            learn(x, y)
    return learner.labels_asked - before


def stream(setting: Setting, seed: int) -> Record:
    """A million rows of the noisy checkerboard: accuracy on clean rows, requested labels."""
    learner = learner_of(setting, 2, seed)
    test = checkerboard(TEST_ROWS, TEST_SEED + seed)
    rows = checkerboard(STREAM_ROWS, seed, BOARD_NOISE)
    ramp = setting.params.get("loss") == "ramp"
    seen, labels, accuracy, asked, start = [], [], [], 0, 0
    for end in marks(STREAM_ROWS, 100, STREAM_MARKS):
        asked += _learn(learner, Dataset("", rows.X[start:end], rows.y[start:end]), ramp)
        seen.append(end)
        labels.append(asked)
        accuracy.append(100.0 - wrong(learner.decision_function(test.X), test))
        start = end
    return {"seen": seen, "labels": labels, "accuracy": accuracy}
