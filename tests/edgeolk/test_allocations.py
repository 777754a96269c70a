"""After construction and one warm-up nothing is taken from the heap.

A library that counts heap calls is preloaded into a child. Under Python's normal allocator the
count must be exactly 0 (floats come from its free lists); with PYTHONMALLOC=malloc every Python
object is a heap call, and what is taken must be given back.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers import EVERY, LIVELY, USUAL, python

#: Structured features with everything there is beside them.
SUBJECTS = {name: LIVELY.get(name, {}) for name in EVERY}
SUBJECTS["sorf"] = {"linear": True, "last_label": True, "relevance": True, "memory": 30}
#: By day some, at night the others too; all in one process, whose start takes as long as they do.
groups = pytest.mark.parametrize(
    "names",
    [USUAL, pytest.param([n for n in EVERY if n not in USUAL], marks=pytest.mark.slow)],
    ids=["usual", "others"],
)
#: Measurements of an algorithm that does not have all 27.
MEASURED = {"fogd": 20, "sorf": 22, "krls_auto": 17}

PROGRAM = """
import ctypes, gc, json, os, sys
import numpy as np
import edgeolk as ek

counter = ctypes.CDLL(None)
taken, given = (ctypes.c_long.in_dll(counter, name) for name in ("alloc_count", "free_count"))
rng = np.random.default_rng(0)
n, d, calls = 200, 6, int(sys.argv[2])
gc.collect()
gc.freeze()  # the imports' many objects stay; passes over them would take most of the time
X = rng.standard_normal((n, d))
labels = [1.0 if f > 0 else -1.0 for f in np.sin(2 * X[:, 0]) + rng.standard_normal(n)]
y = np.array(labels)


def heap_calls(call, count):
    gc.collect()
    gc.disable()
    a, b = taken.value, given.value
    call(count)
    c, e = taken.value, given.value
    gc.enable()
    return c - a, (c - a) - (e - b)


def measured(call, runs):
    "Heap calls of many runs after a warm-up, and those not given back."
    call(n)
    some, kept = heap_calls(call, runs)
    if os.environ.get("PYTHONMALLOC") == "malloc":
        # The measurement's own objects are counted too: what twice as many runs keep on top.
        kept = heap_calls(call, 2 * runs)[1] - kept
    return some, kept


def per_row(method, rows, *more):
    def call(count):
        for i in range(count):
            method(rows[i % n], *(column[i % n] for column in more))
    return call


