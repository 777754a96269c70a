"""What is timed: whole passes by bulk and by single calls, and calls that do almost nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time

import numpy as np

import edgeolk as ek
from bench.datasets import Dataset
from bench.speed.numpy_rbp import NumpyRbp
from bench.speed.subjects import A9A_GAMMA, SYNTHETIC_GAMMA
from bench.timing import Case

CALLS = 100_000


def _learner(
    algorithm: str, data: Dataset, budget: int, gamma: float, dtype: str, sparse: bool = False
) -> ek.Learner:
    return ek.Learner(
        algorithm,
        n_features=data.X.shape[1],
        budget=budget,
        kernel=ek.Gaussian(gamma),
        scale=None,
        dtype=dtype,
        sparse=sparse,
    )


def learn_many_pass(
    algorithm: str,
    data: Dataset,
    budget: int,
    gamma: float,
    dtype: str = "float32",
    sparse: bool = False,
) -> float:
    """Seconds of one ``learn_many`` over all the rows."""
    learner = _learner(algorithm, data, budget, gamma, dtype, sparse)
    X = data.X.astype(dtype, copy=False)
    scores = np.zeros(len(data))
    start = process_time()
    learner.learn_many(X, data.y, out=scores)
    return process_time() - start


def learn_one_pass(data: Dataset, budget: int, gamma: float, dtype: str, ready: bool) -> float:
    """Seconds of a Python loop of ``rbp.learn_one``; ``ready``: rows are cut out beforehand."""
    learner = _learner("rbp", data, budget, gamma, dtype)
    X = data.X.astype(dtype, copy=False)
    labels = data.y.tolist()
    rows = list(X) if ready else X
    learn_one = learner.learn_one
    start = process_time()
    for x, label in zip(rows, labels, strict=True):
        learn_one(x, label)
    return process_time() - start


def numpy_pass(data: Dataset, budget: int, gamma: float) -> float:
    """Seconds of one pass of the plain numpy RBP, float32."""
    learner = NumpyRbp(data.X.shape[1], budget, gamma)
    start = process_time()
    learner.learn_many(data.X, data.y)
    return process_time() - start


def mistakes_of_both(data: Dataset, budget: int, gamma: float) -> tuple[int, int]:
    """Mistakes of our RBP and of the numpy one over the same rows."""
    ours = _learner("rbp", data, budget, gamma, "float32")
    ours.learn_many(data.X, data.y)
    theirs = NumpyRbp(data.X.shape[1], budget, gamma)
    theirs.learn_many(data.X, data.y)
    return ours.mistakes, theirs.mistakes


def a9a_cases(data: Dataset, budget: int) -> list[Case]:
    """rbp over a9a at one budget: float32, the peer, float64, sparse."""
    n, gamma, tag = len(data), A9A_GAMMA, f"a9a-{budget}"
    ours = partial(learn_many_pass, "rbp", data, budget, gamma)
    peer = partial(numpy_pass, data, budget, gamma)
    return [
        Case(f"{tag}-rbp", "rbp", n, ours),
        Case(f"{tag}-numpy", "rbp in plain numpy, float32", n, peer),
        Case(f"{tag}-rbp64", "rbp, float64", n, partial(ours, "float64")),
        Case(
            f"{tag}-sparse",
            "rbp, sparse=True, the same dense rows",
            n,
            partial(ours, "float32", True),
        ),
    ]


def synthetic_cases(data: Dataset, budget: int, peer_rows: int) -> list[Case]:
    """RBP over the synthetic set, in bulk and row by row; the peer on a prefix."""
    n, gamma = len(data), SYNTHETIC_GAMMA
    head = data.head(peer_rows)
    title = f"plain numpy, float32, first {len(head):,} rows"
    peer = partial(numpy_pass, head, budget, gamma)
    cases = [Case("synthetic-numpy", title, len(head), peer)]
    for dtype in ("float32", "float64"):
        bulk = partial(learn_many_pass, "rbp", data, budget, gamma, dtype)
        ready = partial(learn_one_pass, data, budget, gamma, dtype, True)
        cut = partial(learn_one_pass, data, budget, gamma, dtype, False)
        cases += [
            Case(f"synthetic-{dtype}", f"learn_many, {dtype}", n, bulk),
            Case(f"synthetic-one-{dtype}", f"learn_one, {dtype}, rows ready", n, ready),
            Case(f"synthetic-cut-{dtype}", f"learn_one, {dtype}, rows cut in the loop", n, cut),
        ]
    return cases


def _time_calls(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


def call_cases(data: Dataset) -> list[Case]:
    """Single calls and bulk over the same rows, one support vector; and the bare loop."""
    learner = _learner("stoptron", data, 1, SYNTHETIC_GAMMA, "float32")
    learner.learn_one(data.X[0], 1)
    block = data.X[:1000]
    repeats = CALLS // len(block)
    labels = np.ones(len(block))
    scores = np.zeros(len(block))
    rows = list(block) * repeats
    decision_one, learn_one = learner.decision_one, learner.learn_one

    def bare() -> None:
        for _ in rows:
            pass

    def decide() -> None:
        for x in rows:
            decision_one(x)

    def learn() -> None:
        for x in rows:
            learn_one(x, 1.0)

    def decide_many() -> None:
        for _ in range(repeats):
            learner.decision_function(block, out=scores)

    def learn_many() -> None:
        for _ in range(repeats):
            learner.learn_many(block, labels, out=scores)

    calls: dict[str, tuple[str, Callable[[], object]]] = {
        "bare": ("the loop alone", bare),
        "decide": ("decision_one(ndarray) in a loop", decide),
        "decide-many": ("decision_function, 1,000 rows a call", decide_many),
        "learn": ("learn_one(ndarray, float) in a loop", learn),
        "learn-many": ("learn_many, 1,000 rows a call", learn_many),
    }
    return [
        Case(f"call-{key}", title, len(rows), partial(_time_calls, call))
        for key, (title, call) in calls.items()
    ]
