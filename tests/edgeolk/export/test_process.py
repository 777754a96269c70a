"""Exported Gaussian processes that learn: the bits of the library, over real streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled, stream
from helpers import by_variant

import edgeolk as ek

ROWS = 700
#: What is exported, and the stream it learns.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "as it is": ("house", {"budget": 30, "scale": "standard"}),
    "forgets": ("house", {"budget": 12, "scale": "standard", "lam": 0.98, "checksums": True}),
    "long forgotten": ("house", {"budget": 9, "scale": "standard", "lam": 0.85}),
    "width of the first rows": ("house", {"budget": 20, "scale": "minmax", "gamma": "auto",
                                          "gamma_rows": 50}),
    "bounded rows": ("house", {"budget": 20, "scale": "standard", "clip_rows": 1.5}),
    "one scale": ("house", {"budget": 20, "scale": "common"}),
    "one vector": ("house", {"budget": 1, "scale": "standard"}),
    "sogp": ("house", {"algorithm": "sogp", "budget": 25, "scale": "standard"}),
    "linear": ("house", {"budget": 15, "scale": "standard", "kernel": ek.Linear()}),
    "polynomial": ("house", {"algorithm": "sogp", "budget": 15, "scale": "standard",
                             "kernel": ek.Polynomial(2, 0.3, 1.0)}),
    "float32 vectors": ("house", {"budget": 25, "scale": "standard", "dtype": "float32"}),
    "float16 vectors": ("house", {"budget": 25, "scale": "standard", "dtype": "float16"}),
    "int8 vectors": ("house", {"budget": 25, "scale": "minmax", "dtype": "int8",
                               "feature_range": (0.0, 1.0)}),
    "cached norms": ("house", {"budget": 25, "sparse": True, "gamma": 1e-3, "dtype": "float32"}),
    "narrow": ("house", {"budget": 30, "scale": "standard", "dtype": "float32",
                         "coefficients": "float32", "lam": 0.999}),
    "narrow sogp": ("house", {"algorithm": "sogp", "budget": 20, "scale": "standard",
                              "coefficients": "float32", "dtype": "float16"}),
    "untuned": ("house", {"algorithm": "krls_auto", "budget": 20}),
    "untuned, float64": ("house", {"algorithm": "krls_auto", "budget": 9, "dtype": "float64"}),
    "untuned, lags": ("house", {"algorithm": "krls_auto", "budget": 12, "lags": 3}),
    "beside features": ("house", {"algorithm": "sorf", "loss": "square", "D": 128,
                                  "gaussian_process": 9}),
    "beside features, float64": ("house", {
        "algorithm": "sorf", "loss": "square", "D": 70, "gaussian_process": 5, "dtype": "float64",
        "scale": "minmax", "clip_rows": 1.5, "gamma": "auto", "gamma_rows": 50}),
    "little noise": ("house", {"budget": 20, "scale": "standard", "sn2": 1e-6}),
    "little noise, sogp": ("house", {"algorithm": "sogp", "budget": 20, "scale": "standard",
                                     "sn2": 1e-6}),
}  # fmt: skip


def made(key: str) -> ek.Learner:
    options = dict(CASES[key][1])
    X, _ = stream("house", ROWS)
    return ek.Learner(options.pop("algorithm", "krls_t"), n_features=X.shape[1], **options)


def targets() -> np.ndarray:
    y = stream("house", ROWS)[1]
    return np.asarray((y - y[:100].mean()) / y[:100].std())


def in_child(target: str) -> None:
    """Answers before each row, answers and variances afterwards, and the model file."""
    found: dict[str, Any] = {}
    X, y = stream("house", ROWS)[0], targets()
    for key in CASES:
        learner = made(key)
        found[f"{key}: answers"] = np.array(
            [learner.learn_one(x, label) for x, label in zip(X, y, strict=True)]
        )
        found[f"{key}: afterwards"] = np.array([learner.predict_one(x) for x in X[:50]])
        found[f"{key}: variances"] = np.array([learner.variance_one(x) for x in X[:50]])
        found[f"{key}: file"] = np.frombuffer(learner.__reduce__()[1][0], np.uint8)
    np.savez(target, **found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scalar")


def board_of(learner: ek.Learner, folder: Path, offset: int = 8) -> Compiled:
    ek.export_c(learner, folder)
    try:
        return Compiled(folder, learner, offset=offset)
    except FileNotFoundError as missing:
        pytest.skip(f"no {missing}")


@pytest.mark.parametrize("key", CASES)
@pytest.mark.spread(24)
def test_learns_to_the_bit(key: str, folder: Path, tmp_path: Path) -> None:
    expected = by_variant(__file__, "scalar", folder)
    board = board_of(made(key), tmp_path)
    X, y = stream("house", ROWS)[0], targets()
    answers = [board.learn(x, label) for x, label in zip(X, y, strict=True)]
    assert np.array_equal(answers, expected[f"{key}: answers"])
    assert np.array_equal([board.predict(x) for x in X[:50]], expected[f"{key}: afterwards"])
    assert np.array_equal([board.variance(x) for x in X[:50]], expected[f"{key}: variances"])
    file = bytes(expected[f"{key}: file"])
    assert board.file(len(file)) == file
    assert board.untouched()


def test_continues_from_its_state(tmp_path: Path) -> None:
    X, y = stream("house", ROWS)[0], targets()
    learner = made("forgets")
    for x, label in zip(X[:300], y[:300], strict=True):
        learner.learn_one(x, label)
    board = board_of(learner, tmp_path)
    assert board.counts() == [300, 0, 300, 0, 0, 0]
    file = board.file(len(bytes(learner._sealed())))
    assert board.variance(X[0]) == pytest.approx(learner.variance_one(X[0]))
    board.learn(X[300], y[300])
    assert board.load(file) == 0
    assert board.counts()[0] == 300
    loaded = ek.Learner._from_block(file)
    assert loaded.predict_one(X[5]) == pytest.approx(board.predict(X[5]))
    forged = bytearray(file)
    forged[-9] ^= 0x80
    assert board.load(bytes(forged)) == -3


def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    X, y = stream("house", ROWS)[0], targets()
    learner = ek.Learner("krls_t", n_features=X.shape[1], budget=5, on_bad_row="skip")
    board = board_of(learner, tmp_path)
    for x, label in zip(X[:20], y[:20], strict=True):
        board.learn(x, label)
    file = board.file(len(bytes(learner._sealed())))
    for x, label, code in ((X[0] * np.nan, 0.0, -1), (X[0], np.inf, -2), (X[0], 1e101, -1)):
        with pytest.raises(ValueError, match=str(code)):
            board.learn(x, label)
    assert board.counts() == [20, 0, 20, 3, 0, 0]
    with pytest.raises(ValueError, match="-1"):
        board.variance(X[0] * np.nan)
    with pytest.raises(ValueError, match="-1"):
        board.predict(X[0] * np.nan)
    assert board.load(file) == 0
    assert board.counts() == [20, 0, 20, 0, 0, 0]


def test_variance_before_the_first_row(tmp_path: Path) -> None:
    learner = ek.Learner("sogp", n_features=2, budget=4)
    board = board_of(learner, tmp_path)
    assert board.variance([1.0, 2.0]) == np.inf
    assert board.predict([1.0, 2.0]) == 0.0


def test_scratch_is_on_the_stack(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="scratch='arena' is for 'sorf'"):
        ek.export_c(made("as it is"), tmp_path, scratch="arena")


@pytest.mark.parametrize("horizon", [1, 3])
@pytest.mark.spread(2)
def test_targets_among_the_inputs_come_late(horizon: int, tmp_path: Path) -> None:
    """Forecasts, intervals, gaps and unknown targets as in the library."""
    X, y = stream("house", ROWS)[0], targets()
    learner = ek.Learner(
        "krls_auto", n_features=X.shape[1], budget=9, dtype="float64", lags=2, horizon=horizon
    )
    board = board_of(learner, tmp_path)
    with pytest.raises(ValueError, match="-6"):
        board.tell_one(0.0)
    for t in range(400):
        if t >= horizon:
            target = None if t % 50 == 7 else float(y[t - horizon])
            learner.tell_one(target)
            board.tell_one(target)
        if t == 200:
            learner.restart()
            board.c.ek_restart(board.arena)
            for _ in range(horizon):  # no row waits until these do
                assert board.ask_one(X[t]) == pytest.approx(learner.ask_one(X[t]), rel=1e-6)
        assert board.ask_one(X[t]) == pytest.approx(learner.ask_one(X[t]), rel=1e-6)
        if np.isfinite(learner.interval[0]):
            assert board.said[1:3] == pytest.approx(learner.interval, rel=1e-6)
    with pytest.raises(ValueError, match="-2"):
        board.tell_one(np.inf)
    assert board.counts()[:3] == [learner.steps, 0, learner.updates]
    size = len(bytes(learner._sealed()))
    again = ek.Learner._from_block(board.file(size))
    assert again.n_waiting == learner.n_waiting == horizon
    assert board.load(bytes(learner._sealed())) == 0
    assert board.untouched()


def test_the_readme_says_how_sparse_rows_are_learned(tmp_path: Path) -> None:
    for name, is_sparse in (("dense", False), ("sparse", True)):
        learner = ek.Learner("krls_t", n_features=3, budget=4, sparse=is_sparse)
        ek.export_c(learner, tmp_path / name)
        said = "Rows are learned as dense." in (tmp_path / name / "README.md").read_text()
        assert said is is_sparse
