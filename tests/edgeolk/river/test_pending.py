"""Models whose labels come late, as river's own validation with ``delay=`` brings them."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from river import compose, evaluate, metrics, preprocessing, stream

import edgeolk as ek
from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor
from edgeolk.river.pending import PendingRows

Stream = list[tuple[dict[Any, Any], Any]]

DELAY = 4


def rows(n: int = 160, *, numbers: bool = False, n_classes: int = 2) -> Stream:
    """Labels stay for some rows, so that the last one is tempting, and late it is wrong."""
    draw = np.random.default_rng(0)
    found: Stream = []
    for t, (a, b) in enumerate(draw.normal(size=(n, 2)).tolist()):
        place = (t // 6) % n_classes
        target = float(a + 0.1 * b) if numbers else place
        found.append(({"a": a + place, "b": b}, target))
    return found


def classifier(**more: Any) -> KernelClassifier:
    return KernelClassifier(**{"D": 48, "gamma": 0.5, "delay": DELAY, **more})


def regressor(**more: Any) -> KernelRegressor:
    return KernelRegressor(**{"D": 48, "gamma": 0.5, "delay": DELAY, **more})


def asked_by_hand(model: Any, data: Stream, delay: int) -> ek.Learner:
    """The learner of this model, which the same stream asks and teaches directly."""
    new, columns = type(model)(**model._get_params()), sorted(data[0][0])
    new.learn_one(*data[0])
    assert new.learner is not None
    learner = ek.Learner(new.learner.config)
    names = {label: place for place, label in enumerate(dict.fromkeys(y for _, y in data))}

    def row(t: int) -> list[float]:
        return [data[t][0][name] for name in columns]

    def label(t: int) -> float:
        if isinstance(model, KernelRegressor):
            return float(data[t][1])
        place = names[data[t][1]]
        return float(place if model.n_classes > 2 else 2 * place - 1)

    # The model has no learner, and asks none, until the first label.
    for t in range(len(data) + delay):
        if t >= delay:
            at = t - delay
            place = 0 if at >= delay else -1
            learner._learn_pending(row(at), label(at), None, place)
        if delay <= t < len(data):
            learner.ask_one(row(t))
    return learner


MODELS = {
    "two classes": (classifier, {}),
    "several classes": (classifier, {"n_classes": 3}),
    "regression": (regressor, {"numbers": True}),
}


def made(kind: str, **more: Any) -> tuple[Any, Stream]:
    make, options = MODELS[kind]
    data = rows(**options)
    some = {"n_classes": 3} if "n_classes" in options else {}
    return make(**some, **more), data


def metric_for(model: Any) -> Any:
    return metrics.MAE() if isinstance(model, KernelRegressor) else metrics.Accuracy()


@pytest.mark.parametrize("kind", MODELS)
def test_validation_with_a_delay_asks_and_then_learns(kind: str) -> None:
    """As the library's own queue does, bit for bit."""
    model, data = made(kind)
    evaluate.progressive_val_score(iter(data), model, metric_for(model), delay=DELAY)
    learner = asked_by_hand(model, data, DELAY)
    assert bytes(model.to_learner()._sealed()) == bytes(learner._sealed())
    assert learner.n_waiting == 0


def test_a_last_label_that_is_late_loses_its_share() -> None:
    """Without the delay it is not used once labels are late; with it, it is used and judged."""
    data = rows(600)
    model = classifier(delay=6)
    late = evaluate.progressive_val_score(iter(data), model, metrics.Accuracy(), delay=6)
    assert model.learner is not None
    assert model.learner.parameters["last_label"]
    # Six rows late the last label is always the wrong one of two.
    assert late.get() > 0.6
    unjudged = classifier(delay=None, params={"last_label": True, "lapse": 0})
    unjudged._repeats = False  # would restart it
    answers = []
    for _, x, y in stream.simulate_qa(iter(data), None, 6):
        if y is None:
            answers.append(unjudged.predict_one(x))
        else:
            unjudged._repeats = False
            unjudged.learn_one(x, y)
    right = [said == y for said, (_, y) in zip(answers, data, strict=True)]
    assert late.get() > np.mean(right) + 0.1


SCALED = {
    "scaler": lambda model: preprocessing.StandardScaler() | model,
    "chosen": lambda model: compose.Select("a", "b") | model,
    "renamed": lambda model: compose.Prefixer("in_") | preprocessing.MinMaxScaler() | model,
}


