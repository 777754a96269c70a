"""Going on where a model lies: in another alignment, in shared memory, or not at all."""

from __future__ import annotations

import faulthandler
import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers import LIVELY, RINGS, in_turn
from synthetic import random_stream

import edgeolk as ek
from edgeolk.configuration.header import FIXED_BYTES, MARK

#: The rows leave the range that is given here; they count as its ends.
pytestmark = pytest.mark.filterwarnings("ignore:a reading lies outside")

D, B = 3, 7
X, Y = random_stream(12, 120, D)
SUBJECTS = in_turn(RINGS, ("float32", "float64", "float16", "int8"))
#: Types that an algorithm does not store.
UNTAKEN = [("fogd", "int8"), ("krls_auto", "int8"), ("krls_auto", "float16")]
subjects = pytest.mark.parametrize(
    ("name", "dtype"),
    [case for case in SUBJECTS if case.values not in UNTAKEN],
)


@pytest.fixture(autouse=True)
def watch() -> Iterator[None]:
    """A loop without end in compiled code cannot be interrupted: say where, and stop the run."""
    faulthandler.dump_traceback_later(60, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def options(name: str, dtype: str = "float32") -> dict[str, Any]:
    shared = {"n_features": D, "budget": B, "dtype": dtype, **LIVELY.get(name, {})}
    if dtype == "int8":
        shared["feature_range"] = (-2.0, 3.0)
    return shared


def block_of(name: str, dtype: str = "float32", rows: int = 60, start: int = 0) -> bytearray:
    """Memory in which a learner has seen some rows and is gone, its block at any offset."""
    sizing = {key: value for key, value in options(name, dtype).items() if key != "feature_range"}
    memory = bytearray(ek.plan(name, **sizing).nbytes + start)
    learner = ek.Learner(name, seed=3, buffer=memoryview(memory)[start:], **options(name, dtype))
    learner.learn_many(X[:rows], Y[:rows])
    del learner
    return memory


@subjects
def test_going_on_bit_for_bit_in_another_alignment(name: str, dtype: str) -> None:
    whole = ek.Learner(name, seed=3, **options(name, dtype))
    expected = whole.learn_many(X, Y)
    for shift in (0, 1, 8, 63):
        held = block_of(name, dtype)
        moved = np.zeros(len(held) + 64, np.uint8)[shift:]
        moved[: len(held)] = held
        again = ek.attach(moved[: len(held)])
        assert again.learn_many(X[60:], Y[60:]).tobytes() == expected[60:].tobytes()
        counters = ("steps", "mistakes", "updates", "capacity_hits", "halvings", "n_out_of_range")
        for counter in (*counters, "norm2"):
            assert getattr(again, counter) == getattr(whole, counter)
        assert again.dual_coef_.tobytes() == whole.dual_coef_.tobytes()
        assert again.support_vectors_.tobytes() == whole.support_vectors_.tobytes()
        assert again.plan == whole.plan
        if whole.parts.get("averaging") == ek.Averaging.MEAN:
            assert again.averaged.decision_one(X[0]) == whole.averaged.decision_one(X[0])


def test_two_learners_in_one_buffer_are_refused() -> None:
    memory = block_of("rbp")
    first = ek.attach(memory)
    before = bytes(memory)
    with pytest.raises(ValueError, match="in use by another model"):
        ek.attach(memory)
    with pytest.raises(ValueError, match="in use by another model"):
        ek.Learner("rbp", buffer=memory, **options("rbp"))
    with pytest.raises(BufferError):
        memory.append(0)
    assert bytes(memory) == before
    assert first.learn_one(X[0], 1) is not None
    del first
    gc.collect()
    assert ek.attach(memory).steps == 61


def test_a_larger_buffer_keeps_what_lies_behind() -> None:
    memory = block_of("spa") + b"\xa5" * 100
    learner = ek.attach(memory)
    learner.learn_many(X, Y)
    del learner
    assert memory[-100:] == b"\xa5" * 100


def refused(buffer: Any) -> None:
    """A ValueError, and the buffer as it was and free again."""
    before = bytes(buffer)
    with pytest.raises(ValueError, match=r"\w"):
        ek.attach(buffer)
    assert bytes(buffer) == before


def test_garbage() -> None:
    rng = np.random.default_rng(0)
    for size in (0, 1, 8, 63, 64, 100, FIXED_BYTES, 3000):
        refused(bytearray(size))
        refused(bytearray(rng.bytes(size)))
        refused(bytearray(MARK * (size // 4)))
        refused(bytearray(MARK + b"\3\0" + bytes(size)))
        refused(bytearray(b"edgeolk\0\2\0\0\0" + bytes(size)))


def test_truncated() -> None:
    memory = block_of("ahpatron")
    for size in {*range(0, len(memory), 41), len(memory) - 1, FIXED_BYTES, 64}:
        refused(memory[:size])
    ek.attach(memory)


@pytest.mark.parametrize("kind", ["bytes", "read-only", "strided", "list", "number", "text"])
def test_not_even_writable_memory(kind: str) -> None:
    memory = block_of("rbp")
    frozen = np.frombuffer(bytes(memory), np.uint8)
    kinds: dict[str, Any] = {
        "bytes": bytes(memory),
        "read-only": frozen,
        "strided": np.repeat(frozen, 2)[::2],
        "list": list(memory),
        "number": len(memory),
        "text": "edgeolk",
    }
    with pytest.raises(TypeError, match="buffer must be"):
        ek.attach(kinds[kind])


def test_a_model_begins_only_where_its_numbers_are_aligned() -> None:
    """Its mark may be found at other places."""
    memory = bytearray(ek.plan("perceptron", n_features=3, budget=3).nbytes)
    ek.Learner("perceptron", n_features=3, budget=3, buffer=memory)
    moved = bytearray(8) + memory[memory.find(MARK) :] + bytes(64)
    with pytest.raises(ValueError, match="buffer holds a model at byte 8, where none can start"):
        ek.attach(moved)
