"""Forecasters in memory: their bytes, and states that no learning leads to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from forecasts import learner_of, run, series

import edgeolk as ek

#: Regions of state.
STATE = {"history", "forecaster", "head", "ml_poly", "pending"}


@pytest.mark.parametrize("d", [1, 6, 17])
def test_its_bytes_are_those_of_the_page(d: int) -> None:
    config = ek.Config(n_features=d, D=64, loss="square", history=True)
    sizes = {r.name: r.shape[0] * r.shape[1] * 4 for r in ek.plan(config).regions if r.element}
    assert sum(sizes[name] for name in STATE) == 436 + 28 * d
    bare = ek.Config(n_features=d, D=0, loss="square", history=True)
    sizes = {r.name: r.shape[0] * r.shape[1] * 4 for r in ek.plan(bare).regions if r.element}
    assert sum(sizes[name] for name in STATE) == 344 + 28 * d


def test_ram_says_how_many_frequencies_there_are_and_whether_there_is_a_kernel() -> None:
    whole = ek.Learner(n_features=3, ram="4KiB", loss="square", history=True)
    assert 4000 < whole.nbytes <= 4096
    small = ek.Learner(n_features=3, ram=800, loss="square", history=True)
    assert small.budget == 0
    assert small.nbytes <= 800
    assert "no kernel" in repr(small)
    assert "kernel              none" in str(small.plan)
    again = ek.Learner(small.config)
    assert again.budget == 0
    with pytest.raises(ValueError, match="ram must be at least"):
        ek.Learner(n_features=3, ram=200, loss="square", history=True)


def test_the_width_of_the_kernel_follows_what_it_learns(tmp_path: Path) -> None:
    X, y = series()
    learner = learner_of(D=64)
    assert learner._engine.gamma() == pytest.approx(1.0 / (2 * (3 + 4)))
    assert learner.plan.width_follows
    assert "follows the rows" in str(learner.plan)
    before = learner._engine.gamma()
    learner.ask_one(X[0])
    assert learner._engine.gamma() == before
    learner.tell_one(y[0])
    learner.learn_many(X[1:3], y[1:3])
    assert learner._engine.gamma() == before  # the kernel has learned nothing yet
    learner.learn_many(X[3:300], y[3:300])
    assert learner._engine.gamma() != before
    learner.save(tmp_path / "model.olk")
    assert ek.load(tmp_path / "model.olk")._engine.gamma() == learner._engine.gamma()
    for options in ({"gamma": 0.1}, {"kernel": ek.Gaussian(0.1)}, {"D": 0}):
        named = learner_of(**{"D": 64, **options})
        start = named._engine.gamma()
        named.learn_many(X, y)
        assert named._engine.gamma() == start
        assert not named.plan.width_follows
        assert ek.Config("sorf", **named.config.options) == named.config


def test_its_repr_makes_the_same() -> None:
    learner = learner_of(horizon=3, season=12, interval=(0.5, 0.9))
    assert eval(repr(learner.config), {"ek": ek}) == learner.config


def test_a_forged_state_is_refused() -> None:
    X, y = series()
    memory = bytearray(ek.plan(learner_of(dtype="int8", season=12).config).nbytes)
    learner = learner_of(dtype="int8", season=12, buffer=memory)
    learner.learn_many(X[:100], y[:100])
    start = memory.find(b"eolk")
    whole = bytes(memory)
    regions = {region.name: region for region in learner.plan.regions}
    forged = {
        "history": {0: -1.0, 1: 0.0, 5: 2.0, 13: np.nan, 14: -1.0, 16: -1.0, 20: 5000.0},
        "forecaster": {12: 1.5, 24: -1.0},
        "head": {11: 2.0, 0: np.inf},
        "ml_poly": {0: 1e9, 3: -1.0},
        "pending": {0: -3.0, 1: -1.0},
        "season": {0: 26.0},
    }
    for name, changes in forged.items():
        for place, number in changes.items():
            block = bytearray(whole)
            at = start + regions[name].offset + 4 * place
            block[at : at + 4] = np.float32(number).tobytes()
            with pytest.raises(ValueError, match="inconsistent"):
                ek.attach(block)


@pytest.mark.parametrize(("dtype", "far"), [("float32", 1e15), ("float64", 1e100)])
@pytest.mark.parametrize("region", ["target", "weights", "head"])
def test_from_a_far_state_it_learns_into_one_that_can_be_read(
    region: str, dtype: str, far: float
) -> None:
    """The mean of the kernel's targets, its weights, or those of the linear learner."""
    X, y = series(60)
    learner = learner_of(dtype=dtype, D=64)
    learner.learn_many(X[:50], y[:50] * far / np.abs(y).max())
    numbers = np.asarray(learner._engine.view(region)).reshape(-1)
    first, number = {"target": (1, 1e101), "weights": (10, 5e14), "head": (5, 5e9)}[region]
    numbers[:first] = number
    learner = ek.Learner._from_block(learner._sealed())
    for x, target in zip(X[50:], y[50:], strict=True):
        learner.learn_one(x, target)
        assert np.isfinite(learner.predict_one(x))
        ek.Learner._from_block(learner._sealed())