def in_order(model: Any, data: Stream, delay: int) -> Iterator[tuple[int, int | None]]:
    """Each row learned, and which of those asked the model took it for."""
    last = list(model.steps.values())[-1]
    for i, x, y in stream.simulate_qa(iter(data), None, delay):
        if y is None:
            model.predict_one(x)
            continue
        before = None if last._pending is None else last._pending._has_label.copy()
        model.learn_one(x, y)
        after = last._pending._has_label
        taken = np.flatnonzero(after if before is None else after & ~before)
        yield i, int(taken[0]) if len(taken) else None


@pytest.mark.parametrize("pipe", SCALED)
def test_a_pipeline_that_changes_rows(pipe: str) -> None:
    """A scaler gives other numbers when the row is learned: rows are told apart by their order."""
    model, data = SCALED[pipe](classifier()), rows(60)
    taken = list(in_order(model, data, DELAY))
    assert [number for number, _ in taken] == list(range(60))
    assert all(place == number % (2 * (DELAY + 1)) for number, place in taken)


def test_rows_that_are_never_learned() -> None:
    """Two of three labels do not come: those that come meet the answers to their own rows."""
    data = rows(90)
    model, learner = classifier(), None
    for t, (x, _) in enumerate(data):
        model.predict_one(x)
        if t >= DELAY and t % 3 == 0:
            model.learn_one(*data[t - DELAY])
    # The same by the numbers of rows.
    names = {0: -1.0, 1: 1.0}
    learner = ek.Learner(model.learner.config)  # type: ignore[union-attr]
    order: list[int] = []
    for t, (x, _) in enumerate(data):
        if learner.steps:
            order = [*order, t][-DELAY - 1 :]
            learner.ask_one(list(x.values()))
        if t >= DELAY and t % 3 == 0:
            row, label = data[t - DELAY]
            place = order.index(t - DELAY) if t - DELAY in order else -1
            learner._learn_pending(list(row.values()), names[label], None, place)
            if place == 0:
                order = order[1:]
    assert bytes(model.to_learner()._sealed()) == bytes(learner._sealed())


def shuffled(data: Stream, seed: int) -> list[tuple[int, dict[Any, Any], Any]]:
    """Questions and labels, which come between 1 and DELAY rows later."""
    waits = np.random.default_rng(seed).integers(1, DELAY + 1, len(data)).tolist()
    delays = {id(x): wait for (x, _), wait in zip(data, waits, strict=True)}
    return list(stream.simulate_qa(iter(data), None, lambda x, _: delays[id(x)], copy=False))


@pytest.mark.parametrize("kind", MODELS)
def test_labels_in_any_order(kind: str) -> None:
    """Each meets the answers to its own row, and no row waits at the end."""
    model, data = made(kind)
    asked: dict[int, int] = {}
    for i, x, y in shuffled(data, 1):
        if y is None:
            n_asked = 0 if model._pending is None else model._pending.n_asked
            model.predict_one(x)
            asked[i] = model._n_early - 1 if model._pending is None else n_asked
        else:
            pending = model._pending
            model.learn_one(x, y)
            assert model._pending.has_label(asked[i])
            assert pending is None or pending is model._pending
    assert model.learner.n_waiting == 0
    assert model.learner.steps == len(data)


def test_a_row_that_was_not_asked_takes_the_place_of_the_oldest() -> None:
    """Only its place: those behind it still meet their own answers."""
    data = rows(20)
    model = classifier()
    for t, (x, _) in enumerate(data):
        model.predict_one(x)
        if t >= DELAY:
            model.learn_one(*data[t - DELAY])
    assert model.learner is not None
    assert model.learner.n_waiting == DELAY
    model.learn_one({"a": 9.0, "b": 9.0}, 1)
    assert model.learner.n_waiting == DELAY - 1
    for left, (x, y) in zip((3, 2, 1, 0), data[16:], strict=True):
        model.learn_one(x, y)
        assert model.learner.n_waiting == left


def test_a_label_later_than_the_delay_meets_no_answer() -> None:
    data = rows(40)
    model, learner = classifier(history=False), None
    model.learn_one(*data[0])
    learner = ek.Learner(model.learner.config)  # type: ignore[union-attr]
    learner.learn_one(list(data[0][0].values()), -1.0)
    for x, _ in data[1:8]:
        model.predict_one(x)
        learner.ask_one(list(x.values()))
    model.learn_one(*data[1])
    learner._learn_pending(list(data[1][0].values()), -1.0 + 2.0 * data[1][1], None, -1)
    assert bytes(model.to_learner()._sealed()) == bytes(learner._sealed())
    assert learner.n_waiting == DELAY + 1


