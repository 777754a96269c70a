"""A Gaussian process beside the features: against the plain reference, and against its two parts as
learners of their own."""

from __future__ import annotations

import math
import pickle
from array import array
from typing import Any

import numpy as np
import pytest
from helpers import assert_agrees
from structured_cases import GAMMA, SEED, D

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.configuration.plan import RamError
from edgeolk.reference.sorf import Sorf
from edgeolk.reference.sorf_mixture import Mixture
from edgeolk.reference.untuned_krls import FactoredKrlsAuto

FREQUENCIES, VECTORS, ROWS = 70, 9, 400
PARTS = ("weights", "mean_weights", "blend", "target")
#: A process alone and beside features, region by region.
SAME = {
    "tracking": "process_words",
    "input_scales": "process_inputs",
    "whitening": "process_whitening",
    "posterior_factor": "process_factor",
    "coordinates": "process_mean",
    "origin": "process_origin",
}


def stream(rows: int = ROWS, inputs: int = D) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers that float32 has, and targets of a curve with noise."""
    rng = np.random.default_rng(3)
    X = np.round(64.0 * rng.normal(size=(rows, inputs))) / 64.0 * 3.0
    return X, 100.0 + 7.0 * np.sin(X[:, 0]) + X[:, 1 % inputs] + rng.normal(size=rows)


def learner_of(vectors: int = VECTORS, inputs: int = D, **options: Any) -> ek.Learner:
    made = {"n_features": inputs, "budget": FREQUENCIES, "seed": SEED, "loss": "square"}
    return ek.Learner("sorf", **{**made, "gaussian_process": vectors, **options})


def plain_of(**options: Any) -> Mixture:
    features = Sorf(D, FREQUENCIES, GAMMA, dtype="float64", seed=SEED, loss="square", **options)
    return Mixture(features, FactoredKrlsAuto(VECTORS))


def state(learner: ek.Learner) -> bytes:
    """The model file."""
    return bytes(learner._sealed())


def copy_of(learner: ek.Learner) -> ek.Learner:
    """The learner in the file."""
    copy: ek.Learner = pickle.loads(pickle.dumps(learner))
    return copy


UNSCALED = {"dtype": "float64", "scale": None, "kernel": ek.Gaussian(GAMMA), "relevance": False}


# ---- against the reference -----------------------------------------------------------------------


def test_answers_and_variances_are_the_reference() -> None:
    """With weights of rows; every answer, then decisions and variances without learning."""
    X, y = stream()
    learner, plain = learner_of(**UNSCALED), plain_of()
    weights = np.tile([1.0, 1.0, 0.3, 4.0], ROWS // 4)
    expected = [plain.step(a, b, w) for a, b, w in zip(X, y, weights, strict=True)]
    found = learner.learn_many(X, y, weight=weights)
    assert np.abs(found - expected).max() < 1e-6 * y.std()
    assert plain.share > 0.5
    decided = [plain.decision(x) for x in X[:40]]
    assert np.abs(learner.decision_function(X[:40]) - decided).max() < 1e-6 * y.std()
    assert np.abs(learner.predict(X[:40]) - decided).max() < 1e-6 * y.std()
    spread = [plain.variance_one(x) for x in X[:40]]
    np.testing.assert_allclose(learner.variance(X[:40]), spread, rtol=1e-6)
    assert learner.variance_one(X[0]) == learner.variance(X[:1])[0]


def test_sums_of_errors_are_those_of_the_mixture() -> None:
    X, y = stream()
    learner = learner_of()
    answers = learner.learn_many(X, y)
    assert learner.squared_error == pytest.approx(np.sum((answers - y) ** 2))


# ---- against its parts ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_each_part_is_what_it_is_alone(dtype: str) -> None:
    """The features are those of a learner without a process, bit for bit, scaler and all; the
    process is `krls_auto`, although its rows are scaled for the features."""
    X, y = stream()
    both, features = learner_of(dtype=dtype), learner_of(0, dtype=dtype)
    process = ek.Learner("krls_auto", n_features=D, budget=VECTORS, coefficients="float32")
    answers = both.learn_many(X, y)
    each = [features.learn_many(X, y), process.learn_many(X, y)]
    for name in PARTS:
        assert bytes(both._engine.view(name)) == bytes(features._engine.view(name))
    for alone, beside in SAME.items():
        assert_agrees(both._engine.view(beside), process._engine.view(alone), "float32")
    assert both.n_support == process.n_support == VECTORS
    plain = Mixture(Answers(each[0]), Answers(each[1]))
    expected = [plain.step(np.array([i]), target) for i, target in enumerate(y)]
    assert np.abs(answers - expected).max() < 1e-4 * y.std()
    assert (answers[:30] == each[0][:30]).all()
    assert (answers[30:] != each[0][30:]).all()


class Answers:
    """A learner whose answers are known."""

    weight = 1.0

    def __init__(self, answers: np.ndarray) -> None:
        self.answers = answers

    def step(self, x: np.ndarray, y: float, weight: float = 1.0) -> float:
        return float(self.answers[int(x[0])])


def test_a_mixture_follows_the_better_one_and_may_be_better_than_both() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=1500)
    noise = rng.normal(size=(2, 1500))

    def error(one: np.ndarray, other: np.ndarray) -> float:
        plain = Mixture(Answers(one), Answers(other))
        found = [plain.step(np.array([i]), target) for i, target in enumerate(y)]
        return float(np.sqrt(np.mean((found - y)[300:] ** 2)))

    good, bad = y + 0.1 * noise[0], y + noise[1]
    assert error(good, bad) < 0.102
    assert error(bad, good) < 0.102
    assert error(y + 0.5, y - 0.5) < 0.1


def test_the_mixture_errs_no_more_than_the_better() -> None:
    X, y = stream(800)
    error = {
        name: float(np.sqrt(np.mean((learner.learn_many(X, y) - y)[200:] ** 2)))
        for name, learner in {
            "mixture": learner_of(20),
            "features": learner_of(0),
            "process": ek.Learner("krls_auto", n_features=D, budget=20),
        }.items()
    }
    assert error["mixture"] < 1.02 * min(error["features"], error["process"])


def test_every_kind_of_row_is_the_same_row() -> None:
    """float32, sparse, one by one, and without numpy."""
    scipy = pytest.importorskip("scipy.sparse")
    X, y = stream(120)
    X[np.abs(X) < 2.0] = 0.0
    expected = learner_of().learn_many(X, y)
    assert (learner_of().learn_many(X.astype(np.float32), y) == expected).all()
    assert (learner_of().learn_many(scipy.csr_matrix(X), y) == expected).all()
    one = learner_of()
    assert [one.learn_one(a, b) for a, b in zip(X, y, strict=True)] == expected.tolist()
    bare = BareLearner(one.config)
    rows = [array("d", row) for row in X]
    assert [bare.learn_one(a, b) for a, b in zip(rows, y, strict=True)] == expected.tolist()
    assert bare.variance_one(rows[0]) == one.variance_one(X[0])
    assert (one.decision_function(scipy.csr_matrix(X)) == one.decision_function(X)).all()


# ---- intervals -----------------------------------------------------------------------------------


def test_intervals_hold() -> None:
    X, y = stream(2000)
    learner = learner_of(20)
    assert learner.variance_one(X[0]) == math.inf
    inside = []
    for row, target in zip(X, y, strict=True):
        low, high = learner.interval_one(row, 0.9)
        inside.append(low <= target <= high)
        learner.learn_one(row, target)
    assert 0.86 < np.mean(inside[300:]) < 0.94


def test_without_a_process_there_is_no_variance() -> None:
    with pytest.raises(AttributeError, match="sorf with gaussian_process="):
        learner_of(0).variance_one(np.zeros(D))


# ---- traps ---------------------------------------------------------------------------------------


def test_a_row_too_large_for_the_process_is_for_the_features_alone() -> None:
    X, y = stream()
    learner = learner_of(scale_clip=5.0)
    learner.learn_many(X, y)
    seen = learner._engine.view("process_words")[0, 8]
    far = X[0].copy()
    far[1] = 1e30
    answer = learner.decision_one(far)
    assert learner.learn_one(far, 100.0) == pytest.approx(answer, rel=0.2)
    assert learner._engine.view("process_words")[0, 8] == seen
    assert np.isfinite(learner.learn_many(X, y)).all()


@pytest.mark.parametrize("target", [math.nan, math.inf])
def test_a_target_that_is_not_finite_changes_nothing(target: float) -> None:
    X, y = stream(50)
    learner = learner_of()
    learner.learn_many(X, y)
    before = state(learner)
    with pytest.raises(ek.BadRowError):
        learner.learn_one(X[0], target)
    assert state(learner) == before


@pytest.mark.parametrize("weight", [1e-9, 1e-3, 1e6])
def test_weights_of_any_size_leave_finite_numbers(weight: float) -> None:
    X, y = stream()
    learner = learner_of()
    assert np.isfinite(learner.learn_many(X, y, weight=np.full(ROWS, weight))).all()
    assert state(copy_of(learner)) == state(learner)


def test_a_process_learns_at_least_a_millionth_of_a_row() -> None:
    X, y = stream()
    least, less = learner_of(**UNSCALED), learner_of(**UNSCALED)
    least.learn_many(X, y, weight=np.full(ROWS, 1e-6))
    less.learn_many(X, y, weight=np.full(ROWS, 1e-9))
    for name in SAME.values():
        found, expected = (np.asarray(one._engine.view(name)) for one in (less, least))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_the_unit_and_the_offset_of_targets_do_not_matter(scale: float, shift: float) -> None:
    X, y = stream()
    expected = learner_of().learn_many(X, y)
    found = learner_of().learn_many(X, scale * (y + shift))
    error = np.sqrt(np.mean((found[50:] / scale - shift - expected[50:]) ** 2))
    assert error < 0.1 * y.std()


def test_glitches_and_constants() -> None:
    X, y = stream(600)
    dirty = y.copy()
    dirty[[40, 120, 200, 201]] += 1e4 * y.std()

    def error(learner: ek.Learner) -> float:
        return float(np.sqrt(np.mean((learner.learn_many(X, dirty) - y)[210:] ** 2)))

    process = error(ek.Learner("krls_auto", n_features=D, budget=VECTORS))
    assert error(learner_of()) < 1.05 * process < 0.05 * error(learner_of(0))
    same = learner_of()
    assert np.abs(same.learn_many(X, np.full(600, 5.0))[3:] - 5.0).max() < 1e-3
    assert np.isfinite(same.learn_many(np.zeros_like(X), y)).all()


# ---- the block -----------------------------------------------------------------------------------


def test_a_width_from_the_first_rows_restarts_both() -> None:
    X, y = stream()
    learner = learner_of(gamma="auto", gamma_rows=60)
    learner.learn_many(X[:60], y[:60])
    assert learner.n_support == 0
    assert not any(learner._engine.view("process_vectors").tolist()[0])
    learner.learn_many(X[60:], y[60:])
    assert learner.n_support == VECTORS
    assert state(copy_of(learner)) == state(learner)


def test_the_plan_shows_both_parts() -> None:
    learner = learner_of()
    names = {region.name for region in learner.plan.regions}
    assert {"weights", "process_vectors", "process_factor", "mixture"} <= names
    assert learner.nbytes == learner.plan.nbytes
    assert "9 vectors of the process" in learner.plan.longest_step
    assert "gaussian_process=9" in repr(learner)


# ---- by default ----------------------------------------------------------------------------------

#: Real targets of six inputs.
TARGETS: dict[str, Any] = {"n_features": 6, "loss": "square"}


def vectors_of(**options: Any) -> int:
    return int(ek.Config(**{**TARGETS, **options})._settings.n_vectors)


@pytest.mark.parametrize(
    ("ram", "vectors"), [(4095, 0), (4096, 9), (16384, 33), (2**17, 116), (2**20, 128)]
)
def test_a_process_takes_half_the_bytes(ram: int, vectors: int) -> None:
    plan = ek.plan(**TARGETS, ram=ram)
    assert plan.chosen["gaussian_process"] == vectors == vectors_of(ram=ram)
    assert plan.nbytes <= ram
    taken = sum(r.nbytes for r in plan.regions if r.name.startswith(("process_", "mixture")))
    assert taken <= ram / 2 + 64
    assert ek.Learner(**TARGETS, ram=ram).nbytes == plan.nbytes
    if vectors:
        asked = ek.Config(**TARGETS, ram=ram, gaussian_process=True)
        assert asked == ek.Config(**TARGETS, ram=ram)


@pytest.mark.parametrize(
    "options",
    [
        {"gaussian_process": False},
        {"gaussian_process": 0},
        {"relevance": True},
        {"linear": True},
        {"kernel": ek.Gaussian(0.1)},
        {"gamma": 0.1},
        {"delay": 3},
        {"history": True},
        {"n_features": 200},
        {"ram": None, "budget": 500},
    ],
)
def test_features_stay_alone(options: dict[str, Any]) -> None:
    """If asked for, if something was asked of them, where a process would not fit."""
    assert vectors_of(**{"ram": "8KiB", **options}) == 0


def test_true_needs_the_bytes_of_a_few_vectors() -> None:
    """The message says how many, with and without a process, and that many suffice."""
    made = {**TARGETS, "gaussian_process": True}
    with pytest.raises(RamError, match=r"or \d+ without a process") as refused:
        ek.Config(**made, ram=900)
    least = refused.value.least
    assert vectors_of(gaussian_process=True, ram=least) == 3
    assert ek.plan(**made, ram=least).nbytes == least
    with pytest.raises(RamError):
        ek.Config(**made, ram=least - 1)
    without = int(str(refused.value).split("; or ")[1].split()[0])
    assert ek.plan(**TARGETS, gaussian_process=False, ram=without).nbytes <= without


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"budget": 50}, "takes half of ram=, which is not given"),
        ({"ram": "4KiB", "loss": "hinge"}, "is for real targets"),
        ({"ram": "4KiB", "delay": 3}, "learns a row with its target"),
        ({"ram": "4KiB", "history": True}, "history has no gaussian_process"),
        ({"ram": "4KiB", "lags": 2}, "'krls_auto' has lags=; got lags=2"),
    ],
)
def test_true_is_refused_where_a_number_is(options: dict[str, Any], why: str) -> None:
    made = {**TARGETS, "gaussian_process": True, **options}
    with pytest.raises((TypeError, ValueError), match=why):
        ek.Config(**made)


def test_the_variance_is_that_of_the_features_while_they_answer_alone() -> None:
    X, y = stream(20)
    learner, plain = learner_of(**UNSCALED), plain_of()
    assert learner.variance_one(X[0]) == plain.variance_one(X[0]) == math.inf
    for x, target in zip(X, y, strict=True):
        learner.learn_one(x, target)
        plain.step(x, target)
    assert plain.share == 0.0
    assert plain.variance_one(X[0]) == plain.features_square
    assert learner.variance_one(X[0]) == pytest.approx(plain.features_square, rel=1e-6)


def damaged(region: str, number: float, **options: Any) -> ek.Learner:
    learner = ek.Learner("sorf", n_features=3, D=64, loss="square", gaussian_process=3,
                         scale=None, **options)  # fmt: skip
    X, y = stream(200, 3)
    learner.learn_many(X, y)
    np.asarray(learner._engine.view(region)).reshape(-1)[:] = number
    return learner


@pytest.mark.parametrize("weights", ["weights", "mean_weights"])
def test_weights_that_overflow_refuse_a_score_and_leave_no_variance(weights: str) -> None:
    learner = damaged(weights, math.inf, dtype="float64")
    for call in (learner.decision_one, lambda x: learner.scores([x])):
        with pytest.raises(ek.BadRowError, match="the kernel overflows for this row"):
            call([0.1, 0.2, 0.3])
    assert learner.variance_one([0.1, 0.2, 0.3]) == math.inf
    assert learner.variance([[0.1, 0.2, 0.3]]).tolist() == [math.inf]


def test_a_row_out_of_range_has_no_variance() -> None:
    learner = damaged("errors", 0, dtype="float32")
    assert learner.variance_one([1e35, 0.0, 0.0]) == math.inf
    assert learner.variance_one([0.1, 0.2, 0.3]) < math.inf
    before = np.asarray(learner._engine.view("process_mean")).copy()
    learner.learn_one([0.1, 0.2, 0.3], 1e30)  # beyond what the process can learn
    np.testing.assert_array_equal(learner._engine.view("process_mean"), before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_process_out_of_range_leaves_the_answer_of_the_features(dtype: str) -> None:
    x, variances = [0.1, 0.2, 0.3], set()
    for offset in (1e121, 1e130, 1e160):
        learner = damaged("errors", 0, dtype=dtype)
        words = np.asarray(learner._engine.view("process_words")).reshape(-1).view(np.float64)
        usual = learner.variance_one(x)
        words[10] = offset
        variances.add(learner.variance_one(x))
        assert np.isfinite(learner.learn_one(x, 100.0))
        assert np.isfinite(learner.decision_one(x))
    assert len(variances) == 1
    assert 0.1 < variances.pop() / usual < 10.0


def test_an_exact_answer_has_no_error() -> None:
    learner = ek.Learner("sorf", n_features=3, D=64, loss="square", gaussian_process=3)
    X, _ = stream(200, 3)
    assert not learner.learn_many(X, np.zeros(200)).any()
    assert learner.squared_error == 0.0
    assert not learner.decision_function(X).any()
