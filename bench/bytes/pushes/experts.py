"""A linear or softmax expert for several classes, blended with sorf by recent mistakes."""

from __future__ import annotations

import numpy as np

import edgeolk as ek
from bench.bytes.pushes.tries import SIZES, Try, halves, tolerant
from bench.bytes.sets import SPECS, Rows, gamma_of, load

USUAL, LINEAR, SOFTMAX = "sorf alone", "and a linear expert", "and a softmax expert"
ROWS = 4_000
#: The mistake counters' memory and the ridge of the step, as sorf has them.
DELTA, RIDGE = 0.999, 0.03
RATE = 0.3
#: A float32 weight.
NUMBER = 4


class Expert:
    """One weight a column and class: passive-aggressive steps, or gradients of the softmax."""

    def __init__(self, d: int, classes: int, softmax: bool) -> None:
        self.weights = np.zeros((classes, d + 1))
        self.softmax = softmax

    def scores(self, x: Rows) -> Rows:
        """A score a class."""
        return np.asarray(self.weights @ x)

    def learn(self, x: Rows, y: int, f: Rows) -> None:
        """One row whose scores are known."""
        length = float(x @ x)
        if self.softmax:
            p = np.exp(f - f.max())
            p /= p.sum()
            p[y] -= 1.0
            self.weights -= RATE / length * np.outer(p, x)
            return
        others = f.copy()
        others[y] = -np.inf
        rival = int(np.argmax(others))
        loss = 1.0 - (f[y] - f[rival])
        if loss > 0.0:
            step = loss / (length * (2.0 + RIDGE)) * x
            self.weights[y] += step
            self.weights[rival] -= step


def error(data: str, size: int, setting: str) -> float:
    """The error in %; the expert's bytes are taken from sorf's features."""
    X, y = load(data, ROWS)
    classes, d = SPECS[data].classes, X.shape[1]
    given = 0 if setting == USUAL else NUMBER * classes * (d + 1)
    learner = ek.Learner(
        "sorf", n_features=d, n_classes=classes, gamma=gamma_of(X), scale=None, seed=1,
        ram=size - given,
    )  # fmt: skip
    if setting == USUAL:
        return 100.0 * float(np.mean(learner.learn_many(X, y) <= 0.0))
    expert = Expert(d, classes, setting == SOFTMAX)
    lost = np.zeros(2)
    wrong = 0
    for x, label in zip(X, y.astype(int), strict=True):
        longer = np.append(x, 1.0)
        both = np.stack([np.asarray(learner.scores_one(x)), expert.scores(longer)])
        e = np.exp(-(lost - lost.min()))
        wrong += int(np.argmax(e / e.sum() @ both)) != label
        lost = DELTA * lost + (np.argmax(both, axis=1) != label)
        expert.learn(longer, label, both[1])
        learner.learn_one(x, float(label))
    return 100.0 * wrong / len(y)


SETS = (
    *("letter", "segment", "satimage_train", "vowel_train", "keystroke", "outdoor"),
    *("dna_train", "wall_moves", "wisdm_activity", "insect_classes"),
)
TRIES = (
    Try(
        "an expert for several classes",
        f"The first {ROWS:,} rows; {NUMBER} bytes a class and column taken from the features; the"
        " scores of both blended by exp(-mistakes), as sorf blends its candidates. Where"
        " an expert does not fit, sorf alone.",
        (USUAL, LINEAR, SOFTMAX),
        SIZES,
        *halves(SETS),
        tolerant(error, USUAL),
    ),
)
