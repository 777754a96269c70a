"""Last labels as a candidate for classes: how long they count, and how they are forgotten."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forecasts import Numbers, state

import edgeolk as ek
from edgeolk.bare import BareLearner


def _labels_that_stop(
    options: dict[str, Any],
) -> tuple[dict[str, Any], Numbers, Numbers, Numbers]:
    """Arguments of a learner, rows, labels that stay and that readings say a little of."""
    r = np.random.default_rng(0)
    X = r.normal(size=(900, 3))
    y = np.where(np.arange(900) % 40 < 20, 1.0, -1.0)
    X[:, 0] += y
    labels = (y + 1.0) / 2.0 if options else y
    return {"n_features": 3, "D": 64, "seed": 1, **options}, X, labels, y


@pytest.mark.parametrize("options", [{}, {"n_classes": 3}], ids=["two", "three"])
def test_answers_do_not_freeze_when_labels_stop(options: dict[str, Any], tmp_path: Path) -> None:
    """A last label that is a candidate by itself counts for a few answers, then for none."""
    made, X, labels, _ = _labels_that_stop(options)
    learner = ek.Learner(history="auto", **made)
    plain = ek.Learner(last_label=True, **made)
    bare, told = BareLearner(**made), BareLearner(history="auto", **made)
    assert learner.config == bare.config == told.config != plain.config
    assert learner.nbytes == plain.nbytes + 8  # the option in the header
    for one in (learner, plain):
        one.learn_many(X[:600], labels[:600])
    for one in (bare, told):
        for row, label in zip(X[:600], labels[:600], strict=True):
            one.learn_one(row, label)
    kept_state = state(learner, "last_label")
    assert kept_state == state(plain, "last_label")  # nothing else is learned
    learner.save(tmp_path / "model.olk")
    loaded = ek.load(tmp_path / "model.olk")
    before = bytes(learner._sealed())
    frozen = [_asked(plain, row) for row in X[600:]]
    plain.restart()  # what it says where it knows no last label
    free = [_asked(plain, row) for row in X[600:]]
    expected = frozen[:16] + free[16:]
    for one in (learner, bare, told, loaded, pickle.loads(pickle.dumps(learner))):
        assert [_asked(one, row) for row in X[600:]] == expected
        assert [_asked(one, row) for row in X[600:]] == free
    assert bytes(learner._sealed()) == bytes(loaded._sealed()) != before  # answers are counted
    assert state(learner, "last_label") == kept_state
    assert (np.array(frozen) == labels[599]).mean() > 0.95
    right = [(np.array(answers) == labels[600:]).mean() for answers in (expected, frozen)]
    assert right[0] > right[1] + 0.1
    for one in (learner, plain):
        one.learn_one(X[0], labels[599])
    assert _asked(learner, X[1]) == _asked(plain, X[1])  # labels are back
    kept = BareLearner(last_label=True, **made)
    for row, label in zip(X[:600], labels[:600], strict=True):
        kept.learn_one(row, label)
    assert [_asked(kept, row) for row in X[600:]] == frozen  # as it was asked for
    assert eval(repr(learner.config), {"ek": ek, **vars(ek)}) == learner.config


@pytest.mark.parametrize("options", [{}, {"n_classes": 3}], ids=["two", "three"])
@pytest.mark.parametrize("first", [0, 5, 16, 40])
def test_rows_of_a_table_are_answers_one_by_one(options: dict[str, Any], first: int) -> None:
    made, X, labels, _ = _labels_that_stop(options)
    rows = X[600:700]
    one, many = (ek.Learner(history="auto", **made) for _ in range(2))
    for learner in (one, many):
        learner.learn_many(X[:600], labels[:600])
    expected = [one.scores_one(row) for row in rows]
    for row in rows[:first]:
        many.predict_one(row)
        many.wants_label(row)  # is no answer
    np.testing.assert_array_equal(many.scores(rows[first:]), expected[first:])
    many.learn_one(X[0], labels[0])
    one.learn_one(X[0], labels[0])
    np.testing.assert_array_equal(
        np.concatenate([many.scores(rows[:10]), many.scores(rows[10:])]),
        [one.scores_one(row) for row in rows],
    )


def test_how_long_a_last_label_counts_can_be_said() -> None:
    made, X, labels, _ = _labels_that_stop({})
    learner = ek.Learner(last_label=True, lapse=3, **made)
    plain = ek.Learner(last_label=True, **made)
    for one in (learner, plain):
        one.learn_many(X[:600], labels[:600])
    same = learner.decision_function(X[600:640]) == plain.decision_function(X[600:640])
    assert same[:3].all()
    assert not same[3:].any()
    for one in (learner, plain):
        one.learn_one(X[640], labels[599])
    same = learner.decision_function(X[600:640]) == plain.decision_function(X[600:640])
    assert same[:3].all()
    assert not same[3:].any()
    with pytest.raises(ValueError, match="lapse is for last_label=True"):
        ek.Learner(lapse=3, **made)
    assert ek.Config(history="auto", lapse=0, **made) == plain.config


def _asked(learner: Any, row: Any) -> float:
    """The class that a learner predicts, by its scores alone."""
    scores = np.zeros(max(1, learner._config.columns))
    if isinstance(learner, BareLearner):
        learner.scores_one(row, scores)
    else:
        scores = learner.scores_one(row)
    return float(np.argmax(scores)) if len(scores) > 1 else (1.0 if scores[0] >= 0.0 else -1.0)


def test_a_bare_learner_takes_rows_in_order_by_itself() -> None:
    assert BareLearner(n_features=3, ram="4KiB", loss="square")._config.awaits_targets
    assert BareLearner(n_features=3, ram="4KiB", loss="novelty")._config.reports_events
    classes = BareLearner(n_features=3, ram="4KiB", n_classes=3).config
    assert classes == ek.Config(n_features=3, ram="4KiB", n_classes=3, history="auto")
    for options in ({"history": None}, {"history": False}, {"last_label": False}):
        plain = BareLearner(n_features=3, ram="4KiB", **options).config
        assert plain == ek.Config(n_features=3, ram="4KiB")
    # What does not go with a history has none; nor has another algorithm.
    other = {"n_features": 3, "ram": "4KiB", "loss": "square", "scale": "minmax"}
    assert BareLearner(**other).config == ek.Config(**other)
    assert BareLearner("rbp", n_features=3, budget=4).config.name == "rbp"
    with pytest.raises(ValueError, match="ram must be at least"):
        BareLearner(n_features=3, ram=200, loss="square")


def test_the_last_label_is_forgotten_by_a_restart() -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(600, 3))
    y = np.where(np.arange(600) % 40 < 20, 1.0, -1.0)  # labels stay, readings say a little
    X[:, 0] += y
    for options, labels in (({}, y), ({"n_classes": 3}, (y + 1.0) / 2.0)):
        learner = ek.Learner(n_features=3, D=64, last_label=True, **options)
        learner.learn_many(X, labels)
        frozen = learner.predict(X)
        assert (frozen == labels[-1]).mean() > 0.95
        learner.restart()
        assert (learner.predict(X) == labels[-1]).mean() < 0.9
        assert not any(state(learner)["last_label"])
        learner.learn_one(X[0], labels[-1])
        assert (learner.predict(X) == labels[-1]).mean() > 0.95
        bare = BareLearner(n_features=3, D=64, history="auto", **options)
        bare.learn_one(X[0], labels[0])
        bare.restart()
    with pytest.raises(AttributeError, match="history=True"):
        ek.Learner(n_features=3, D=64).restart()


def test_restart_names_the_last_label_where_there_is_none() -> None:
    with pytest.raises(AttributeError, match=r"restart is for learners with .*last_label=True"):
        ek.Learner(n_features=2, ram="2KiB").restart()
