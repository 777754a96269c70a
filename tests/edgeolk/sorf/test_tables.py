"""The loops of structured features against the plain reference, in every form they compile to.

A set of instructions, plain C, in whole numbers: all but the last as the reference has it; int8 and
float32 to the bit.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_agrees, by_pairs
from synthetic import random_stream, regression_stream

from bench.bytes.shim import FORMS as FORMS_OF_C
from bench.bytes.shim import SHIM
from bench.bytes.shim import Sorf as Compiled
from bench.compiled import compiler
from edgeolk.core.units import C_FOLDER
from edgeolk.core.variants import available_simd
from edgeolk.reference.sorf import Sorf as Reference
from edgeolk.reference.sorf_novelty import SorfNovelty

pytestmark = pytest.mark.skipif(
    shutil.which(compiler()[0]) is None, reason="no C compiler to compile the loops with"
)

#: The loops, which compile five times as fast as for the library.
Sorf = functools.partial(Compiled, flags=("-O0",))
#: Those that have int8 alone, and round otherwise.
NARROW = ("fixed",)
#: Listed without compiling them: the instruction sets are those the library was built with.
FORMS = [
    *(("vector", variant) for variant in available_simd()),
    *((form, "plain") for form in ("plain", *NARROW)),
]
EXACT = [form for form in FORMS if form[0] not in NARROW]


def marked(forms):
    """Sets of instructions between the plainest and the widest at night only."""
    between = {("vector", variant) for variant in available_simd()[1:-1]}
    slow = pytest.mark.slow
    return [pytest.param(form, marks=slow if form in between else ()) for form in forms]


DAY = marked(EXACT)
VECTORS = marked([form for form in FORMS if form[0] == "vector"])
WIDEST = ("vector", available_simd()[-1])
TYPES = ("float64", "int8", "float32")
every_form = pytest.mark.parametrize("form", DAY, ids="-".join)

TWO_GROUPS = [(0.3, 1.0, 3.0), (3.0, 5.5)]
OPTIONS = {
    "plain": {},
    "linear": {"linear": True},
    "last label": {"last_label": True},
    "relevance": {"relevance": True},
    "shared": {"relevance": "shared"},
    "groups": {"groups": TWO_GROUPS},
    "shared groups": {"relevance": "shared", "groups": TWO_GROUPS},
    "constant": {"constant": True},
    "linear group": {"linear_group": True, "relevance": True},
    "last linear group": {"linear_group": "last", "constant": True},
    "all": {"linear": True, "last_label": True, "relevance": True, "groups": TWO_GROUPS},
}
OPTIONS_AND_TYPES = [(name, dtype) for name in OPTIONS for dtype in TYPES]
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
    plain = Reference(
        d, D, gamma, dtype=dtype, seed=2**40 + 7, drift=False,
        **{"constant": False, **known, **options},
    )  # fmt: skip
    return loops, plain


def assert_same(loops, plain, dtype):
    """Stored numbers and counters."""
    assert loops.t[0] == plain.t
    assert loops.mistakes[0] == plain.mistakes
    assert loops.updates[0] == plain.updates
    assert int(loops.rounding[0]) == plain.rounding.state
    L = [*plain.L.ravel(), *(one.L for one in plain.outside)]
    known = {"w": plain.w.v, "a": plain.a.v, "L": np.array(L), "n": plain.n}
    known |= {"wl": plain.linear.wl, "Sl": plain.linear.Sl} if plain.linear else {}
    for name, expected in known.items():
        assert_agrees(getattr(loops, name), expected, dtype)


@functools.cache
def reference(task, dtype, d, D, name="plain", n=260, weighted=False):
    """Rows, labels, weights, and what the reference answered and became; not to be changed."""
    X, y = stream(task, n, d)
    choices = [0.3, 1.0, 4.0] if weighted else [1.0]
    weights = np.random.default_rng(0).choice(choices, n)
    _, plain = pair(task, dtype, d, D, FORMS[0], gamma=0.6 / d, options=OPTIONS[name])
    scores = [plain.step(*row) for row in zip(X, y, weights, strict=True)]
    return X, y, weights, np.array(scores), plain


def follow(form, task, dtype, d, D, **what):
    """Learns the same rows, holding every score and then the model against the reference."""
    X, y, weights, expected, plain = reference(task, dtype, d, D, **what)
    options = OPTIONS[what.get("name", "plain")]
    loops, _ = pair(task, dtype, d, D, form, gamma=0.6 / d, options=options)
    scores = np.array([loops.step(*row) for row in zip(X, y, weights, strict=True)])
    assert_agrees(scores, expected, dtype)
    assert_same(loops, plain, dtype)
    return loops, plain, X


@pytest.mark.parametrize(("form", "task", "learner"), by_pairs(DAY, TASKS, OPTIONS_AND_TYPES))
@pytest.mark.spread(10)
def test_every_option(form, task, learner):
    """Deciding afterwards: many rows as one by one, as the reference, and nothing changes."""
    name, dtype = learner
    loops, plain, X = follow(form, task, dtype, 6, 140, name=name)
    if "relevance" in OPTIONS[name]:
        assert int(loops.gradient_steps[0]) == plain.u > 0
        if "shared" in loops.parts:
            assert_agrees(loops.shared, [plain.gl, plain.gg], dtype)
        else:
            assert_agrees(loops.log_scale, plain.lam, dtype)
            assert_agrees(loops.gradient_square, plain.grad2, dtype)
    scratch = ("inputs", "scores", "row")
    kept = {key: part.tobytes() for key, part in loops.parts.items() if key not in scratch}
    many = loops.scores(X[:21])
    assert np.array_equal(many, [loops.scores(x)[0] for x in X[:21]])
    for x, f in zip(X, many, strict=False):
        expected = [plain.decision(x)] if task == "regression" else plain.scores(x)
        assert_agrees(f, expected, dtype)
    for key, bytes_ in kept.items():
        assert loops.parts[key].tobytes() == bytes_, key


@pytest.mark.parametrize(
    ("form", "d", "D"),
    by_pairs(DAY, [1, 3, 31, 32, 33, 63, 64, 65, 96, 127, 128, 200], [1, 63, 64, 65, 130]),
)
@pytest.mark.spread(4)
def test_every_shape(form, d, D):
    for dtype in TYPES:
        follow(form, "two", dtype, d, D, n=25)


@pytest.mark.parametrize(("form", "task", "dtype"), by_pairs(DAY, TASKS, TYPES))
def test_weights(form, task, dtype):
    follow(form, task, dtype, 4, 100, n=200, weighted=True)


@every_form
@pytest.mark.parametrize("K", [2, 9, 20])
@pytest.mark.spread(2)
def test_numbers_of_classes(form, K):
    X, y = stream("two", 150, 4)[0], np.arange(150) * 7 % K
    loops = Sorf(4, 100, 0.3, task="classes", n_classes=K, form=form[0], variant=form[1])
    plain = Reference(4, 100, 0.3, dtype="int8", n_classes=K, drift=False, constant=False)
    for a, b in zip(X, y, strict=True):
        assert loops.step(a, b) == plain.step(a, b)
    assert_same(loops, plain, "int8")


@pytest.mark.parametrize(
    ("form", "task", "dtype", "name"), by_pairs(DAY, TASKS, TYPES, ["plain", "all"])
)
@pytest.mark.spread(2)
def test_scratch_for_a_whole_row_changes_nothing(form, task, dtype, name):
    X, y = stream(task, 300, 5)
    runs = [pair(task, dtype, 5, 150, form, options=OPTIONS[name], row=row)[0] for row in (0, 1)]
    scores = [run.steps(X, y) for run in runs]
    assert np.array_equal(*scores)
    assert runs[0].w.tobytes() == runs[1].w.tobytes()
    assert runs[0].a.tobytes() == runs[1].a.tobytes()


@every_form
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.spread(4)
def test_novelty(form, dtype):
    X = np.random.default_rng(4).standard_normal((400, 4)).astype(np.float32)
    options = {"dtype": dtype, "nu": 0.1, "window": 128, "seed": 9}
    loops = Sorf(4, 200, 0.2, task="novelty", form=form[0], variant=form[1], **options)
    plain = SorfNovelty(4, 200, 0.2, **options)
    for x in X:
        assert_agrees(loops.scores(x)[0, 0], plain.decision(x), dtype, near=1e-12)
        assert_agrees(loops.step(x), plain.step(x), dtype, near=1e-12)
    assert loops.mistakes[0] == plain.mistakes
    assert int(loops.rounding[0]) == plain.rounding.state
    assert_agrees(loops.novelty, [plain.rho, plain.m], dtype, near=1e-12)
    assert_agrees(loops.a, plain.a.v, dtype, near=1e-12)


def assert_same_weights(form, d, D, X, y, **more):
    """With int8 on every set of instructions, to the bit."""
    runs = [pair("two", "int8", d, D, f, **more)[0] for f in (form, ("plain", "plain"))]
    for run in runs:
        run.steps(X, y)
    for part in ("w", "a", "mistakes", "rounding"):
        assert np.array_equal(getattr(runs[0], part), getattr(runs[1], part)), (d, part)


@pytest.mark.parametrize("form", VECTORS, ids="-".join)
def test_every_length_of_rows_reads_to_its_end(form):
    """Blocks side by side, or one by one: the same weights; behind a row lies the next one."""
    for d in (1, 7, 8, 15, 31, 32, 33, 39, 63, 64, 65, 95, 96, 127, 128, 160):
        X = np.random.default_rng(d).standard_normal((120, d)).astype(np.float32).astype(float)
        y = np.where(X[:, 0] * X[:, -1] > 0.0, 1.0, -1.0)
        assert_same_weights(form, d, 700, X, y, gamma=0.5 / d)


@pytest.mark.parametrize("groups", [2, 3, 4])
@pytest.mark.parametrize("form", VECTORS, ids="-".join)
@pytest.mark.spread(6)
def test_groups_are_rounded_each_by_its_own_change(form, groups):
    """Labels by chance: most rows change every weight."""
    widths = [(0.3, 1.0), (3.0,), (0.7, 2.0, 9.0), (0.1,)][:groups]
    rng = np.random.default_rng(groups)
    X = rng.standard_normal((4000, 9)).astype(np.float32).astype(float)
    y = rng.choice([-1.0, 1.0], len(X))
    assert_same_weights(form, 9, 64 * 7, X, y, gamma=0.05, options={"groups": widths})


@pytest.mark.parametrize(("d", "gamma"), [(8, 1e-6), (8, 0.5), (3, 30.0), (130, 0.02)])
@pytest.mark.spread(4)
def test_changes_of_every_row(d, gamma):
    """Labels by chance, so that every row changes every weight."""
    rng = np.random.default_rng(d)
    X = rng.standard_normal((700, d)).astype(np.float32)
    every = [Sorf(d, 200, gamma, form=form, variant=of) for form, of in (WIDEST, EXACT[-1])]
    plain = Reference(d, 200, gamma, dtype="int8", drift=False, constant=False)
    for a, b in zip(X.astype(float), rng.choice([-1.0, 1.0], len(X)), strict=True):
        expected = plain.step(a, b)
        assert [loops.step(a, b) for loops in every] == [expected] * len(every)
    assert plain.updates > 0.7 * len(X)
    for loops in every:
        assert_same(loops, plain, "int8")


@pytest.mark.parametrize("row", [False, True])
def test_more_frequencies_than_a_step_keeps(row):
    """Features that do not fit the stack are made again; a row's own room holds all."""
    d, D = 5, 4500
    X, y = stream("two", 40, d)
    loops, plain = pair("two", "int8", d, D, WIDEST, gamma=0.2, row=row)
    scores = [loops.step(*row) for row in zip(X, y, strict=True)]
    assert scores == [plain.step(*row) for row in zip(X, y, strict=True)]
    assert plain.updates > 5
    assert_same(loops, plain, "int8")