def in_bulk(method, *arguments, out):
    def call(count):
        for _ in range(count // n):
            method(*arguments, out=out)
    return call


def leak():
    take, kept = ctypes.pythonapi.PyMem_RawMalloc, [0] * 2 * calls
    take.restype, take.argtypes = ctypes.c_size_t, [ctypes.c_size_t]

    def call(count):
        for i in range(count):
            kept[i] = take(64)
    return call


PAIRS = [("float32", "float32"), ("float32", "float64"), ("float64", "float64"),
         ("float16", "float32"), ("int8", "float64")]
few = min(calls, 2_000)
found = {"nothing": measured(lambda count: None, few)}
if sys.argv[1] == "itself":
    found["leak"] = measured(leak(), calls)
elif sys.argv[1] == "windows":
    for dtype in ("int16", "float32"):
        features = ["rms", "kurtosis", "bands", "correlation"]
        windows = ek.Windows(d, 64, 20, features, dtype=dtype)
        samples = (100 * X).astype(dtype)
        row = np.empty(windows.n_features, np.float32)
        found[f"feed_one {dtype}"] = measured(
            per_row(lambda x: windows.feed_one(x, out=row), list(samples)), calls)
        rows = np.empty((n // 20, windows.n_features), np.float32)  # n is a multiple of the hop
        found[f"feed_many {dtype}"] = measured(
            in_bulk(windows.feed_many, samples, out=rows), calls)
else:
    for name, params in json.loads(sys.argv[1]).items():
        for dtype, storage in PAIRS:
            if (name, dtype) in (("fogd", "int8"), ("sorf", "float16"), ("krls_auto", "int8"),
                                 ("krls_auto", "float16")):
                continue  # refused: frequencies have no levels, weights no half precision
            options = dict(n_features=d, budget=20, dtype=dtype, **params)
            learner, rows = ek.Learner(name, **options), X.astype(storage)
            each = list(rows)  # indexing a matrix makes an array: not ours to count
            out, key = np.empty(n), f"{name} {dtype} {storage}"
            found[f"learn_one {key}"] = measured(
                per_row(learner.learn_one, each, labels), calls)
            found[f"decision_one {key}"] = measured(per_row(learner.decision_one, each), few)
            found[f"predict_one {key}"] = measured(per_row(learner.predict_one, each), few)
            found[f"learn_many {key}"] = measured(
                in_bulk(learner.learn_many, rows, y, out=out), few)
            found[f"decision_function {key}"] = measured(
                in_bulk(learner.decision_function, rows, out=out), few)
            assert learner.updates > 0
            if storage == "float64" and dtype != "int8" and name != "fogd":
                sparse = ek.Learner(name, sparse=name not in ("sorf", "krls_auto"), **options)
                places = [np.array([0, 2, 5], np.int32)] * n
                numbers = [x[[0, 2, 5]] for x in rows]
                found[f"learn_one_sparse {key}"] = measured(
                    per_row(sparse.learn_one_sparse, places, numbers, labels), few)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not sys.platform.startswith("linux") or platform.libc_ver()[0] != "glibc":
        pytest.skip("counting heap calls by LD_PRELOAD needs Linux with glibc")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("counting heap calls needs a C compiler (cc)")
    library = tmp_path_factory.mktemp("counter") / "alloc_counter.so"
    source = Path(__file__).resolve().parent.parent / "support" / "alloc_counter.c"
    made = subprocess.run(
        [compiler, "-O1", "-fPIC", "-shared", "-fno-builtin", "-o", library, source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return library


def counts_of(counter: Path, names: Sequence[str], calls: int, **env: str) -> dict[str, list[int]]:
    found = counts(counter, json.dumps({name: SUBJECTS[name] for name in names}), calls, **env)
    assert len(found) == 1 + sum(MEASURED.get(name, 27) for name in names)
    return found


def counts(counter: Path, what: str, calls: int, **environment: str) -> dict[str, list[int]]:
    ran = python(PROGRAM, what, str(calls), LD_PRELOAD=str(counter), **environment)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_the_counter_counts(counter: Path) -> None:
    found = counts(counter, "itself", 1000)
    assert found == {"nothing": [0, 0], "leak": [1000, 1000]}


@groups
def test_no_heap_call_under_the_normal_allocator(counter: Path, names: Sequence[str]) -> None:
    found = counts_of(counter, names, 3_000)
    assert {what: taken for what, (taken, _) in found.items() if taken} == {}


@groups
def test_python_objects_are_given_back(counter: Path, names: Sequence[str]) -> None:
    found = counts_of(counter, names, 200, PYTHONMALLOC="malloc")
    # Below 0 the interpreter gave back something of its own, older than the measurement.
    assert {what: net for what, (_, net) in found.items() if net > 0} == {}


def test_windows_take_nothing(counter: Path) -> None:
    found = counts(counter, "windows", 2000)
    assert len(found) == 5
    assert {what: taken for what, (taken, _) in found.items() if taken} == {}
    found = counts(counter, "windows", 1000, PYTHONMALLOC="malloc")
    assert {what: net for what, (_, net) in found.items() if net > 0} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_no_heap_call_in_a_million_steps(counter: Path, name: str) -> None:
    found = counts_of(counter, [name], 1_000_000)
    assert {what: taken for what, (taken, _) in found.items() if taken} == {}
