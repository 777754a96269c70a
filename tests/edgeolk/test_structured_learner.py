"""The learner on structured features through its public face, against the plain reference."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import Csr
from twins.streams import random_stream, regression_stream
from twins.structured import Sorf as Twin
from twins.structured_novelty import SorfNovelty as NoveltyTwin

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.files import live
from edgeolk.files.head import NATIVE, unpack
from edgeolk.files.invariants import check_state

D, BUDGET, GAMMA, SEED = 5, 140, 0.1, 2**40 + 7
TWO_GROUPS = ((0.3, 1.0, 3.0), (3.0, 5.5))

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "linear": {"linear": True},
    "last label": {"last_label": True},
    "relevance": {"relevance": True},
    "groups": {"widths": TWO_GROUPS},
    "widths": {"widths": (0.5, 2.0)},
    "blends": {"blends": (0.0, 0.4, 1.0)},
    "numbers": {"r": 0.2, "unit": 2.0, "sharp": 0.5, "delta": 0.98, "cmin": 4.0, "cmax": 20.0,
                "shrink": 0.7},
    "all": {"linear": True, "last_label": True, "relevance": True, "widths": TWO_GROUPS},
}  # fmt: skip
TASKS = ("two", "classes", "regression")
#: Every task with every option it takes; several classes have no linear candidate.
CASES = [
    (task, name)
    for task in TASKS
    for name, options in OPTIONS.items()
    if not (task == "classes" and "linear" in options)
]
cases = pytest.mark.parametrize(("task", "name"), CASES)
every_type = pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
EXTRA: dict[str, dict[str, Any]] = {
    "two": {},
    "classes": {"n_classes": 4},
    "regression": {"loss": "square"},
    "novelty": {"loss": "novelty"},
}


def stream(task: str, n: int, d: int = D, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Rows exact in float32, some of whose inputs are 0."""
    X, y = (regression_stream if task == "regression" else random_stream)(seed, n, d)
    X = X.astype(np.float32).astype(float)
    X[np.abs(X) < 0.4] = 0.0
    if task == "classes":
        y = np.where(y > 0, 2.0, np.where(X[:, 0] > 0, 1.0, np.where(X[:, -1] > 0, 0.0, 3.0)))
    return X, y


def settings(task: str, dtype: str = "int8", name: str = "plain", **more: Any) -> dict[str, Any]:
    options = {
        "n_features": D, "D": BUDGET, "kernel": ek.Gaussian(GAMMA), "dtype": dtype, "seed": SEED,
        **EXTRA[task], **OPTIONS[name],
    }  # fmt: skip
    if task != "novelty":
        options.setdefault("relevance", False)
    return {**options, **more}


def learner_of(task: str, dtype: str = "int8", name: str = "plain", **more: Any) -> ek.Learner:
    return ek.Learner("sorf", **settings(task, dtype, name, **more))


def twin_of(task: str, dtype: str, name: str) -> Twin:
    options = dict(OPTIONS[name])
    widths = options.pop("widths", (0.3, 1.0, 3.0))
    groups = widths if isinstance(widths[0], tuple) else (widths,)
    return Twin(D, BUDGET, GAMMA, groups=groups, dtype=dtype, seed=SEED, **EXTRA[task], **options)


def sealed(learner: ek.Learner) -> bytes:
    return bytes(learner._sealed())


# ---- against the reference -----------------------------------------------------------------------


@cases
@pytest.mark.parametrize("dtype", ["int8", "float64"])
def test_every_option_is_the_reference(task: str, name: str, dtype: str) -> None:
    """Scores, every stored weight (int8 to the bit), counters; decisions too."""
    X, y = stream(task, 420)
    learner, twin = learner_of(task, dtype, name), twin_of(task, dtype, name)
    near = 1e-9 if dtype == "float64" else 1e-4
    expected = [twin.step(a, b) for a, b in zip(X, y, strict=True)]
    np.testing.assert_allclose(learner.learn_many(X, y), expected, rtol=near, atol=near)
    counters = learner.steps, learner.updates
    assert counters == (twin.t, twin.updates)
    if task != "regression":
        assert learner.mistakes == twin.mistakes
    weights = np.stack([twin.w.v, twin.a.v])
    assert learner.weights_.shape == (2, BUDGET, twin.K, 2)
    assert learner.weights_.dtype == dtype
    if dtype == "int8":
        assert np.array_equal(learner.weights_, weights)
    else:
        np.testing.assert_allclose(learner.weights_, weights, rtol=1e-9, atol=1e-9)
    if task == "classes":
        scores = np.array([twin.scores(x) for x in X[:40]])
        np.testing.assert_allclose(learner.scores(X[:40]), scores, rtol=near, atol=near)
        np.testing.assert_allclose(learner.scores_one(X[0]), scores[0], rtol=near, atol=near)
        assert learner.predict(X[:40]).tolist() == scores.argmax(axis=1).tolist()
    else:
        scores = np.array([twin.decision(x) for x in X[:40]])
        np.testing.assert_allclose(learner.decision_function(X[:40]), scores, rtol=near, atol=near)


