"""Any configuration: every way to learn and to score gives the same bits, and a file goes on alike.

With numpy and without, one by one and together, by non-zeros, in memory of the caller's; rings,
features, classes, novelty, forecasts, weights, scalers and widths inside, rows looked ahead.

A seed is a configuration with a stream (``any_config``). A failure names it; it comes again.
"""

from __future__ import annotations

import itertools
import pickle
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from any_config import Case, case
from helpers import Csr

import edgeolk as ek
from edgeolk.bare import BareLearner

#: Seeds of the quick test, and of each part of the nightly one.
QUICK, PART, PARTS = 100, 100, 20
REFUSALS = (ValueError, TypeError, AttributeError, RuntimeError, ek.BudgetError)

pytestmark = [
    pytest.mark.filterwarnings("ignore:a reading lies outside"),
    pytest.mark.filterwarnings("ignore:.*mostly zeros"),
    pytest.mark.filterwarnings("ignore:.*of its numbers are zeros"),
]


def given(of: Case, rows: Any, part: slice) -> tuple[Any, dict[str, Any]]:
    """Arguments that learn part of the stream, its rows in some form."""
    arguments = (rows,) if of.y is None else (rows, of.y[part])
    return arguments, {} if of.weight is None else {"weight": of.weight[part]}


def learn(learner: ek.Learner, of: Case, form: Callable[[Any], Any], part: slice) -> Any:
    """Scores of part of the stream, and the kind of refusal that ended it, if any."""
    arguments, named = given(of, form(of.X[part]), part)
    try:
        return learner.learn_many(*arguments, **named), None
    except REFUSALS as error:
        return None, type(error)


def learn_singly(learner: Any, of: Case, form: Callable[[Any], Any] = np.asarray) -> Any:
    scores = []
    for i in range(len(of.X)):
        x = form(of.X[i])
        arguments = (x,) if of.y is None else (x, of.y[i])
        named = {} if of.weight is None else {"weight": of.weight[i]}
        try:
            scores.append(learner.learn_one(*arguments, **named))
        except REFUSALS as error:
            return None, type(error)
    return np.array(scores), None


def same(a: Any, b: Any) -> bool:
    if a is None or b is None or isinstance(a, type) or isinstance(b, type):
        return a is b
    return bool(np.array_equal(a, b, equal_nan=True))


def told(call: Callable[[], Any]) -> Any:
    """What a call gives, or the kind of its refusal."""
    try:
        return np.asarray(call(), float)
    except REFUSALS as error:
        return type(error)


def problems_of_learning(of: Case, learner: ek.Learner) -> list[str]:
    """Rows together, one by one, by their non-zeros, in a buffer of the caller's."""
    whole = slice(None)
    found = []
    scores, ended = learn(learner, of, np.asarray, whole)
    file = pickle.dumps(learner)
    single, sparse = ek.Learner(of.config), ek.Learner(of.config)
    buffer = bytearray(ek.plan(of.config).nbytes)
    there = ek.Learner(of.config, buffer=buffer)
    memory = bytearray(len(buffer))
    bare = BareLearner(of.config, buffer=memory)
    plain = learn_singly(bare, of, lambda x: array("d", x))
    del bare
    ways = {
        "learn_one": (single, learn_singly(single, of)),
        "CSR": (sparse, learn(sparse, of, Csr, whole)),
        "buffer": (there, learn(there, of, np.asarray, whole)),
        "bare": (ek.attach(memory), plain),
    }
    for what, (other, (others, kind)) in ways.items():
        if kind is not ended:
            found.append(f"{what}: {kind} and not {ended}")
        if not same(scores, others):
            found.append(f"{what}: other scores")
        if pickle.dumps(other) != file:
            found.append(f"{what}: another model")
    if scores is not None and learner.n_skipped == 0 and not np.isfinite(scores).all():
        found.append("scores are not finite")
    del there, ways, other
    if ended is None:
        found += problems_of_going_on(of, learner, ek.attach(buffer), "attached")
        found += problems_of_going_on(of, pickle.loads(file), ek.attach(buffer), "from a file")
    return found


def problems_of_going_on(of: Case, one: ek.Learner, other: ek.Learner, what: str) -> list[str]:
    """Two learners of the same state go on alike."""
    if pickle.dumps(one) != pickle.dumps(other):
        return [f"{what}: another model"]
    # Copies: neither is to go on.
    pair = [pickle.loads(pickle.dumps(learner)) for learner in (one, other)]
    answers = [learn(learner, of, np.asarray, slice(20)) for learner in pair]
    if not same(answers[0][0], answers[1][0]) or pickle.dumps(pair[0]) != pickle.dumps(pair[1]):
        return [f"{what}: learns otherwise"]
    return []


def problems_of_scoring(of: Case, learner: ek.Learner) -> list[str]:
    """Many rows, one by one, by their non-zeros; nothing changes."""
    found = []
    rows = np.vstack([of.X[:40], of.X[-20:] * 1.1])
    if of.config.dtype.name == "FLOAT16":
        rows = np.clip(rows, -6e4, 6e4)
    views: list[Any] = [learner]
    if learner.parts.get("averaging") == ek.Averaging.MEAN:
        views.append(learner.averaged)
    before = pickle.dumps(learner)
    ways = {"decision_function": "decision_one", "predict": "predict_one", "scores": "scores_one"}
    for view, (many, one) in itertools.product(views, ways.items()):
        together = told(lambda view=view, many=many: getattr(view, many)(rows))
        singly = told(lambda view=view, one=one: [getattr(view, one)(x) for x in rows])
        sparse = told(lambda view=view, many=many: getattr(view, many)(Csr(rows)))
        if not same(together, singly):
            found.append(f"{many}: one by one otherwise")
        if not same(together, sparse):
            found.append(f"{many}: CSR otherwise")
    for name in ("familiarity_one", "predict_proba_one", "wants_label"):
        told(lambda name=name: [getattr(learner, name)(x) for x in rows[:5]])
    if pickle.dumps(learner) != before:
        found.append("scoring changed the model")
    return found


def problems_of(seed: int) -> list[str]:
    """What is wrong with the case of a seed."""
    of = case(seed)
    if of is None:
        return []
    learner = ek.Learner(of.config)
    found = problems_of_learning(of, learner) + problems_of_scoring(of, learner)
    if eval(repr(of.config), {"ek": ek}) != of.config:
        found.append("its repr makes another configuration")
    return [f"seed {seed}: {problem}; {of.config!r}" for problem in found]


def test_a_few() -> None:
    assert [problem for seed in range(QUICK) for problem in problems_of(seed)] == []


def test_most_seeds_make_a_configuration() -> None:
    made = [case(seed) for seed in range(60)]
    assert sum(of is not None for of in made) > 50
    assert len({of.config.name for of in made if of is not None}) > 15


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many(part: int) -> None:
    seeds = range(QUICK + PART * part, QUICK + PART * (part + 1))
    assert [problem for seed in seeds for problem in problems_of(seed)] == []
