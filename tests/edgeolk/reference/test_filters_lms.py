"""The reference implementations compared with independent results: gradient filters."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from against_formulas import KERNELS, joint_gram, run
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import regression_stream

from edgeolk.reference import LEARNERS, Pcg32
from edgeolk.reference import base as tb

seeds = st.integers(0, 2**32 - 1)
modest = settings(max_examples=10, deadline=None, database=None)
NAMES = ("klms", "qklms", "knlms", "kapa")


# --- klms and qklms -------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("full", ["stop", "oldest"])
def test_klms_is_gradient_descent_on_the_square_loss(kernel, full):
    X, y = regression_stream(1, 90, 3)
    filtered = LEARNERS["klms"](kernel, 9, eta=0.2, full=full)
    descended = LEARNERS["ogd"](kernel, 9, eta=0.2, lam=0.0, loss="square", full=full)
    assert np.array_equal(run(filtered, X, y), run(descended, X, y))
    assert np.array_equal(filtered.sv, descended.sv)
    assert filtered.capacity_hits == descended.capacity_hits
    assert (filtered.capacity_hits > 0) == (full == "stop")


def test_klms_replaces_a_drawn_slot():
    X, y = regression_stream(2, 60, 2)
    model, rng, slots = LEARNERS["klms"](KERNELS[0], 5, 3, full="random"), Pcg32(3), []
    for a, b in zip(X, y, strict=True):
        f = model.step(a, b)
        if len(slots) < 5:
            slots.append((a, 0.5 * (b - f)))
        else:
            slots[(rng.next_u32() * 5) // 2**32] = (a, 0.5 * (b - f))
        assert np.array_equal(model.sv, [s for s, _ in slots])
        assert np.array_equal(model.alpha, [c for _, c in slots])


@pytest.mark.parametrize("name", ["klms", "qklms"])
def test_nothing_is_learned_without_an_error(name):
    model = LEARNERS[name](KERNELS[0], 3)
    assert model.step(np.ones(2), 0.0) == 0.0
    assert (model.m, model.updates, model.t) == (0, 0, 1)


def test_qklms_that_merges_only_duplicates_answers_as_klms():
    X, y = regression_stream(3, 80, 2)
    merged, klms = LEARNERS["qklms"](KERNELS[0], 80, eps=0.0), LEARNERS["klms"](KERNELS[0], 80)
    assert np.allclose(run(merged, X, y), run(klms, X, y), rtol=0.0, atol=1e-12)
    assert merged.m == len(np.unique(X, axis=0)) < klms.m == 80


@modest
@given(seeds, st.integers(1, 12), st.sampled_from([0.0, 0.3, 1.0, 99.0]))
def test_qklms_steps(seed, B, eps):
    # The polynomial kernel: what is nearest is not what is most similar.
    X, y = regression_stream(seed, 60, 2)
    model = LEARNERS["qklms"](KERNELS[1], B, eta=0.1, eps=eps)
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        step = 0.1 * (b - model.step(a, b))
        distances = [float(np.linalg.norm(s - a)) for s in old.sv]
        if old.m and (min(distances) <= eps or old.m == B):
            expected = old.alpha.copy()
            expected[distances.index(min(distances))] += step
            assert np.array_equal(model.sv, old.sv)
        else:
            expected = [*old.alpha, step]
        assert np.array_equal(model.alpha, expected)
    assert model.m == 1 if eps == 99.0 else model.m == B or eps == 1.0


# --- knlms and kapa -------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [*KERNELS, tb.sigmoid(0.2, 0.0)])
@pytest.mark.parametrize("name", ["knlms", "kapa"])
def test_vectors_are_incoherent_and_what_does_not_enter_is_coherent(name, kernel):
    X, y = regression_stream(4, 80, 2)
    model, mu0 = LEARNERS[name](kernel, 12, mu0=0.7), 0.7
    for a, b in zip(X, y, strict=True):
        old = copy.deepcopy(model)
        model.step(a, b)
        gram = joint_gram(kernel, [*old.sv, a])
        size = np.sqrt(np.diag(gram))
        coherence = np.abs(gram[-1, :-1]) / np.maximum(size[:-1] * size[-1], 1e-300)
        novel = old.m == 0 or (size[-1] > 0.0 and bool(np.all(coherence <= mu0)))
        assert (model.m > old.m) == (novel and old.m < 12)
    assert model.m > 2
    gram = joint_gram(kernel, model.sv)
    size = np.sqrt(np.diag(gram))
    assert np.all(np.abs(gram - np.diag(np.diag(gram))) <= mu0 * np.outer(size, size) + 1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kapa_of_one_row_is_knlms(kernel):
    X, y = regression_stream(5, 120, 3)
    one, other = LEARNERS["kapa"](kernel, 15, p=1), LEARNERS["knlms"](kernel, 15)
    assert np.allclose(run(one, X, y), run(other, X, y), rtol=0.0, atol=1e-12)
    assert np.array_equal(one.sv, other.sv)


@modest
@given(seeds, st.integers(1, 6), st.sampled_from([0.05, 1.0]))
def test_kapa_step_in_its_other_form(seed, p, eps):
    """The step by a system of the size of the vectors, not of the rows."""
    X, y = regression_stream(seed, 50, 2)
    model = LEARNERS["kapa"](KERNELS[0], 10, eta=0.4, p=p, eps=eps)
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        before = model.alpha
        model.step(a, b)
        before = np.append(before, np.zeros(model.m - len(before)))
        last = slice(max(0, t + 1 - p), t + 1)
        H = np.array([KERNELS[0](model.sv, row) for row in X[last]])
        change = np.linalg.solve(eps * np.eye(model.m) + H.T @ H, H.T @ (y[last] - H @ before))
        assert np.allclose(model.alpha - before, 0.4 * change, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(("name", "rows"), [("knlms", 1), ("kapa", 4)])
def test_a_full_step_meets_the_targets(name, rows):
    X, y = regression_stream(6, 60, 3, duplicates=0.0, zeros=0.0)
    model = LEARNERS[name](tb.gaussian(2.0), 30, eta=1.0, eps=1e-12)
    for t, (a, b) in enumerate(zip(X, y, strict=True)):
        model.step(a, b)
        if t >= rows - 1 and model.m >= 10:
            met = [model.decision(row) for row in X[t + 1 - rows : t + 1]]
            assert np.allclose(met, y[t + 1 - rows : t + 1], atol=1e-5)


def test_kapa_learns_from_kept_rows_without_an_error_of_this_one():
    model = LEARNERS["kapa"](KERNELS[0], 4)
    model.step(np.zeros(1), 1.0)
    far, before = np.array([100.0]), model.decision(np.zeros(1))
    assert model.step(far, 0.0) == 0.0
    assert before < model.decision(np.zeros(1)) < 1.0


# --- all ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("B", [1, 3])
def test_rows_that_see_no_vector(name, B):
    model = LEARNERS[name](KERNELS[0], B)
    X = 1e3 * np.arange(6)[:, None]
    assert run(model, X, np.ones(6)).tolist() == [0.0] * 6
    assert model.m == B
    assert np.all(np.isfinite(model.alpha))


@pytest.mark.parametrize("name", ["knlms", "kapa"])
def test_a_row_of_zeros_under_the_linear_kernel_enters_only_as_the_first(name):
    X = np.array([[0.0], [0.0], [1.0], [0.0], [-1.0]])
    model = LEARNERS[name](tb.linear(), 4)
    run(model, X, np.ones(5))
    assert model.sv[:, 0].tolist() == [0.0, 1.0]
