"""The loops of structured features in every form they compile to, beside the reference."""

from __future__ import annotations

import functools
import math
import shutil

import numpy as np
import pytest
from twins.streams import random_stream, regression_stream
from twins.structured_drift import DriftingSorf

from bench.bytes.shim import Sorf
from bench.compiled import compiler
from edgeolk.core.variants import available_simd

#: Those that have int8 alone, and round otherwise.
NARROW = ("single", "fixed")


#: Listed without compiling them: the instruction sets are those the library was built with.
FORMS = [
    *(("vector", variant) for variant in available_simd()),
    *((form, "plain") for form in ("plain", *NARROW)),
]
EXACT = [form for form in FORMS if form[0] not in NARROW]
VECTORS = [form for form in FORMS if form[0] == "vector"]
needs_compiler = pytest.mark.skipif(
    shutil.which(compiler()[0]) is None, reason="no C compiler to compile the loops with"
)


def marked(forms):
    """Sets of instructions between the plainest and the widest at night only."""
    between = {("vector", variant) for variant in available_simd()[1:-1]}
    slow = pytest.mark.slow
    return [pytest.param(form, marks=slow if form in between else ()) for form in forms]


DAY = marked(EXACT)
TYPES = ("float64", "int8", "float32")
every_form = pytest.mark.parametrize("form", DAY, ids="-".join)
every_type = pytest.mark.parametrize("dtype", TYPES)

TWO_GROUPS = [(0.3, 1.0, 3.0), (3.0, 5.5)]
OPTIONS = {
    "plain": {},
    "linear": {"linear": True},
    "last label": {"last_label": True},
    "relevance": {"relevance": True},
    "shared": {"relevance": "shared"},
    "groups": {"groups": TWO_GROUPS},
    "shared groups": {"relevance": "shared", "groups": TWO_GROUPS},
    "all": {"linear": True, "last_label": True, "relevance": True, "groups": TWO_GROUPS},
}
#: Widths learned in float32 under float32 weights drift apart.
OPTIONS_AND_TYPES = [
    (name, dtype)
    for name, options in OPTIONS.items()
    for dtype in ("float64", "int8", "float32")
    if dtype != "float32" or "relevance" not in options
]
TASKS = ["two", "classes", "regression"]


def stream(task, n, d, seed=3):
    """Rows exact in float32, some of whose inputs are 0."""
    X, y = (regression_stream if task == "regression" else random_stream)(seed, n, d)
    X = X.astype(np.float32).astype(float)
    X[np.abs(X) < 0.4] = 0.0
    if task == "classes":
        y = np.where(y > 0, 2, np.where(X[:, 0] > 0, 1, np.where(X[:, -1] > 0, 0, 3)))
    return X, y


def pair(task, dtype, d, D, form, gamma=0.1, options=None, **more):
    """The loops and the reference, made of the same things."""
    options = dict(options or {})
    if task == "classes":
        options.pop("linear", None)
    known = {"classes": {"n_classes": 4}, "regression": {"loss": "square"}, "two": {}}[task]
    loops = Sorf(
        d, D, gamma, task=task, dtype=dtype, n_classes=4 if task == "classes" else 1,
        form=form[0], variant=form[1], seed=2**40 + 7, **options, **more,
    )  # fmt: skip
    twin = DriftingSorf(d, D, gamma, dtype=dtype, seed=2**40 + 7, drift=False, **known, **options)
    return loops, twin


def largest(a, b):
    return float(np.max(np.abs(np.asarray(a, float) - np.asarray(b, float)), initial=0.0))


def assert_same(loops, twin, dtype):
    """Stored numbers and counters: to the bit with int8."""
    assert loops.t[0] == twin.t
    assert loops.mistakes[0] == twin.mistakes
    assert loops.updates[0] == twin.updates
    if dtype == "int8":
        assert np.array_equal(loops.w, twin.w.v)
        assert np.array_equal(loops.a, twin.a.v)
        assert int(loops.rounding[0]) == twin.rounding.state
    else:
        near = 1e-9 if dtype == "float64" else 2e-3
        assert largest(loops.w, twin.w.v) < near
        assert largest(loops.a, twin.a.v) < near
    L = [*twin.L.ravel(), *(x for x in (twin.L_linear, twin.L_last) if not math.isinf(x))]
    assert np.allclose(loops.L, L, rtol=1e-9 if dtype == "float64" else 1e-3, atol=1e-9)
    assert np.allclose(loops.n, twin.n, rtol=1e-12)


NEAR = {"float64": 1e-9, "int8": 1e-4, "float32": 1e-3}


@functools.cache
def reference(task, dtype, d, D, name="plain", n=400, weighted=False):
    """Rows, labels, weights, and what the reference answered and became; not to be changed."""
    X, y = stream(task, n, d)
    choices = [0.3, 1.0, 4.0] if weighted else [1.0]
    weights = np.random.default_rng(0).choice(choices, n)
    _, twin = pair(task, dtype, d, D, FORMS[0], gamma=0.6 / d, options=OPTIONS[name])
    scores = [twin.step(*row) for row in zip(X, y, weights, strict=True)]
    return X, y, weights, np.array(scores), twin


def follow(form, task, dtype, d, D, **what):
    """Learns the same rows, holding every score and then the model against the reference."""
    X, y, weights, expected, twin = reference(task, dtype, d, D, **what)
    options = OPTIONS[what.get("name", "plain")]
    loops, _ = pair(task, dtype, d, D, form, gamma=0.6 / d, options=options)
    scores = np.array([loops.step(*row) for row in zip(X, y, weights, strict=True)])
    assert np.allclose(scores, expected, rtol=NEAR[dtype], atol=NEAR[dtype])
    assert_same(loops, twin, dtype)
    return loops, twin, X
