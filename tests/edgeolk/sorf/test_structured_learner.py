"""The learner on structured features through its public face, against the plain reference."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest
from helpers import assert_agrees, by_pairs, in_turn
from structured_cases import (
    BUDGET,
    CASES,
    EXTRA,
    GAMMA,
    OPTIONS,
    SEED,
    TASKS,
    TWO_GROUPS,
    D,
    case_id,
    every_type,
    learner_of,
    settings,
    stored,
    stream,
)

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.files import live
from edgeolk.reference.sorf import Sorf as Reference
from edgeolk.reference.sorf_novelty import SorfNovelty as NoveltyReference


def plain_of(task: str, dtype: str, name: str) -> Reference:
    options = dict(OPTIONS[name])
    widths = options.pop("widths", (0.3, 1.0, 3.0))
    groups = widths if isinstance(widths[0], tuple) else (widths,)
    return Reference(
        D, BUDGET, GAMMA, groups=groups, dtype=dtype, seed=SEED, **EXTRA[task], **options
    )


# ---- against the reference -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "dtype"), in_turn(CASES, ["int8", "float64", "float32"]), ids=case_id
)
@pytest.mark.spread(12)
def test_every_option_is_the_reference(case: tuple[str, str], dtype: str) -> None:
    """Scores, every stored weight, counters; decisions too."""
    task, name = case
    X, y = stream(task, 300)
    learner, plain = learner_of(task, dtype, name), plain_of(task, dtype, name)
    expected = [plain.step(a, b) for a, b in zip(X, y, strict=True)]
    assert_agrees(learner.learn_many(X, y), expected, dtype)
    counters = learner.steps, learner.updates
    assert counters == (plain.t, plain.updates)
    if task != "regression":
        assert learner.mistakes == plain.mistakes
    weights = np.stack([plain.w.v, plain.a.v])
    assert learner.weights_.shape == (2, BUDGET, plain.K, 2)
    assert learner.weights_.dtype == dtype
    assert_agrees(learner.weights_, weights, dtype)
    for found, of in stored(learner, plain):
        assert_agrees(found, of, dtype)
    if task == "classes":
        scores = np.array([plain.scores(x) for x in X[:40]])
        assert_agrees(learner.scores(X[:40]), scores, dtype)
        assert_agrees(learner.scores_one(X[0]), scores[0], dtype)
        assert learner.predict(X[:40]).tolist() == scores.argmax(axis=1).tolist()
    else:
        scores = np.array([plain.decision(x) for x in X[:40]])
        assert_agrees(learner.decision_function(X[:40]), scores, dtype)


def test_windows_grow_while_no_model_is_better() -> None:
    """Labels that never change: neither the averages nor the last weights make a mistake."""
    X, _ = stream("two", 400)
    learner, plain = learner_of("two", "float64", "numbers"), plain_of("two", "float64", "numbers")
    expected = [plain.step(x, 1.0) for x in X]
    assert_agrees(learner.learn_many(X, np.ones(400)), expected, "float64")
    assert plain.n.tolist() == [20.0]
    assert np.asarray(learner._engine.view("blend"))[0, -1] == 20.0


@pytest.mark.parametrize(
    ("task", "kind", "more", "dtype"),
    by_pairs(
        TASKS,
        [True, "last"],
        [{}, {"constant": False}, {"last_label": True, "leak": 0.05}, {"drift": False}],
        ["int8", "float64", "float32"],
    ),
)
@pytest.mark.spread(6)
def test_the_inputs_alone_are_the_reference(
    task: str, kind: bool | str, more: dict[str, Any], dtype: str
) -> None:
    """No frequencies, D = 0; with weights of rows."""
    options = {**more, "linear_group": kind, **EXTRA[task]}
    if task == "regression":
        options.pop("leak", None)
    X, y = stream(task, 400)
    made = {"n_features": D, "D": 0, "scale": None, "dtype": dtype, "seed": SEED}
    learner = ek.Learner("sorf", **made, kernel=ek.Gaussian(GAMMA), **options)
    plain = Reference(D, 0, GAMMA, dtype=dtype, seed=SEED, **options)
    for x, label, weight in zip(X, y, np.tile([1.0, 1.0, 0.3, 4.0], 100), strict=True):
        expected = plain.step(x, label, weight)
        assert_agrees(learner.learn_one(x, label, weight=weight), expected, dtype)
    assert learner.updates == plain.updates
    for found, of in stored(learner, plain):
        assert_agrees(found, of, dtype, near=1e-7)


#: Numbers of inputs and of frequencies, and options: several blocks and groups, an odd number of
#: linear weights.
WIDE: list[tuple[int, int, dict[str, Any]]] = [
    (130, 70, {"relevance": True}),
    (40, 140, {"relevance": True, "n_classes": 3}),
    (7, 200, {"n_classes": 11, "widths": TWO_GROUPS}),
    (7, 120, {"widths": TWO_GROUPS[::-1]}),
    (4, 0, {"linear_group": True, "leak": 0.05}),
]


@pytest.mark.parametrize(("d", "n_frequencies", "options"), WIDE, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_many_inputs_and_columns_are_the_reference(
    d: int, n_frequencies: int, options: dict[str, Any], dtype: str
) -> None:
    X, y = stream("two", 300, d)
    if classes := options.get("n_classes", 0):
        y = np.floor(classes * np.abs(np.sin(3.0 * X[:, 0])))
    made = {"n_features": d, "D": n_frequencies, "scale": None, "dtype": dtype, "seed": SEED}
    given = {"relevance": False, **options}
    learner = ek.Learner("sorf", **made, kernel=ek.Gaussian(GAMMA), **given)
    groups = options.get("widths", ((0.3, 1.0, 3.0),))
    others = {name: value for name, value in options.items() if name != "widths"}
    plain = Reference(d, n_frequencies, GAMMA, groups=groups, dtype=dtype, seed=SEED, **others)
    expected = [plain.step(a, b) for a, b in zip(X, y, strict=True)]
    assert_agrees(learner.learn_many(X, y), expected, dtype)
    for found, of in stored(learner, plain):
        assert_agrees(found, of, dtype)


@pytest.mark.parametrize("end", [2.0, -2.0])
@pytest.mark.parametrize("relevance", [True, "shared"])
def test_log_scales_have_ends(relevance: bool | str, end: float) -> None:
    X, y = stream("two", 500)
    learner = learner_of("two", "float64", relevance=relevance)
    learner.learn_many(X[:250], y[:250])
    region = {region.name: region for region in learner.plan.regions}[
        "relevance" if relevance is True else "shared_relevance"
    ]
    scales = np.asarray(live.numbers(region, memoryview(learner._engine.arena)))
    scales = scales[: D if relevance is True else 1]
    scales[:] = end
    moved = False
    for x, label in zip(X[250:], y[250:], strict=True):
        learner.learn_one(x, label)
        assert (np.abs(scales) <= 2.0).all()
        moved = moved or (scales != end).any()
    assert moved


@every_type
def test_novelty_is_the_reference(dtype: str) -> None:
    X, _ = stream("novelty", 400)
    learner = learner_of("novelty", dtype, nu=0.1, window=64.0)
    plain = NoveltyReference(D, BUDGET, GAMMA, dtype=dtype, seed=SEED, nu=0.1, window=64)
    expected = [plain.step(x) for x in X]
    assert_agrees(learner.learn_many(X), expected, dtype)
    assert learner.weights_.shape == (1, BUDGET, 1, 2)
    assert_agrees(learner.weights_[0], plain.a.v, dtype)
    decided = [plain.decision(x) for x in X[:40]]
    assert_agrees(learner.decision_function(X[:40]), decided, dtype)
    assert learner.mistakes == plain.mistakes
    assert learner.predict_one(X[0]) in (-1, 1)


# ---- going on ------------------------------------------------------------------------------------


def test_a_bare_learner_checks_scores_and_labels() -> None:
    bare = BareLearner("sorf", **settings("classes"), history=None)
    for length in (1, 3, 5):
        with pytest.raises(ValueError, match="out must have 4 numbers"):
            bare.scores_one(array("d", [0.0] * D), array("d", [0.0] * length))
    for label in (-1.0, 4.0, 0.5, float("nan")):
        with pytest.raises(ValueError, match="a class from 0 to 3"):
            bare.learn_one(array("d", [0.0] * D), label)
    assert bare.counters()["steps"] == 0
    quiet = BareLearner("sorf", **settings("novelty"), history=None)
    quiet.learn_one(array("d", [1.0] * D))
    assert quiet.counters()["steps"] == 1


SHAPES = [(1, 70, 2), (9, 130, 8), (33, 64, 2), (65, 65, 3), (300, 64, 2), (4, 64, 70)]


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
@pytest.mark.parametrize(("d", "n_frequencies", "n_classes"), SHAPES)
def test_many_rows_are_scored_as_one_by_one(
    d: int, n_frequencies: int, n_classes: int, dtype: str
) -> None:
    """Rows in whole vectors and the rest; some are far out, where angles are large."""
    classes = {"n_classes": n_classes} if n_classes > 2 else {}
    learner = ek.Learner(
        n_features=d, D=n_frequencies, dtype=dtype, gamma=0.3, scale=None, **classes
    )
    rng = np.random.default_rng(d)
    X = rng.standard_normal((40, d))
    X[::7] *= 1e5
    y = rng.integers(0, n_classes, 40)
    learner.learn_many(X, y if n_classes > 2 else 2.0 * y - 1.0)
    scores = learner.scores if n_classes > 2 else learner.decision_function
    alone = np.concatenate([scores(x[None]) for x in X])
    assert len(np.unique(alone)) > 20
    for m in (2, 3, 5, 6, 11, 17, 40):
        np.testing.assert_array_equal(scores(X[:m]), alone[:m])


@pytest.mark.parametrize("case", [case for case in CASES if case[0] != "regression"], ids=case_id)
def test_many_rows_are_scored_with_every_option(case: tuple[str, str]) -> None:
    task, name = case
    X, y = stream(task, 260)
    learner = learner_of(task, "float32", name)
    learner.learn_many(X, y)
    alone = np.concatenate([learner.scores(x[None]) for x in X[:40]])
    assert len(np.unique(alone)) > 20
    np.testing.assert_array_equal(learner.scores(X[:40]), alone)


# ---- what it learns -----------------------------------------------------------------------------


def test_equal_scores_go_to_the_smallest_class() -> None:
    learner = learner_of("classes")
    X, _ = stream("classes", 20)
    assert learner.predict_one(X[0]) == 0
    assert learner.predict(X).tolist() == [0] * 20
    assert learner.scores(X).shape == (20, 4)
    assert learner.n_classes == 4
    with pytest.raises(TypeError, match="per class"):
        learner.decision_one(X[0])
    with pytest.raises(TypeError, match="per class"):
        learner.decision_function(X)


# ---- scratch of a whole row ----------------------------------------------------------------------


def test_saturated_weights_are_counted() -> None:
    """Of levels so fine that steps leave the range, at whose ends they stay; never of floats."""
    X, y = stream("two", 200)
    coarse, fine, real = (
        learner_of("two", dtype, **more)
        for dtype, more in (("int8", {}), ("int8", {"unit": 400.0}), ("float32", {}))
    )
    for learner in (coarse, fine, real):
        learner.learn_many(X, y)
    assert coarse.n_saturated == real.n_saturated == 0
    assert fine.n_saturated == np.sum(np.abs(fine.weights_.astype(int)) == 127) > BUDGET // 4
    plain = Reference(
        D, BUDGET, GAMMA, groups=((0.3, 1.0, 3.0),), dtype="int8", seed=SEED, unit=400.0
    )
    for row, label in zip(X, y, strict=True):
        plain.step(row, label)
    assert np.array_equal(fine.weights_, np.stack([plain.w.v, plain.a.v]))
    assert (fine.weights_.min(), fine.weights_.max()) == (-127, 127)


#: Options whose loops differ by the number of inputs, classes and groups, and inputs.
WIDE: dict[str, tuple[int, dict[str, Any]]] = {
    "relevance of many inputs": (200, {"relevance": True}),
    "shared relevance": (200, {"relevance": "shared"}),
    "a memory of 20 classes": (3, {"n_classes": 20, "memory": 30, "dtype": "float32"}),
    "a narrow one": (3, {"n_classes": 20, "memory": 30, "memory_narrow": True}),
    "a linear group": (8, {"linear_group": True, "D": 512}),
    "a long one": (300, {"linear_group": True, "n_classes": 3}),
}


@pytest.mark.parametrize("name", WIDE)
def test_many_rows_have_the_scores_of_one_by_one(name: str) -> None:
    d, options = WIDE[name]
    draws = np.random.default_rng(0)
    X = draws.normal(size=(160, d))
    y = np.arange(160) % options["n_classes"] if "n_classes" in options else np.sign(X[:, 0])
    heavy = np.full(160, 1e6 if name == "a long one" else 1.0)
    learner = ek.Learner("sorf", **{"n_features": d, "D": 64, "seed": SEED, **options})
    one = ek.Learner("sorf", **{"n_features": d, "D": 64, "seed": SEED, **options})
    learner.learn_many(X, y, weight=heavy)
    for x, label, weight in zip(X, y, heavy, strict=True):
        one.learn_one(x, label, weight=weight)
    assert bytes(learner._sealed()) == bytes(one._sealed())
    np.testing.assert_array_equal(learner.scores(X), [one.scores_one(x) for x in X])


@pytest.mark.parametrize("groups", [1, 2])
def test_scores_behind_a_score_are_shares_of_the_groups(groups: int) -> None:
    """Also where another expert has never been wrong, so that no group has a share."""
    X, y = stream("two", 200)
    widths = ((0.3, 1.0, 3.0), (3.0, 5.5))[:groups]
    learner = ek.Learner(
        "sorf", n_features=D, D=128, widths=widths, linear=True, last_label=True, dtype="float64"
    )
    learner.learn_many(X, y)
    parts = np.empty((len(X), 3))
    learner._score_many(X, parts)
    np.testing.assert_array_equal(parts, [learner._parts_one(x)[1:] for x in X])
    assert parts[:, 0].any()
    losses = np.asarray(learner._engine.view("blend")).reshape(-1)
    for expert in range(len(losses)):
        kept = losses.copy()
        losses[:] = 1e9
        losses[expert] = 0.0
        assert np.isfinite(learner._parts_one(X[0])).all()
        losses[:] = kept


@pytest.mark.parametrize(("dtype", "scratch"), [("float32", "row"), ("float64", "block")])
def test_a_shared_scale_over_more_blocks_than_a_step_keeps(dtype: str, scratch: str) -> None:
    X, y = stream("two", 280)
    learner = ek.Learner("sorf", n_features=D, D=2700, kernel=ek.Gaussian(GAMMA), scale=None,
                         relevance="shared", drift=False, dtype=dtype, seed=SEED,
                         scratch=scratch)  # fmt: skip
    plain = Reference(D, 2700, GAMMA, dtype=dtype, seed=SEED, relevance="shared", drift=False)
    expected = [plain.step(row, label) for row, label in zip(X, y, strict=True)]
    assert_agrees(learner.learn_many(X, y), expected, dtype)
    scale = np.asarray(learner._engine.view("shared_relevance")).reshape(-1)[0]
    assert scale != 0.0
