"""Learning keeps within what a load accepts, from states and options at the ends of their range."""

from __future__ import annotations

import contextlib
import math
import pickle
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import LIVELY
from synthetic import random_stream

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.files import live

D, B = 3, 6
X, Y = random_stream(6, 200, D)


def learner_of(name: str, **options: Any) -> ek.Learner:
    return ek.Learner(name, **{"n_features": D, "budget": B, **LIVELY.get(name, {}), **options})


def loads_again(learner: ek.Learner) -> bool:
    return bool(pickle.loads(pickle.dumps(learner)).steps == learner.steps)


def learn_what_it_takes(learner: ek.Learner) -> int:
    """Learn row by row; how many rows were refused, each unlearned."""
    refused = 0
    for x, y in zip(X, Y, strict=True):
        before, why = bytes(learner._sealed()), ""
        try:
            learner.learn_one(x, y)
        except ValueError as error:
            why = str(error)
        if why:
            assert "its coefficient would exceed" in why
            assert bytes(learner._sealed()) == before
            refused += 1
    return refused


# ---- counters ------------------------------------------------------------------------------------


def near_the_end(name: str, **options: Any) -> bytes:
    """The file of a learner one step before its counter is full."""
    learner = learner_of(name, **({"budget": 130} if name == "sorf" else {}), **options)
    data = bytearray(learner._sealed())
    data[64:72] = (2**62 - 1).to_bytes(8, "little")  # docs/file-format.md: steps
    data[8:12] = bytes(4)
    data[8:12] = zlib.crc32(data).to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize("name", ["rbp", "sorf", "bpa_nn"])
def test_steps_end_at_their_bound(name: str) -> None:
    learner = ek.Learner._from_block(near_the_end(name))
    learner.learn_one(X[0], Y[0])
    assert learner.steps == 2**62
    before = bytes(learner._sealed())
    calls: tuple[Callable[[], Any], ...] = (
        lambda: learner.learn_one(X[1], Y[1]),
        lambda: learner.learn_many(X, Y),
    )
    for call in calls:
        with pytest.raises(ek.BudgetError, match="counted 2\\^62 steps"):
            call()
    assert bytes(learner._sealed()) == before
    assert loads_again(learner)


def test_steps_end_without_numpy_too() -> None:
    learner = BareLearner.from_bytes(near_the_end("rbp"))
    learner.learn_one(array("d", X[0]), 1.0)
    with pytest.raises(ek.BudgetError, match="counted 2\\^62 steps"):
        learner.learn_one(array("d", X[1]), 1.0)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("krls_auto", {"lags": 2}),
        ("sorf", {"loss": "square", "history": True, "scale": "standard"}),
    ],
)
def test_rows_that_wait_are_counted_too(name: str, options: dict[str, Any]) -> None:
    data, row = near_the_end(name, **options), array("d", X[0])
    for learner in (BareLearner.from_bytes(data), ek.Learner._from_block(data)):
        learner.ask_one(row)
        before = bytes(memoryview(learner._engine.arena))
        with pytest.raises(ek.BudgetError, match="counted 2\\^62 steps"):
            learner.ask_one(row)
        assert bytes(memoryview(learner._engine.arena)) == before


@pytest.mark.filterwarnings("ignore:a reading lies outside feature_range:UserWarning")
def test_other_counters_stand_still_at_theirs() -> None:
    learner = learner_of("spa", on_bad_row="skip", dtype="int8")
    learner._engine.view("skipped")[0, 0] = 2**62
    for at in (5, 6):  # labels asked, clipped
        learner._engine.view("function")[0, at] = 2**62
    learner.ask_label(X[0])
    learner.learn_one([np.nan] * D, 1)
    learner.learn_one([1e6] * D, 1)
    assert loads_again(learner)
    assert learner.n_skipped == learner.labels_asked == learner.n_out_of_range == 2**62


# ---- coefficients --------------------------------------------------------------------------------


@pytest.mark.parametrize("coefficients", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(("ogd", {"eta": eta}) for eta in (1e20, 1e90, 1e200, 1e308)),
        *(("fogd", {"eta": eta}) for eta in (1e20, 1e308)),
        *(("bogd", {"eta": eta, "lam": 0.0}) for eta in (1e20, 1e308)),
        ("pegasos", {"lam": 1e-308}),
        ("pa", {"kernel": ek.Linear(), "scale": "standard", "clip_rows": 1e-160}),
    ],
    ids=repr,
)
def test_a_coefficient_beyond_its_range_is_refused(
    name: str, options: dict[str, Any], coefficients: str
) -> None:
    learner = learner_of(name, coefficients=coefficients, **options)
    refused = learn_what_it_takes(learner)
    assert learner.steps == len(X) - refused
    assert np.isfinite(learner.dual_coef_).all()
    assert loads_again(learner)


