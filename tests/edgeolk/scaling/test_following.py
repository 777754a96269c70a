"""A width that follows the rows, inputs that are held, one scale: docs/sorf.md, section 15."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from helpers import assert_agrees, by_pairs

import edgeolk as ek
from edgeolk.reference.sorf import Sorf as Reference
from edgeolk.reference.sorf_novelty import SorfNovelty as NoveltyReference
from edgeolk.reference.sorf_scaling import Following

D, BUDGET, SEED = 7, 100, 11
TASKS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "two": ({}, {}),
    "classes": ({"n_classes": 3}, {"n_classes": 3}),
    "regression": ({"loss": "square"}, {"loss": "square"}),
    "novelty": ({"loss": "novelty"}, {}),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "linear": {"linear": True},
    "linear group": {"linear_group": True},
    "relevance": {"relevance": True},
    "groups": {"widths": ((0.3, 1.0, 3.0), (3.0, 5.5))},
    "all": {
        "linear": True, "last_label": True, "relevance": True,
        "widths": ((0.3, 1.0, 3.0), (3.0, 5.5)),
    },
}  # fmt: skip
CASES = [
    (task, name)
    for task in TASKS
    for name in OPTIONS
    if not (task == "classes" and "linear" in OPTIONS[name])
    and not (task == "novelty" and name != "plain")
]
TYPES = ("float64", "int8", "float32")
types = pytest.mark.parametrize("dtype", TYPES)


def readings(n: int, d: int = D) -> np.ndarray:
    """Of unlike sizes and shapes: tails that are held, a size that changes, a constant input."""
    draws = np.random.default_rng(2)
    z = draws.normal(size=(n, d))
    z[:, 1] = draws.standard_t(2, size=n)
    z[: n // 2, 2] *= 0.1
    z[:, 3] = 1.0
    X = z * 10.0 ** (np.arange(d) % 5 - 2) + 3.0 * np.arange(d)
    return X.astype(np.float32).astype(float)


def bits(n: int, d: int = D) -> np.ndarray:
    return np.where(np.random.default_rng(4).random((n, d)) < np.linspace(0.05, 0.6, d), 1.0, 0.0)


def labels(task: str, X: np.ndarray) -> np.ndarray:
    z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    wave = np.sin(z[:, 0]) + z[:, -1] * z[:, 1] / 2
    if task == "regression":
        return wave
    return np.where(wave > 0, 1.0, -1.0) if task == "two" else (wave > 0) + 1.0 * (z[:, 0] > 0)


def learner_of(task: str, name: str, dtype: str, **more: Any) -> ek.Learner:
    relevance = {} if task == "novelty" else {"relevance": False}
    return ek.Learner(
        "sorf", n_features=D, D=BUDGET, dtype=dtype, seed=SEED,
        **{**relevance, **OPTIONS[name], **TASKS[task][0], **more},
    )  # fmt: skip


def plain_of(task: str, name: str, dtype: str, scale: str = "standard") -> Following:
    options = dict(OPTIONS[name])
    widths = options.pop("widths", ((0.3, 1.0, 3.0),))
    if task == "novelty":
        return Following(NoveltyReference(D, BUDGET, 0.5, dtype=dtype, seed=SEED), scale)
    known = TASKS[task][1]
    plain = Reference(
        D, BUDGET, 0.5, groups=widths, dtype=dtype, seed=SEED, drift=False, **known, **options
    )
    return Following(plain, scale)


def scaler_of(dtype: str, scale: str = "standard") -> ek.RunningScaler:
    """That of each input, in the form that it has inside a learner."""
    if scale == "minmax":
        return ek.RunningScaler(D, method="minmax")
    return ek.RunningScaler(D, compact=dtype != "float64")


def assert_same(learner: ek.Learner, plain: Following, said: Any, expected: Any) -> None:
    model = plain.model
    assert_agrees(said, expected, learner.dtype)
    assert learner.steps == model.t
    if not learner.is_regression:
        assert learner.mistakes == model.mistakes
    held = [model.a.v] if isinstance(model, NoveltyReference) else [model.w.v, model.a.v]
    weights = np.asarray(learner.weights_).reshape(np.stack(held).shape)
    assert_agrees(weights, np.stack(held), learner.dtype, near=1e-8)
    width = np.asarray(learner._engine.view("width_follows")).ravel()[0]
    assert_agrees(width, plain.q, learner.dtype, near=1e-12)
    assert learner.kernel.fields()[2] == pytest.approx(0.5 / float(plain.q), rel=1e-6)


@pytest.mark.parametrize(
    ("case", "scale", "dtype"), by_pairs(CASES, ["standard", "minmax", "common"], TYPES)
)
@pytest.mark.spread(14)
def test_it_is_the_reference(case: tuple[str, str], dtype: str, scale: str) -> None:
    """Scores, every stored weight, the width: over rows whose size changes on the way."""
    task, name = case
    X = readings(320)
    y = labels(task, X)
    learner, plain = learner_of(task, name, dtype, scale=scale), plain_of(task, name, dtype, scale)
    scaler = scaler_of(dtype, scale)
    said, expected = [], []
    for i, x in enumerate(X):
        label = () if task == "novelty" else (y[i],)
        expected.append(plain.step(x, scaler.learn_transform_one(x), *label))
        said.append(learner.learn_one(x, *label))
        if i % 40 == 7:
            z = scaler.transform_one(X[i - 5])
            if task == "classes":
                assert_agrees(learner.scores_one(X[i - 5]), plain.scores(X[i - 5], z), dtype)
            else:
                assert_agrees(learner.decision_one(X[i - 5]), plain.decision(X[i - 5], z), dtype)
    assert_same(learner, plain, said, expected)


def test_a_learner_of_novelty_is_the_reference() -> None:
    test_it_is_the_reference(("novelty", "plain"), "float64", "standard")


def assert_one_scale_until(third: int | None, X: np.ndarray, dtype: str) -> Following:
    """All inputs have one scale before the row of a third number, and all is the reference, which
    is returned."""
    y = labels("two", X)
    learner, plain = learner_of("two", "linear", dtype), plain_of("two", "linear", dtype)
    scaler = scaler_of(dtype)
    said, expected = [], []
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        expected.append(plain.step(x, scaler.learn_transform_one(x), label))
        said.append(learner.learn_one(x, label))
        alike = learner.common_scale
        assert (alike is not None) == (third is None or i < third)
        if alike is not None:
            near = 1e-9 if dtype == "float64" else 1e-6
            np.testing.assert_allclose(alike.transform(x), plain.common(x), rtol=near)
    assert_same(learner, plain, said, expected)
    return plain


@types
@pytest.mark.parametrize("third", [None, 0, 150])
@pytest.mark.spread(6)
def test_one_scale_while_readings_are_two_numbers(dtype: str, third: int | None) -> None:
    """Until a third number comes; then each input's, from statistics that were kept all along."""
    X = bits(300)
    if third is not None:
        X[third, :3] = 0.0, 1.0, 0.5
    assert_one_scale_until(third, X, dtype)