@pytest.mark.parametrize("gamma", [1e-9, 0.02, 3.0, 1e7])
@pytest.mark.parametrize("d", [1, 8, 97])
@pytest.mark.spread(5)
def test_features_in_whole_numbers(d, gamma):
    """Each is that of the formula within .005, its width within one part in 650."""
    D, rng = 70, np.random.default_rng(d)
    loops, plain = pair("two", "int8", d, D, ("fixed", "plain"), gamma=gamma)
    X = (rng.uniform(-1, 1, (5, d)) / np.sqrt(gamma * d)).astype(np.float32).astype(float)
    found = np.empty((len(X), D, 2))
    for k in range(D):
        for i in range(2):
            for part in ("w", "a"):
                loops.parts[part][:] = 0
                loops.parts[part][k, 0, i] = 100
            found[:, k, i] = loops.scores(X).ravel() * 3.0 * D / 100.0
    exact = np.array([plain.phi(x) for x in X])
    lines = np.array([plain.phi.transform(plain.phi.sketch(x)) for x in X])
    angles = np.abs(lines * plain.phi.omega).reshape(len(X), -1)[:, :D, None]
    assert np.all(np.abs(found - exact) < 0.005 + angles / 650)


@pytest.mark.parametrize("form", marked(FORMS), ids="-".join)
@pytest.mark.spread(2)
def test_angles_of_any_size(form):
    """Columns that are not scaled: large angles are reduced exactly."""
    rng = np.random.default_rng(1)
    X = (rng.standard_normal((60, 3)) * 10.0 ** rng.integers(0, 36, (60, 1))).astype(np.float32)
    y = rng.choice([-1.0, 1.0], 60)
    for dtype in ("int8",) if form[0] in NARROW else ("int8", "float32", "float64"):
        loops, _ = pair("two", dtype, 3, 100, form)
        assert np.isfinite(loops.steps(X, y)).all()
        assert np.isfinite(loops.scores(X)).all()
        assert np.isfinite(loops.w.astype(float)).all()
    for dtype in () if form[0] in NARROW else ("int8", "float32"):
        loops, plain = pair("two", dtype, 3, 100, form)
        for a, b in zip(X, y, strict=True):
            assert loops.step(a, b) == plain.step(a, b)
        assert_same(loops, plain, dtype)


