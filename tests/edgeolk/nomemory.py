"""Run by test_out_of_memory in a process of its own: allocations fail one after the other.

``python nomemory.py OPERATION ALGORITHM DTYPE`` prints a JSON record of what came out; without
arguments, of what a second reader is told.
"""

from __future__ import annotations

import _testcapi
import contextlib
import gc
import json
import os
import sys
import tempfile
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import edgeolk as ek

ROUNDS = 300
PASSES = 40  # in a row: Python does without some allocations, so one pass is not the end


def operations(algorithm: str, dtype: str, path: str) -> dict[str, Callable[[], Any]]:
    """What is tried, by name; each leaves the world as it found it."""
    build: dict[str, Any] = {"n_features": 3, "budget": 8, "dtype": dtype}
    plan = ek.plan(algorithm, **build)
    memory = bytearray(plan.nbytes)
    ek.Learner(algorithm, **build, buffer=memory)
    lent = bytearray(plan.nbytes)
    model = trained(ek.Learner(algorithm, **build))
    model.save(path)
    return {
        "construct": lambda: ek.Learner(algorithm, **build),
        "buffer": lambda: ek.Learner(algorithm, **build, buffer=lent),
        "ram": lambda: ek.plan(algorithm, n_features=3, ram="4KiB", dtype=dtype),
        "plan": lambda: ek.plan(algorithm, **build),
        "attach": lambda: ek.attach(memory),
        "load": lambda: ek.load(path),
        "save": lambda: model.save(path),
    }


def trained(learner: ek.Learner) -> ek.Learner:
    """A learner that has seen a few rows."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        with contextlib.suppress(ek.BudgetError):
            learner.learn_one(rng.uniform(-1.0, 1.0, 3), rng.choice([-1.0, 1.0]))
    return learner


def sweep(operation: Callable[[], Any], outcomes: Counter[str]) -> int:
    """Fail the first allocation, then the second, ... until none is left; how many failed."""
    failed = passed = k = 0
    while passed < PASSES:
        name = ""
        _testcapi.set_nomemory(k, k + 1)
        try:
            operation()
        except BaseException as error:
            _testcapi.remove_mem_hooks()
            name = type(error).__name__
            if name != "MemoryError":
                name += f": {error}"
            del error
        else:
            _testcapi.remove_mem_hooks()
        if name:
            failed += 1
            outcomes[name] += 1
        passed = 0 if name else passed + 1
        k += 1
    return failed


def main(name: str, algorithm: str, dtype: str) -> dict[str, Any]:
    """Sweep until `ROUNDS` allocations have failed; see the module."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.olk")
        bystander = trained(ek.Learner(algorithm, n_features=3, budget=8, dtype=dtype))
        twin = trained(ek.Learner(algorithm, n_features=3, budget=8, dtype=dtype))
        before = bytes(bystander._engine.arena)
        os.fsync = lambda descriptor: None  # a thousand saves need not reach the disk
        operation = operations(algorithm, dtype, path)[name]
        outcomes: Counter[str] = Counter()
        sweep(operation, outcomes)  # warm up: caches fill on the way
        tracemalloc.start()
        gc.collect()
        rounds, start, blocks = 0, tracemalloc.get_traced_memory()[0], sys.getallocatedblocks()
        while rounds < ROUNDS:
            rounds += sweep(operation, outcomes)
        gc.collect()
        blocks = sys.getallocatedblocks() - blocks
        lost = tracemalloc.get_traced_memory()[0] - start
        models = sum(t.size == bystander.nbytes for t in tracemalloc.take_snapshot().traces)
        tracemalloc.stop()
        unchanged = bytes(bystander._engine.arena) == before
        row = np.linspace(-1.0, 1.0, 3)
        scores = [learner.decision_one(row) for learner in (bystander, twin)]
        operation()
        return {
            "outcomes": dict(outcomes),
            "rounds": rounds,
            "bytes": lost,
            "blocks": blocks,
            "models": models,
            "usable": unchanged and scores[0] == scores[1],
            "left": sorted(set(os.listdir(folder)) - {"model.olk"}),
            "loads": ek.load(path).steps,
        }


def second_reader() -> dict[str, Any]:
    """A call's allocations fail while another thread reads with the scratch of the block."""
    learner = trained(ek.Learner("pa1", n_features=3, budget=40))
    steps = learner.steps
    rows = np.random.default_rng(4).uniform(-1.0, 1.0, (20, 3))
    expected, out = learner.decision_function(rows), np.empty(len(rows))
    many = np.tile(rows, (50_000, 1))
    far = np.empty(len(many))
    reader = threading.Thread(target=learner.decision_function, args=(many, far))
    reader.start()
    while reader.is_alive():  # it is inside once a call that learns is refused
        try:
            learner.learn_many(rows[:0], rows[:0, 0])
        except RuntimeError:
            break
    outcomes: Counter[str] = Counter()
    for k in range(PASSES):
        _testcapi.set_nomemory(k, k + 1)
        try:
            learner.decision_function(rows, out)
        except MemoryError as error:
            _testcapi.remove_mem_hooks()
            outcomes[str(error)] += 1
        _testcapi.remove_mem_hooks()
    beside = reader.is_alive()
    reader.join()
    same = np.array_equal(learner.decision_function(rows, out), expected)
    learner.learn_one(rows[0], 1.0)
    return {
        "outcomes": dict(outcomes),
        "beside": beside,
        "same": same and np.array_equal(far[: len(rows)], expected),
        "learned": learner.steps - steps,
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:]) if sys.argv[1:] else second_reader()))
