"""krls_auto compared with its reference, and on streams that could break it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
from bench.filters import series
from edgeolk.files import live
from edgeolk.reference import FactoredKrlsAuto

ROWS = 1500


def synthetic(d: int, seed: int = 0, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, d))
    return X, 1e3 + 50.0 * (np.sin(2.0 * X[:, 0]) + X[:, -1] ** 2 + 0.1 * rng.normal(size=rows))


def lags(name: str) -> tuple[np.ndarray, np.ndarray]:
    try:
        values = series.read(name)
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    X, y = series.lagged(values, len(values) - 1)
    return X[:ROWS], y[:ROWS]


SETS = {
    "three inputs": lambda: synthetic(3),
    "one input": lambda: synthetic(1),
    "eight inputs": lambda: synthetic(8),
    "mg30": lambda: lags("mg30"),
    "lorenz": lambda: lags("lorenz"),
    "santafe": lambda: lags("santafe"),
}


def learned(X: np.ndarray, y: np.ndarray, budget: int = 20, **options: Any) -> tuple[Any, Any]:
    learner = ek.Learner("krls_auto", n_features=X.shape[1], budget=budget, **options)
    return learner, learner.learn_many(X, y)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.spread(6)
def test_answers_of_the_reference(name: str) -> None:
    """Answers and variances within 1e-6 of the targets' deviation over 1,500 rows."""
    X, y = SETS[name]()
    plain = FactoredKrlsAuto(20)
    expected = plain.learn_many(X, y)
    learner, answers = learned(X, y, dtype="float64")
    assert np.abs(answers - expected).max() < 1e-6 * y.std()
    for x in X[:20]:
        assert learner.predict_one(x) == pytest.approx(plain.decision(x), abs=1e-6 * y.std())
        assert learner.variance_one(x) == pytest.approx(plain.variance_one(x), rel=1e-5)
    assert learner.n_support == 20
    assert learner.steps == learner.updates == ROWS


def test_answers_of_the_reference_around_glitches() -> None:
    """Inputs and targets far from all others, on either side."""
    X, y = synthetic(3, rows=500)
    for at, rows in ((0, slice(60, None, 80)), (1, slice(90, None, 80))):
        X[rows, at] += (-1.0) ** at * 40.0
    y[70::80] += 30.0 * y.std()
    y[110::80] -= 30.0 * y.std()
    expected = FactoredKrlsAuto(20).learn_many(X, y)
    _, answers = learned(X, y, dtype="float64")
    assert np.abs(answers - expected).max() < 1e-6 * y.std()


