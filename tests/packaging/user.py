"""A program as a user would write it with types; `make lint` checks it by mypy --strict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from edgeolk.bare import BareLearner


def trained(rows: NDArray[np.float64], labels: NDArray[np.float64]) -> ek.Learner:
    """A learner in 16 KiB that has seen the rows."""
    plan: ek.Plan = ek.plan("spa", n_features=rows.shape[1], ram="16KiB")
    learner = ek.Learner("spa", n_features=rows.shape[1], budget=plan.budget, seed=7)
    scores: NDArray[np.float64] = learner.learn_many(rows, labels)
    assert len(scores) == learner.steps
    assert learner.nbytes == plan.nbytes
    return learner


def decided(learner: ek.Learner, row: NDArray[np.float64]) -> tuple[float, float]:
    """A score and a label."""
    score: float = learner.decision_one(row)
    label: float = learner.predict_one(row)
    return score, label


def kept(learner: ek.Learner, path: Path) -> ek.Learner:
    """What comes back from a file."""
    learner.save(path)
    again: ek.Learner = ek.load(path)
    return again


def misspelt() -> None:
    """Each call has an error of types; mypy reports a comment that silences no error."""
    ek.Learner("spa", n_featurs=3)  # type: ignore[call-arg]
    ek.Learner("bpa_s", n_features=3, budget=4, C="2")  # type: ignore[arg-type]
    ek.Config("sorf", n_features=3, ramm="4KiB")  # type: ignore[call-arg]
    ek.plan("bsgd", n_features=3, budget=4, maintenance="merg")  # type: ignore[arg-type]
    BareLearner(n_features=3, budgt=4)  # type: ignore[call-arg]


def main(folder: Path) -> list[str]:
    """Names of the regions of a plan; the rest is to be checked, and run."""
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((200, 3))
    labels = np.where(rows[:, 0] > 0, 1.0, -1.0)
    learner = kept(trained(rows, labels), folder / "model.olk")
    assert decided(learner, rows[0])[1] in (-1, 1)
    bare = BareLearner("rbp", n_features=3, budget=4, kernel=ek.Gaussian(gamma=0.5))
    bare.learn_one(rows[0], 1.0)
    regions: list[str] = [region.name for region in ek.plan("rbp", n_features=3, budget=4).regions]
    return regions
