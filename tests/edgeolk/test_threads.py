"""One learner, several threads: many may read, one may learn alone, other calls raise.

The contract is in docs/threads.md. Long calls release the interpreter lock; the others do not. On a
free-threaded Python, which has none, a learner has a lock of its own.
"""

from __future__ import annotations

import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers import BY_DAY, EVERY, LIVELY, python
from synthetic import random_stream
from threaded import together

import edgeolk as ek

D, B, N, THREADS = 6, 30, 2000, 4
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
#: Passes over the rows: without locks, threads without the interpreter lock lose 3 rows of 10,000.
TIMES = 100 if FREE_THREADED else 2
X, Y = random_stream(5, N, D)
every = pytest.mark.parametrize("name", EVERY)
IN_USE = "in use by another thread"


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def learner_of(name: str, **more: Any) -> ek.Learner:
    options = {"n_features": D, "budget": B, **LIVELY.get(name, {}), **more}
    learner = ek.Learner(name, **options)
    learner.learn_many(X[:300], Y[:300])
    return learner


def refused(call: Callable[[], Any]) -> bool:
    """Whether a call is refused because of another thread."""
    try:
        call()
    except RuntimeError as error:
        if IN_USE not in str(error):
            raise
        return True
    return False


def accept(learner: ek.Learner, learn: Callable[..., Any], rows: Any, labels: Any) -> tuple:
    """Learn, and return rows, labels, scores, and between which counts of steps it did.

    Another thread may learn before the first count is read, or until the second is.
    """
    first = learner.steps
    scores = np.atleast_1d(learn(rows, labels))
    return rows, labels, scores, first, learner.steps


def replays(before: bytes, threads: list[list[Any]]) -> Iterator[bytes]:
    """What each order of calls that fits their scores and steps makes of a model file.

    Of each thread the calls that learned, in its order, as `accept` returns them. A call returns
    the scores of the model that it found, and so tells what came before it; where many models have
    the same scores, its steps do.
    """
    waiting = [(before, (0,) * len(threads))]
    seen = set(waiting)
    while waiting:
        data, done = waiting.pop()
        if all(at == len(calls) for at, calls in zip(done, threads, strict=True)):
            yield data
        for i, calls in enumerate(threads):
            for rows, labels, f, first, last in calls[done[i] : done[i] + 1]:
                alone = ek.Learner._from_block(data)
                if not first <= alone.steps <= last - len(rows):
                    continue
                # The first row tells most wrong orders.
                if alone.learn_one(rows[0], labels[0]) != f[0]:
                    continue
                if not np.array_equal(alone.learn_many(rows[1:], labels[1:]), f[1:]):
                    continue
                following = bytes(alone._sealed()), (*done[:i], done[i] + 1, *done[i + 1 :])
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)


@pytest.mark.parametrize("name", BY_DAY)
@pytest.mark.spread(3)
def test_learning_beside_anything_raises_and_corrupts_nothing(name: str) -> None:
    """Whatever was learned was learned whole: replayed alone it gives the same bytes.

    The order in which calls were accepted cannot be noted without a lock around them: it is found
    by their scores and steps.
    """
    learner = learner_of(name)
    start, before = learner.steps, bytes(learner._sealed())
    accepted: list[list[Any]] = [[], [], []]

    def learn_many(calls: list[Any]) -> None:
        for n in (N, *[20] * 40, N):
            refused(lambda n=n: calls.append(accept(learner, learner.learn_many, X[:n], Y[:n])))

    def learn_row(x: Any, y: Any) -> float:
        return learner.learn_one(x[0], y[0])

    def learn_one() -> None:
        for i in range(300):
            x, y = X[i : i + 1], Y[i : i + 1]
            refused(lambda x=x, y=y: accepted[2].append(accept(learner, learn_row, x, y)))

    def read() -> None:
        for _ in range(5):
            for call in (
                lambda: learner.decision_function(X[:200]),
                lambda: learner.decision_one(X[0]),
                learner._sealed,
                lambda: learner.dual_coef_ if name != "sorf" else learner.weights_,
                lambda: repr(learner),
            ):
                refused(call)

    found = together(
        lambda: learn_many(accepted[0]), lambda: learn_many(accepted[1]), learn_one, read
    )
    assert found == [None] * 4
    learned = sum(len(rows) for calls in accepted for rows, *_ in calls)
    assert learner.steps == start + learned
    after = bytes(learner._sealed())
    assert any(data == after for data in replays(before, accepted))
    # On a busy machine every call may find another at work; none is left in the way.
    learner.learn_one(X[0], Y[0])
    assert learner.steps == start + learned + 1


def test_what_is_refused_while_a_thread_learns() -> None:
    """Every call that would see or change a model in the middle of a step."""
    learner = learner_of("spa", budget=400, beta=1.0)
    big, labels = np.tile(X, (20, 1)), np.tile(Y, 20)
    calls: dict[str, Callable[[], Any]] = {
        "learn_one": lambda: learner.learn_one(X[0], 1),
        "learn_one_sparse": lambda: learner.learn_one_sparse([0], [1.0], 1),
        "learn_many": lambda: learner.learn_many(X[:1], Y[:1]),
        "decision_one": lambda: learner.decision_one(X[0]),
        "decision_one_sparse": lambda: learner.decision_one_sparse([0], [1.0]),
        "decision_function": lambda: learner.decision_function(X[:1]),
        "averaged": lambda: learner.averaged.decision_one(X[0]),
        "wants_label": lambda: learner.wants_label(X[0]),
        "ask_label": lambda: learner.ask_label(X[0]),
        "save": learner._sealed,
        "support_vectors_": lambda: learner.support_vectors_,
        "dual_coef_": lambda: learner.averaged.dual_coef_,
    }
    over = threading.Event()

    def learn() -> None:
        """Again and again: a call below may be in it before, or this thread have to wait."""
        while not over.is_set():
            refused(lambda: learner.learn_many(big, labels))

    thread = threading.Thread(target=learn)
    thread.start()
    told: set[str] = set()
    for _ in range(1000):
        told |= {what for what, call in calls.items() if refused(call)}
        if len(told) == len(calls):
            break
    over.set()
    thread.join()
    assert told == set(calls)
    for call in calls.values():
        call()