@every_type
def test_novelty_is_the_reference(dtype: str) -> None:
    X, _ = stream("novelty", 400)
    learner = learner_of("novelty", dtype, nu=0.1, window=64.0)
    twin = NoveltyTwin(D, BUDGET, GAMMA, dtype=dtype, seed=SEED, nu=0.1, window=64)
    near = {"float64": 1e-9, "int8": 1e-4, "float32": 1e-3}[dtype]
    expected = [twin.step(x) for x in X]
    np.testing.assert_allclose(learner.learn_many(X), expected, rtol=near, atol=near)
    assert learner.weights_.shape == (1, BUDGET, 1, 2)
    if dtype == "int8":
        assert np.array_equal(learner.weights_[0], twin.a.v)
    else:
        np.testing.assert_allclose(learner.weights_[0], twin.a.v, rtol=near, atol=near)
    decided = [twin.decision(x) for x in X[:40]]
    np.testing.assert_allclose(learner.decision_function(X[:40]), decided, rtol=near, atol=near)
    assert learner.mistakes == twin.mistakes
    assert learner.predict_one(X[0]) in (-1, 1)


def test_float32_keeps_near_the_reference() -> None:
    X, y = stream("two", 400)
    learner, twin = learner_of("two", "float32"), twin_of("two", "float32", "plain")
    expected = [twin.step(a, b) for a, b in zip(X, y, strict=True)]
    np.testing.assert_allclose(learner.learn_many(X, y), expected, rtol=1e-3, atol=1e-3)


# ---- going on ------------------------------------------------------------------------------------

ALL_TASKS = [*CASES, ("novelty", "plain")]


def saved(learner: ek.Learner, folder: Path) -> ek.Learner:
    learner.save(folder / "model")
    return ek.load(folder / "model")


def attached(learner: ek.Learner, folder: Path) -> ek.Learner:
    memory = bytearray(learner.nbytes)
    start = ek.Learner(learner.config, buffer=memory)
    X, y = stream(task_of(learner), 300)
    start.learn_many(X[:230], y[:230])
    del start
    return ek.attach(memory)


def pickled(learner: ek.Learner, folder: Path) -> ek.Learner:
    again: ek.Learner = pickle.loads(pickle.dumps(learner))
    return again


def task_of(learner: ek.Learner) -> str:
    if learner.n_classes > 2:
        return "classes"
    if learner.is_regression:
        return "regression"
    return "two" if learner.config.needs_labels else "novelty"


@pytest.mark.parametrize("way", [saved, attached, pickled])
@pytest.mark.parametrize(("task", "name"), ALL_TASKS)
def test_going_on_bit_for_bit(
    task: str, name: str, way: Callable[[ek.Learner, Path], ek.Learner], tmp_path: Path
) -> None:
    """In the middle of a stream, after relevance has begun; the rounding generator goes along."""
    X, y = stream(task, 300)
    whole, half = learner_of(task, name=name), learner_of(task, name=name)
    expected = whole.learn_many(X, y)
    half.learn_many(X[:230], y[:230])
    again = way(half, tmp_path)
    assert again.config == half.config
    assert again.learn_many(X[230:], y[230:]).tobytes() == expected[230:].tobytes()
    assert sealed(again) == sealed(whole)


