"""The loops of structured features against the plain reference, in every form they compile to."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import by_pairs
from structured_forms import (
    DAY,
    NEAR,
    OPTIONS,
    OPTIONS_AND_TYPES,
    TASKS,
    TYPES,
    assert_same,
    every_form,
    every_type,
    follow,
    largest,
    needs_compiler,
    pair,
    stream,
)
from twins.structured import Sorf as Twin
from twins.structured_novelty import SorfNovelty

from bench.bytes.shim import Sorf

pytestmark = needs_compiler


# --- the learner ----------------------------------------------------------------------


@every_form
@every_type
def test_two_classes(form, dtype):
    follow(form, "two", dtype, 5, 200, n=1500)


@pytest.mark.parametrize(("form", "task", "learner"), by_pairs(DAY, TASKS, OPTIONS_AND_TYPES))
def test_every_option(form, task, learner):
    """Deciding afterwards: many rows as one by one, as the reference, and nothing changes."""
    name, dtype = learner
    loops, twin, X = follow(form, task, dtype, 6, 140, name=name)
    if "relevance" in OPTIONS[name]:
        assert int(loops.gradient_steps[0]) == twin.u > 0
        shared = "shared" in loops.parts
        learned = (loops.shared[0], twin.gl) if shared else (loops.log_scale, twin.lam)
        assert largest(*learned) <= (1e-9 if dtype == "float64" else 0.0)
    scratch = ("inputs", "scores", "row")
    kept = {key: part.tobytes() for key, part in loops.parts.items() if key not in scratch}
    many = loops.scores(X[:21])
    assert np.array_equal(many, [loops.scores(x)[0] for x in X[:21]])
    for x, f in zip(X, many, strict=False):
        expected = [twin.decision(x)] if task == "regression" else twin.scores(x)
        assert np.allclose(f, expected, atol=NEAR[dtype], rtol=NEAR[dtype])
    for key, bytes_ in kept.items():
        assert loops.parts[key].tobytes() == bytes_, key


@pytest.mark.parametrize(
    ("form", "d", "D"),
    by_pairs(DAY, [1, 3, 31, 32, 33, 63, 64, 65, 96, 127, 128, 200], [1, 63, 64, 65, 130]),
)
def test_every_shape(form, d, D):
    for dtype in ("float64", "int8"):
        follow(form, "two", dtype, d, D, n=25)


@every_form
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_weights(form, task, dtype):
    follow(form, task, dtype, 4, 100, n=200, weighted=True)


@every_form
@pytest.mark.parametrize("K", [2, 7, 8, 9, 20])
def test_numbers_of_classes(form, K):
    X, y = stream("two", 150, 4)[0], np.arange(150) * 7 % K
    loops = Sorf(4, 100, 0.3, task="classes", n_classes=K, form=form[0], variant=form[1])
    twin = Twin(4, 100, 0.3, dtype="int8", n_classes=K)
    for a, b in zip(X, y, strict=True):
        assert loops.step(a, b) == pytest.approx(twin.step(a, b), abs=1e-4)
    assert_same(loops, twin, "int8")


@pytest.mark.parametrize(
    ("form", "task", "dtype", "name"), by_pairs(DAY, TASKS, TYPES, ["plain", "all"])
)
def test_scratch_for_a_whole_row_changes_nothing(form, task, dtype, name):
    X, y = stream(task, 300, 5)
    runs = [pair(task, dtype, 5, 150, form, options=OPTIONS[name], row=row)[0] for row in (0, 1)]
    scores = [run.steps(X, y) for run in runs]
    assert np.array_equal(*scores)
    assert runs[0].w.tobytes() == runs[1].w.tobytes()
    assert runs[0].a.tobytes() == runs[1].a.tobytes()


@pytest.mark.parametrize(("form", "dtype", "name"), by_pairs(DAY, TYPES, OPTIONS))
def test_a_row_by_its_non_zeros(form, dtype, name):
    d = 150
    X, y = stream("two", 300, d)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = 0.0
    dense, _ = pair("two", dtype, d, 130, form, gamma=0.05, options=OPTIONS[name])
    sparse, _ = pair("two", dtype, d, 130, form, gamma=0.05, options=OPTIONS[name])
    for a, b in zip(X, y, strict=True):
        at = np.flatnonzero(a)
        assert sparse.scores(a[at], index=at)[0, 0] == dense.scores(a)[0, 0]
        assert sparse.step(a[at], b, index=at) == dense.step(a, b)
    assert sparse.w.tobytes() == dense.w.tobytes()


# --- novelty --------------------------------------------------------------------------


@every_form
@every_type
def test_novelty(form, dtype):
    X = np.random.default_rng(4).standard_normal((700, 4)).astype(np.float32)
    loops = Sorf(
        4, 200, 0.2, task="novelty", dtype=dtype, nu=0.1, window=256, form=form[0],
        variant=form[1], seed=9,
    )  # fmt: skip
    twin = SorfNovelty(4, 200, 0.2, dtype=dtype, nu=0.1, window=256, seed=9)
    near = {"float64": 1e-12, "int8": 1e-5, "float32": 1e-5}[dtype]
    for x in X:
        assert loops.scores(x)[0, 0] == pytest.approx(twin.decision(x), abs=near)
        assert loops.step(x) == pytest.approx(twin.step(x), abs=near)
    assert loops.mistakes[0] == twin.mistakes
    if dtype == "int8":
        assert np.array_equal(loops.a[:, 0], twin.a.v[:, 0])
        assert int(loops.rounding[0]) == twin.rounding.state
    assert largest(loops.a, twin.a.v) < near
