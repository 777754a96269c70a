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
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import edgeolk as ek
from edgeolk.catalogue import METHODS
from edgeolk.parts import Dtype

DTYPES = [member.name.lower() for member in Dtype]
#: Options that change a region's size.
SIZED = {"hint_rows": (1, 40), "rank": (1, 60), "b0": (0, 60)}
CANARY = b"\xa5" * 64


@st.composite
def configurations(draw: Any) -> dict[str, Any]:
    """Arguments of a learner: any algorithm with any of its choices, kernel, storage and size."""
    method = draw(st.sampled_from(METHODS))
    options = {name: draw(st.sampled_from(list(row))) for name, row in method.choices.items()}
    public = method.public
    for stored, (low, high) in SIZED.items():
        name = public.get(stored, stored)
        if name in ("M", "b0", "k") and draw(st.booleans()):
            options[name] = draw(st.integers(low, high))
    if draw(st.booleans()) and method.name in ("olk", "ahpatron", "oskl"):
        options[public.get("U", "U")] = draw(st.sampled_from([30.0, float("inf")]))
    kernel = draw(
        st.sampled_from(
            [ek.Gaussian(0.3), ek.Laplacian(0.3), ek.Polynomial(2, 0.1), ek.Linear(), ek.Sigmoid()]
        )
    )
    return {
        "algorithm": method.name,
        "n_features": draw(st.integers(1, 64)),
        "budget": draw(st.integers(1, 150)),
        "kernel": kernel,
        "dtype": draw(st.sampled_from(DTYPES)),
        "coefficients": draw(st.sampled_from(["float64", "float32"])),
        **options,
    }


def planned(chosen: dict[str, Any]) -> ek.Plan | None:
    """The plan, or None where the library refuses the configuration with a sentence."""
    try:
        return ek.plan(**chosen)
    except (ValueError, TypeError) as error:
        # Both faces refuse alike: what cannot be planned cannot be built.
        with pytest.raises(type(error), match=re.escape(str(error))):
            ek.Learner(**chosen)
        return None


@pytest.mark.parametrize("examples", [250, pytest.param(2000, marks=pytest.mark.slow)])
def test_plan_learner_and_buffer_are_one_number(examples: int) -> None:
    many = [HealthCheck.filter_too_much, HealthCheck.too_slow]
    often = settings(max_examples=examples, deadline=None, suppress_health_check=many)
    often(given(configurations())(one_number))()


def one_number(chosen: dict[str, Any]) -> None:
    plan = planned(chosen)
    assume(plan is not None)
    assert plan is not None
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
    without = {"fogd": "int8", "sorf": "float16"}.get(method.name)
    for dtype in DTYPES:
        if dtype == without:
            continue
        assert (
            held(method.name, dtype)
            == ek.plan(method.name, n_features=9, budget=1200, dtype=dtype).nbytes
        )


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
    ("core/readers.pxd", "PyMem_Malloc"): "scratch of a second thread that reads at the same time",
    ("core/engine.pyx", "PyMem_Free"): "and its end",
    ("boundary/scoring.pyx", "np.empty"): "the array that decision_function returns",
    ("boundary/learning.pyx", "np.zeros"): "labels of rows for novelty, where none are given",
    ("boundary/scoring.pyx", "np.where"): "the array that predict returns",
    ("boundary/labels.pxd", "bytearray"): "a type that is no label",
    ("boundary/weights.pxd", "bytearray"): "a type that is no weight",
    ("boundary/batches.pxd", "np.asarray"): "indices that are no plain vector are converted",
    ("boundary/batches.pxd", "np.require"): "likewise",
    ("boundary/ndarray.pxd", "np.require"): "input that is no plain array is converted",
    ("calibration.pyx", "np.asarray"): "scores of many rows, for the estimators",
    ("calibration.pyx", "np.zeros_like"): "likewise",
    ("calibration.pyx", "np.empty_like"): "probabilities that are returned",
    ("river/columns.pyx", "np.zeros"): "the row of a model of dicts, once its columns are known",
    ("river/columns.pyx", "bytearray"): "a type that is not a number",
    ("scaling/rows.pxd", "PyArray_EMPTY"): "the array that a scaler returns without out=",
    ("scaling/rows.pxd", "np.argwhere"): "an error message",
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


def test_the_search_finds_what_it_should(tmp_path: Path) -> None:
    source = tmp_path / "probe.pyx"
    source.write_text(
        '"""malloc in words."""\nx = malloc(3)  # calloc in a comment\ny = np.empty(2)\n'
    )
    assert ALLOCATORS.findall(code_of(source)) == ["malloc", "np.empty"]
    header = tmp_path / "probe.h"
    header.write_text('/* malloc */ // calloc\nvoid *p = realloc(q, 3); char *s = "strdup";\n')
    assert ALLOCATORS.findall(code_of(header)) == ["realloc"]