@every_type
@pytest.mark.parametrize(("task", "name"), ALL_TASKS)
def test_one_by_one_is_many(task: str, name: str, dtype: str) -> None:
    X, y = stream(task, 230)
    one, many = learner_of(task, dtype, name), learner_of(task, dtype, name)
    scores = [one.learn_one(a, b) for a, b in zip(X, y, strict=True)]
    assert many.learn_many(X, y).tolist() == scores
    assert sealed(one) == sealed(many)


@pytest.mark.parametrize(("task", "name"), ALL_TASKS)
def test_the_bare_learner_learns_the_same(task: str, name: str) -> None:
    X, y = stream(task, 230)
    options = settings(task, name=name)
    memory = bytearray(ek.plan("sorf", **options).nbytes)
    full, bare = ek.Learner("sorf", **options), BareLearner("sorf", buffer=memory, **options)
    scores = array("d", [0.0] * 4)
    for a, b in zip(X, y, strict=True):
        row = array("d", a.tolist())
        assert bare.learn_one(row, b) == full.learn_one(a, b)
        if task != "classes":
            assert bare.decision_one(row) == full.decision_one(a)
            continue
        bare.scores_one(row, scores)
        assert scores.tolist() == full.scores_one(a).tolist()
        with pytest.raises(TypeError, match="each class"):
            bare.decision_one(row)
    del bare
    assert sealed(ek.attach(memory)) == sealed(full)


def test_a_bare_learner_checks_scores_and_labels() -> None:
    bare = BareLearner("sorf", **settings("classes"))
    for length in (1, 3, 5):
        with pytest.raises(ValueError, match="out must have 4 numbers"):
            bare.scores_one(array("d", [0.0] * D), array("d", [0.0] * length))
    for label in (-1.0, 4.0, 0.5, float("nan")):
        with pytest.raises(ValueError, match="a class from 0 to 3"):
            bare.learn_one(array("d", [0.0] * D), label)
    assert bare.counters()["steps"] == 0
    quiet = BareLearner("sorf", **settings("novelty"))
    quiet.learn_one(array("d", [1.0] * D))
    assert quiet.counters()["steps"] == 1


# ---- sparse rows ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("task", "name"), ALL_TASKS)
def test_sparse_rows_are_dense_ones(task: str, name: str) -> None:
    X, y = stream(task, 230)
    X[::3, 1:] = 0.0
    dense, by_index, csr = (learner_of(task, name=name) for _ in range(3))
    expected = dense.learn_many(X, y)
    where = [np.flatnonzero(x).astype(np.int32) for x in X]
    found = [
        by_index.learn_one_sparse(at, x[at], label)
        for x, at, label in zip(X, where, y, strict=True)
    ]
    assert found == expected.tolist()
    assert csr.learn_many(Csr(X), y).tobytes() == expected.tobytes()
    assert sealed(by_index) == sealed(dense) == sealed(csr)
    if task != "classes":
        assert by_index.decision_one_sparse(where[0], X[0][where[0]]) == dense.decision_one(X[0])


# ---- memory --------------------------------------------------------------------------------------


@every_type
@pytest.mark.parametrize(("task", "name"), ALL_TASKS)
def test_the_plan_is_what_is_taken(task: str, name: str, dtype: str) -> None:
    options = settings(task, dtype, name)
    plan = ek.plan("sorf", **options)
    memory = bytearray(b"\xa5" * (plan.nbytes + 64))
    view = memoryview(memory)[: plan.nbytes]
    learner = ek.Learner("sorf", buffer=view, **options)
    assert learner.nbytes == plan.nbytes == learner.plan.nbytes
    X, y = stream(task, 40)
    learner.learn_many(X, y)
    assert memory[plan.nbytes :] == b"\xa5" * 64
    with pytest.raises(ValueError, match="buffer"):
        ek.Learner("sorf", buffer=bytearray(plan.nbytes - 1), **options)


def test_frequencies_in_a_kibibyte() -> None:
    learner = ek.Learner("sorf", n_features=8, ram="1KiB", relevance=False)
    assert learner.nbytes <= 1024
    assert learner.budget >= 150
    assert learner.dtype == "int8"


@pytest.mark.parametrize("ram", ["2KiB", "4KiB", "16KiB"])
@pytest.mark.parametrize("task", EXTRA)
def test_a_cap_is_kept_and_used(task: str, ram: str) -> None:
    options = {"n_features": 8, "kernel": ek.Gaussian(0.1), **EXTRA[task]}
    learner = ek.Learner("sorf", ram=ram, **options)
    cap = 1024 * int(ram.removesuffix("KiB"))
    assert learner.nbytes <= cap
    assert ek.plan("sorf", D=learner.budget + 16, **options).nbytes > cap