@pytest.mark.parametrize("name", ["krls", "kapa", "qklms", "knlms", "sogp", "krls_t"])
def test_an_error_beyond_the_range_of_coefficients_is_refused(name: str) -> None:
    learner = learner_of(name)
    learner.learn_many(X[:20], Y[:20])
    before = bytes(learner._sealed())
    with pytest.raises(ek.BadRowError, match="its coefficient would exceed 1e100"):
        learner.learn_one(X[0], 1e200)
    assert bytes(learner._sealed()) == before


def test_scores_of_classes_that_overflow_are_refused() -> None:
    learner = learner_of("rbp", n_classes=3, kernel=ek.Linear(), dtype="float64")
    for k in range(30):
        learner.learn_one([1e40] * D, k % 3)
    np.asarray(learner._engine.view("coefficients"))[:] = 1e99
    with pytest.raises(ek.BadRowError, match="the kernel overflows for this row"):
        learner.scores_one([1e300] * D)
    assert np.isfinite(learner.scores_one([1e-100] * D)).all()


# ---- what is kept of the Gram matrix -------------------------------------------------------------


def spoiled(name: str, region: str, by: float) -> ek.Learner:
    """A learner whose kept matrix is not one of its ring's, as a file may have it."""
    learner = learner_of(name, dtype="float64")
    learner.learn_many(X[:60], Y[:60])
    kept = np.asarray(learner._engine.view(region)).reshape(-1)
    kept[:3] *= by
    return ek.Learner._from_block(bytes(learner._sealed()))


@pytest.mark.parametrize("by", [1e3, 1e30, 1e55])
@pytest.mark.parametrize("name", ["projectron", "projectron++"])
def test_a_factor_that_is_none_teaches_nothing(name: str, by: float) -> None:
    learner = spoiled(name, "factor", by)
    before = learner.dual_coef_
    learn_what_it_takes(learner)
    assert np.isfinite(learner.dual_coef_).all()
    assert np.abs(learner.dual_coef_).max() < 1e3 * np.abs(before).max()
    assert loads_again(learner)