def test_a_row_of_a_longer_horizon_has_no_unit_before_three_changes(tmp_path: Path) -> None:
    X, y = series(60)
    learner = learner_of(dtype="int8", horizon=6)
    run(learner, X, y, 6)
    history = np.asarray(learner._engine.view("history")).reshape(-1)
    for changes in (3.0, 2.0):
        history[1] = changes
        learner.save(tmp_path / f"{changes}.olk")
    assert ek.load(tmp_path / "3.0.olk").n_waiting == 6
    with pytest.raises(ValueError, match="the unit of pending row 0 is"):
        ek.load(tmp_path / "2.0.olk")


# ---- a covariance that no learning leads to ------------------------------------------------------


def _forged_covariance(learner: ek.Learner, r: np.random.Generator, by: float) -> None:
    """Put one there that is short of a positive definite one by so much.

    Each place of it has a possible variance, or a possible covariance of two.
    """
    m = 9 if learner.budget else 7
    P = np.eye(m)
    while np.linalg.eigvalsh(P)[0] > -1.0:
        P = np.sign(r.normal(size=(m, m)))
        P = np.tril(P, -1) + np.tril(P, -1).T + np.eye(m)
    least = np.linalg.eigvalsh(P)[0]
    share = (1.0 + by) / (1.0 - least)
    P = share * P + (1.0 - share) * np.eye(m)
    assert np.linalg.eigvalsh(P)[0] == pytest.approx(-by)
    head = np.asarray(learner._engine.view("head")).reshape(-1)
    head[m:-1] = P[np.tril_indices(m)]
    d = learner.n_features
    if r.random() < 0.5:  # variances below 0 as far as rounding may go
        diagonal = np.asarray(learner._engine.view("forecaster")).reshape(-1)
        diagonal[4 + 2 * d : 2 * (4 + 2 * d)] = -0.9e-5


@pytest.mark.parametrize("dtype", ["int8", "float64"])
@pytest.mark.parametrize("D", [0, 64])
def test_a_forged_covariance_is_refused_or_begins_anew(dtype: str, D: int, tmp_path: Path) -> None:
    """One that is not positive definite does no harm, taken or not: all answers are numbers."""
    X, y = series(2500, d=2)
    clean = learner_of(d=2, D=D, dtype=dtype)
    clean.learn_many(X[:300], y[:300])
    usual = np.abs(clean.learn_many(X[300:], y[300:]) - y[300:])[1000:].mean()
    for seed, by in enumerate((0.0, 5e-4, 0.02, 0.3, 1.0, 2.0)):
        learner = learner_of(d=2, D=D, dtype=dtype)
        learner.learn_many(X[:300], y[:300])
        _forged_covariance(learner, np.random.default_rng(seed), by)
        path = tmp_path / f"{seed}.olk"
        learner.save(path)
        if by > 1e-3:
            with pytest.raises(ValueError, match="covariances of the forecaster"):
                ek.load(path)
        else:
            learner = ek.load(path)
        said = learner.learn_many(X[300:], y[300:])  # in memory it is there all the same
        assert np.isfinite(said).all()
        assert np.abs(said - y[300:])[1000:].mean() < 1.05 * usual
