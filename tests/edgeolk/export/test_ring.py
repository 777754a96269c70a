"""Exported learners on the ring: they score to the bit, and most stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled, signs, stream
from helpers import by_variant

import edgeolk as ek

ROWS, ASKED = 800, 300
SCALED = {"scale": "standard"}
#: What is exported, and the stream it learned.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "gaussian": ("occupancy", {"algorithm": "bpa_s", "budget": 43, **SCALED, "gamma": "auto"}),
    "float16": ("robot", {"algorithm": "bpa_s", "budget": 40, "dtype": "float16"}),
    "int8": ("robot", {"algorithm": "spa", "budget": 61, "dtype": "int8",
                       "feature_range": (0.0, 6.0)}),
    "bounded": ("robot", {"algorithm": "bpa_s", "budget": 40, "clip_rows": 3.0}),
    "bounded float16": ("occupancy", {"algorithm": "rbp", "budget": 30, "dtype": "float16",
                                      "scale": "standard", "clip_rows": 1.5}),
    "float64": ("occupancy", {"algorithm": "rbp", "budget": 30, "dtype": "float64", **SCALED}),
    "one scale": ("occupancy", {"algorithm": "rbp", "budget": 30, "scale": "common"}),
    "scaled int8": ("occupancy", {"algorithm": "rbp", "budget": 30, "dtype": "int8",
                                  "scale": "minmax", "feature_range": (0.0, 1.0)}),
    "laplacian": ("occupancy", {"algorithm": "rbp", "budget": 30, "kernel": ek.Laplacian(0.3),
                                **SCALED}),
    "polynomial": ("occupancy", {"algorithm": "rbp", "budget": 30, **SCALED,
                                 "kernel": ek.Polynomial(3, 0.2, 1.0)}),
    "linear": ("occupancy", {"algorithm": "rbp", "budget": 30, "kernel": ek.Linear(), **SCALED}),
    "linear, int8": ("robot", {"algorithm": "rbp", "budget": 30, "kernel": ek.Linear(),
                               "dtype": "int8", "feature_range": (0.0, 6.0)}),
    "narrow coefficients": ("robot", {"algorithm": "bpa_s", "budget": 40,
                                      "coefficients": "float32"}),
    "probability": ("robot", {"algorithm": "ogd", "budget": 40, "loss": "logistic", "eta": 0.5}),
    "classes": ("robot", {"algorithm": "bpa_s", "budget": 45, "n_classes": 3, **SCALED}),
    "narrow classes": ("robot", {"algorithm": "ogd", "budget": 45, "n_classes": 3, **SCALED,
                                 "loss": "logistic", "coefficients": "float32"}),
    "regression": ("house", {"algorithm": "ogd", "budget": 45, "loss": "square", "eta": 0.2,
                             **SCALED}),
    "filter": ("house", {"algorithm": "krls_t", "budget": 30, **SCALED}),
    "narrow filter": ("house", {"algorithm": "sogp", "budget": 30, "coefficients": "float32",
                                "dtype": "float32", **SCALED}),
    "filter with a window": ("house", {"algorithm": "kapa", "budget": 30, **SCALED}),
    "novelty": ("office", {"update": ek.Update.GRADIENT, "loss": ek.Loss.NOVELTY, "eta": 0.1,
                           "policy": ek.Policy.OLDEST, "lam": 0.01, "nu": 0.05, "budget": 20}),
}  # fmt: skip

#: Of these the export learns too (test_process.py).
LEARNING = ("filter", "narrow filter")


def learned(key: str) -> ek.Learner:
    name, options = CASES[key]
    X, y = stream(name, ROWS + ASKED)
    options = dict(options)
    learner = ek.Learner(options.pop("algorithm", None), n_features=X.shape[1], **options)
    if learner._config.columns > 1:
        y = (y > 0) + 1.0 * (X[:, 0] > np.median(X[:, 0]))
    elif not learner.is_regression:
        y = signs(y)
    for x, label in zip(X[:ROWS], y[:ROWS], strict=True):
        learner.learn_one(x, *([label] if learner._config.needs_labels else []))
    return learner


def in_child(target: str) -> None:
    """The model file of each case, what it scores and says of rows, and its probabilities."""
    found: dict[str, Any] = {}
    for key, (name, _) in CASES.items():
        learner, (X, _) = learned(key), stream(name, ROWS + ASKED)
        many = learner._config.columns > 1
        score = learner.scores_one if many else lambda x, m=learner: [m.decision_one(x)]
        found[f"{key}: file"] = np.frombuffer(learner.__reduce__()[1][0], np.uint8)
        found[f"{key}: scores"] = np.array([score(x) for x in X[ROWS:]])
        found[f"{key}: labels"] = np.array([learner.predict_one(x) for x in X[ROWS:]])
        if learner._config.parts["loss"] == ek.Loss.LOGISTIC:
            told = [learner.predict_proba_one(x) for x in X[ROWS:]]
            found[f"{key}: probabilities"] = np.array(told).reshape(len(told), -1)
    np.savez(target, **found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scalar")


@pytest.mark.parametrize("key", CASES)
@pytest.mark.spread(24)
def test_scores_to_the_bit(key: str, folder: Path, tmp_path: Path) -> None:
    expected = by_variant(__file__, "scalar", folder)
    learner = ek.Learner._from_block(bytes(expected[f"{key}: file"]))
    ek.export_c(learner, tmp_path)
    try:
        board = Compiled(tmp_path, learner, offset=8)
    except FileNotFoundError as missing:
        pytest.skip(f"no {missing}")
    asked = stream(CASES[key][0], ROWS + ASKED)[0][ROWS:]
    assert learner.n_support > 2
    assert np.array_equal([board.scores(x) for x in asked], expected[f"{key}: scores"])
    assert np.array_equal([board.predict(x) for x in asked], expected[f"{key}: labels"])
    if f"{key}: probabilities" in expected:
        told = np.array([board.probability(x) for x in asked])
        assert np.abs(told - expected[f"{key}: probabilities"]).max() < 1e-14
    with pytest.raises(ValueError, match="-1"):
        board.scores(asked[0] * np.nan)
    assert board.untouched()
    learns = key in LEARNING
    assert hasattr(board.c, "ek_learn") == learns
    assert ("does not learn" in (tmp_path / "README.md").read_text()) != learns


def test_rows_that_storage_cannot_hold(tmp_path: Path) -> None:
    learner = ek.Learner("rbp", n_features=2, budget=4, dtype="float16")
    learner.learn_one([1.0, 2.0], 1)
    ek.export_c(learner, tmp_path)
    board = Compiled(tmp_path, learner)
    assert board.predict([65519.0, 0.0]) in (-1.0, 1.0)
    with pytest.raises(ValueError, match="-1"):
        board.scores([65520.0, 0.0])


def test_an_empty_ring(tmp_path: Path) -> None:
    learner = ek.Learner("rbp", n_features=2, budget=4)
    ek.export_c(learner, tmp_path)
    board = Compiled(tmp_path, learner)
    assert list(board.scores([1.0, 2.0])) == [0.0]
    assert board.predict([1.0, 2.0]) == learner.predict_one([1.0, 2.0])


def test_sparse_learners_score_whole_rows(tmp_path: Path) -> None:
    """The library reads the numbers that are not zero, which rounds differently."""
    rng = np.random.default_rng(4)
    X = (rng.normal(size=(300, 12)) * (rng.random((300, 12)) < 0.3)).astype(np.float32)
    learner = ek.Learner("rbp", n_features=12, budget=40, sparse=True)
    learner.learn_many(X, np.where(X[:, 0] + X[:, 1] > 0, 1.0, -1.0))
    ek.export_c(learner, tmp_path)
    board = Compiled(tmp_path, learner)
    found = np.array([board.scores(x)[0] for x in X])
    assert np.abs(found - learner.decision_function(X)).max() < 1e-4 * np.abs(found).max()
    assert "which rounds" in (tmp_path / "README.md").read_text()
