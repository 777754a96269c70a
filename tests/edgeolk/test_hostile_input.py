"""Arguments that change while they are converted or used, and memory that is not what it seems."""

from __future__ import annotations

import pickle
import re
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import Owned, python

import edgeolk as ek

N, D = 40, 5
#: Far beyond any row: a wild write, if anybody uses it.
WILD = 10**8


class Csr:
    """A CSR matrix of ones on the diagonal, as scipy would give it."""

    format = "csr"
    has_canonical_format = True

    def __init__(self, n: int = N, d: int = D) -> None:
        self.shape = (n, d)
        self.indptr: Any = np.arange(n + 1, dtype=np.int64)
        self.indices: Any = np.arange(n, dtype=np.int32) % d
        self.data: Any = np.ones(n)


class Sly:
    """An array-like that does something when it is converted."""

    def __init__(self, values: Any, act: Callable[[], Any]) -> None:
        self.values, self.act = np.asarray(values), act

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        self.act()
        return self.values


def owned(sparse: bool = True, **params: Any) -> Owned:
    return Owned("spa", n_features=D, budget=8, beta=1.0, sparse=sparse, **params)


def refused(subject: Owned, call: Callable[[], Any], why: str) -> None:
    before = subject.state()
    with pytest.raises((ValueError, TypeError), match=why):
        call()
    assert subject.state() == before


def labels(n: int = N) -> np.ndarray:
    return np.where(np.arange(n) % 2, 1.0, -1.0)


@pytest.mark.parametrize("field", ["indices", "indptr"])
@pytest.mark.parametrize("wild", [WILD, -WILD, -1, D])
def test_labels_whose_conversion_changes_the_rows(field: str, wild: int) -> None:
    X, subject = Csr(), owned()

    def act() -> None:
        getattr(X, field)[3] = wild if field == "indices" else wild + 100

    refused(subject, lambda: subject.learner.learn_many(X, Sly(labels(), act)), "X must")


