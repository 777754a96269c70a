"""Rows on their way in: the scaler inside, the bound on rows; the width is in test_width."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from helpers import EVERY, Owned
from preprocessings import D, options_of, rows_and_labels

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.scaling.record import COMPACT, INSIDE_NAMES

#: But one that scales itself.
every = pytest.mark.parametrize("name", [name for name in EVERY if name != "krls_auto"])
methods = pytest.mark.parametrize("method", ["standard", "minmax"])


def apart(name: str, options: dict[str, Any], **scaler: Any) -> tuple[Any, ...]:
    """A learner behind a scaler of its own, in the form that it would have inside."""
    outer = ek.Learner(name, scale=None, **options)
    narrow = outer.dtype != "float64" and scaler.get("method", "standard") == "standard"
    return ek.RunningScaler(options["n_features"], compact=narrow, **scaler), outer


def held(name: str, z: np.ndarray) -> np.ndarray:
    """A scaled row as the learner sees it: features of ``sorf`` see it held."""
    return np.clip(z, -2.5, 2.5) if name == "sorf" else z


# ---- the scaler inside ----


@every
def test_a_scaler_inside_gives_the_numbers_of_one_before_it(name: str) -> None:
    X, y = rows_and_labels()
    options = options_of(name)
    scaler, outer = apart(name, options)
    inner = ek.Learner(name, scale="standard", **options)
    for x, label in zip(X, y, strict=True):
        assert inner.decision_one(x) == outer.decision_one(held(name, scaler.transform_one(x)))
        assert inner.learn_one(x, label) == outer.learn_one(
            held(name, scaler.learn_transform_one(x)), label
        )
    assert inner.updates == outer.updates
    assert inner.updates > 0
    assert pickle.dumps(inner.scaler) == pickle.dumps(scaler)


@methods
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8"])
def test_it_does_in_every_storage_type(method: str, dtype: str) -> None:
    X, y = rows_and_labels()
    options = options_of("bpa_s", dtype=dtype)
    if dtype == "int8":
        options["feature_range"] = (-20.0, 20.0)
    scaler, outer = apart("bpa_s", options, method=method, clip=3.0, window=40, freeze_after=100)
    inner = ek.Learner(
        "bpa_s", scale=method, clip=3.0, scale_window=40, freeze_after=100, **options
    )
    scores = [outer.learn_one(scaler.learn_transform_one(x), c) for x, c in zip(X, y, strict=True)]
    assert inner.learn_many(X, y).tolist() == scores
    assert pickle.dumps(inner.scaler) == pickle.dumps(scaler)
    assert inner.scaler is not None
    assert inner.scaler.frozen
    assert (
        inner.decision_function(X).tolist() == outer.decision_function(scaler.transform(X)).tolist()
    )


def test_a_refused_row_changes_nothing() -> None:
    X, y = rows_and_labels()
    full = Owned("pa", scale="standard", gamma="auto", full="raise", **options_of("pa"))
    with pytest.raises(ek.BudgetError):
        full.learner.learn_many(X, y)
    before, steps = full.state(), full.learner.steps
    for bad in (X[steps], np.full(D, np.nan), np.full(D, np.inf), X[0, :2]):
        with pytest.raises((ValueError, ek.BudgetError)):
            full.learner.learn_one(bad, y[steps])
        assert full.state() == before
    with pytest.raises(ValueError, match="y must be -1 or"):
        full.learner.learn_one(X[0], 3)
    assert full.state() == before
    assert full.learner.scaler is not None
    assert full.learner.scaler.n_seen == steps

    steep = Owned(
        "pa", scale="standard", clip=1e6, kernel=ek.Polynomial(32, 1e12), **options_of("pa")
    )
    for x, label in zip(X[:80], y[:80], strict=True):
        before = steep.state()
        try:
            steep.learner.learn_one(x, label)
        except ValueError:
            assert steep.state() == before
            break
    else:
        pytest.fail("the kernel never overflowed")


# ---- the bound on rows ----


def test_long_rows_are_shortened() -> None:
    bounded = ek.Learner(
        "ogd", n_features=2, budget=5, kernel=ek.Linear(), clip_rows=5.0, dtype="float64"
    )
    plain = ek.Learner("ogd", n_features=2, budget=5, kernel=ek.Linear(), dtype="float64")
    for x, shorter in (((30.0, 40.0), (3.0, 4.0)), ((0.3, 0.4), (0.3, 0.4)), ((0, 0), (0, 0))):
        assert bounded.learn_one(x, 1) == pytest.approx(plain.learn_one(shorter, 1), rel=1e-12)
        assert bounded.decision_one(x) == pytest.approx(plain.decision_one(shorter), rel=1e-12)
    assert bounded.n_shortened == 1
    assert plain.n_shortened == 0
    assert math.isfinite(bounded.learn_one((1.7e308, -1.7e308), -1))
    assert np.linalg.norm(bounded.support_vectors_, axis=1).max() <= 5.0 * (1 + 1e-12)
    assert bounded.n_shortened == 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_what_storage_could_not_hold_is_shortened_first(dtype: str) -> None:
    learner = ek.Learner(
        "ogd", n_features=2, budget=5, kernel=ek.Linear(), clip_rows=2.0, dtype=dtype
    )
    learner.learn_one((1e300, 0.0), 1)
    assert learner.support_vectors_.tolist() == [[2.0, 0.0]]


# ---- files, plans, words ----

FULL: dict[str, Any] = {"scale": "minmax", "clip": 4.0, "scale_window": 30, "clip_rows": 1.2,
                        "gamma_rows": 50, "freeze_after": 90}  # fmt: skip


def test_a_live_block_whose_preprocessing_no_rows_lead_to_is_refused() -> None:
    X, y = rows_and_labels()
    owned = Owned("ogd", gamma="auto", **FULL, **options_of("ogd"))
    owned.learner.learn_many(X, y)
    ek.attach(bytearray(owned.bytes()))
    arena = owned.learner._engine.arena
    shift = owned.bytes().find(bytes(memoryview(arena)[:88]))
    at = {region.name: region.offset + shift for region in owned.plan.regions}
    nan, huge = np.float64(np.nan).tobytes(), np.int64(10**9).tobytes()
    for name, place, wrong in (
        ("scaler", 0, nan),
        ("scaler", 16, np.float64(-1.0).tobytes()),
        ("scaler_counts", 0, huge),
        ("scaler_range", 0, np.float64(1e300).tobytes()),
        ("clipped_rows", 0, huge),
        ("width", 0, nan),
        ("width", 0, bytes(8)),
        ("width", 16, huge),
        ("width", 24, huge),
        ("width", 32, huge),
        ("width_mean", 0, nan),
    ):
        block = bytearray(owned.bytes())
        block[at[name] + place : at[name] + place + 8] = wrong
        with pytest.raises(ValueError, match="inconsistent"):
            ek.attach(block)


# ---- arguments ----


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"scale": "median"}, ValueError, "scale must be one of 'standard', 'minmax', 'common' or"),
        ({"scale": 3}, ValueError, "scale must be one of"),
        ({"scale": "standard", "clip": 1.0}, ValueError, "clip must be from 2"),
        ({"scale": "standard", "clip": None}, ValueError, "recover from a glitch"),
        ({"scale": "standard", "scale_window": 3}, ValueError, "window must be from 10"),
        ({"scale": "standard", "freeze_after": 0}, ValueError, "freeze_after must be from 1"),
        ({"clip": 5.0}, TypeError, "scale_clip is an argument of the scaler and needs scale="),
        ({"scale_window": 100}, TypeError, "needs scale="),
        ({"freeze_after": 100}, TypeError, "needs scale="),
        ({"scale": "standard", "clip": 3, "scale_clip": 3}, TypeError, "not both"),
        ({"gamma": 0.0}, ValueError, "gamma must be finite and > 0"),
        ({"gamma": math.inf}, ValueError, "gamma must be finite and > 0"),
        ({"gamma": True}, TypeError, "gamma must be 'auto', a number above 0, or None, got bool"),
        ({"gamma": "often"}, ValueError, "gamma must be 'auto', a number above 0, or None, got"),
        ({"gamma": 0.3, "kernel": ek.Gaussian(0.3)}, TypeError, "kernel= or gamma=, not both"),
        ({"gamma": 0.3, "gamma_rows": 9}, TypeError, "gamma_rows needs gamma='auto'"),
        ({"gamma_rows": 10}, TypeError, "gamma_rows needs gamma='auto'"),
        ({"gamma": "auto", "gamma_rows": 1}, ValueError, "gamma_rows must be from 2"),
        ({"gamma": "auto", "kernel": ek.Linear()}, ValueError, "a kernel with a width"),
        ({"clip_rows": 0}, ValueError, "clip_rows must be above 0"),
        ({"clip_rows": "5"}, TypeError, "clip_rows must be a number"),
        ({"clip_rows": math.inf}, ValueError, "clip_rows must be above 0"),
        ({"clip_rows": True}, TypeError, "clip_rows must be a number"),
        ({"scale": "standard", "sparse": True}, ValueError, "scaled rows have no zeros"),
        ({"dtype": "float16", "clip_rows": 1e5}, ValueError, "float16 holds numbers up to"),
        ({"dtype": "float16", "scale": "minmax", "clip": 2e4}, ValueError, "float16 holds"),
        ({"scael": "standard"}, TypeError, "scale"),
    ],
)
def test_wrong_arguments(given: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ek.Config("ogd", n_features=3, budget=5, **given)


def test_names_that_an_algorithm_has_for_something_else() -> None:
    config = ek.Config("bogd", n_features=3, budget=5, gamma=2.0, kernel_gamma="auto")
    assert config._settings.preprocessing.gamma_rows == 100
    assert config.parameters["clip_coefficients"] == 2.0
    assert (
        ek.Config("bogd", n_features=3, budget=5, gamma="auto")._settings.preprocessing.gamma_rows
        == 100
    )
    composed = ek.Config(
        n_features=3,
        budget=5,
        update="gradient",
        policy="oldest",
        projection="clip",
        clip_coefficients=1.5,
        scale="standard",
        scale_clip=3.0,
    )
    assert composed._settings.preprocessing.clip == 3.0
    assert composed.parameters["clip_coefficients"] == 1.5
    assert eval(repr(composed), {"ek": ek}) == composed


# ---- the default ----


def test_without_an_algorithm_it_is_the_recommended_one() -> None:
    learner = ek.Learner(n_features=5, ram="16KiB")
    assert learner.algorithm == "sorf"
    assert learner._config.preprocessing.follows
    assert learner._config.preprocessing.method == COMPACT
    assert learner.nbytes <= 16 * 1024
    assert ek.plan(n_features=5, ram="16KiB").nbytes == learner.nbytes
    said = ek.Config("sorf", n_features=5, ram="16KiB", gamma="auto", scale="standard")
    assert learner.config == said == ek.Config("sorf", n_features=5, ram="16KiB")
    assert (
        ek.Config(
            n_features=5, budget=99, kernel=ek.Gaussian(0.3)
        )._settings.preprocessing.gamma_rows
        == 0
    )
    assert ek.Config(n_features=5, budget=99, scale=None)._settings.preprocessing.method == 0
    assert ek.Config(n_features=5, budget=99, loss="novelty").name == "sorf"
    assert ek.Config(n_features=5, budget=99, loss=ek.Loss.SQUARE)._settings.is_regression
    assert ek.Config(n_features=5, budget=99, policy="random").name == "custom"


#: What may be said of a row on its way in, and whether rows are scaled then, and the width is made.
SAID: tuple[tuple[dict[str, Any], str | None, bool], ...] = (
    ({}, "standard", True),
    ({"scale": None}, None, True),
    ({"scale": "minmax"}, "minmax", True),
    ({"scale": "common"}, "common", True),
    ({"gamma": "auto"}, "standard", True),
    ({"gamma": None}, "standard", False),
    ({"gamma": 0.5}, "standard", False),
    ({"kernel": ek.Gaussian(0.5)}, "standard", False),
    ({"kernel": ek.Gaussian(0.5), "gamma": "auto"}, "standard", True),
    ({"kernel": ek.Gaussian(0.5), "scale": None}, None, False),
)


TASKS: tuple[dict[str, Any], ...] = ({}, {"loss": "novelty"}, {"loss": "square"}, {"n_classes": 3})


@pytest.mark.parametrize(("said", "scale", "made"), SAID)
def test_it_is_the_same_however_it_is_named(
    said: dict[str, Any], scale: str | None, made: bool
) -> None:
    for task in TASKS:
        is_the_same_however_it_is_named({**task, **said}, scale, made)


def is_the_same_however_it_is_named(said: dict[str, Any], scale: str | None, made: bool) -> None:
    size = {"n_features": 3, "budget": 40, **said}
    unnamed = ek.Config(**size)
    row = next(row for row in ek.algorithms() if row.name == "sorf")
    names = ("sorf", "SORF", ek.Algorithm.SORF, row)
    for name in names:
        named = ek.Config(name, **size)
        assert named == unnamed
        assert repr(named) == repr(unnamed)
        assert ek.plan(name, **size) == ek.plan(**size)
        assert BareLearner(name, history=None, **size).config == ek.Learner(named).config == unnamed
    assert INSIDE_NAMES.get(unnamed._settings.preprocessing.method) == scale
    assert unnamed._settings.preprocessing.follows == (made and scale is not None)
    assert unnamed._settings.preprocessing.gamma_rows == (100 if made and scale is None else 0)
    assert eval(repr(unnamed), {"ek": ek}) == unnamed


def test_a_number_is_the_width_of_a_gaussian_kernel() -> None:
    for gamma in (0.5, 1, np.float32(0.25)):
        for name in ("ogd", "sorf", None):
            said = ek.Config(name, n_features=3, budget=9, gamma=gamma)
            width = ek.Gaussian(float(gamma))
            assert said == ek.Config(name, n_features=3, budget=9, kernel=width)
            assert said._settings.preprocessing.gamma_rows == 0
    own = ek.Config("bogd", n_features=3, budget=5, gamma=2.0, kernel_gamma=0.25)
    assert own.kernel == ek.Gaussian(0.25)
    assert own.parameters["clip_coefficients"] == 2.0


@pytest.mark.parametrize("d", [2, 3, 7])
def test_rows_at_the_norm_that_is_allowed(d: int) -> None:
    """A sum of squares that rounds above it is taken again, and the row may stay as it is."""
    draws = np.random.default_rng(0)
    learner = ek.Learner("pa", n_features=d, budget=3, clip_rows=1.0, dtype="float64")

    def clipped() -> int:
        return int(learner._engine.counters()["clipped_rows"])

    for step in draws.integers(-1, 3, 2000):
        x = draws.normal(size=d)
        x *= (1.0 + step * 2.0**-53) / np.linalg.norm(x)
        before = clipped()
        learner.learn_one(x, 1)
        if clipped() == before:
            assert np.linalg.norm(x) <= 1.0 + 4e-16
        else:
            assert np.linalg.norm(x) > 1.0 - 4e-16
    assert 0 < clipped() < 2000
    assert np.linalg.norm(learner.support_vectors_, axis=1).max() <= 1.0 + 4e-16
