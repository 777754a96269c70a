"""The contract: what the plan says, what the learner says and what it holds are one number."""

from __future__ import annotations

import io
import re
import tokenize
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import whole_end
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import configurations, types_of

import edgeolk as ek
from edgeolk.parts.methods import METHODS

CANARY = b"\xa5" * 64


@pytest.mark.parametrize("examples", [250, pytest.param(2000, marks=pytest.mark.slow)])
def test_plan_learner_and_buffer_are_one_number(examples: int) -> None:
    often = settings(max_examples=examples, deadline=None, database=None)
    often(given(configurations(), st.integers(1, 150))(one_number))()


def one_number(chosen: dict[str, Any], budget: int) -> None:
    try:
        plan = ek.plan(**chosen, budget=budget)
    except ValueError:
        return  # too small a budget for this one
    chosen = {**chosen, "budget": budget}
    assert whole_end(plan) == plan.nbytes
    frame = bytearray(CANARY + bytes(plan.nbytes) + CANARY)
    exact = memoryview(frame)[len(CANARY) : -len(CANARY)]
    learner = ek.Learner(**chosen, buffer=exact)
    assert learner.nbytes == plan.nbytes == len(exact)
    assert learner.plan == plan
    row = np.linspace(-1.0, 1.0, chosen["n_features"])
    for label in (1.0, -1.0, 1.0):
        try:
            learner.learn_one(label * row, label)
        except ek.BudgetError:
            break
    assert frame.startswith(CANARY)
    assert frame.endswith(CANARY)
    with pytest.raises(ValueError, match=f"must hold {plan.nbytes} bytes, got {plan.nbytes - 1}"):
        ek.Learner(**chosen, buffer=bytearray(plan.nbytes - 1))


def held(algorithm: str, dtype: str) -> int:
    """The largest block Python's allocator gave for a learner, its tables made before."""
    build: Any = {"n_features": 9, "budget": 1200, "dtype": dtype}
    ek.Learner(algorithm, **build)
    tracemalloc.start()
    try:
        learner = ek.Learner(algorithm, **build)
        sizes = [trace.size for trace in tracemalloc.take_snapshot().traces]
    finally:
        tracemalloc.stop()
    assert learner.nbytes in sizes
    return max(sizes)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_bytes_really_held(method: Any) -> None:
    for dtype in types_of(method.name):
        plan = ek.plan(method.name, n_features=9, budget=1200, dtype=dtype)
        assert held(method.name, dtype) == plan.nbytes


# ---- who may allocate ----------------------------------------------------------------------------

ROOT = Path(ek.__file__).parent
ALLOCATORS = re.compile(
    r"\b(malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|memalign|valloc|alloca"
    r"|strdup|mmap|sbrk|PyMem_\w+|PyObject_(?:Malloc|Calloc|Realloc|New\w*)|PyBytes_From\w+"
    r"|PyArray_(?:EMPTY|ZEROS|New\w*|Simple\w+|From\w+|Copy|NewCopy|Cast\w*)"
    r"|np\.(?:\w*empty\w*|\w*zeros\w*|\w*ones\w*|array|asarray\w*|arange|require|where|argwhere"
    r"|copy|full|concatenate|frombuffer)|bytearray|cvarray|libcpp|new)\b"
)
#: (file, call) -> why it may.
ALLOWED = {
    ("core/arena.pyx", "PyMem_Calloc"): "the one allocation",
    ("core/arena.pyx", "PyMem_Free"): "and its end",
    ("engine/engine.pyx", "bytearray"): "scratch of a second thread that reads at the same time",
    ("rows/scoring.pyx", "np.empty"): "the array that decision_function returns",
    ("rows/learning.pyx", "np.empty"): "the scores of classes that ask_one returns",
    ("rows/learning.pyx", "np.zeros"): "labels of rows for novelty, where none are given",
    ("rows/scoring.pyx", "np.asarray"): "the row of a second thread that reads, as a matrix",
    ("rows/scoring.pyx", "np.where"): "the array that predict returns",
    ("rows/checks.pxd", "bytearray"): "a type that is no label and no weight",
    ("rows/batches.pxd", "np.asarray"): "indices that are no plain vector are converted",
    ("rows/batches.pxd", "np.require"): "likewise",
    ("rows/arrays.pxd", "np.require"): "input that is no plain array is converted",
    ("calibration.pyx", "np.asarray"): "scores of many rows, for the estimators",
    ("calibration.pyx", "np.zeros_like"): "likewise",
    ("calibration.pyx", "np.empty_like"): "probabilities that are returned",
    ("probabilities.pyx", "np.zeros"): "counts of the labels, once",
    ("probabilities.pyx", "np.array"): "counts from a file",
    ("probabilities.pyx", "np.empty"): "probabilities and margins that are returned",
    ("river/columns.pyx", "np.zeros"): "the row of a model of dicts, once its columns are known",
    ("river/columns.pyx", "bytearray"): "a type that is not a number",
    ("windows/windows.pyx", "np.empty"): "the row, or the rows, that are returned",
    ("windows/windows.pyx", "PyArray_SimpleNew"): "the samples of a file",
    ("scaling/rows.pxd", "PyArray_EMPTY"): "the array that a scaler returns without out=",
    ("scaling/rows.pxd", "np.argwhere"): "an error message",
    ("scaling/state.pyx", "bytearray"): "a file",
    ("scaling/state.pyx", "np.array"): "copies of the statistics, for the curious",
}


def code_of(path: Path) -> str:
    """A source file without comments and strings."""
    text = path.read_text()
    if path.suffix == ".h":
        text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", " ", text, flags=re.S)
        return text
    kept = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.COMMENT, tokenize.STRING):
            kept.append("\n" if token.type == tokenize.NEWLINE else token.string)
    return re.sub(r" ?\. ?", ".", " ".join(kept))


def test_a_checkpoint_takes_a_copy_of_its_payload(tmp_path: Path) -> None:
    learner = ek.Learner("spa", n_features=64, budget=1000)
    rows = np.random.default_rng(1).normal(size=(50, 64))
    learner.learn_many(rows, np.where(rows[:, 0] > 0.0, 1.0, -1.0))
    payload = len(learner._sealed())
    with ek.Checkpointer(tmp_path) as checkpoints:
        for _ in range(3):
            checkpoints.write(learner)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        checkpoints.write(learner)
        after, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert payload < peak - before < payload + 8000
    assert after - before < 2000


def test_only_the_arena_allocates() -> None:
    found = set()
    files = [p for kind in ("pyx", "pxd", "h") for p in sorted(ROOT.rglob(f"*.{kind}"))]
    assert len(files) > 20
    for path in files:
        for call in ALLOCATORS.findall(code_of(path)):
            found.add((path.relative_to(ROOT).as_posix(), call))
    assert found == set(ALLOWED), "an allocator was called, or one that was allowed no longer is"
