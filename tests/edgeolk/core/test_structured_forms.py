"""What the forms of the loops of structured features have in common, and their arithmetic."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from structured_forms import (
    EXACT,
    FORMS,
    NARROW,
    OPTIONS,
    TASKS,
    VECTORS,
    assert_same,
    every_type,
    largest,
    needs_compiler,
    pair,
    stream,
)
from twins.structured import Sorf as Twin

from bench.bytes.shim import FORMS as FORMS_OF_C
from bench.bytes.shim import LOOPS, SHIM, Sorf, compiler, library

pytestmark = needs_compiler


@every_type
@pytest.mark.parametrize("task", TASKS)
def test_plain_c_gives_the_bits_of_the_baseline(dtype, task):
    if os.uname().machine != "x86_64":
        pytest.skip("the baseline has multiply-adds here, plain C has none")
    X, y = stream(task, 400, 6)
    runs = [
        pair(task, dtype, 6, 200, form, options=OPTIONS["all"])[0]
        for form in (("vector", "baseline"), ("plain", "plain"))
    ]
    scores = [run.steps(X, y) for run in runs]
    if task != "classes":  # with several columns the sums are ordered otherwise
        assert np.array_equal(*scores)
    assert np.allclose(*scores, atol=1e-6)
    assert largest(runs[0].w, runs[1].w) < 1e-4


@pytest.mark.parametrize("form", VECTORS, ids="-".join)
def test_int8_weights_are_the_same_on_every_instruction_set(form):
    X, y = stream("two", 3000, 8)
    runs = [pair("two", "int8", 8, 500, f)[0] for f in (form, ("plain", "plain"))]
    for run in runs:
        run.steps(X, y)
    assert runs[0].w.tobytes() == runs[1].w.tobytes()
    assert runs[0].a.tobytes() == runs[1].a.tobytes()


@pytest.mark.parametrize("d", [1, 7, 8, 15, 31, 32, 33, 39, 63, 64, 65, 95, 96, 127, 128, 160])
@pytest.mark.parametrize("form", VECTORS, ids="-".join)
def test_every_length_of_rows_reads_to_its_end(form, d):
    """Blocks side by side, or one by one: the same weights; behind a row lies the next one."""
    rng = np.random.default_rng(d)
    X = rng.standard_normal((120, d)).astype(np.float32).astype(float)
    y = np.where(X[:, 0] * X[:, -1] > 0.0, 1.0, -1.0)
    runs = [pair("two", "int8", d, 700, f, gamma=0.5 / d)[0] for f in (form, ("plain", "plain"))]
    for run in runs:
        run.steps(X, y)
    assert runs[0].w.tobytes() == runs[1].w.tobytes()
    assert runs[0].a.tobytes() == runs[1].a.tobytes()
    assert runs[0].mistakes[0] == runs[1].mistakes[0]


@pytest.mark.parametrize("groups", [2, 3, 4])
@pytest.mark.parametrize("form", VECTORS, ids="-".join)
def test_groups_are_rounded_each_by_its_own_change(form, groups):
    """Labels by chance: most rows change every weight, and some roundings are not sure."""
    widths = [(0.3, 1.0), (3.0,), (0.7, 2.0, 9.0), (0.1,)][:groups]
    rng = np.random.default_rng(groups)
    X = rng.standard_normal((4000, 9)).astype(np.float32).astype(float)
    y = rng.choice([-1.0, 1.0], len(X))
    runs = [
        pair("two", "int8", 9, 64 * 7, f, gamma=0.05, options={"groups": widths})[0]
        for f in (form, ("plain", "plain"))
    ]
    for run in runs:
        run.steps(X, y)
    assert runs[0].w.tobytes() == runs[1].w.tobytes()
    assert runs[0].rounding[0] == runs[1].rounding[0]


@pytest.mark.parametrize("form", [*VECTORS[-1:], *EXACT[-1:]], ids="-".join)
@pytest.mark.parametrize(("d", "gamma"), [(8, 1e-6), (8, 0.5), (3, 30.0), (130, 0.02)])
def test_changes_in_single_precision_are_sure(form, d, gamma):
    """Labels by chance, so that weights reach their ends and every row changes all of them."""
    rng = np.random.default_rng(d)
    X = rng.standard_normal((700, d)).astype(np.float32)
    loops = Sorf(d, 400, gamma, form=form[0], variant=form[1])
    twin = Twin(d, 400, gamma, dtype="int8")
    for a, b in zip(X.astype(float), rng.choice([-1.0, 1.0], len(X)), strict=True):
        loops.step(a, b)
        twin.step(a, b)
    assert twin.updates > 0.7 * len(X)
    assert_same(loops, twin, "int8")


@pytest.mark.parametrize("row", [False, True])
def test_more_frequencies_than_a_step_keeps(row):
    """Features that do not fit the stack are made again; a row's own room holds all."""
    d, D = 5, 4500
    X, y = stream("two", 40, d)
    loops, twin = pair("two", "int8", d, D, VECTORS[-1], gamma=0.2, row=row)
    scores = [loops.step(*row) for row in zip(X, y, strict=True)]
    assert np.allclose(scores, [twin.step(*row) for row in zip(X, y, strict=True)], atol=1e-4)
    assert twin.updates > 5
    assert_same(loops, twin, "int8")


def test_single_precision_learns_as_well_and_rounds_otherwise_rarely():
    X, y = stream("two", 1500, 8)
    single, _ = pair("two", "int8", 8, 300, ("single", "plain"))
    exact, _ = pair("two", "int8", 8, 300, ("plain", "plain"))
    ends = [np.array(run.steps(X, y)) for run in (single, exact)]
    same = np.sum(np.cumprod(np.abs(ends[0] - ends[1]) < 1e-4))
    assert same > 50
    errors = [np.mean(y * end <= 0) for end in ends]
    assert errors[0] == pytest.approx(errors[1], abs=0.02)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", ["plain", "relevance", "all"])
