"""What reads a learner changes nothing; an answer moves the count of ``lapse`` alone.

Every public name of the learners is in one of the tables below: a new one fails the first test
until it is said what it does.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from any_config import case
from hypothesis import strategies as st

import edgeolk as ek
from edgeolk.bare import BareLearner
from edgeolk.learner import Averaged

pytestmark = [
    pytest.mark.filterwarnings("ignore:a reading lies outside"),
    pytest.mark.filterwarnings("ignore:.*mostly zeros"),
    pytest.mark.filterwarnings("ignore:.*of its numbers are zeros"),
]

REFUSALS = (AttributeError, KeyError, TypeError, ValueError)
#: What learns, forgets or counts.
WRITES = {
    *("learn_one", "learn_many", "learn_one_sparse", "watch_many", "ask_one", "ask_label"),
    "tell_one",
    *("restart", "accept", "seal"),
}
#: Makes another learner, of bytes.
MAKES = {"from_bytes"}
D = 3

Row = Any
Call = Callable[[Any, Row], Any]
#: One row or several as they are taken, and how many.
ANSWERS: dict[str, tuple[Call, int]] = {
    "decision_one": (lambda of, x: of.decision_one(x), 1),
    "scores_one": (lambda of, x: of.scores_one(x), 1),
    "predict_one": (lambda of, x: of.predict_one(x), 1),
    "predict_proba_one": (lambda of, x: of.predict_proba_one(x), 1),
    "interval_one": (lambda of, x: of.interval_one(x), 1),
    "decision_one_sparse": (lambda of, x: of.decision_one_sparse(range(len(x)), x), 1),
    "predict_one_sparse": (lambda of, x: of.predict_one_sparse(range(len(x)), x), 1),
    "decision_function": (lambda of, x: of.decision_function([x] * 7), 7),
    "scores": (lambda of, x: of.scores([x] * 3), 3),
    "predict": (lambda of, x: of.predict([x] * 2), 2),
}


def _saved(of: Any, x: Row) -> None:
    with tempfile.TemporaryDirectory() as folder:
        of.save(Path(folder) / "model.olk")
        with ek.Checkpointer(bytearray(2 * of.nbytes + 4096)) as checkpoints:
            checkpoints.write(of)
        ek.export_c(of, folder)


#: What takes an argument, and what Python calls by itself; any other name is a property.
READS: dict[str, Call] = {
    "inputs": lambda of, x: of.inputs(np.add.outer(np.arange(20.0), x)),
    "variance_one": lambda of, x: of.variance_one(x),
    "variance": lambda of, x: of.variance([x] * 2),
    "explain_one": lambda of, x: of.explain_one(x, np.zeros_like(x)),
    "wants_label": lambda of, x: of.wants_label(x),
    "familiarity_one": lambda of, x: of.familiarity_one(x),
    "save": _saved,
    "counters": lambda of, x: of.counters(),
    "repr": lambda of, x: repr(of),
    "html": lambda of, x: of._repr_html_(),
    "dir": lambda of, x: dir(of),
    "pickle": lambda of, x: pickle.dumps(of),
    "copy": lambda of, x: copy.copy(of),
    "deepcopy": lambda of, x: copy.deepcopy(of),
    "plan": lambda of, x: str(of.plan),
    "averaged": lambda of, x: of.averaged.dual_coef_,
    "averaged row": lambda of, x: of.averaged.decision_one(x),
}


def _public(*classes: type) -> set[str]:
    return {name for of in classes for name in dir(of) if not name.startswith("_")}


NAMES = sorted(_public(ek.Learner, Averaged) - WRITES - MAKES - set(ANSWERS))


def test_of_every_name_it_is_known_what_it_does() -> None:
    methods = {
        name
        for of in (ek.Learner, Averaged, BareLearner)
        for name in _public(of)
        if callable(getattr(of, name))
    }
    assert methods - WRITES - MAKES - set(ANSWERS) - set(READS) == set()


def _reads() -> Iterator[tuple[str, Call]]:
    yield from READS.items()
    for name in NAMES:
        if name not in READS:
            yield name, lambda of, x, name=name: getattr(of, name)


def state_of(block: Any) -> bytes:
    """The header and every region of state, flags included, without scratch."""
    return bytes(block[: 8 * int.from_bytes(block[12:16], "little")])


def counted(learner: Any) -> int | None:
    """Answers since the last label, as the block has them; None where they are not counted."""
    if not learner.config._settings.values.get("lapse"):
        return None
    return int(np.asarray(learner._engine.view("last_label"))[0, 1])


TASKS: tuple[dict[str, Any], ...] = (
    {},
    {"n_classes": 3},
    {"loss": "square"},
    {"loss": "novelty"},
    {"loss": "square", "history": True},
    {"loss": "novelty", "history": True, "D": 64},
)


@st.composite
def structured(draw: st.DrawFn) -> dict[str, Any]:
    """Options of a learner on structured features that go together."""
    made: dict[str, Any] = {"n_features": D, "D": 70, **draw(st.sampled_from(TASKS))}
    made["dtype"] = draw(st.sampled_from(["int8", "float32", "float64"]))
    options: dict[str, st.SearchStrategy[Any]] = {
        "relevance": st.sampled_from([True, False, "shared"]),
        "linear": st.booleans(),
        "memory": st.sampled_from([4, 40]),
        "memory_narrow": st.just(True),
        "gaussian_process": st.sampled_from([1, 4]),
        "drift": st.just(True),
        "scale": st.sampled_from([None, "standard", "minmax", "common"]),
        "season": st.just(5),
        "interval": st.just((0.5, 0.9)),
        "on_bad_row": st.just("skip"),
        "gamma_rows": st.sampled_from([5, 50]),
    }
    if "history" not in made and made.get("loss") != "novelty":
        made["last_label"] = True
        made["lapse"] = draw(st.sampled_from([0, 1, 2, 5, 16]))
    for name, values in options.items():
        if draw(st.booleans()):
            more = {**made, name: draw(values)}
            if name == "gamma_rows":
                more["gamma"] = "auto"
            try:
                ek.Config("sorf", **more)
            except (TypeError, ValueError):
                continue
            made = more
    return made


def rows(seed: int, n: int, options: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Readings, some of them missing where they may be, and labels of any task."""
    r = np.random.default_rng(seed)
    X = r.normal(size=(n, D))
    X[:, 2] = 5.0
    signs = np.where(np.sin(np.arange(n) / 9.0) > 0.0, 1.0, -1.0)
    y = signs + 1.0 if "n_classes" in options else signs
    if options.get("history"):
        X[r.random((n, D)) < 0.1] = np.nan
    if options.get("loss") == "square":
        y = y + 0.1 * r.normal(size=n)
    return X, y


