"""Novelty of rows in the order of time, against the plain reference, and its invariants."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from helpers import Csr, few_first

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.reference.sorf_novelty import InTime

D, BUDGET, SEED = 5, 150, 7
TYPES = ("int8", "float32", "float64")
every_type = pytest.mark.parametrize("dtype", TYPES)


def learner_of(dtype: str = "int8", **more: Any) -> ek.Learner:
    options = {"n_features": D, "D": BUDGET, "dtype": dtype, "seed": SEED, "history": True, **more}
    return ek.Learner(loss="novelty", **options)


def stream(n: int = 1500, d: int = D, seed: int = 3) -> np.ndarray:
    """Wanderers and noise; a flat line, a shift, gaps, outliers and rows without any reading."""
    rng, asked, n = np.random.default_rng(seed), n, 1500
    X = 0.1 * np.cumsum(rng.normal(size=(n, d)), axis=0) + 0.05 * rng.normal(size=(n, d))
    X[:, d - 1] = rng.normal(size=n)
    X[300:400, 0] = X[299, 0]
    X[800:, d // 2] += 5.0
    X[rng.random((n, d)) < 0.02] = np.nan
    X[700:705] = np.nan
    X[250, 0], X[251, 0], X[252, 0] = 1e9, 1e300, -np.inf
    return X[:asked]


def state(learner: ek.Learner) -> dict[str, Any]:
    """Every region of state, copied."""
    names = [region.name for region in learner.plan.regions if region.element]
    kept = [name for name in names if name not in ("inputs", "alignment")]
    return {name: np.asarray(learner._engine.view(name)).copy() for name in kept}


# ---- against the reference -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "robust", "dtype"),
    few_first(
        [(*case, dtype) for case in ((64, True), (4096, True), (4096, False)) for dtype in TYPES],
        [(64, True, "int8"), (4096, True, "float64"), (4096, False, "float32")],
    ),
)
def test_it_is_the_reference(window: int, robust: bool, dtype: str) -> None:
    """Scores, verdicts with their reasons, events; weights of int8 to the bit."""
    X = stream()
    learner = learner_of(dtype, window=window, robust=robust)
    plain = InTime(D, BUDGET, seed=SEED, dtype=dtype, window=window, robust=robust)
    near = 1e-12 if dtype != "float32" else 1e-5
    for x in X:
        before = learner.decision_one(x), learner.predict_one(x)
        expected = plain.step(x)
        assert learner.learn_one(x) == before[0] == pytest.approx(expected, rel=near, abs=near)
        assert before[1] == (-1 if plain.novel else 1)
        assert (learner.novel, learner.event, learner.why) == (plain.novel, plain.event, plain.why)
    counted = learner.steps, learner.mistakes, learner.alarms
    assert counted == (len(X), plain.mistakes, plain.alarms)
    assert learner.alarms >= 2
    assert learner.threshold == pytest.approx(plain.tau, rel=near)
    if dtype == "int8":
        assert np.array_equal(learner.weights_[0, :, 0], plain.a.v[:, 0])
    else:
        np.testing.assert_allclose(learner.weights_[0, :, 0], plain.a.v[:, 0], rtol=0, atol=1e-6)


@every_type
def test_what_it_is_told_is_as_the_reference_has_it(dtype: str) -> None:
    """Rows that are accepted, and rows after a long stop."""
    X = stream()
    learner, plain = learner_of(dtype, window=1000), InTime(D, BUDGET, seed=SEED, dtype=dtype,
                                                           window=1000)  # fmt: skip
    near = 1e-12 if dtype != "float32" else 1e-5
    for at, x in enumerate(X):
        if at in (320, 810, 1000):
            learner.accept()
            plain.accept()
        if at in (330, 702, 1100):
            learner.restart()
            plain.restart()
        assert learner.decision_one(x) == learner.learn_one(x)
        assert learner.predict_one(x) in (-1, 1)
        plain.step(x)
        assert (learner.novel, learner.event, learner.why) == (plain.novel, plain.event, plain.why)
    assert learner.threshold == pytest.approx(plain.tau, rel=near)
    assert learner.alarms == plain.alarms


@pytest.mark.parametrize(("d", "budget"), [(1, 256), (25, 300), (70, 64)])
def test_every_size_is_the_reference(d: int, budget: int) -> None:
    X = stream(400, d)
    learner = learner_of(n_features=d, D=budget)
    plain = InTime(d, budget, seed=SEED, dtype="int8")
    expected = [plain.step(x) for x in X]
    np.testing.assert_allclose(learner.learn_many(X), expected, rtol=1e-11, atol=1e-11)
    assert np.array_equal(learner.weights_[0, :, 0], plain.a.v[:, 0])


# ---- invariants ----------------------------------------------------------------------------------


def test_the_share_of_alarms_is_the_one_asked_for() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 3))
    for nu, least in ((0.05, 0.03), (0.2, 0.19)):
        learner = ek.Learner(n_features=3, loss="novelty", history=True, nu=nu)
        learner.learn_many(X[:10_000])
        before = learner.mistakes
        learner.learn_many(X[10_000:])
        assert least < (learner.mistakes - before) / 10_000 < 1.1 * nu


def test_a_fault_is_told_by_its_channel_and_kind() -> None:
    rng = np.random.default_rng(5)
    t = np.arange(6000)
    X = np.column_stack([np.sin(t / 30 + k) + 0.05 * rng.normal(size=6000) for k in range(3)])
    X[5000:5060, 1] = X[4999, 1]
    X[5500:, 2] += 6.0
    learner = ek.Learner(n_features=3, loss="novelty", history=True)
    learner.learn_many(X[:5000])
    whys = []
    for x in X[5000:5060]:
        learner.learn_one(x)
        whys.append(learner.why if learner.novel else None)
    assert ("channel", 1, "flat") in whys
    learner.learn_many(X[5060:5500])
    alarms = learner.alarms
    learner.learn_one(X[5500])
    assert learner.novel
    assert learner.why[1] == 2
    assert learner.alarms == alarms + 1
    learner.learn_many(X[5501:5540])
    assert learner.event
    assert learner.alarms == alarms + 1


def _waves(n: int, d: int = 3, seed: int = 5) -> np.ndarray:
    rng, t = np.random.default_rng(seed), np.arange(n)
    return np.column_stack([np.sin(t / 30 + k) + 0.05 * rng.normal(size=n) for k in range(d)])


@pytest.mark.parametrize("fault", ["shift", "flat"])
def test_a_fault_that_lasts_is_one_event_until_it_is_accepted(fault: str) -> None:
    X = _waves(9000)
    if fault == "shift":
        X[5000:, 2] += 6.0
    else:
        X[5000:, 2] = X[4999, 2]
    learner = ek.Learner(n_features=3, loss="novelty", history=True)
    other = ek.Learner(n_features=3, loss="novelty", history=True)
    learner.learn_many(X[:5000])
    first = 5000
    while not learner.novel:
        learner.learn_one(X[first])
        first += 1
    alarms, lasted = learner.alarms, 0
    for x in X[first:]:
        learner.learn_one(x)
        if not learner.event:
            break
        lasted += 1
    assert 1024 <= lasted < 2000
    assert learner.alarms == alarms
    other.learn_many(X[: first + 200])
    assert other.event
    other.accept()
    assert not other.event
    novel = 0
    for x in X[first + 200 : first + 600]:
        other.learn_one(x)
        novel += other.novel
    assert novel < 20
    bare = BareLearner(learner_of().config)
    bare.accept()


def test_rows_after_a_long_stop_are_not_rough() -> None:
    X = _waves(4000)
    X[3000:] += 0.9
    one, other = (ek.Learner(n_features=3, loss="novelty", history=True) for _ in range(2))
    one.learn_many(X[:3000])
    other.learn_many(X[:3000])
    other.restart()
    copied = pickle.loads(pickle.dumps(other))
    for x in X[3000:3003]:
        assert one.learn_one(x) < other.learn_one(x) == copied.learn_one(x)
    with pytest.raises(AttributeError, match="history=True"):
        ek.Learner(n_features=2, loss="novelty").accept()


# ---- arguments -----------------------------------------------------------------------------------


def test_bytes_and_defaults() -> None:
    for d in (1, 8, 25, 50):
        least = ek.plan(n_features=d, D=64, loss="novelty", history=True).nbytes
        assert least <= 576 + 64 * d
        learner = ek.Learner(n_features=d, ram=least, loss="novelty", history=True)
        assert learner.nbytes == least
        assert learner.budget >= 64
        assert learner.nbytes == learner.plan.nbytes <= 448 + 64 * d + 2 * learner.budget
        with pytest.raises(ValueError, match=f"ram must be at least {least} bytes"):
            ek.Learner(n_features=d, ram=least - 1, loss="novelty", history=True)
    learner = ek.Learner(n_features=8, loss="novelty", history="auto")
    assert (learner.budget, learner.parameters["nu"]) == (256, 0.02)
    assert ek.Learner(n_features=8, ram="1MiB", loss="novelty", history=True).budget == 256
    assert ek.Learner(n_features=8, D=960, loss="novelty", history=True).budget == 960
    plain = ek.Learner(n_features=8, ram="2KiB", loss="novelty", history=None)
    assert plain.parameters["nu"] == 0.05
    assert plain.scaler is not None
    config = learner.config
    assert eval(repr(config)) == config
    assert config._settings.reports_events


def test_others_have_no_verdict_and_refuse_gaps() -> None:
    learner = ek.Learner(n_features=2, loss="novelty")
    with pytest.raises(ValueError, match="must be finite"):
        learner.learn_one(np.array([np.nan, 1.0]))
    for name in ("novel", "event", "why"):
        with pytest.raises(AttributeError, match="history=True"):
            getattr(learner, name)
    with pytest.raises(ValueError, match="last_label=True"):
        ek.Learner(n_features=2, history=True)
    assert ek.Learner(n_features=2, history="auto").parameters["last_label"] is True
    assert ek.Learner("ogd", n_features=2, budget=5, history="auto").algorithm == "ogd"
    with pytest.raises(TypeError, match="history"):
        ek.Learner("ogd", n_features=2, budget=5, history=True)


@pytest.mark.parametrize(
    ("region", "at", "value"),
    [
        ("channels", 1, -1.0), ("channels", 0, np.nan), ("channels", 0, 1e19),
        ("channels", 1, 1e37), ("channels", 7, -3e38), ("deviations", 2, 1e16),
        ("deviations", 0, 0.1), ("deviations", 3, -0.5), ("watch", 0, 10**6), ("watch", 1, 10**6),
        ("watch", 2, 70_000), ("watch", 3, D << 8), ("watch", 3, 3 << 1), ("watch", 4, D << 32),
        ("watch", 4, 3 << 16), ("deviations", 7, -1.0),
    ],
)  # fmt: skip
def test_states_that_nothing_leads_to_are_refused(region: str, at: int, value: float) -> None:
    learner = learner_of()
    learner.learn_many(stream(300))
    np.asarray(learner._engine.view(region)).reshape(-1)[at] = value
    with pytest.raises(ValueError, match="inconsistent"):
        pickle.loads(pickle.dumps(learner))


@every_type
def test_missing_readings_by_nonzeros(dtype: str) -> None:
    """A NaN among the non-zeros is a missing reading, as in a dense row."""
    X = stream(300)
    X[np.abs(X) < 0.1] = 0.0
    X[7, 2] = np.inf
    assert np.isnan(X).any()
    matrix = Csr(X)
    expected = learner_of(dtype)
    scores = expected.learn_many(X)
    many, one = learner_of(dtype), learner_of(dtype)
    assert many.learn_many(matrix).tobytes() == scores.tobytes()
    for t, row in enumerate(X):
        places = np.flatnonzero(row)
        assert one.learn_one_sparse(places, row[places]) == scores[t]
    for learner in (many, one):
        assert learner._sealed() == expected._sealed()
    places = np.flatnonzero(X[-1])
    assert many.decision_one_sparse(places, X[-1][places]) == expected.decision_one(X[-1])
    assert many.decision_function(matrix).tobytes() == expected.decision_function(X).tobytes()