@types
def test_a_rare_number_of_two_is_not_held(dtype: str) -> None:
    """Of one scale, features see it more than 2.5 deviations from the mean."""
    X = np.where(np.random.default_rng(6).random((120, D)) < 0.04, 1.0, 0.0)
    plain = assert_one_scale_until(None, X, dtype)
    assert plain.common(X).max() > 3.0


def test_a_named_width_is_kept_and_its_inputs_are_held() -> None:
    """The features see 2.5 deviations at most, the linear expert what the scaler clips at 5."""
    X = readings(400)
    y = labels("two", X)
    for name in ("plain", "linear", "relevance"):
        inner = learner_of("two", name, "float64", kernel=ek.Gaussian(0.2), scale="standard")
        plain = Reference(D, BUDGET, 0.2, seed=SEED, drift=False, **OPTIONS[name])
        plain.hold = 2.5
        scaler = ek.RunningScaler(D)
        expected = [plain.step(scaler.learn_transform_one(x), c) for x, c in zip(X, y, strict=True)]
        np.testing.assert_allclose(inner.learn_many(X, y), expected, rtol=1e-9, atol=1e-9)
        assert inner.kernel == ek.Gaussian(0.2)


def test_a_stream_that_goes_quiet_takes_the_next_reading() -> None:
    """The width has a floor: rows that were all alike for long do not make others too far."""
    learner = ek.Learner(
        "sorf", n_features=2, D=64, freeze_after=50, relevance=True, dtype="float64"
    )
    draws = np.random.default_rng(0)
    X = draws.normal(size=(70_000, 2))
    y = np.where(draws.random(len(X)) < 0.5, 1.0, -1.0)
    learner.learn_many(X[:50], y[:50])
    scaler = learner.scaler
    assert isinstance(scaler, ek.RunningScaler)
    learner.learn_many(scaler.mean_ + 1e-9 * X[50:], y[50:])
    assert learner.kernel.fields()[2] == pytest.approx(0.5 / 2e-6, rel=0.01)
    assert np.isfinite(learner.learn_one([5.0, -5.0], 1))


def test_what_is_said_of_the_width() -> None:
    config = ek.Config(n_features=5, ram="4KiB")
    assert config.options["gamma"] == "auto"
    assert "gamma_rows" not in config.options
    assert "follows the rows" in str(ek.plan(config))
    assert eval(repr(config), {"ek": ek}) == config
    first = ek.Config("sorf", n_features=5, gamma="auto", gamma_rows=100)
    assert first.options["gamma_rows"] == 100
    assert eval(repr(first), {"ek": ek}) == first
    assert ek.plan(first).gamma_rows == 100
    assert ek.plan("sorf", n_features=5, scale=None).gamma_rows == 100