def test_whole_numbers_learn_as_well(task, name):
    X, y = stream(task, 2000, 8)
    found = []
    for form in ("fixed", "plain"):
        loops, _ = pair(task, "int8", 8, 300, (form, "plain"), options=OPTIONS[name])
        said = np.array(loops.steps(X, y))
        found.append(
            np.mean(np.abs(said - y))
            if task == "regression"
            else np.mean(said <= 0 if task == "classes" else y * said <= 0)
        )
    assert found[0] == pytest.approx(found[1], rel=0.05, abs=0.01)


def test_whole_numbers_find_the_novel():
    """As many alarms; scores are mean kernels, so nearly the same."""
    X = np.random.default_rng(4).standard_normal((1500, 4)).astype(np.float32)
    found = []
    for form in ("fixed", "plain"):
        loops = Sorf(4, 200, 0.2, task="novelty", dtype="int8", nu=0.1, window=256, form=form,
                     variant="plain", seed=9)  # fmt: skip
        found.append((np.array(loops.steps(X)), int(loops.mistakes[0])))
    (said, alarms), (exact, expected) = found
    assert abs(alarms - expected) < 0.1 * expected
    assert np.abs(said - exact).max() < 0.03


@pytest.mark.parametrize("gamma", [1e-9, 0.02, 3.0, 1e7])
@pytest.mark.parametrize("d", [1, 8, 97])
def test_features_in_whole_numbers(d, gamma):
    """Each is that of the formula within .005, its width within one part in 650."""
    D, rng = 70, np.random.default_rng(d)
    loops, twin = pair("two", "int8", d, D, ("fixed", "plain"), gamma=gamma)
    X = (rng.uniform(-1, 1, (5, d)) / np.sqrt(gamma * d)).astype(np.float32).astype(float)
    found = np.empty((len(X), D, 2))
    for k in range(D):
        for i in range(2):
            for part in ("w", "a"):
                loops.parts[part][:] = 0
                loops.parts[part][k, 0, i] = 100
            found[:, k, i] = loops.scores(X).ravel() * 3.0 * D / 100.0
    exact = np.array([twin.phi(x) for x in X])
    lines = np.array([twin.phi.transform(twin.phi.fold(x)) for x in X])
    angles = np.abs(lines * twin.phi.omega).reshape(len(X), -1)[:, :D, None]
    assert np.all(np.abs(found - exact) < 0.005 + angles / 650)


@pytest.mark.parametrize("form", FORMS, ids="-".join)
def test_angles_of_any_size(form):
    """Columns nobody scaled: exact in double, and numbers whatever they are."""
    rng = np.random.default_rng(1)
    X = (rng.standard_normal((60, 3)) * 10.0 ** rng.integers(0, 36, (60, 1))).astype(np.float32)
    y = rng.choice([-1.0, 1.0], 60)
    for dtype in ("int8",) if form[0] in NARROW else ("int8", "float32", "float64"):
        loops, _ = pair("two", dtype, 3, 100, form)
        assert np.isfinite(loops.steps(X, y)).all()
        assert np.isfinite(loops.scores(X)).all()
        assert np.isfinite(loops.w.astype(float)).all()
    if form[0] not in NARROW:
        loops, twin = pair("two", "int8", 3, 100, form)
        for a, b in zip(X, y, strict=True):
            if np.abs(a).max() < 1e5:
                assert loops.step(a, b) == pytest.approx(twin.step(a, b), abs=1e-4)
        assert twin.t > 5
        assert_same(loops, twin, "int8")


@pytest.mark.parametrize("form", FORMS, ids="-".join)
def test_weights_stop_at_the_ends_of_their_range(form):
    loops, _ = pair("two", "int8", 2, 64, form)
    loops.parts["w"][:] = np.where(np.arange(128).reshape(64, 1, 2) % 2, 127, -127)
    loops.step(np.ones(2), 1.0, weight=1e6)
    assert loops.w.min() == -127
    assert loops.w.max() == 127


@pytest.mark.parametrize("form", EXACT, ids="-".join)
def test_exp(form):
    call = library(form[0], ()).shim_exp
    for x in [0.0, -0.1, -1.0, 2.0, -2.0, -36.7, -699.0, 0.34657, -0.34658, 5e-324]:
        assert call(x) == pytest.approx(math.exp(x), rel=5e-16)
    assert call(-701.0) == 0.0


@pytest.mark.parametrize("form", ["plain", *NARROW])
def test_the_header_is_strict_c(form):
    command = [*compiler(), *FORMS_OF_C[form], "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += ["-fsyntax-only", f"-I{LOOPS}", str(SHIM)]
    assert subprocess.run(command, capture_output=True, check=False).stderr == b""


SANITIZED = """
import sys
import numpy as np
from bench.bytes.shim import Sorf, variants
flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-O1")
rng = np.random.default_rng(0)
for form in sys.argv[1:]:
    for variant in variants(form, flags):
        for dtype in ("int8",) if form in ("single", "fixed") else ("int8", "float32", "float64"):
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
                    at = np.flatnonzero(rng.random(d) < 0.4)
                    s.step(X[0][at], 1, index=at)
                    s.scores(X[0][at], index=at)
                    s.scores(X[:19])
print("clean")
"""


@pytest.mark.parametrize("form", ["plain", *NARROW, pytest.param("vector", marks=pytest.mark.slow)])
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
