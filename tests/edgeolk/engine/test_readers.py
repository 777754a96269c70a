"""A reader beside another gets what one alone would, and writes nowhere in the block.

Shown in two ways: by a signal in the middle of a long call, whose handler reads (nothing depends on
how threads take turns), and by threads. Rows that wait to be learned have scratch that scores of
features use, too.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from helpers import BY_DAY, LIVELY, Csr
from synthetic import random_stream
from threaded import together

import edgeolk as ek

D, LEARNED = 70, 400
X, Y = random_stream(5, LEARNED, D)
ROWS = X[:60]
#: Where rows are looked ahead without being asked for, and a smaller one where they are asked for.
LARGE, SMALL = 1000, 40
#: Some rows are sparse.
pytestmark = pytest.mark.filterwarnings("ignore:X is mostly zeros")
every = pytest.mark.parametrize("name", BY_DAY)
ahead = pytest.mark.parametrize("lookahead", [None, 7], ids=["usual", "forced"])


def learner_of(name: str, lookahead: int | None, **more: Any) -> ek.Learner:
    """A learner of rows that are looked ahead, where its parts allow that."""
    options = {"n_features": D, "budget": LARGE, **LIVELY.get(name, {}), **more}
    if lookahead is not None:
        options.update(budget=SMALL, lookahead=lookahead)
    elif name == "nogd":  # its map is made once the ring is full
        options.update(budget=200, k=200)
    options["kernel"] = ek.Gaussian(0.02)
    learner = ek.Learner(name, **options)
    labels = np.arange(LEARNED) % 3 if "n_classes" in more else Y
    learner.learn_many(X, labels)
    config = learner.config
    assert bool(config._settings.lookahead) == config._settings.can_look_ahead
    return learner


def readings(learner: ek.Learner) -> dict[str, Callable[[], Any]]:
    """Every way to read the scores of rows, by name."""
    sparse = Csr(np.where(np.abs(ROWS) < 0.7, 0.0, ROWS))
    views = {"": learner}
    if learner.parts.get("averaging") == ek.Averaging.MEAN:
        views["averaged."] = learner.averaged
    found: dict[str, Callable[[], Any]] = {}
    for prefix, view in views.items():
        several = ["scores", "predict"]
        if learner._config.columns == 1:
            several.append("decision_function")
        for name in several:
            many, one = (
                getattr(view, name),
                getattr(view, {"decision_function": "decision_one"}.get(name, f"{name}_one")),
            )
            found[f"{prefix}{name}"] = lambda many=many: many(ROWS)
            found[f"{prefix}{name} narrow"] = lambda many=many: many(ROWS.astype(np.float32))
            found[f"{prefix}{name} sparse"] = lambda many=many: many(sparse)
            found[f"{prefix}{name} one"] = lambda one=one: [one(x) for x in ROWS[:9]]
            one_sparse = getattr(view, f"{name.removesuffix('_function')}_one_sparse", None)
            if one_sparse is not None:
                found[f"{prefix}{name} one sparse"] = lambda f=one_sparse: f([1, 4], [0.5, -1.0])
        odds = view.predict_proba_one
        found[f"{prefix}predict_proba"] = lambda odds=odds: told(lambda: odds(X[0]))
    found["wants_label"] = lambda: [learner.wants_label(x) for x in ROWS[:9]]
    found["_sealed"] = lambda: bytes(learner._sealed())
    return found


def told(call: Callable[[], Any]) -> Any:
    """What a call gives, "none" where the learner has no such thing."""
    try:
        return call()
    except AttributeError:
        return "none"


def same(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b))


@contextmanager
def interrupted(handler: Callable[[], None]) -> Iterator[None]:
    """The handler is called every millisecond, where the main thread looks at signals."""
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def read_in_the_middle(learner: ek.Learner) -> None:
    """Read in every way while a long call of this thread stands still."""
    calls = readings(learner)
    expected = {name: call() for name, call in calls.items()}
    block = memoryview(learner._engine.arena)
    big = np.tile(X, (60, 1))
    alone = learner.scores(big)
    found: dict[str, Any] = {}
    wrote: list[str] = []

    def handler() -> None:
        try:  # whether the signal came inside
            learner.learn_many(X[:0], Y[:0])
            return
        except RuntimeError:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        before = crc32(block)
        for name, call in calls.items():
            found[name] = call()
            if crc32(block) != before:
                wrote.append(name)
                before = crc32(block)

    with interrupted(handler):
        while not found:
            assert same(learner.scores(big), alone)
    assert wrote == []
    assert [name for name in calls if not same(found[name], expected[name])] == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal here")
@ahead
@every
@pytest.mark.spread(3)
def test_a_second_reader_writes_nowhere_in_the_block(name: str, lookahead: int | None) -> None:
    read_in_the_middle(learner_of(name, lookahead))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal here")
@ahead
@pytest.mark.parametrize("name", ["sorf", "rbp", "pa1", "ogd", "bpa_s"])
def test_nor_do_the_scores_of_classes(name: str, lookahead: int | None) -> None:
    read_in_the_middle(learner_of(name, lookahead, n_classes=3))


def read_by_threads(learner: ek.Learner) -> None:
    calls = readings(learner)
    expected = {name: call() for name, call in calls.items()}
    big = np.tile(X, (4, 1))
    scores = learner.scores(big)

    def many() -> bool:
        return all(same(learner.scores(big), scores) for _ in range(5))

    def in_every_way() -> list[str]:
        return [name for name, call in calls.items() if not same(call(), expected[name])]

    assert together(many, many, in_every_way, in_every_way) == [True, True, [], []]


@ahead
@every
def test_threads_that_read_get_what_one_alone_would(name: str, lookahead: int | None) -> None:
    read_by_threads(learner_of(name, lookahead))


@ahead
@pytest.mark.parametrize("name", ["sorf", "rbp", "pa1", "ogd", "bpa_s"])
def test_threads_that_read_the_scores_of_classes(name: str, lookahead: int | None) -> None:
    read_by_threads(learner_of(name, lookahead, n_classes=3))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal here")
@pytest.mark.parametrize("name", ["_parts_one", "variance_one"])
def test_what_else_is_read_in_the_middle(name: str) -> None:
    """The scores behind a score, and a variance, are those of a learner that nobody reads."""
    process = {"gaussian_process": 3, "loss": "square"} if name == "variance_one" else {}
    learner = ek.Learner(n_features=D, D=512, **process)
    learner.learn_many(X, Y)
    expected, big = getattr(learner, name)(X[0]), np.tile(X, (10, 1))
    found: list[Any] = []

    def handler() -> None:
        try:  # whether the signal came inside
            learner.learn_many(X[:0], Y[:0])
        except RuntimeError:
            found.append(getattr(learner, name)(X[0]))

    with interrupted(handler):
        while not found:
            learner.scores(big)
    assert {*found} == {expected}
