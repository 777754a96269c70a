"""Drift: the alarm on a learner's own mistakes, one learned width, leaking weights."""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

import numpy as np
import pytest
from helpers import assert_agrees, few_first

import edgeolk as ek
from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_scaling import HELD, Following

D, GAMMA, SEED = 4, 0.125, 5
KINDS: dict[str, dict[str, Any]] = {
    "two": {},
    "shared": {"relevance": "shared"},
    "each": {"relevance": True},
    "leak": {"leak": 0.016},
    "candidates": {"linear": True, "last_label": True},
    "groups": {"widths": ((0.3, 1.0, 3.0), (3.0, 5.5))},
    "no constant": {"constant": False},
    "linear group": {"linear_group": True, "relevance": True, "leak": 0.016},
    "classes": {"n_classes": 3, "relevance": "shared"},
    "regression": {"loss": "square", "relevance": "shared"},
}


def ringing(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels flip after 1,500 rows, and inputs are twenty times smaller from row 2,300 on."""
    n = 1700 if kind == "classes" else 2600
    X = np.random.default_rng(1).normal(size=(n, D))
    far = X[:, 0] + 0.3 * X[:, 1] - 0.5
    late = np.arange(n) >= 1500
    y: np.ndarray = np.where((far > 0) ^ late, 1.0, -1.0)
    if kind == "classes":
        y = (np.digitize(far, (-0.5, 0.5)) + late) % 3.0
    elif kind == "regression":
        y = np.where(late, -far, far) * 3.0
    X[2300:] *= 0.05
    return X.astype(np.float32).astype(float), y


def settings(kind: str, dtype: str, **more: Any) -> dict[str, Any]:
    return {
        "n_features": D, "D": 100, "kernel": ek.Gaussian(GAMMA), "scale": "standard",
        "dtype": dtype, "seed": SEED, "relevance": False, **KINDS[kind], **more,
    }  # fmt: skip


def plain_of(kind: str, dtype: str) -> Sorf:
    options = dict(KINDS[kind])
    if "widths" in options:
        options["groups"] = options.pop("widths")
    plain = Sorf(D, 100, GAMMA, seed=SEED, dtype=dtype, **options)
    plain.hold = np.inf if kind == "regression" else HELD
    return plain


def ages(learner: ek.Learner) -> np.ndarray:
    """Ages of the inputs in the scaler, 3 where there is no deviation yet."""
    with contextlib.suppress(KeyError):
        return np.asarray(learner._engine.view("scaler_counts")).reshape(-1, 2)[:, 0].copy()
    records = np.asarray(learner._engine.view("statistics")).reshape(-1, 9).view(np.uint8)
    codes = records[:, 7].astype(int) + 256 * records[:, 8].astype(int)
    return np.maximum(codes - 3, 3)


def follow(
    learner: ek.Learner, plain: Sorf, X: np.ndarray, y: np.ndarray, near: float = 1e-8,
    following: Following | None = None,
) -> None:  # fmt: skip
    """Hold every answer, every alarm and what it changes against the reference; both ring.

    A copy of the scaler inside makes of a row what the learner sees; each alarm takes a new one.
    """
    scaler = learner.scaler
    for x, label in zip(X, y, strict=True):
        assert scaler is not None
        scaler.learn_one(x)
        z = np.asarray(scaler.transform_one(x))
        deviates = np.asarray(scaler.transform_one(np.full(D, 1e9))) > 0.0
        young = np.minimum(ages(learner) + 1, 100)
        if following:
            expected = following.step(x, z, label, deviates=deviates)
        else:
            expected = plain.step(z, label, deviates=deviates)
        alarms = learner.alarms
        assert_agrees(learner.learn_one(x, label), expected, learner.dtype, near)
        assert learner.alarms == plain.alarms
        if learner.alarms > alarms:
            scaler = learner.scaler
            if plain.alarm_log[-1][1] == "scaler":
                assert np.array_equal(ages(learner), young)
            else:
                assert not learner.weights_.any()
    stored = np.stack([plain.w.v, plain.a.v])
    assert_agrees(learner.weights_, stored, learner.dtype, near=1e-7)
    drift = np.asarray(learner._engine.view("drift")).ravel()[:4]
    assert_agrees(drift, [plain.v, plain.g, plain.ef, plain.es], learner.dtype, near=1e-7)
    if learner.is_regression:
        return
    both = {"weights"} if plain.classes else {"scaler", "weights"}
    assert {what for _, what in plain.alarm_log} == both, plain.alarm_log


@pytest.mark.parametrize(
    ("kind", "dtype"),
    few_first(
        itertools.product(KINDS, ["float64", "int8"]),
        [("shared", "int8"), ("linear group", "float64"), ("linear group", "int8")],
    ),
)
def test_alarms_are_the_reference(kind: str, dtype: str) -> None:
    """Decision by decision, on a stream in which both alarms ring."""
    X, y = ringing(kind)
    learner, plain = ek.Learner("sorf", **settings(kind, dtype)), plain_of(kind, dtype)
    follow(learner, plain, X, y)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    few_first(
        itertools.product(("two", "shared", "each", "classes"), ["float64", "int8"]),
        [("shared", "int8")],
    ),
)
def test_alarms_while_the_width_follows_the_rows(kind: str, dtype: str) -> None:
    """The default learner: features see inputs held at 2.5, the alarm those clipped at 5."""
    X, y = ringing(kind)
    learner = ek.Learner("sorf", **{**settings(kind, dtype), "kernel": None})
    assert learner._config.preprocessing.follows
    plain = Sorf(D, 100, 0.5, seed=SEED, dtype=dtype, **KINDS[kind])
    follow(learner, plain, X, y, 1e-7, Following(plain))


@pytest.mark.parametrize("scale", ["common", pytest.param("standard", marks=pytest.mark.slow)])
@pytest.mark.spread(2)
def test_one_scale_of_all_inputs_has_no_age(scale: str) -> None:
    """Bits, and a scale that is named: the weights begin anew, the statistics go on."""
    draws = np.random.default_rng(3)
    d, n = 12, 2600
    X = (draws.random((n, d)) < 0.5).astype(float)
    late = np.arange(n) >= 1500
    X[late] = X[late] * (draws.random((n - 1500, d)) < 0.2)  # far fewer ones
    y = np.where((X[:, 0] + X[:, 1] > 0.5) ^ late, 1.0, -1.0)
    X, y = X[:1700], y[:1700]
    options = {"n_features": d, "D": 100, "dtype": "float64", "seed": SEED, "relevance": False}
    learner = ek.Learner("sorf", scale=scale, **options)
    plain = Sorf(d, 100, 0.5, seed=SEED, dtype="float64")
    following = Following(plain, scale)
    for row, (x, label) in enumerate(zip(X, y, strict=True)):
        deviates = np.full(d, row > 0 or len(set(x)) > 1)
        expected = following.step(x, x, label, deviates=deviates, follows=False)
        assert learner.learn_one(x, label) == pytest.approx(expected, rel=1e-7, abs=1e-7), row
        assert learner.alarms == plain.alarms
    spread = float(np.asarray(learner._engine.view("drift")).ravel()[0])
    assert spread == pytest.approx(float(plain.v), rel=1e-7)
    assert {what for _, what in plain.alarm_log} == {"weights"}
    scale_now = learner.common_scale
    assert scale_now is not None
    assert scale_now.mean == pytest.approx(X.mean())


# ---- going on, in every way to learn -------------------------------------------------------------


@pytest.mark.parametrize("more", [{"freeze_after": 600}, {"scale": "minmax"}])
def test_a_scaler_that_does_not_follow_is_left_alone(more: dict[str, Any]) -> None:
    X, y = ringing("two")
    learner = ek.Learner("sorf", **settings("two", "int8", **more))
    before = -1
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        assert ages(learner).min() >= before
        before = int(ages(learner).min())


# ---- one learned width ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["two", "classes", "groups", "candidates"])
def test_the_slope_is_the_derivative(kind: str) -> None:
    """Of the blended score by gl, the shares held fixed; one group leaves those of others out."""
    X, y = ringing("classes" if kind == "classes" else "two")
    options = dict(KINDS[kind])
    options["groups"] = options.pop("widths", ((0.3, 1.0, 3.0),))
    options["relevance"] = "shared"
    plain = Sorf(D, 100, GAMMA, seed=SEED, drift=False, **options)
    for x, label in zip(X[:700], y[:700], strict=True):
        plain.step(x, label)
    assert plain.gl != 0.0
    E, alpha, _ = plain.shares()
    if plain.G == 1:
        E = np.ones(1)
    columns = {1: 1.0, 0: -1.0} if kind == "classes" else {0: 1.0}

    def blended(x: np.ndarray, gl: float) -> float:
        plain.set_scale(gl)
        fw, fa = plain.models(x)
        f = E @ fa + alpha @ (fw - fa)
        return float(sum(sign * f[column] for column, sign in columns.items()))

    at, h = float(plain.gl), 1e-5
    for x in X[700:720]:
        slope = (blended(x, at + h) - blended(x, at - h)) / (2.0 * h)
        plain.set_scale(at)
        found = plain.slope(x, plain.phi(x), columns, [True] * plain.G)
        assert found == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_defaults_by_size() -> None:
    """A width of each input where 16 bytes an input are an eighth, one of all elsewhere."""

    def of(**size: Any) -> Any:
        return ek.Config(**size).parameters["relevance"]

    assert of(n_features=10, ram="4KiB") is True
    assert of(n_features=100, ram="16KiB") is True
    assert of(n_features=200, ram="16KiB") == "shared"
    assert of(n_features=100, D=900) == "shared"
    assert of(n_features=100, ram="16KiB", loss="novelty") is False
    least = ek.plan("sorf", n_features=100, D=1, relevance=False).nbytes
    assert of(n_features=100, ram=least) is False
    assert of(n_features=100, ram=least + 256) == "shared"
    for loss in ("hinge", "square"):
        assert ek.Config(n_features=3, D=9, loss=loss).parameters["drift"] is True
    assert ek.Config(n_features=3, D=9, loss="novelty").parameters["drift"] is False


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counts_of_drift_stand_still_at_their_bound(dtype: str) -> None:
    X, y = ringing("two")
    learner = ek.Learner("sorf", **settings("two", dtype, drift=True))
    drift = np.asarray(learner._engine.view("drift")).reshape(-1)
    learner.learn_many(X[:600], y[:600])
    drift[4:] = 2**24 - 1
    learner.learn_one(X[600], y[600])
    assert drift[4:].tolist() == [2**24 - 1] * 2
    learner.learn_many(X[601:], y[601:])
    assert (drift[4] < 2600, learner.alarms) == (True, 2**24 - 1)


def test_an_alarm_forgets_the_losses_of_answers_that_wait() -> None:
    X, y = ringing("two")
    learner = ek.Learner("sorf", **settings("two", "float32", drift=True, delay=3))
    losses = np.asarray(learner._engine.view("late_losses"))
    for t in range(1900):
        if learner.n_waiting == 3:
            learner.learn_one(X[t - 3], y[t - 3])
        if learner.alarms:
            break
        kept = losses.any()
        learner.ask_one(X[t])
    assert t > 1500
    assert (learner.alarms, kept, losses.any()) == (1, True, False)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_an_alarm_makes_no_input_older(dtype: str) -> None:
    """Of inputs that vary in an unfit way: ages beyond 100 become 100."""
    X, y = ringing("two")
    learner = ek.Learner("sorf", **settings("two", dtype, drift=True))
    learner.learn_many(X[:700], y[:700])
    if dtype == "float64":
        np.asarray(learner._engine.view("scaler_counts")).reshape(-1, 2)[0, 0] = 40
    else:
        records = np.asarray(learner._engine.view("statistics")).reshape(-1, 9).view(np.uint8)
        records[0, 7:9] = 43, 0
    expected = ages(learner)
    drift = np.asarray(learner._engine.view("drift")).reshape(-1)
    drift[[0, 2, 3, 4]] = 100.0, 0.9, 0.1, 1000.0
    learner.learn_one(X[700], y[700])
    assert learner.alarms == 1
    assert expected[0] == 40
    assert ages(learner).tolist() == [41, 100, 100, 100]