def answer(learner: Any, x: Row) -> Any:
    return np.asarray(learner.scores_one(x))


def goes_on_alike(learners: list[Any], X: np.ndarray, y: np.ndarray) -> None:
    """Answers one after another, and what is learned then, are those of the first."""
    first, *others = learners
    expected = [answer(first, x) for x in X]
    for other in others:
        np.testing.assert_array_equal([answer(other, x) for x in X], expected)
    for one in learners:
        one.learn_many(X, y)
    expected = [answer(first, x) for x in X]
    for other in others:
        np.testing.assert_array_equal([answer(other, x) for x in X], expected)
        assert pickle.dumps(other) == pickle.dumps(first)


@hypothesis.settings(max_examples=30, deadline=None, database=None)
@hypothesis.given(options=structured(), seed=st.integers(0, 1000), n=st.sampled_from([0, 1, 80]))
def test_what_reads_changes_nothing(options: dict[str, Any], seed: int, n: int) -> None:
    X, y = rows(seed, n + 20, options)
    block = bytearray(ek.plan("sorf", **options).nbytes)
    learner = ek.Learner("sorf", buffer=block, **options)
    other = ek.Learner("sorf", **options)
    for one in (learner, other):
        one.learn_many(X[:n], y[:n])
    for name, call in _reads():
        before = state_of(block)
        with contextlib.suppress(*REFUSALS):
            call(learner, X[n])
        assert state_of(block) == before, name
    goes_on_alike([other, learner], X[n:], y[n:])


@hypothesis.settings(max_examples=30, deadline=None, database=None)
@hypothesis.given(seed=st.integers(0, 10**6))
def test_of_any_learner(seed: int) -> None:
    of = case(seed)
    hypothesis.assume(of is not None)
    assert of is not None
    block = bytearray(ek.plan(of.config).nbytes)
    learner, other = ek.Learner(of.config, buffer=block), ek.Learner(of.config)
    try:
        for one in (learner, other):
            one.learn_many(of.X, of.y)
    except (*REFUSALS, ek.BudgetError):
        return
    x = of.X[-1]
    for name, call in [*_reads(), *((name, call) for name, (call, _) in ANSWERS.items())]:
        before = state_of(block)
        with contextlib.suppress(*REFUSALS):
            call(learner, x)
        assert state_of(block) == before, name
    assert pickle.dumps(learner) == pickle.dumps(other)