@pytest.mark.parametrize("name", SETS)
def test_float32_errs_as_little(name: str) -> None:
    X, y = SETS[name]()
    errors = [y - learned(X, y, dtype=dtype)[1] for dtype in ("float64", "float32")]
    wide, narrow = (10.0 * math.log10(np.mean(e[500:] ** 2) / y.var()) for e in errors)
    assert narrow == pytest.approx(wide, abs=1.5 if name == "lorenz" else 0.5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_units_change_nothing(dtype: str) -> None:
    X, y = synthetic(3)
    _, usual = learned(X, y, dtype=dtype)
    _, scaled = learned(X * 1e4, y * 1e6 - 1e9, dtype=dtype)
    near = 1e-9 if dtype == "float64" else 0.02
    assert np.abs((scaled + 1e9) / 1e6 - usual)[1:700].max() < near * y.std()


def rms(errors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def test_glitches_of_the_target() -> None:
    """Four of 10,000 deviations: the widths hold, and soon errors are small again."""
    X, y = synthetic(3, rows=3000)
    clean = rms((learned(X, y)[1] - y)[2000:])
    spoiled = y.copy()
    spoiled[[400, 700, 1100, 1500]] += 1e4 * y.std() * np.array([1.0, -1.0, 1.0, 1.0])
    assert rms((learned(X, spoiled)[1] - y)[2000:]) < 1.5 * clean


def test_targets_far_from_zero() -> None:
    """1e9 and noise of 1: only the offset differs, whose double has 1e-7 left."""
    X, y = synthetic(3)
    noise = (y - y.mean()) / y.std()
    _, near = learned(X, noise)
    _, far = learned(X, noise + 1e9)
    assert rms((far - 1e9 - noise)[500:]) < 1.02 * rms((near - noise)[500:])


@pytest.mark.parametrize("target", [math.nan, math.inf, -math.inf])
def test_a_target_that_is_not_finite_is_refused(target: float) -> None:
    X, y = synthetic(2, rows=60)
    learner, _ = learned(X, y)
    before = bytes(learner._sealed())
    with pytest.raises(ek.BadRowError, match="y must be finite"):
        learner.learn_one(X[0], target)
    assert bytes(learner._sealed()) == before


def test_duplicate_rows_narrow_their_interval() -> None:
    X, y = synthetic(2, rows=300)
    learner, _ = learned(X, y)
    x, target = X[0], float(y[0])
    before = learner.variance_one(x)
    for _ in range(200):
        learner.learn_one(x, target)
    assert learner.predict_one(x) == pytest.approx(target, abs=0.05 * y.std())
    assert learner.variance_one(x) < before


def test_constant_inputs_leave_the_mean() -> None:
    """Nothing but the constant can answer: the mean of the targets, and their deviation."""
    y = np.random.default_rng(0).normal(size=ROWS) + 5.0
    learner, answers = learned(np.ones((ROWS, 3)), y)
    assert rms((answers - y)[500:]) < 1.05 * y.std()
    assert math.sqrt(learner.variance_one(np.ones(3))) == pytest.approx(y.std(), rel=0.3)


def long_stream(name: str, first: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A part of an endless stream: smooth with noise, a drifting relation, a walk with its lags."""
    rng = np.random.default_rng((sum(name.encode()), first))
    X = rng.normal(size=(rows, 3))
    noise = 0.1 * rng.normal(size=rows)
    if name == "smooth":
        return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + noise
    t = np.arange(first, first + rows)
    if name == "drifting":
        return X, np.cos(t / 5e4) * X[:, 0] + np.sin(t / 5e4) * np.sin(2.0 * X[:, 1]) + noise
    wave = np.sin(t / 7.0) + np.sin(t / 17.0) + np.sin(t / 111.0)
    return np.column_stack([np.roll(wave, 1), np.roll(wave, 2), np.roll(wave, 3)]), wave + noise


#: By rows: a pass of a second, and 10^7 rows.
LENGTHS = [100_000, pytest.param(10**7, marks=pytest.mark.slow)]


@pytest.mark.parametrize("rows", LENGTHS)
@pytest.mark.parametrize("name", ["smooth", "drifting", "waves"])
def test_long_streams_lose_no_accuracy(name: str, rows: int) -> None:
    """Finite, counters right, and errors of the last tenth as those of the first tenth."""
    learner = ek.Learner("krls_auto", n_features=3, ram="4KiB")
    part, errors = rows // 10, []
    for first in range(0, rows, part):
        squares = []
        for at in range(first, first + part, min(part, 100_000)):
            X, y = long_stream(name, at, min(part, 100_000))
            answers = learner.learn_many(X, y)
            assert np.isfinite(answers).all()
            squares.append(np.mean((answers - y)[200:] ** 2))
        errors.append(math.sqrt(float(np.mean(squares))))
    assert learner.steps == learner.updates == rows
    assert errors[-1] < 1.1 * errors[1]
    assert ek.Learner._from_block(bytes(learner._sealed())).steps == rows


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "stream",
    [
        "constant target", "constant inputs", "duplicates", "tiny", "huge", "first glitch",
        "input glitch", "flip", "jump",
    ],
)  # fmt: skip
def test_streams_that_could_break_it(stream: str, dtype: str) -> None:
    X, y = synthetic(3)
    y = (y - 1e3) / 50.0
    if stream == "constant target":
        y = np.full(ROWS, 3.0)
    elif stream == "constant inputs":
        X = np.ones_like(X)
    elif stream == "duplicates":
        X, y = np.repeat(X[:150], 10, axis=0), np.repeat(y[:150], 10)
    elif stream == "tiny":
        X, y = X * 1e-17, y * 1e-20
    elif stream == "huge":
        X, y = X * 1e17, y * 1e20
    elif stream == "first glitch":
        y[0] = 1e4
    elif stream == "input glitch":
        X[300, 0] = 1e6
    elif stream == "flip":
        y[600:] *= -1.0
    elif stream == "jump":
        X[700:] *= 1e6
    learner, answers = learned(X, y, dtype=dtype)
    assert np.isfinite(answers).all()
    again = ek.Learner._from_block(bytes(learner._sealed()))
    assert again.predict_one(X[5]) == learner.predict_one(X[5])
    if stream == "constant target":
        assert (answers[1:] == 3.0).all()
        assert learner.variance_one(X[0]) == math.inf
    elif stream not in ("constant inputs", "jump"):
        error = np.sqrt(np.mean((answers - y)[1000:] ** 2))
        assert error < 0.45 * y.std()


def test_intervals_hold() -> None:
    X, y = synthetic(3, rows=2000)
    learner = ek.Learner("krls_auto", n_features=3, ram="16KiB")
    inside = []
    for x, target in zip(X, y, strict=True):
        low, high = learner.interval_one(x, 0.9)
        inside.append(low <= target <= high)
        learner.learn_one(x, target)
    assert 0.86 < np.mean(inside[200:]) < 0.97


@pytest.mark.parametrize("end", [-8.0, 4.0])
def test_log_widths_have_ends(end: float) -> None:
    """Relative to the first width, 3 / d."""
    X, y = synthetic(3, rows=400)
    learner, _ = learned(X[:200], y[:200], dtype="float64")
    region = next(r for r in learner.plan.regions if r.name == "input_scales")
    log_widths = np.asarray(live.numbers(region, memoryview(learner._engine.arena)))[:3]
    log_widths[:] = end
    moved = False
    for x, target in zip(X[200:], y[200:], strict=True):
        learner.learn_one(x, target)
        assert (log_widths >= -8.0).all()
        assert (log_widths <= 4.0).all()
        moved = moved or (log_widths != end).any()
    assert moved


def test_what_is_refused() -> None:
    refused = [
        ({"scale": "standard"}, "scales and clips inputs itself"),
        ({"clip_rows": 2.0}, "scales and clips inputs itself"),
        ({"gamma": 0.5}, "gamma= is learned, a width for each input; got gamma=0.5"),
        ({"gamma": "auto"}, "scales and clips inputs itself"),
        ({"kernel": ek.Linear()}, "learns a width for each input"),
        ({"dtype": "float16"}, "needs dtype='float32' or 'float64'"),
        ({"dtype": "float64", "coefficients": "float32"}, "needs dtype='float32' or 'float64'"),
        ({"sparse": True}, "reads every number of a row"),
    ]
    for options, why in refused:
        with pytest.raises(ValueError, match=why):
            ek.Learner("krls_auto", n_features=3, budget=5, **options)


def test_rows_out_of_range_change_nothing() -> None:
    X, y = synthetic(2, rows=60)
    learner, _ = learned(X, y)
    before = bytes(learner._sealed())
    for x, target in (([1e19, 0.0], 0.0), ([math.nan, 0.0], 0.0), ([0.0, 0.0], 1e26)):
        with pytest.raises(ValueError, match=r"."):
            learner.learn_one(x, target)
    with pytest.raises(ValueError, match="weight"):
        learner.learn_one(X[0], 1.0, weight=2.0)
    assert bytes(learner._sealed()) == before