def test_one_scale_takes_no_bytes_an_input() -> None:
    """4 bytes an input: the row itself."""
    few, many = (ek.plan("sorf", n_features=d, D=64, scale="common", relevance=False).nbytes
                 for d in (20, 120))  # fmt: skip
    assert (many - few) / 100 == pytest.approx(4.0, abs=0.2)
    with pytest.raises(TypeError, match="scale_window"):
        ek.Learner(n_features=3, D=64, scale="common", scale_window=50)


@pytest.mark.parametrize("name", ["pa", "bpa_s", "ogd"])
def test_a_ring_may_have_one_scale_too(name: str) -> None:
    X = readings(200)
    y = labels("two", X)
    learner = ek.Learner(name, n_features=D, budget=20, scale="common", dtype="float64")
    outer = ek.Learner(name, n_features=D, budget=20, dtype="float64")
    plain = plain_of("two", "plain", "float64", "common")
    for x, label in zip(X, y, strict=True):
        plain.common.learn(x)
        z = plain.common(x)
        assert learner.learn_one(x, label) == pytest.approx(outer.learn_one(z, label), abs=1e-9)
    scale = learner.common_scale
    assert scale is not None
    assert scale == learner.scaler
    np.testing.assert_allclose(scale.transform(X[0]), plain.common(X[0]), rtol=1e-9)


def test_a_file_without_the_width_is_refused() -> None:
    from edgeolk.files import restore

    X = readings(200)
    learner = learner_of("two", "plain", "int8")
    learner.learn_many(X, labels("two", X))
    stored = restore.read(learner.__reduce__()[1][0])
    del stored.regions["width_follows"]
    with pytest.raises(ValueError, match="it has no width_follows"):
        restore.from_stored(stored)


@pytest.mark.parametrize("readings_of", [readings, bits])
@pytest.mark.parametrize("freeze_after", [None, 60])
def test_statistics_that_are_frozen(readings_of: Any, freeze_after: int | None) -> None:
    X = readings_of(200)
    learner = learner_of("two", "plain", "float64", freeze_after=freeze_after)
    learner.learn_many(X, labels("two", X))
    alike = learner.common_scale
    assert (alike is None) == (readings_of is readings)
    if alike is not None:
        used = X[:freeze_after]
        assert alike.mean == pytest.approx(used.mean())
        assert alike.sd == pytest.approx(used.std())
        X[0, 0] = 2.0
        learner.learn_one(X[0], 1)
        assert learner.common_scale is None


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_readings_beyond_a_bound_count_as_it_where_all_share_one_scale(sign: float) -> None:
    X = readings(100)
    near, far = (learner_of("two", "plain", "float64", scale="common") for _ in range(2))
    for learner, size in ((near, 1e140), (far, 1e300)):
        learner.learn_many(X, labels("two", X))
        learner.learn_one(np.where(np.arange(D) == 1, sign * size, X[0]), 1)
    assert far.common_scale == near.common_scale
    np.testing.assert_array_equal(far.decision_function(X), near.decision_function(X))


@pytest.mark.parametrize(("dtype", "tiny"), [("float64", 5e-324), ("float32", 1e-45)])
def test_two_numbers_without_a_deviation_are_one(dtype: str, tiny: float) -> None:
    """Their half difference underflows."""
    X = bits(200)
    learner = learner_of("two", "plain", dtype)
    learner.learn_many(np.where(X.min() < X, tiny, 0.0), labels("two", X))
    scores = learner.decision_function([[0.0] * D, [tiny] * D])
    assert np.isfinite(scores).all()
    assert scores[0] == scores[1]


@pytest.mark.parametrize("scale", ["standard", "common"])
def test_statistics_to_be_frozen_later_come_back(scale: str) -> None:
    X = readings(100)
    learner = learner_of("two", "plain", "float64", freeze_after=500, scale=scale)
    learner.learn_many(X[:60], labels("two", X)[:60])
    again = pickle.loads(pickle.dumps(learner))
    for each in (learner, again):
        each.learn_many(X[60:], labels("two", X)[60:])
    np.testing.assert_array_equal(learner.decision_function(X), again.decision_function(X))


def test_constant_inputs_of_one_scale_leave_the_spread() -> None:
    learner = learner_of("two", "plain", "float64", scale="common", drift=True)
    drift = np.asarray(learner._engine.view("drift")).reshape(-1)
    before = drift[0]
    learner.learn_many(np.ones((300, D)), np.ones(300))
    assert (drift[0], learner.alarms) == (before, 0)
    learner.learn_many(readings(50), labels("two", readings(50)))
    assert drift[0] != before


@pytest.mark.parametrize("dtype", TYPES)
def test_the_width_has_a_floor(dtype: str) -> None:
    """The running mean square of a row is at least a millionth an input."""
    X = readings(200)
    learner = learner_of("two", "plain", dtype)
    learner.learn_many(X, labels("two", X))
    square = np.asarray(learner._engine.view("width_follows")).reshape(-1).view(np.float64)
    square[0] = 1e-20
    learner.learn_one(learner.scaler.mean_ + 1e-3 * learner.scaler.scale_, 1)
    assert square[0] == pytest.approx(1e-6 * D, rel=1e-6)