@hypothesis.settings(max_examples=30, deadline=None, database=None)
@hypothesis.given(
    options=structured(),
    names=st.lists(st.sampled_from(sorted(ANSWERS)), max_size=12),
    seed=st.integers(0, 1000),
)
def test_an_answer_moves_the_count_of_lapse_alone(
    options: dict[str, Any], names: list[str], seed: int
) -> None:
    X, y = rows(seed, 60, options)
    learner = ek.Learner("sorf", **options)
    learner.learn_many(X[:50], y[:50])
    learned, lapse = pickle.dumps(learner), options.get("lapse", 0)
    count = 0
    for name in names:
        call, n = ANSWERS[name]
        try:
            call(learner, np.nan_to_num(X[50]))
        except REFUSALS:
            n = 0
        count = min(count + n, lapse)
        assert counted(learner) == (count if lapse else None), name
    if not lapse:
        assert pickle.dumps(learner) == learned
        return
    np.asarray(learner._engine.view("last_label"))[0, 1] = 0.0
    assert pickle.dumps(learner) == learned


def test_inputs_are_compared_alike_and_a_constant_one_does_not_matter() -> None:
    """The rows are answered as the next row would be, however many they are."""
    for options in ({}, {"n_classes": 3}, {"loss": "square", "last_label": True, "lapse": 4}):
        made: dict[str, Any] = {"n_features": D, "ram": "4KiB", "history": "auto", **options}
        if "lapse" in made:
            made["history"] = None
        X, y = rows(0, 600, options)
        X[:, 0] += y
        if "lapse" in made:
            y = y + X[:, 1]  # of which the last target alone says nothing
        learner = ek.Learner(**made)
        learner.learn_many(X, y)
        learner.decision_function(X[:1]) if learner._config.columns == 1 else learner.scores(X[:1])
        count, before = counted(learner), pickle.dumps(learner)
        assert count == 1
        shares = learner.inputs(X[-60:])
        assert shares[2] == 0.0
        assert shares.sum() == pytest.approx(1.0)
        assert pickle.dumps(learner) == before


# ---- a refused row is no answer ----


def _lapsing(**options: Any) -> dict[str, Any]:
    return {"n_features": D, "D": 64, "last_label": True, "lapse": 16, **options}


FAR = np.array([3e38, 3e38, 3e38])


@pytest.mark.parametrize("options", [{}, {"n_classes": 3}], ids=["two", "three"])
def test_a_refused_row_is_not_counted(options: dict[str, Any]) -> None:
    made = _lapsing(dtype="float32", scale=None, gamma=0.1, **options)
    X, y = rows(0, 100, options)
    learner, bare = ek.Learner(**made), BareLearner(**made)
    for one in (learner, bare):
        for x, label in zip(X, y, strict=True):
            one.learn_one(array("d", x), label)
    bad = np.array([0.0, np.nan, 0.0])
    scores, room = learner.scores_one, array("d", np.zeros(learner._config.columns))
    for x in (bad, FAR, X[0, :2]):
        with pytest.raises(ValueError, match=r"."):
            scores(x)
        with pytest.raises(ValueError, match=r"."):
            bare.scores_one(array("d", x), room)
        with pytest.raises(ValueError, match=r"."):
            learner.scores(np.vstack([X[:5], x]) if len(x) == D else X[:5, :2])
    assert counted(learner) == counted(bare) == 0
    bare.scores_one(array("d", X[0]), room)
    learner.scores(X[:3])
    learner.wants_label(X[0])
    bare.wants_label(array("d", X[0]))
    bare.ask_label(array("d", X[0]))
    assert (counted(learner), counted(bare)) == (3, 1)


def test_a_refused_target_leaves_the_count() -> None:
    learner = ek.Learner(**_lapsing(loss="square"))
    X, y = rows(0, 50, {"loss": "square"})
    learner.learn_many(X, y)
    learner.decision_function(X[:6])
    for target in (1e300, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"."):
            learner.learn_one(X[0], target)
        assert counted(learner) == 6
    learner.learn_one(X[0], 1.0)
    assert counted(learner) == 0


def test_a_class_that_is_asked_for_before_a_row_is_learned_is_an_answer() -> None:
    """As by ``predict_one``: what was answered long ago does not count any more."""
    X, y = rows(0, 300, {"n_classes": 3})
    made = {"n_features": D, "D": 64, "n_classes": 3, "history": "auto"}
    one, many = ek.Learner(**made), ek.Learner(**made)
    for learner in (one, many):
        learner.learn_many(X[:200], y[:200])
        learner.scores(X[:40])
        learner.learn_one(X[200], y[200])
    expected = []
    for x, label in zip(X[201:], y[201:], strict=True):
        expected.append(one.predict_one(x))
        one.learn_one(x, label)
    before, n = np.empty(99 + 3), 99
    many._answer_many(X[201:], y[201:], np.empty(n), before)
    np.testing.assert_array_equal(before[:n], expected)
    assert pickle.dumps(one) == pickle.dumps(many)