def test_probability_and_label_of_a_row_are_one_question() -> None:
    data = rows(30)
    both, one = classifier(), classifier()
    for t, (x, _) in enumerate(data):
        one.predict_one(x)
        shares = both.predict_proba_one(x)
        said = both.predict_one(x)
        assert not shares or said == max(shares, key=lambda label: shares[label])
        if t >= DELAY:
            for model in (both, one):
                model.learn_one(*data[t - DELAY])
    assert pickle.dumps(both.learner) == pickle.dumps(one.learner)
    one.predict_one(data[-1][0])  # again the same row: a further question
    one.predict_one(data[-1][0])
    assert one.learner is not None
    assert one.learner.n_waiting == DELAY + 1


@pytest.mark.parametrize("kind", MODELS)
def test_a_copy_goes_on_as_the_model(kind: str) -> None:
    model, data = made(kind)
    events = list(stream.simulate_qa(iter(data), None, DELAY))
    for _, x, y in events[:100]:
        model.predict_one(x) if y is None else model.learn_one(x, y)
    copies = [model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for _, x, y in events[100:]:
        for each in copies:
            each.predict_one(x) if y is None else each.learn_one(x, y)
    files = [bytes(each.to_learner()._sealed()) for each in copies]
    assert files[0] == files[1] == files[2]


def test_refused_rows_change_nothing() -> None:
    data = rows(30)
    model = classifier(missing="refuse")
    for t, (x, _) in enumerate(data):
        model.predict_one(x)
        if t >= DELAY:
            model.learn_one(*data[t - DELAY])
    before, said = pickle.dumps(model.learner), model._pending.n_asked  # type: ignore[union-attr]
    for x in ({"a": 1.0}, {"a": "x", "b": 1.0}, {"a": math.inf, "b": 1.0}):
        with pytest.raises((TypeError, ValueError)):
            model.predict_one(x)
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(x, 1)
    with pytest.raises(ValueError, match="weight"):
        model.learn_one(data[-1][0], 1, w=-1.0)
    assert pickle.dumps(model.learner) == before
    assert model._pending is not None
    assert model._pending.n_asked == said
    assert model._pending.find(model._columns.fingerprint()) is not None


def test_a_missing_reading_does_not_hide_a_row() -> None:
    """The mean that stands for it changes until the label comes."""
    data = rows(40)
    for x, _ in data[::3]:
        del x["b"]
    model, taken = classifier(), []
    for t, (x, _) in enumerate(data):
        model.predict_one(x)
        if t >= DELAY:
            row, y = data[t - DELAY]
            model.learn_one(row, y)
            assert model._pending is not None
            taken.append(model._pending.has_label(t - DELAY))
    assert all(taken)


def test_new_keys_start_the_learner_again_while_rows_wait() -> None:
    model = classifier(D=None, ram="4KiB")
    data: Stream = [({f"k{t // 8}": 1.0, "v": t / 10}, t // 8 % 2) for t in range(40)]
    for t, (x, _) in enumerate(data):
        model.predict_one(x)
        if t >= DELAY:
            model.learn_one(*data[t - DELAY])
    assert model.learner is not None
    assert model.learner.steps < len(data) - DELAY  # it started again
    assert model.learner.n_waiting == DELAY
    assert len(model.columns) == 6


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelClassifier("pa", delay=3), "delay"),
        (KernelClassifier(delay=-1), "delay must be"),
        (KernelRegressor(delay=3, history=True), "horizon="),
    ],
)
def test_what_a_delay_cannot_be_combined_with(model: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        model.learn_one({"a": 1.0}, 1)
    assert model.learner is None


def test_without_a_delay_no_row_waits() -> None:
    for model in (KernelClassifier(), KernelRegressor(), KernelNovelty()):
        model.learn_one({"a": 1.0}, *([] if isinstance(model, KernelNovelty) else [1]))
        assert model._pending is None
    tracker = KernelRegressor("krls_auto", params={"lags": 2, "delay": 3})
    tracker.predict_one({"a": 1.0})


# ---- which row a learned row is ------------------------------------------------------------------


def test_rows_are_found_by_their_readings_and_else_by_their_order() -> None:
    pending = PendingRows(2, n_early=1)
    for fingerprint in (5, 7, 5):
        pending.ask(fingerprint)
    assert pending.find(7) == 2
    assert pending.find(5) == 1
    pending.learn(1)
    assert pending.find(5) == 3
    assert pending.find(9) == 2  # the oldest of the last three that waits
    pending.learn(3)
    assert pending.find(5) is None  # asked and learned: not another row
    pending.learn(2)
    assert pending.find(9) is None