@pytest.mark.parametrize("by", [1e3, 1e30, 1e55])
def test_an_inverse_that_is_none_is_made_anew(by: float) -> None:
    learner = spoiled("bpa_p", "inverse", by)
    learn_what_it_takes(learner)
    assert loads_again(learner)
    S = learner.support_vectors_
    K = np.exp(-learner.kernel.gamma * ((S[:, None] - S[None]) ** 2).sum(2))
    low = np.zeros((B, B))
    low[np.tril_indices(B)] = np.asarray(learner._engine.view("inverse")).reshape(-1)[:21]
    assert np.allclose((low + np.tril(low, -1).T) @ K, np.eye(B), atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_forged_inverse_does_not_spoil_the_model(seed: int) -> None:
    """Its pivots could be those of an inverse; what it makes of a step could not."""
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(80, 3)), np.sign(rng.normal(size=80))
    learner = ek.Learner("bpa_p", n_features=3, budget=6, dtype="float64")
    learner.learn_many(rows[:60], labels[:60])
    [region] = [region for region in learner.plan.regions if region.name == "inverse"]
    inverse = live.numbers(region, memoryview(learner._engine.arena))
    for i in range(6):
        for j in range(i):
            inverse[i * (i + 1) // 2 + j] = rng.uniform(-1.8, 1.8)
    assert loads_again(learner)
    for x, label in zip(rows[60:], labels[60:], strict=True):
        learner.learn_one(x, label)
        assert loads_again(learner)


@pytest.mark.parametrize("size", [1e30, 1e60, 1e99])
def test_a_forged_gram_matrix_does_not_spoil_the_model(size: float) -> None:
    """The lightest vector is said to lie far outside of all others' span."""
    learner = learner_of("bsgd", maintenance="project", kernel=ek.Linear(), dtype="float32")
    learner.learn_many(X[:60], Y[:60])
    gram = np.asarray(learner._engine.view("factor")).reshape(-1)
    length = np.linalg.norm(learner.support_vectors_, axis=1)
    lightest = int(np.argmin(np.abs(learner.dual_coef_) * length))
    for i in range(B):
        if i != lightest:
            low, high = sorted((i, lightest))
            gram[high * (high + 1) // 2 + low] = size
    assert loads_again(learner)
    for x, y in zip(X[60:], Y[60:], strict=True):
        learner.learn_one(x, y)
        assert loads_again(learner)
    assert np.abs(learner.dual_coef_).max() < 1e100


# ---- numbers that only a damaged file has --------------------------------------------------------


def damaged(learner: ek.Learner, region: str, number: float) -> ek.Learner:
    np.asarray(learner._engine.view(region)).reshape(-1)[5] = number
    return ek.Learner._from_block(bytes(learner._sealed()))


@pytest.mark.parametrize(("dtype", "number"), [("float64", 1e308), ("float32", 3e38)])
def test_krls_auto_starts_again_with_a_vector_that_is_far_off(dtype: str, number: float) -> None:
    """Infinite distances made widths that are no number."""
    learner = ek.Learner("krls_auto", n_features=D, budget=B, dtype=dtype)
    learner.learn_many(X[:60], Y[:60])
    learner = damaged(learner, "support_vectors", number)
    learner.learn_many(X[60:90], Y[60:90])
    assert loads_again(learner)
    assert np.isfinite(learner.decision_function(X)).all()


def test_squared_gradients_of_length_scales_stay_in_their_range() -> None:
    options: dict[str, Any] = {"D": 6, "loss": "square", "relevance": "shared", "dtype": "float64"}
    rows, targets = np.tile(X, (2, 1)), np.tile(Y, 2)
    learner = ek.Learner("sorf", n_features=D, linear=False, constant=False, **options)
    learner.learn_many(rows[:260], targets[:260])
    learner = damaged(learner, "mean_weights", 1e9)
    for x, y in zip(rows[260:320], targets[260:320], strict=True):
        learner.learn_one(x, y)
        assert loads_again(learner)


#: What else a number may be damaged to.
UNKNOWN: defaultdict[str, list[float]] = defaultdict(list, tracking=[math.nan])
#: The logarithm of the noise, and the largest number whose exponential is defined (mathf.h): it is
#: taken before the logarithm is bounded again.
LOG_NOISE, LARGEST = ("tracking", 3), 700.0


@pytest.mark.parametrize(
    ("name", "region"),
    [
        *((name, region) for name in ("krls_t", "sogp") for region in ("inverse", "posterior")),
        *((name, "evidence") for name in ("krls_t", "sogp")),
        *(("krls_auto", region) for region in ("whitening", "coordinates", "posterior_factor")),
        *(("krls_auto", region) for region in ("tracking", "support_vectors")),
    ],
)
def test_a_filter_with_a_damaged_number_comes_to_a_state_that_loads(name: str, region: str) -> None:
    learner = ek.Learner(name, n_features=D, budget=8, dtype="float64")
    learner.learn_many(np.tile(X, (2, 1)), np.tile(Y, 2))
    size: int = {"tracking": 8, "evidence": 3}.get(region, 10**9)
    size = min(size, np.asarray(learner._engine.view(region)).size)
    for at in range(0, size, 2 if region == "posterior_factor" else 1 + size // 16):
        for number in (-1.0, 0.0, 1e70, 1e110, 1e200, 1e301, -1000.0, *UNKNOWN[region]):
            copy = pickle.loads(pickle.dumps(learner))
            numbers = np.asarray(copy._engine.view(region)).reshape(-1)
            most = LARGEST if (region, at) == LOG_NOISE else math.inf
            numbers.view(np.float64)[at] = min(number, most)
            with contextlib.suppress(ek.BadRowError):
                f = copy.decision_one(X[3])
                if name != "krls_auto":  # a row without an error
                    copy.learn_one(X[3], f if abs(f) < 1e3 else Y[3])
                copy.learn_many(X[60:72], Y[60:72])
                copy.learn_many(X[:60], Y[:60])
            alpha = copy.dual_coef_
            assert np.isfinite(alpha).all()
            assert region in ("evidence", "support_vectors", "tracking") or loads_again(copy)


def test_rows_again_and_again_keep_a_tracker_sound() -> None:
    """Exact answers, equal rows: its noise stays above its least, its factor has a diagonal."""
    for dtype in ("float32", "float64"):
        learner = ek.Learner("krls_auto", n_features=D, budget=8, dtype=dtype)
        learner.learn_many(X[:60], Y[:60])
        vectors = np.asarray(learner._engine.view("support_vectors"))
        vectors[:, 1:8] = vectors[:, :1]
        learner.learn_many(np.tile(X, (3, 1)), np.tile(Y, 3))
        assert np.isfinite(learner.decision_function(X)).all()
        assert loads_again(learner)


def test_log_scales_of_inputs_stay_within_their_bounds() -> None:
    for relevance, region, inputs in ((True, "relevance", D), ("shared", "shared_relevance", 1)):
        for number in (100.0, -100.0):
            learner = ek.Learner("sorf", n_features=D, D=64, relevance=relevance, dtype="float64")
            learner.learn_many(X, Y)
            logs = np.asarray(learner._engine.view(region)).reshape(-1)[:inputs]
            logs[:] = number
            learner.learn_many(X, Y)
            assert np.abs(logs).max() <= 4.0
            assert loads_again(learner)


@pytest.mark.parametrize("gamma", [1e-20, 1e30])
def test_rows_of_a_linear_expert_have_a_bound_of_their_own(gamma: float) -> None:
    """Unless the bound of the kernel is lower."""
    learner = ek.Learner("sorf", n_features=D, D=64, linear=True, scale=None, relevance=False,
                         kernel=ek.Gaussian(gamma), dtype="float32")  # fmt: skip
    learner.learn_one([1.0] * D, 1)
    for size, fits in ((1e2, True), (1e11, gamma < 1.0), (1e13, False)):
        if fits:
            assert np.isfinite(learner.decision_one([size] * D))
        else:
            with pytest.raises(ek.BadRowError, match="the kernel overflows"):
                learner.decision_one([size] * D)