# ---- what is refused changes nothing -------------------------------------------------------------

BAD_ROWS = {
    "short": np.ones(D - 1),
    "long": np.ones(D + 1),
    "2-d": np.ones((1, D)),
    "nan": np.array([1.0, np.nan, 0.0, 0.0, 0.0]),
    "infinite": np.array([1.0, -np.inf, 0.0, 0.0, 0.0]),
    "beyond float32": np.array([1e39, 0.0, 0.0, 0.0, 0.0]),
    "text": "abcde",
    "none": None,
}
BAD_LABELS: dict[str, list[Any]] = {
    "two": [0, 2, 0.5, np.nan, np.inf, None, "a"],
    "classes": [-1, 4, 0.5, np.nan, np.inf, 10**30, None, "a"],
    "regression": [np.nan, np.inf, 10**400, None, "a"],
    "novelty": [np.nan, -np.inf, "a"],
}


@pytest.mark.parametrize("task", EXTRA)
def test_bad_rows_and_labels_change_nothing(task: str) -> None:
    X, y = stream(task, 60)
    learner = learner_of(task)
    learner.learn_many(X, y)
    before = sealed(learner)
    decide = learner.scores_one if task == "classes" else learner.decision_one
    for row in BAD_ROWS.values():
        with pytest.raises((TypeError, ValueError), match=r"\bx\b"):
            learner.learn_one(row, y[0])
        with pytest.raises((TypeError, ValueError), match=r"\bx\b"):
            decide(row)
    for label in BAD_LABELS[task]:
        with pytest.raises((TypeError, ValueError), match=r"\by\b"):
            learner.learn_one(X[0], label)
        with pytest.raises((TypeError, ValueError), match=r"\by\b"):
            learner.learn_many(X[:2], [label, y[0]])
    assert sealed(learner) == before


@every_type
@pytest.mark.parametrize(("task", "name"), ALL_TASKS)
def test_huge_rows_are_scored_or_refused(task: str, name: str, dtype: str) -> None:
    """A refused row changes nothing, and every state on the way is one that can be loaded."""
    X, y = stream(task, 240)
    learner = learner_of(task, dtype, name)
    learner.learn_many(X, y)
    top = 1e300 if dtype == "float64" else 1e38
    taken = refused = 0
    for power in (2, 4, 8, 16, 24, 30, 38, 100, 200, 300):
        for row in (X[1] * 10.0**power, np.full(D, 10.0**power), -np.eye(D)[0] * 10.0**power):
            row = np.clip(row, -top, top)
            before = sealed(learner)
            try:
                score = learner.learn_one(row, y[1])
            except ValueError:
                assert sealed(learner) == before
                refused += 1
                continue
            taken += 1
            assert np.isfinite(score)
            again = ek.Learner._from_block(sealed(learner))
            scores = again.scores(X[:5]) if task == "classes" else again.decision_function(X[:5])
            assert np.isfinite(scores).all()
    assert taken > 0
    assert refused > 0


def test_huge_targets_are_refused() -> None:
    X, y = stream("regression", 60)
    learner = learner_of("regression")
    learner.learn_many(X, y)
    before = sealed(learner)
    for target in (1e101, -1e300):
        with pytest.raises(ValueError, match="x"):
            learner.learn_one(X[0], target)
        assert sealed(learner) == before
    learner.learn_one(X[0], 1e100)
    assert np.isfinite(learner.decision_one(X[0]))
    ek.Learner._from_block(sealed(learner))


# ---- classes and novelty -------------------------------------------------------------------------


def test_equal_scores_go_to_the_smallest_class() -> None:
    learner = learner_of("classes")
    X, _ = stream("classes", 20)
    assert learner.predict_one(X[0]) == 0
    assert learner.predict(X).tolist() == [0] * 20
    assert learner.scores(X).shape == (20, 4)
    assert learner.n_classes == 4
    with pytest.raises(TypeError, match="each class"):
        learner.decision_one(X[0])
    with pytest.raises(TypeError, match="each class"):
        learner.decision_function(X)