@pytest.mark.parametrize("form", marked(FORMS), ids="-".join)
def test_weights_stop_at_the_ends_of_their_range(form):
    loops, _ = pair("two", "int8", 2, 64, form)
    loops.parts["w"][:] = np.where(np.arange(128).reshape(64, 1, 2) % 2, 127, -127)
    loops.step(np.ones(2), 1.0, weight=1e6)
    assert loops.w.min() == -127
    assert loops.w.max() == 127


@pytest.mark.parametrize("form", ["plain", *NARROW])
def test_the_header_is_strict_c(form):
    command = [*compiler(), *FORMS_OF_C[form], "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += ["-fsyntax-only", f"-I{C_FOLDER}", str(SHIM)]
    assert subprocess.run(command, capture_output=True, check=False).stderr == b""


SANITIZED = """
import sys
import numpy as np
from bench.bytes.shim import Sorf, variants
flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-O1")
rng = np.random.default_rng(0)
for form in sys.argv[1:]:
    for variant in variants(form, flags):
        for dtype in ("int8",) if form == "fixed" else ("int8", "float32", "float64"):
            for task in ("two", "classes", "regression", "novelty"):
                for d, D, groups in ((3, 70, 1), (97, 129, 2), (64, 64, 1)):
                    more = {} if task == "novelty" else {
                        "linear": task != "classes", "last_label": True, "relevance": True,
                        "groups": [(1.0,), (2.0, 3.0)][:groups]}
                    s = Sorf(d, D, 0.3 / d, task=task, dtype=dtype, row=d == 3, form=form,
                             n_classes=3 if task == "classes" else 1, variant=variant,
                             flags=flags, **more)
                    X = (rng.standard_normal((230, d)) * 10.0 ** rng.integers(0, 9, (230, 1)))
                    s.steps(X, rng.integers(0, 3, 230) if task == "classes"
                            else rng.choice([-1.0, 1.0], 230))
                    s.step(X[0], 1)
                    s.scores(X[0])
                    s.scores(X[:19])
print("clean")
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", ["plain", *NARROW, "vector"])
def test_sanitizers_find_nothing(form):
    """The arrays are numpy's, each from malloc: a step beyond an end is seen."""
    if shutil.which(compiler()[0]) is None or sys.platform != "linux":
        pytest.skip("needs gcc's sanitizers")
    asan = subprocess.run(
        [*compiler(), "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(asan).is_file():
        pytest.skip("the compiler has no address sanitizer")
    options = {"ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc", "LD_PRELOAD": asan}
    run = subprocess.run(
        [sys.executable, "-c", SANITIZED, form],
        env={**os.environ, **options},
        cwd=SHIM.parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "clean\n", run.stderr[-3000:]