def test_what_is_refused_while_a_thread_reads() -> None:
    """Learning, and what writes scratch or counters; reading goes on."""
    learner = learner_of("spa", budget=400, beta=1.0)
    big = np.tile(X, (100, 1))
    steps = learner.steps
    asked = learner.labels_asked
    calls: dict[str, Callable[[], Any]] = {
        "learn_one": lambda: learner.learn_one(X[0], 1),
        "learn_many": lambda: learner.learn_many(X[:1], Y[:1]),
        "ask_label": lambda: learner.ask_label(X[0]),
    }
    reading = threading.Event()
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            reading.set()
            learner.decision_function(big)

    thread = threading.Thread(target=read)
    thread.start()
    reading.wait()
    told = dict.fromkeys(calls, 0)
    done = dict.fromkeys(calls, 0)
    for _ in range(100_000):
        for what, call in calls.items():
            (told if refused(call) else done)[what] += 1
        if all(told.values()):
            break
    over.set()
    thread.join()
    assert all(told.values())
    assert learner.steps == steps + done["learn_one"] + done["learn_many"]
    assert learner.labels_asked == asked + done["ask_label"]


def test_a_second_reader_takes_memory_and_gives_it_back() -> None:
    """Only one at the same time as another does; test_out_of_memory.py has what it is refused."""
    import tracemalloc

    learner = learner_of("projectron", budget=200)
    big = np.tile(X, (20, 1))
    out = [np.empty(len(big)) for _ in range(THREADS)]
    together(*(lambda i=i: learner.decision_function(big, out=out[i]) for i in range(THREADS)))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5):
        together(*(lambda i=i: learner.decision_function(big, out=out[i]) for i in range(THREADS)))
    gained = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert gained < 20_000
    assert all(np.array_equal(out[0], other) for other in out)


def test_threads_learn_learners_of_their_own() -> None:
    """Each has the bytes of a learner that no other thread ran beside."""
    alone = learner_of("sorf")
    alone.learn_many(X, Y)
    made: list[bytes] = []

    def learn() -> None:
        learner = learner_of("sorf")
        for first in range(0, N, 50):
            for x, label in zip(X[first : first + 10], Y[first : first + 10], strict=True):
                learner.learn_one(x, label)
            learner.learn_many(X[first + 10 : first + 50], Y[first + 10 : first + 50])
        made.append(bytes(learner._sealed()))

    assert together(*[learn] * THREADS) == [None] * THREADS
    assert made == [bytes(alone._sealed())] * THREADS


@pytest.mark.parametrize("name", ["sorf", "projectron"])
def test_threads_score_a_row_each(name: str) -> None:
    """Calls for one row take turns, and rows in long calls beside them have the same scores."""
    learner = learner_of(name)
    expected = learner.decision_function(X[:200])

    def score() -> None:
        found = [learner.decision_one(x) for x in X[:200]]
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(learner.decision_function(X[:200]), expected)

    assert together(*[score] * THREADS) == [None] * THREADS


def test_no_row_is_lost_that_threads_learn_one_by_one() -> None:
    learner = learner_of("rbp")
    steps = learner.steps

    def learn() -> None:
        for _ in range(TIMES):
            for x, label in zip(X, Y, strict=True):
                learner.learn_one(x, label)

    assert together(*[learn] * THREADS) == [None] * THREADS
    assert learner.steps == steps + TIMES * N * THREADS
    assert bytes(ek.Learner._from_block(bytes(learner._sealed()))._sealed()) == bytes(
        learner._sealed())


def test_a_copy_for_a_file_is_of_one_moment() -> None:
    """A file that is written while another thread learns row by row loads, and goes on."""
    learner = learner_of("sorf")
    over = threading.Event()

    def learn() -> None:
        for x, label in zip(X, Y, strict=True):
            learner.learn_one(x, label)
        over.set()

    def save() -> None:
        while not over.is_set():
            ek.Learner._from_block(bytes(learner._sealed())).learn_one(X[0], Y[0])

    assert together(learn, save) == [None, None]


@pytest.mark.skipif(not FREE_THREADED, reason="not a free-threaded Python")
def test_a_free_threaded_python_leaves_its_lock_off() -> None:
    ran = python(
        "import sys\n"
        "import edgeolk as ek, edgeolk.bare, edgeolk.probabilities, edgeolk.windows.windows\n"
        "ek.Learner('rbp', n_features=1, budget=2).learn_one([1.0], 1)\n"
        "ek.RunningScaler(1).learn_one([1.0])\n"
        "print(sys._is_gil_enabled())\n"
    )
    assert ran.stdout.split() == ["False"], ran.stderr