def test_several_classes_are_learned() -> None:
    X, y = stream("classes", 3000)
    learner = learner_of("classes")
    learner.learn_many(X[:2500], y[:2500])
    assert np.mean(learner.predict(X[2500:]) == y[2500:]) > 0.7
    assert learner.wants_label(X[0])


@pytest.mark.parametrize("nu", [0.05, 0.2])
@every_type
def test_the_share_of_alarms_is_nu(nu: float, dtype: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((4000, D))
    learner = learner_of("novelty", dtype, nu=nu)
    alarms = learner.learn_many(X) < 0.0
    assert np.mean(alarms[1000:]) == pytest.approx(nu, abs=0.25 * nu)
    assert learner.mistakes == np.sum(alarms)
    far = rng.standard_normal((200, D)) * 0.3 + 6.0
    assert np.mean(learner.predict(far) == -1) == 1.0
    score = learner.decision_one(X[0])
    assert learner.learn_one(X[0]) == score


# ---- states that learning does not lead to -------------------------------------------------------

HOSTILE: list[tuple[str, str, str, str, int, float]] = [
    ("two", "plain", "float64", "weights", 3, np.nan),
    ("two", "plain", "float64", "mean_weights", 0, np.inf),
    ("two", "plain", "float32", "weights", -1, -np.inf),
    ("two", "plain", "int8", "weights", 2, -128),
    ("two", "plain", "int8", "mean_weights", -1, -128),
    ("novelty", "plain", "int8", "mean_weights", 5, -128),
    ("two", "plain", "int8", "blend", 0, -1.0),
    ("two", "plain", "int8", "blend", 1, np.nan),
    ("two", "plain", "int8", "blend", 3, 1e9),
    ("two", "plain", "int8", "blend", -1, 0.5),
    ("two", "plain", "int8", "blend", -1, 4097.0),
    ("two", "groups", "int8", "blend", -2, np.nan),
    ("novelty", "plain", "int8", "novelty", 0, -1.0),
    ("novelty", "plain", "int8", "novelty", 1, np.nan),
    ("novelty", "plain", "int8", "novelty", 0, np.inf),
    ("regression", "plain", "int8", "target", 0, np.nan),
    ("regression", "plain", "int8", "target", 1, -1.0),
    ("regression", "plain", "int8", "target", 1, np.inf),
    ("two", "linear", "int8", "linear", 0, np.nan),
    ("two", "linear", "int8", "linear", D + 1, 1.5),
    ("two", "linear", "int8", "linear", -1, -0.5),
    ("two", "relevance", "int8", "relevance", 0, 2.5),
    ("two", "relevance", "int8", "relevance", 1, np.nan),
    ("two", "relevance", "int8", "relevance", -1, -1.0),
    ("two", "relevance", "int8", "turns", 0, -1),
    ("two", "relevance", "int8", "turns", 0, 10**6),
    ("two", "last label", "int8", "last_label", 0, np.nan),
    ("two", "last label", "int8", "last_label", 0, 3.0),
    ("classes", "last label", "int8", "last_label", 0, 9.0),
    ("classes", "last label", "int8", "last_label", 0, 0.5),
]


@pytest.mark.parametrize(("task", "name", "dtype", "region", "at", "value"), HOSTILE, ids=str)
def test_hostile_states_are_refused(
    task: str, name: str, dtype: str, region: str, at: int, value: float
) -> None:
    X, y = stream(task, 230)
    learner = learner_of(task, dtype, name)
    learner.learn_many(X, y)
    block = memoryview(bytearray(memoryview(learner._engine.arena)))
    state = [r for r in learner.plan.regions if live.is_state(r)]
    words = live.words_of(unpack(block, NATIVE), state, block)
    regions = {r.name: live.numbers(r, block) for r in state if r.element != "w"}
    check_state(learner.config, words, regions)
    regions[region][at] = value
    with pytest.raises(ValueError, match="the model is inconsistent"):
        check_state(learner.config, words, regions)


@pytest.mark.parametrize(
    ("word", "value"), [("n_support", 1), ("steps", -1), ("mistakes", 231), ("updates", 231)]
)
def test_hostile_counters_are_refused(word: str, value: int) -> None:
    X, y = stream("two", 230)
    learner = learner_of("two")
    learner.learn_many(X, y)
    block = memoryview(bytearray(memoryview(learner._engine.arena)))
    state = [r for r in learner.plan.regions if live.is_state(r)]
    words = live.words_of(unpack(block, NATIVE), state, block)
    regions = {r.name: live.numbers(r, block) for r in state if r.element != "w"}
    with pytest.raises(ValueError, match="the model is inconsistent"):
        check_state(learner.config, {**words, word: value}, regions)


# ---- configurations ------------------------------------------------------------------------------


def test_options_are_kept() -> None:
    for task, name in ALL_TASKS:
        config = learner_of(task, name=name).config
        assert ek.Config("sorf", **config.options) == config
        again = eval(repr(config), {"ek": ek})
        assert again == config


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"linear": True, "n_classes": 3}, "linear"),
    ({"loss": "novelty", "linear": True}, "novelty|NOVELTY"),
    ({"loss": "novelty", "groups": 2}, "novelty|NOVELTY"),
    ({"loss": "novelty", "relevance": True}, "novelty|NOVELTY"),
    ({"loss": "novelty", "n_classes": 3}, "classes|columns"),
    ({"loss": "square", "n_classes": 3}, "classes|columns"),
    ({"dtype": "float16"}, "float16"),
    ({"sparse": True}, "sparse"),
    ({"kernel": ek.Laplacian(0.3)}, "Gaussian"),
    ({"coefficients": "float32"}, "coefficients"),
    ({"blends": (0.0, 0.5)}, "blends"),
    ({"widths": ()}, "widths"),
    ({"widths": (-1.0,)}, "widths"),
    ({"widths": ((1.0,), (2.0,)), "groups": 3}, "widths"),
    ({"cmin": 50.0, "cmax": 40.0}, "cmin"),
    ({"groups": 4}, "widths|groups"),
    ({"D": 64, "groups": 2}, "groups"),
    ({"delta": 1.0}, "delta"),
    ({"budget": 5}, "D=|budget"),
]