@pytest.mark.parametrize("change", ["shape", "dtype"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_labels_whose_conversion_reshapes_the_rows(change: str) -> None:
    X, subject = np.ones((N, 8)), Owned("spa", n_features=8, budget=4)

    def act() -> None:
        if change == "shape":
            X.shape = (2 * N, 4)
        else:
            X.dtype = np.int8  # type: ignore[misc]

    refused(subject, lambda: subject.learner.learn_many(X, Sly(labels(), act)), "X|y must have")


def test_a_matrix_whose_parts_change_each_other() -> None:
    class Turning(Csr):
        @property
        def data(self) -> Any:
            return Sly(np.ones(N), lambda: self.indices.__setitem__(0, WILD))

        @data.setter
        def data(self, value: Any) -> None:
            pass

    subject = owned()
    refused(subject, lambda: subject.learner.learn_many(Turning(), labels()), "X must")
    refused(subject, lambda: subject.learner.decision_function(Turning()), "X must")


@pytest.mark.parametrize("change", ["value", "dtype", "shape"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_values_whose_conversion_changes_the_indices(change: str) -> None:
    indices = np.array([0, 2], np.int32)

    def act() -> None:
        if change == "value":
            indices[1] = WILD
        elif change == "dtype":
            indices.dtype = np.int8  # type: ignore[misc]
        else:
            indices.shape = (2, 1)

    subject = owned()
    values = Sly([1.0, 2.0], act)
    refused(subject, lambda: subject.learner.learn_one_sparse(indices, values, 1), "indices")


#: What the handler of a signal writes into the arguments of a long call, which looks at signals.
#: Of either word size.
BEYOND = "M.indptr[:] = np.iinfo(M.indptr.dtype).max // 8"
CHANGES = {
    "classes": ("learner.learn_many(X, y)", "y[:] = 1e15", {"n_classes": 3}),
    "labels": ("learner.learn_many(X, y)", "y[:] = np.nan", {}),
    "weights": ("learner.learn_many(X, y, weight=w)", "w[:] = np.nan", {}),
    "scored": ("learner.decision_function(M)", BEYOND, {}),
    "scored, sparse": ("learner.decision_function(M)", BEYOND, {"sparse": True}),
    "learned": ("learner.learn_many(M, y)", BEYOND, {}),
    "skipped": ("learner.learn_many(M, y)", BEYOND, {"on_bad_row": "skip"}),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal here")
@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.spread(9)
def test_arguments_that_change_in_a_long_call(what: str) -> None:
    """An index that has become none is refused where it is used."""
    call, change, options = CHANGES[what]
    code = f"""
import signal
from types import SimpleNamespace
import numpy as np
import edgeolk as ek
n, d = 100_000, 5
X = np.random.default_rng(0).normal(size=(n, d))
M = SimpleNamespace(format="csr", shape=(n, d), indptr=np.arange(n + 1), data=np.ones(n),
                    indices=np.arange(n, dtype=np.int32) % d)
options = {options!r}
if options.get("on_bad_row"):
    M.data[n - 10] = np.nan  # the rows before it are learned first
y = np.where(np.arange(n) % 2, 1.0, 0.0 if "n_classes" in options else -1.0)
w = np.full(n, 2.0)
learner = ek.Learner("ogd", n_features=d, budget=2000, **options)
learner.learn_many(X[:2000], y[:2000])
changed = []
def handler(*_):
    changed.append(learner.steps)
    {change}
signal.signal(signal.SIGALRM, handler)
for wait in (0.02, 0.005, 0.001):
    signal.setitimer(signal.ITIMER_REAL, wait)
    try:
        {call}
    except ValueError as error:
        # Or it was seen while the call still looked at its arguments.
        told = "changed since" in str(error) or "contradict" in str(error)
        assert told or "skip" in str(options), error
    if changed:
        break
assert changed, "the call was over before the signal"
assert np.all(np.isfinite(learner.dual_coef_))
assert np.all(np.isfinite(learner.scores(X[:100])))
"""
    ran = python(code)
    assert ran.returncode == 0, (ran.returncode, ran.stderr[-500:])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("indices", np.zeros((N, 1), np.int32)), ("indices", np.zeros((1, N), np.int32)),
        ("indices", np.zeros(N)), ("indices", np.full(N, 2**40)), ("indptr", np.arange(N + 1.0)),
        ("indptr", np.arange(N + 1)[None]), ("indptr", np.arange(N + 1).astype(bool)),
        ("data", np.ones((N, 1))), ("data", np.ones(N, complex)),
    ],
    ids=str,
)  # fmt: skip
def test_parts_of_a_matrix_that_are_none(field: str, value: Any) -> None:
    X, subject = Csr(), owned()
    setattr(X, field, value)
    refused(subject, lambda: subject.learner.learn_many(X, labels()), r"X(\.\w+)? must")


# ---- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["object", "record with an object", "pointer"])
def test_a_buffer_of_objects_is_refused(kind: str) -> None:
    import ctypes

    kinds: dict[str, Any] = {
        "object": np.array([[i] for i in range(5000)] + [None], object),
        "record with an object": np.zeros(3000, [("n", "f8"), ("held", "O")]),
        "pointer": (ctypes.POINTER(ctypes.c_int) * 3000)(),
    }
    with pytest.raises(TypeError, match="buffer must be memory of bytes or numbers"):
        ek.Learner("rbp", n_features=2, budget=3, buffer=kinds[kind])
    with pytest.raises((TypeError, ValueError), match="buffer"):
        ek.attach(kinds[kind])
    if kind == "object":
        assert kinds[kind][7] == [7]


def test_scores_are_not_written_over_a_learner() -> None:
    """Neither its own buffer nor another learner's."""
    memory = np.zeros(4000)
    learner = ek.Learner("spa", n_features=2, budget=3, buffer=memory)
    other = ek.Learner("spa", n_features=2, budget=3)
    before = memory.tobytes()
    for subject in (learner, other):
        for call in (
            lambda X, out, s=subject: s.decision_function(X, out=out),
            lambda X, out, s=subject: s.averaged.decision_function(X, out=out),
            lambda X, out, s=subject: s.learn_many(X, np.ones(len(X)), out=out),
        ):
            for start in (0, 10, learner.nbytes // 8 - 1):
                with pytest.raises(ValueError, match="out must not share memory"):
                    call(np.ones((5, 2)), memory[start : start + 5])
    assert memory.tobytes() == before
    behind = memory[-5:]
    assert learner.decision_function(np.ones((5, 2)), out=behind) is behind
    del learner, subject, call
    assert other.decision_function(np.ones((5, 2)), out=memory[:5]).shape == (5,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_arguments_whose_conversion_makes_others_no_numbers() -> None:
    X, y, subject = Csr(), labels(), owned()

    def act(of: np.ndarray) -> Callable[[], None]:
        return lambda: setattr(of, "dtype", np.int64)

    learner = subject.learner
    refused(subject, lambda: learner.learn_many(X, Sly(y, act(X.data))), "X has changed while")
    plain = Owned("ogd", n_features=D, budget=8)
    weight = Sly(np.ones(N), act(y))
    refused(plain, lambda: plain.learner.learn_many(np.ones((N, D)), y, weight=weight),
            "y has changed while")  # fmt: skip


# ---- what the handler of a signal changes in the middle of a call --------------------------------

LONG, WIDE = 3000, 60
LABELS = np.where(np.arange(LONG) % 2, 1.0, -1.0)
DENSE = np.random.default_rng(0).normal(size=(LONG, WIDE))


def wild_indices(X: Csr) -> None:
    X.indices[:] = 2**30


def wild_rows(X: Csr) -> None:
    X.indptr[:] = 2**60


#: An algorithm, its options, a long call, and what becomes of its rows.
MIDDLE: dict[str, tuple[str, dict[str, Any], Callable[[Any, Csr], Any], Callable[[Csr], None]]] = {
    "scored together": ("ogd", {}, lambda m, X: m.decision_function(X), wild_rows),
    "scored": ("fogd", {}, lambda m, X: m.decision_function(X), wild_rows),
    "narrow": ("ogd", {"dtype": "float16"}, lambda m, X: m.decision_function(X), wild_indices),
    "float32": ("ogd", {}, lambda m, X: m.decision_function(X), wild_indices),
    "scaled": ("ogd", {"scale": "standard"}, lambda m, X: m.decision_function(X), wild_indices),
    "classes": (
        "ogd",
        {"n_classes": 3},
        lambda m, X: m._answer_many(X, np.arange(LONG) % 3, np.empty(LONG), np.empty(LONG + 3)),
        wild_rows,
    ),
    "variances": (
        "sorf",
        {"budget": 1024, "gaussian_process": 3, "loss": "square"},
        lambda m, X: m.variance(X),
        wild_rows,
    ),
}


def changed_in_the_middle(begin: Callable[[], tuple[Callable[[], Any], Callable[[], Any]]]) -> None:
    """A call is refused for a row that is no longer one.

    ``begin`` makes the call and what changes its rows. On a busy machine the signal may come before
    the first look at the rows: then another call begins.
    """
    for _ in range(20):
        call, change = begin()
        before = signal.signal(signal.SIGALRM, lambda *_, change=change: change())
        signal.setitimer(signal.ITIMER_REAL, 1e-3)
        try:
            with pytest.raises(ValueError, match=r"CSR matrix|have changed") as refusal:
                call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
        if re.match(r"X\[\d+\]: its indices or numbers have changed", str(refusal.value)):
            return
    pytest.fail("every call was refused before it began")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal here")
@pytest.mark.parametrize("what", MIDDLE)
@pytest.mark.filterwarnings("ignore:X is mostly zeros")
def test_rows_that_change_in_the_middle_of_a_call(what: str) -> None:
    name, options, call, change = MIDDLE[what]
    learner = ek.Learner(name, **{"n_features": WIDE, "budget": 2000, **options})
    known = np.arange(LONG) % 3 if what == "classes" else LABELS
    learner.learn_many(DENSE[:2000], known[:2000])

    def begin() -> tuple[Callable[[], Any], Callable[[], Any]]:
        X = Csr(LONG, WIDE)
        return lambda: call(learner, X), lambda: change(X)

    changed_in_the_middle(begin)
    assert np.isfinite(learner.scores(DENSE[:9])).all()
    assert pickle.loads(pickle.dumps(learner)).steps == learner.steps


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal here")
def test_counts_that_change_in_the_middle_of_a_call() -> None:
    learner, counts = ek.Learner(n_features=WIDE, D=1024), np.ones(LONG)
    changed_in_the_middle(
        lambda: (
            lambda: learner._learn_many(DENSE, LABELS, None, counts),
            lambda: counts.fill(np.nan),
        )
    )
    assert learner.steps < LONG
    assert np.isfinite(learner.decision_function(DENSE[:9])).all()
