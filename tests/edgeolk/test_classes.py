"""Several classes over one ring, decision by decision against a reference written out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from helpers import KERNELS, few_first

import edgeolk as ek
from edgeolk.reference.multiclass import Several

D, ROWS = 4, 150
LOOSE = ("project", "lightest_project", "halve")
POLICIES = (
    *("stop", "oldest", "random", "smallest", "unbiased", "simple", "nearest", "project"),
    *("halve", "lightest", "lightest_project"),
)
UPDATES: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "margin": {},
    "pa": {},
    "pa1": {"C": 0.3},
    "pa2": {"C": 0.4},
    "gradient": {"eta": 0.4, "lam": 0.05},
}
LOSSES = dict.fromkeys(UPDATES, ("hinge", "ramp")) | {"gradient": ("hinge", "ramp", "logistic")}
CASES = [
    (update, policy, loss) for update in UPDATES for policy in POLICIES for loss in LOSSES[update]
]
#: By day each update with each policy, their losses by turns.
DAY = [
    (update, policy, LOSSES[update][(row + column) % len(LOSSES[update])])
    for row, update in enumerate(UPDATES)
    for column, policy in enumerate(POLICIES)
]


def stream(
    seed: int, n: int = ROWS, classes: int = 5, noise: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping clouds, so that every rule has something to do."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((classes, D))
    y = rng.integers(0, classes, n)
    return centres[y] + noise * rng.standard_normal((n, D)), y


def learner_of(
    update: str, policy: str, *, budget: int = 12, classes: int = 5, kernel: str = "gaussian",
    **options: Any,
) -> ek.Learner:  # fmt: skip
    options = {"dtype": "float64", "seed": 7, **options}
    return ek.Learner(
        update=update, policy=policy, n_classes=classes, n_features=D, budget=budget,
        kernel=KERNELS[kernel][0], **options,
    )  # fmt: skip


def plain_of(
    update: str, policy: str, *, budget: int = 12, classes: int = 5, kernel: str = "gaussian",
    **options: Any,
) -> Several:  # fmt: skip
    options = {"seed": 7, **options}
    return Several(KERNELS[kernel][1], budget, classes, update, policy, **options)


def params_of(update: str, policy: str) -> dict[str, Any]:
    halving = {"ridge": 1e-3} if policy == "halve" else {}
    return {**UPDATES[update], **halving}


def alike(learner: ek.Learner, plain: Several, rows: np.ndarray, tolerance: float) -> None:
    size = max(1.0, float(np.abs(plain.alpha).max(initial=0.0)))
    assert learner.dual_coef_.shape == (len(plain.sv), plain.K)
    near = {"rtol": tolerance, "atol": tolerance * size}
    np.testing.assert_allclose(learner.dual_coef_, plain.alpha, **near)
    assert np.array_equal(learner.support_vectors_, plain.sv)
    counters = (learner.steps, learner.mistakes, learner.updates, learner.capacity_hits)
    assert counters == (plain.t, plain.mistakes, plain.updates, plain.hits)
    expected = np.array([plain.scores(x) for x in rows])
    one = learner.scores_one(rows[0])
    for found, scores in ((learner.scores(rows), expected), (one, expected[0])):
        np.testing.assert_allclose(found, scores, **near)
    assert learner.predict(rows).tolist() == [plain.predict(x) for x in rows]
    assert learner.predict_one(rows[0]) == plain.predict(rows[0])


def follow(learner: ek.Learner, plain: Several, X: np.ndarray, y: np.ndarray, near: float) -> None:
    for i, (a, b) in enumerate(zip(X, y, strict=True)):
        expected = plain.step(a, int(b))
        size = max(1.0, float(np.abs(plain.alpha).max(initial=0.0)))
        assert learner.learn_one(a, b) == pytest.approx(expected, rel=near, abs=near * size), i


@pytest.mark.parametrize("kernel", ["gaussian", pytest.param("polynomial", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("update", "policy", "loss"), few_first(CASES, DAY))
@pytest.mark.spread(12)
def test_decision_by_decision(update: str, policy: str, loss: str, kernel: str) -> None:
    params = params_of(update, policy)
    if kernel == "polynomial" and update == "gradient":
        params["eta"] = 0.02
    for budget, classes in ((12, 5), (7, 2)):
        X, y = stream(3, classes=classes)
        options = {"budget": budget, "classes": classes, "kernel": kernel, "loss": loss, **params}
        learner, plain = (f(update, policy, **options) for f in (learner_of, plain_of))
        near = 1e-6 if policy in LOOSE else 1e-9
        follow(learner, plain, X, y, near)
        alike(learner, plain, X[:40], near)
        assert plain.updates >= budget or loss == "ramp"
        if learner.norm2 is not None:
            assert learner.norm2 == pytest.approx(plain.norm2(), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("policy", ["simple", "nearest", "project"])
@pytest.mark.parametrize("C", [0.02, 0.2, 2.0])
@pytest.mark.parametrize("allow_skip", [True, False])
def test_candidates_that_cost_least_are_left_out(policy: str, C: float, allow_skip: bool) -> None:
    X, y = stream(5)
    skipped = 0
    options = {"C": C, "allow_skip": allow_skip, "budget": 9}
    learner, plain = (f("pa1", policy, **options) for f in (learner_of, plain_of))
    for a, b in zip(X, y, strict=True):
        before, full = learner.support_vectors_, learner.n_support == 9
        m = learner.learn_one(a, b)
        assert m == pytest.approx(plain.step(a, int(b)), rel=1e-6, abs=1e-7)
        if full and m < 1.0:
            skipped += np.array_equal(before, learner.support_vectors_)
    alike(learner, plain, X[:20], 1e-6)
    if policy != "project" and C < 2.0:
        assert (skipped > 0) == allow_skip


SAMPLED: list[tuple[str, str, dict[str, Any]]] = [
    ("sparse_pa", "hinge", {"sampling": "loss", "beta": 2.0, "eta": 0.5}),
    ("pa1", "hinge", {"sampling": "loss", "beta": 1.5}),
    ("gradient", "hinge", {"sampling": "derivative", "G": 2.0, "eta": 0.5}),
    ("gradient", "logistic", {"sampling": "derivative", "G": 1.5, "eta": 0.8}),
    ("logistic", "logistic", {"sampling": "margin", "eta": 1.5}),
    ("logistic", "logistic", {"eta": 0.7}),
]


@pytest.mark.parametrize("policy", ["stop", "random"])
@pytest.mark.parametrize(("update", "loss", "options"), SAMPLED, ids=str)
def test_sampling_by_the_margin(
    update: str, loss: str, options: dict[str, Any], policy: str
) -> None:
    X, y = stream(9)
    learner, plain = (f(update, policy, loss=loss, **options) for f in (learner_of, plain_of))
    follow(learner, plain, X, y, 1e-9)
    alike(learner, plain, X[:20], 1e-9)


@pytest.mark.parametrize("update", ["margin", "gradient"])
@pytest.mark.parametrize("policy", ["stop", "random", "unbiased", "simple", "smallest"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_balls_hold_all_columns_together(update: str, policy: str, loss: str) -> None:
    if loss == "logistic" and update == "margin":
        return
    X, y = stream(2)
    options = {"projection": "ball", "U": 1.1, "loss": loss, **UPDATES[update]}
    learner, plain = (f(update, policy, **options) for f in (learner_of, plain_of))
    follow(learner, plain, X, y, 1e-7)
    alike(learner, plain, X[:20], 1e-7)
    assert learner.norm2 == pytest.approx(plain.norm2(), rel=1e-7, abs=1e-9)
    assert learner.norm2 <= 1.1**2 * (1 + 1e-9)


def test_clipping_of_each_number() -> None:
    X, y = stream(2)
    options = {"projection": "clip", "clip_coefficients": 1.5, "eta": 0.5, "loss": "logistic"}
    learner, plain = (f("gradient", "unbiased", **options) for f in (learner_of, plain_of))
    follow(learner, plain, X, y, 1e-9)
    alike(learner, plain, X[:20], 1e-9)
    assert np.abs(learner.dual_coef_).max() <= 0.75 * (1 + 1e-12)


@pytest.mark.parametrize("projection", ["coefficients", "shrink"])
def test_bounds_by_a_common_factor(projection: str) -> None:
    X, y = stream(2)
    bound = {"U": 4.0} if projection == "coefficients" else {"clip_coefficients": 0.8}
    learner = learner_of(
        "gradient", "random", projection=projection, eta=0.5, loss="logistic", **bound
    )
    touched = 0
    for a, b in zip(X, y, strict=True):
        learner.learn_one(a, b)
        most, limit = np.abs(learner.dual_coef_).max(), 0.4
        if projection == "coefficients":
            most, limit = 12 * np.sqrt(np.sum(learner.dual_coef_**2, axis=1)).max(), 4.0
        assert most <= limit * (1 + 1e-12)
        touched += most > limit * (1 - 1e-9)
    assert touched > 3


@pytest.mark.parametrize("update", ["perceptron", "gradient"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_averages_of_every_column(update: str, loss: str) -> None:
    if loss == "logistic" and update == "perceptron":
        return
    X, y = stream(4)
    options = {"budget": 40, "loss": loss, **UPDATES[update]}
    learner = learner_of(update, "stop", averaging="mean", **options)
    plain = plain_of(update, "stop", **options)
    follow(learner, plain, X, y, 1e-9)
    mean = plain.averaged()[: len(plain.sv)]
    np.testing.assert_allclose(learner.averaged.dual_coef_, mean, rtol=1e-9, atol=1e-12)
    expected = np.array([plain.row(x) @ mean for x in X[:30]])
    np.testing.assert_allclose(learner.averaged.scores(X[:30]), expected, rtol=1e-9, atol=1e-12)
    third = learner.averaged.scores_one(X[3])
    np.testing.assert_allclose(third, expected[3], rtol=1e-9, atol=1e-12)
    assert learner.averaged.predict(X[:30]).tolist() == expected.argmax(axis=1).tolist()
    # What scores of the mean leave in scratch changes nothing.
    np.testing.assert_allclose(learner.scores(X[:30]), [plain.scores(x) for x in X[:30]], rtol=1e-9)


def test_raising_refuses_what_stopping_passes_over() -> None:
    X, y = stream(6)
    stops, raises = learner_of("pa1", "stop"), learner_of("pa1", "raise")
    refused = 0
    for a, b in zip(X, y, strict=True):
        hits = stops.capacity_hits
        m = stops.learn_one(a, b)
        if stops.capacity_hits == hits:
            assert raises.learn_one(a, b) == m
            continue
        refused += 1
        with pytest.raises(ek.BudgetError, match="full"):
            raises.learn_one(a, b)
    assert refused > 10
    assert np.array_equal(stops.dual_coef_, raises.dual_coef_)


# ---- what the rules promise ----------------------------------------------------------------------


def test_ties_go_to_the_smallest_class() -> None:
    learner = learner_of("perceptron", "stop", classes=4)
    assert learner.predict_one(np.zeros(D)) == 0
    assert learner.learn_one(np.zeros(D), 2) == 0.0
    assert learner.dual_coef_.tolist() == [[-1.0, 0.0, 1.0, 0.0]]
    assert learner.mistakes == 1
    learner = learner_of("perceptron", "stop", classes=4)
    learner.learn_one(np.zeros(D), 0)
    assert learner.dual_coef_.tolist() == [[1.0, -1.0, 0.0, 0.0]]


@pytest.mark.parametrize("update", ["gradient", "logistic"])
def test_probabilities_are_the_softmax(update: str) -> None:
    X, y = stream(1)
    learner = learner_of(update, "stop", loss="logistic", eta=0.5)
    learner.learn_many(X, y)
    f = learner.scores_one(X[0])
    p = learner.predict_proba_one(X[0])
    np.testing.assert_allclose(p, np.exp(f) / np.exp(f).sum(), rtol=1e-12)
    assert p.shape == (5,)
    with pytest.raises(AttributeError, match="logistic"):
        learner_of("pa1", "stop").predict_proba_one(X[0])


def test_softmax_of_scores_beyond_exp() -> None:
    learner = learner_of("gradient", "stop", loss="logistic", eta=3e4)
    X, y = stream(1)
    assert np.isfinite(learner.learn_many(X, y)).all()
    assert np.isfinite(learner.predict_proba_one(X[0])).all()
    assert math.isclose(learner.predict_proba_one(X[0]).sum(), 1.0)


#: What no other test by day does: every way to make room, and a loss that gives rows up.
ALONE: list[tuple[str, str, dict[str, Any]]] = [
    ("pa1", "halve", {"ridge": 1e-3, "C": 0.5}),
    ("gradient", "lightest", {"loss": "ramp", "eta": 0.9}),
    ("pa1", "lightest_project", {"C": 0.5}),
    ("gradient", "lightest", {"loss": "logistic", "eta": 0.4}),
]


@pytest.mark.parametrize(("update", "policy", "options"), ALONE, ids=str)
def test_room_is_made_as_by_the_reference(
    update: str, policy: str, options: dict[str, Any]
) -> None:
    X, y = stream(3, 80)
    near = 1e-6 if policy in LOOSE else 1e-9
    learner, plain = (f(update, policy, **options) for f in (learner_of, plain_of))
    follow(learner, plain, X, y, near)
    alike(learner, plain, X[:20], near)
    assert plain.updates > 12


@pytest.mark.parametrize(
    ("update", "policy", "options"),
    [("sparse_pa", "random", {"sampling": "loss", "beta": 2.0}), ("gradient", "simple", {})],
)
def test_a_row_without_a_norm_changes_nothing(
    update: str, policy: str, options: dict[str, Any]
) -> None:
    """With a kernel that is 0 for it, in a ring that is full."""
    X, y = stream(9, 60)
    options = {"kernel": "linear", "budget": 3, **options}
    learner, plain = (f(update, policy, **options) for f in (learner_of, plain_of))
    follow(learner, plain, X, y, 1e-9)
    before = plain.alpha.copy()
    follow(learner, plain, np.zeros((1, D)), np.array([1]), 1e-9)
    assert np.array_equal(plain.alpha, before)
    alike(learner, plain, X[:20], 1e-9)
