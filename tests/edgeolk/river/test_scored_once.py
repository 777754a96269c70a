"""The score of a row that was just predicted serves learning it, where it is still true."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor

ROWS = [{"a": float(a), "b": float(b)} for a, b in np.random.default_rng(0).normal(size=(60, 2))]
LABELS = [int(row["a"] > 0.0) + int(row["b"] > 0.5) for row in ROWS]


def classifier(n_classes: int = 3) -> KernelClassifier:
    model = KernelClassifier(n_classes=n_classes, ram="4KiB", gamma=0.5, history=False)
    for row, label in zip(ROWS[:30], LABELS, strict=False):
        model.learn_one(row, min(label, n_classes - 1))
    return model


def refused(call: Any, *given: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        call(*given)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predicting_first_changes_nothing(n_classes: int) -> None:
    asked, silent = classifier(n_classes), classifier(n_classes)
    for row, label in zip(ROWS[30:], LABELS[30:], strict=True):
        shares = asked.predict_proba_one(row)
        assert asked.predict_one(row) == max(shares, key=shares.__getitem__)
        for model in (asked, silent):
            model.learn_one(row, min(label, n_classes - 1))
    assert pickle.dumps(asked.learner) == pickle.dumps(silent.learner)
    assert pickle.dumps(asked._probabilities) == pickle.dumps(silent._probabilities)
    assert asked._probabilities.calibration.slope != 1.0


@pytest.mark.parametrize(
    "between",
    [
        lambda model, row: row.update(a=row["a"] + 1.0),
        lambda model, row: row.pop("a"),
        lambda model, row: model.learner.learn_one([1.0, 1.0], 0),
        lambda model, row: model.learn_one({"a": 2.0, "b": 0.0}, 1),
        lambda model, row: model.predict_one({"a": 2.0, "b": 0.0}),
        lambda model, row: refused(model.predict_one, {"a": 2.0, "b": "x"}),
        lambda model, row: refused(model.learn_one, {"a": 2.0, "b": 0.0}, 9),
    ],
    ids=["changed", "key gone", "its learner", "another learned", "asked", "refused", "no class"],
)
def test_a_score_that_is_no_longer_true_is_not_used(between: Any) -> None:
    asked, fresh = classifier(), classifier()
    row, other = dict(ROWS[40]), dict(ROWS[40])
    asked.predict_one(row)
    between(asked, row)
    between(fresh, other)
    fresh = copy.deepcopy(fresh)  # remembers no score
    assert row == other
    assert asked.predict_proba_one(row) == fresh.predict_proba_one(other)
    for model, x in ((asked, row), (fresh, other)):
        model.learn_one(x, 1)
    assert pickle.dumps(asked._probabilities) == pickle.dumps(fresh._probabilities)


@pytest.mark.parametrize("model", [KernelRegressor(gamma=0.5), KernelNovelty(gamma=0.5)], ids=str)
def test_a_row_that_was_not_learned_is_scored_by_itself(model: Any) -> None:
    ask = getattr(model, "score_one", model.predict_one if hasattr(model, "predict_one") else None)
    own = () if isinstance(model, KernelNovelty) else (1.0,)
    for row in ROWS[:50]:
        model.learn_one(row, *own)
    first, other = ROWS[50], ROWS[51]
    said = ask(other)
    ask(first)
    with pytest.raises((TypeError, ValueError)):
        model.learn_one({**other, "b": "x"}, *own)
    if own:
        with pytest.raises(ValueError, match="y must be"):
            model.learn_one(other, float("nan"))
    assert ask(other) == said