@pytest.mark.parametrize(("options", "why"), REFUSED, ids=str)
def test_what_cannot_be(options: dict[str, Any], why: str) -> None:
    with pytest.raises((TypeError, ValueError), match=why):
        ek.Learner("sorf", **{"n_features": D, "D": BUDGET, **options})


def test_no_vectors_and_no_coefficients() -> None:
    learner = learner_of("two")
    with pytest.raises(AttributeError, match="no vectors"):
        _ = learner.support_vectors_
    with pytest.raises(AttributeError, match="no dual coefficients"):
        _ = learner.dual_coef_
    assert learner.n_support == 0
    with pytest.raises(AttributeError, match="no weights"):
        _ = ek.Learner("rbp", n_features=2, budget=3).weights_


# ---- scratch of a whole row ----------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@every_type
def test_features_that_are_kept_are_those_made_again(task: str, dtype: str) -> None:
    """A whole row's features in scratch: the same state to the bit, for their bytes."""
    X, y = stream(task, 300)
    kept, made = (learner_of(task, dtype, scratch=how) for how in ("row", "block"))
    assert np.array_equal(kept.learn_many(X, y), made.learn_many(X, y))
    assert np.array_equal(kept.weights_, made.weights_)
    each = 8 if dtype == "float32" else 16
    row = next(region for region in kept.plan.regions if region.name == "feature_row")
    assert each * BUDGET <= row.nbytes < each * BUDGET + 64
    assert "feature_row" not in {region.name for region in made.plan.regions}
    again = pickle.loads(pickle.dumps(kept))
    assert again.parameters["scratch"] == "row"
    assert np.array_equal(again.learn_many(X, y), kept.learn_many(X, y))


def test_saturated_weights_are_counted() -> None:
    """Of levels so fine that steps leave the range; never of floats."""
    X, y = stream("two", 200)
    coarse, fine, real = (
        learner_of("two", dtype, **more)
        for dtype, more in (("int8", {}), ("int8", {"unit": 400.0}), ("float32", {}))
    )
    for learner in (coarse, fine, real):
        learner.learn_many(X, y)
    assert coarse.n_saturated == real.n_saturated == 0
    assert fine.n_saturated == np.sum(np.abs(fine.weights_.astype(int)) == 127) > BUDGET // 4
