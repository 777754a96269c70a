"""Labels that come some rows after the answers: the library against the reference."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest
from helpers import assert_agrees, in_turn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from structured_cases import EXTRA, GAMMA, SEED, TWO_GROUPS, D, case_id, sealed, stream
from structured_cases import settings as structured

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.reference.sorf_delay import DelayedRememberingSorf, DelayedSorf, spacing

F, MEMORY = 70, 20
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "two": ("two", {"last_label": True}),
    "two, linear": ("two", {"linear": True, "relevance": True}),
    "two, many experts": ("two", {"widths": TWO_GROUPS, "linear_group": True,
                                  "blends": tuple(np.arange(8) / 7.0), "memory": MEMORY,
                                  "memory_narrow": True}),
    "memory": ("two", {"memory": MEMORY, "last_label": True}),
    "classes": ("classes", {"last_label": True, "linear_group": True}),
    "classes, memory": ("classes", {"memory": MEMORY, "memory_narrow": True}),
    "last alone": ("classes", {"linear_group": "last"}),
    "regression": ("regression", {"last_label": True, "linear": True, "widths": TWO_GROUPS}),
}  # fmt: skip
#: With the frequencies of two groups.
FREQUENCIES = {"two, many experts": 140, "regression": 140}


def made(kind: str, dtype: str, delay: int, **more: Any) -> ek.Learner:
    task, options = KINDS[kind]
    size = {"D": FREQUENCIES.get(kind, F), "drift": False, "delay": delay}
    return ek.Learner("sorf", **structured(task, dtype, **options, **size, **more))


def plain_of(kind: str, dtype: str, delay: int, kept: int | None = None) -> DelayedSorf:
    task, options = KINDS[kind]
    options = {**options, **EXTRA[task]}
    widths = options.pop("widths", (0.3, 1.0, 3.0))
    groups = widths if isinstance(widths[0], tuple) else (widths,)
    cls = DelayedRememberingSorf if "memory" in options else DelayedSorf
    return cls(
        D, FREQUENCIES.get(kind, F), GAMMA, groups=groups, dtype=dtype, seed=SEED, drift=False,
        delay=delay, entries=kept, **options,
    )  # fmt: skip


def scores_of(learner: ek.Learner, plain: DelayedSorf, x: np.ndarray) -> Any:
    """What the reference answers, in the units of the learner."""
    f = plain.ask(x)
    if plain.classes:
        return f
    return plain.mean + plain.sd() * float(f[0]) if plain.regression else float(f[0])


def assert_same_losses(learner: ek.Learner, plain: DelayedSorf, dtype: str) -> None:
    near = 1e-12
    outside = [one.L for one in plain.outside]
    expected = np.array([*plain.L.ravel(), *outside, *plain.n])
    assert_agrees(np.asarray(learner._engine.view("blend"))[0], expected, dtype, near)
    found = np.asarray(learner._engine.view("late_losses"))
    assert_agrees(found, plain.as_learned, dtype, near)
    if isinstance(plain, DelayedRememberingSorf):
        found = np.asarray(learner._engine.view("memory_mistakes"))[0]
        assert_agrees(found, plain.L_Q, dtype, near)
        if plain.L_N.size:
            found = np.asarray(learner._engine.view("memory_narrow"))[0]
            assert_agrees(found, plain.L_N[0], dtype, near)


def follow(
    learner: ek.Learner, plain: DelayedSorf, dtype: str, task: str, moves: list[str],
    weights: bool = False,
) -> ek.Learner:  # fmt: skip
    """Ask, learn, give up, restart, save; scores and losses after each move."""
    X, y = stream(task, len(moves))
    at = 0
    waiting: list[int] = []
    for move in moves:
        if move == "ask":
            expected = scores_of(learner, plain, X[at])
            assert_agrees(learner.ask_one(X[at]), expected, dtype)
            waiting = [*waiting, at][-plain.delay - 1 :]
            at += 1
        elif move == "learn":
            row = waiting.pop(0) if waiting else at
            weight = (0.5, 1.0, 3.0)[row % 3] if weights else 1.0
            expected = plain.step(X[row], y[row], weight)
            assert_agrees(learner.learn_one(X[row], y[row], weight=weight), expected, dtype)
        elif move == "give up" and waiting:
            waiting.pop(0)
            plain.give_up()
            learner.tell_one(None)
        elif move == "restart":
            waiting = []
            plain.restart()
            for one in plain.outside:
                if hasattr(one, "label"):
                    one.label = np.zeros(plain.K, dtype=plain.real)
            learner.restart()
        elif move == "save":
            learner = ek.Learner._from_block(sealed(learner))
        assert learner.n_waiting == len(waiting)
        assert_same_losses(learner, plain, dtype)
    return learner


def in_order(n: int, delay: int) -> list[str]:
    return ["ask"] * delay + ["ask", "learn"] * n


CASES = [(kind, *case) for kind in KINDS for case in ((1, None), (7, None), (10, 4), (48, 5))]


@pytest.mark.parametrize(
    ("case", "dtype"), in_turn(CASES, ["int8", "float64", "float32"]), ids=case_id
)
@pytest.mark.spread(12)
def test_experts_count_as_they_answered(case: tuple[str, int, int | None], dtype: str) -> None:
    kind, delay, kept = case
    more = {} if kept is None else {"kept_answers": kept}
    learner = made(kind, dtype, delay, **more)
    plain = plain_of(kind, dtype, delay, kept)
    follow(learner, plain, dtype, KINDS[kind][0], in_order(120, delay), weights=True)
    assert_agrees(learner.weights_, np.stack([plain.w.v, plain.a.v]), dtype)


@settings(max_examples=25)
@given(
    kind=st.sampled_from(list(KINDS)),
    dtype=st.sampled_from(["int8", "float32", "float64"]),
    delay=st.integers(1, 20),
    kept=st.integers(1, 21),
    moves=st.lists(
        st.sampled_from(["ask"] * 4 + ["learn"] * 4 + ["give up", "restart", "save"]), max_size=60
    ),
)
@example(
    kind="memory",
    dtype="float64",
    delay=4,
    kept=2,
    moves=["ask"] * 4 + ["give up", "learn", "learn", "save", "restart", "ask", "learn"],
)  # every move, and a row of the memory whose answers were not kept
def test_any_order_of_asking_and_learning(
    kind: str, dtype: str, delay: int, kept: int, moves: list[str]
) -> None:
    kept = min(kept, delay + 1)
    learner = made(kind, dtype, delay, kept_answers=kept)
    follow(learner, plain_of(kind, dtype, delay, kept), dtype, KINDS[kind][0], moves)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_learned_out_of_turn_counts_as_it_answered(kind: str) -> None:
    """As if those before it had not been asked."""
    task = KINDS[kind][0]
    X, y = stream(task, 80)
    early, alone = (made(kind, "float64", 9) for _ in range(2))
    for learner in (early, alone):
        for t in range(60):
            learner.ask_one(X[t])
            learner.learn_one(X[t], y[t])
    for t in range(60, 69):
        early.ask_one(X[t])
    early.ask_one(X[70])
    alone.ask_one(X[70])
    early._learn_pending(X[70], y[70], None, 9)
    alone._learn_pending(X[70], y[70], None, 0)
    for name in ("blend", "late_losses"):
        found, expected = (np.asarray(each._engine.view(name)) for each in (early, alone))
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(early.weights_, alone.weights_)


def test_without_a_delay_there_is_no_queue() -> None:
    """The default; the block and the file are those of a learner that knows no delay."""
    usual, named = (
        made("two", "int8", 0),
        ek.Learner("sorf", **structured("two", last_label=True, D=F, drift=False)),
    )
    assert usual.plan == named.plan
    assert not any(region.name.startswith("late") for region in usual.plan.regions)
    X, y = stream("two", 80)
    usual.learn_many(X, y)
    named.learn_many(X, y)
    assert sealed(usual) == sealed(named)
    for call in (lambda: usual.ask_one(X[0]), lambda: usual.tell_one(None)):
        with pytest.raises(AttributeError, match="delay="):
            call()


def test_a_last_label_that_is_late_loses_its_share() -> None:
    """Labels stay for eight rows: known at once it errs in an eighth, eight rows late always."""
    X, _ = stream("two", 400)
    y = np.where(np.arange(400) // 8 % 2, 1.0, -1.0)
    wrong = []
    for asks in (True, False):
        learner = made("two", "int8", 8)
        errors = 0
        for t, x in enumerate(X):
            f = learner.ask_one(x) if asks else learner.decision_one(x)
            errors += (f >= 0.0) != (y[t] > 0.0)
            if t >= 8:
                learner.learn_one(X[t - 8], y[t - 8])
        wrong.append(errors)
    assert wrong[0] < 250
    assert wrong[1] > 330


# ---- size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [1, 10, 48, 1000])
@pytest.mark.parametrize("ram", [1024, 4096, 2**16])
@pytest.mark.parametrize("task", ["two", "classes", "regression"])
def test_the_queue_takes_a_sixteenth_of_the_bytes(task: str, ram: int, delay: int) -> None:
    learner = ek.Learner("sorf", n_features=D, ram=ram, delay=delay, **EXTRA[task])
    config = learner._config
    kept, each = config.n_kept, config.answer_bytes
    assert kept == min(delay + 1, max(1, ram // 16 // each))
    assert config.spacing == spacing(delay, kept)
    assert learner.plan.nbytes <= ram
    name = "late_scores" if task == "regression" else "late_answers"
    queue = next(region for region in learner.plan.regions if region.name == name)
    assert queue.nbytes - kept * each in range(64)
    assert ek.Learner._from_block(sealed(learner)).plan == learner.plan


def test_without_ram_every_answer_is_kept() -> None:
    assert made("two", "int8", 30)._config.n_kept == 31


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"delay": 3, "loss": "novelty"}, "delay"),
        ({"delay": 3, "loss": "square", "history": True}, "horizon="),
        ({"delay": 3, "loss": "square", "history": True, "D": 0}, "horizon="),
        ({"delay": 3, "n_classes": 256}, "at most 255 classes"),
        ({"delay": 3, "kept_answers": 5}, r"kept_answers.*must be from 1 to"),
        ({"kept_answers": 1}, r"kept_answers.*must be from 1 to"),
        ({"delay": -1}, "delay must be"),
        ({"delay": 0.5}, "delay must be"),
    ],
)
def test_what_a_delay_cannot_be_combined_with(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ek.Learner("sorf", **{"n_features": D, "D": 64, **options})


# ---- refusals, restarts --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["two", "classes", "regression"])
def test_a_refused_row_changes_nothing(kind: str) -> None:
    learner = made(kind, "int8", 3)
    X, y = stream(KINDS[kind][0], 9)
    for x in X[:6]:
        learner.ask_one(x)
    before = sealed(learner)
    for bad in (np.full(D, np.nan), np.full(D, 1e38), np.zeros(D + 1), "no row"):
        with pytest.raises((ValueError, TypeError)):
            learner.ask_one(bad)
    with pytest.raises(TypeError, match="learn_one"):
        learner.tell_one(1.0)
    for bad in (np.nan, 1e300):
        with pytest.raises(ValueError, match=r"y must|target"):
            learner.learn_one(X[2], bad)
    assert sealed(learner) == before
    assert learner.n_waiting == 4
    for x, label in zip(X[2:6], y[2:6], strict=True):
        learner.learn_one(x, label)
    with pytest.raises(RuntimeError, match="no row waits"):
        learner.tell_one(None)


def test_rows_wait_while_the_model_restarts_with_its_width() -> None:
    """A width from the first rows clears what was learned; the answers still meet their labels."""
    X, y = stream("two", 130)
    learner = ek.Learner("sorf", n_features=D, D=64, gamma="auto", scale=None, delay=9)
    assert learner.plan.gamma_rows
    for t, x in enumerate(X):
        learner.ask_one(x)
        if t >= 9:
            learner.learn_one(X[t - 9], y[t - 9])
            assert learner.n_waiting == 9


def test_only_forecasters_have_intervals() -> None:
    learner = made("regression", "int8", 3)
    with pytest.raises(AttributeError, match="history=True"):
        _ = learner.interval


@pytest.mark.parametrize("kind", ["two", "classes"])
def test_a_bare_learner_asks_too(kind: str) -> None:
    task, options = KINDS[kind]
    size = {"D": F, "drift": False, "delay": 5}
    bare = BareLearner("sorf", **structured(task, "int8", **options, **size), history=None)
    learner = made(kind, "int8", 5)
    X, y = stream(task, 40)
    for t, x in enumerate(X):
        if kind == "classes":
            found = array("d", bytes(32))
            assert bare.ask_one(array("d", x), found) is None
        else:
            found = bare.ask_one(array("d", x))
        assert np.array_equal(np.asarray(found), learner.ask_one(x))
        if t >= 5:
            row = array("d", X[t - 5])
            assert bare.learn_one(row, y[t - 5]) == learner.learn_one(X[t - 5], y[t - 5])
    if kind == "classes":
        with pytest.raises(TypeError, match="one score per class"):
            bare.ask_one(array("d", X[0]))
        with pytest.raises(ValueError, match="out must have 4 numbers"):
            bare.ask_one(array("d", X[0]), array("d", [0.0] * 3))