# ---- the count is part of the state ----


def _restored(learner: Any, path: Path) -> ek.Learner:
    with ek.Checkpointer(bytearray(2 * learner.nbytes + 4096)) as checkpoints:
        checkpoints.write(learner)
        found: ek.Learner = checkpoints.open()
    return found


def _loaded(learner: Any, path: Path) -> ek.Learner:
    learner.save(path)
    return ek.load(path)


ELSEWHERE: dict[str, Callable[[Any, Path], ek.Learner]] = {
    "copy": lambda learner, path: copy.copy(learner),
    "deepcopy": lambda learner, path: copy.deepcopy(learner),
    "pickle": lambda learner, path: pickle.loads(pickle.dumps(learner)),
    "file": _loaded,
    "checkpoint": _restored,
}


@hypothesis.settings(max_examples=30, deadline=None, database=None)
@hypothesis.given(
    options=structured(),
    steps=st.lists(st.sampled_from(["learn", "one", "many", "restart"]), max_size=30),
    seed=st.integers(0, 1000),
)
def test_a_learner_goes_on_elsewhere_as_it_does_itself(
    options: dict[str, Any], steps: list[str], seed: int, tmp_path_factory: Any
) -> None:
    X, y = rows(seed, 90, options)
    block = bytearray(ek.plan("sorf", **options).nbytes)
    learner = ek.Learner("sorf", buffer=block, **options)
    learner.learn_many(X[:30], y[:30])
    for i, step in enumerate(steps, 30):
        if step == "learn":
            learner.learn_one(X[i], y[i])
        elif step == "one":
            learner.scores_one(X[i])
        elif step == "many":
            learner.scores(X[i : i + 4])
        elif learner._config.in_order or options.get("last_label"):
            learner.restart()
    path = tmp_path_factory.mktemp("models") / "model.olk"
    others = [make(learner, path) for make in ELSEWHERE.values()]
    bare = BareLearner.from_bytes(bytes(learner._sealed()))
    attached = ek.attach(bytearray(block))
    expected = []
    for x in X[60:]:
        room = array("d", np.zeros(learner._config.columns))
        bare.scores_one(array("d", x), room)
        expected.append(np.array(room))
    np.testing.assert_array_equal([answer(learner, x) for x in X[60:]], expected)
    for other in (*others, attached):
        np.testing.assert_array_equal([answer(other, x) for x in X[60:]], expected)
    goes_on_alike([learner, *others, attached], X[60:], y[60:])


def test_an_answer_that_counts_takes_the_seal_away() -> None:
    X, y = rows(0, 100, {})
    block = bytearray(ek.plan(**_lapsing(checksums=True)).nbytes)
    learner = ek.Learner(buffer=block, **_lapsing(checksums=True))
    learner.learn_many(X, y)
    learner.seal()
    learner.inputs(X)
    learner.wants_label(X[0])
    ek.attach(bytearray(block), verify=True)
    learner.decision_one(X[0])
    with pytest.raises(ValueError, match="not sealed"):
        ek.attach(bytearray(block), verify=True)
    assert counted(ek.attach(bytearray(block))) == 1
    learner.decision_function(X)
    learner.seal()
    learner.decision_function(X)  # the count has ended: nothing moves
    assert counted(ek.attach(bytearray(block), verify=True)) == 16


@pytest.mark.parametrize(
    ("options", "call"),
    [
        ({"last_label": True}, "restart"),
        ({"n_classes": 3, "last_label": True}, "restart"),
        ({"loss": "square", "history": True}, "restart"),
        ({"loss": "novelty", "history": True}, "restart"),
        ({"loss": "novelty", "history": True}, "accept"),
    ],
    ids=str,
)
def test_a_call_that_finds_nothing_to_forget_takes_the_seal_away(
    options: dict[str, Any], call: str
) -> None:
    """The block is as it was but for the flag: it is no damaged one."""
    X, y = rows(0, 100, options)
    made = {"n_features": D, "D": 64, "checksums": True, **options}
    block = bytearray(ek.plan(**made).nbytes)
    learner = ek.Learner(buffer=block, **made)
    learner.learn_many(X, y)
    for _ in range(2):
        learner.seal()
        ek.attach(bytearray(block), verify=True)
        getattr(learner, call)()
        assert pickle.dumps(ek.attach(bytearray(block))) == pickle.dumps(learner)
        with pytest.raises(ValueError, match="not sealed"):
            ek.attach(bytearray(block), verify=True)
