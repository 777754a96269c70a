"""Models of dict rows: in river's pipelines, with keys that come and go, on a board."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from river import anomaly, datasets, evaluate, metrics, preprocessing

import edgeolk as ek
from edgeolk.river import KernelClassifier, KernelNovelty, KernelRegressor


def _rows(n: int = 300) -> Any:
    random = np.random.default_rng(0)
    for a, b in random.normal(size=(n, 2)):
        yield {"a": float(a), "b": float(b)}, bool(a * b > 0)


def test_progressive_validation_of_classes() -> None:
    model = preprocessing.StandardScaler() | KernelClassifier(n_classes=7, scale=None, ram="32KiB")
    stream = datasets.ImageSegments().take(1500)
    assert evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get() > 0.75


def test_novel_rows_score_higher() -> None:
    model = KernelNovelty()
    for x, _ in _rows(1000):
        model.learn_one(x)
    assert not model.is_novel({"a": 0.1, "b": -0.1})
    assert model.is_novel({"a": 9.0, "b": 9.0})
    assert model.score_one({"a": 9.0, "b": 9.0}) > model.score_one({"a": 0.1, "b": -0.1})


def test_labels_get_columns_as_they_come() -> None:
    model = KernelClassifier(n_classes=3)
    for label in ("idle", "running", "idle"):
        model.learn_one({"a": 1.0 if label == "idle" else -1.0}, label)
    assert model.classes == ["idle", "running"]
    assert set(model.predict_proba_one({"a": 0.5})) == {"idle", "running"}
    model.learn_one({"a": 5.0}, "worn")
    before = model.to_learner().steps
    with pytest.raises(ValueError, match="one class too many: 'broken'"):
        model.learn_one({"a": 2.0}, "broken")
    assert model.to_learner().steps == before
    assert model.classes == ["idle", "running", "worn"]


def test_keys_given_in_order() -> None:
    model = KernelClassifier(features=["b", "a", "c"])
    with pytest.raises(ValueError, match="no row has been learned"):
        model.to_learner()
    for x, y in _rows(50):
        model.learn_one(x, y)
    assert model.columns == ["b", "a", "c"]
    assert model.to_learner().n_features == 3


@pytest.mark.filterwarnings("ignore:feature .* has no column")
def test_columns_for_keys_to_come() -> None:
    model = KernelClassifier(features=3)
    model.learn_one({"a": 1.0}, True)
    model.predict_one({"a": 1.0, "z": 2.0})
    assert model.columns == ["a"]
    model.learn_one({"b": 1.0, "a": 1.0}, False)
    model.learn_one({"e": 1.0, "d": 1.0}, False)
    assert model.columns == ["a", "b", "d"]


def test_a_key_without_a_column() -> None:
    strict, lenient = KernelClassifier(unseen="raise"), KernelClassifier(unseen="ignore")
    for model in (strict, lenient):
        model.learn_one({"temperature": 1.0, "light": 2.0}, True)
    known = {"temperature": 1.0, "light": 2.0}
    assert lenient.predict_proba_one({**known, "x": 9.0}) == lenient.predict_proba_one(known)
    with pytest.raises(ValueError, match=r"'temprature' has no column.*did you mean 'temperature'"):
        strict.predict_one({"temprature": 1.0, "light": 2.0})


@pytest.mark.parametrize(("missing", "stands"), [(None, 4.0), ("last", 3.0), ("zero", 0.0)])
@pytest.mark.parametrize("gap", [{}, {"b": None}, {"b": math.nan}, {"b": np.float32("nan")}])
def test_what_stands_for_a_missing_key(missing: str, stands: float, gap: dict[str, Any]) -> None:
    """No key, None and NaN are one; rows learned that lack it change neither mean nor last."""
    model = KernelRegressor(missing=missing, scale=None, gamma=0.1)
    assert model.n_missing == 0
    for a, b, y in ((1.0, {"b": 5.0}, 2.0), (2.0, {"b": 3.0}, 7.0), (2.5, gap, 6.0)):
        model.learn_one({"a": a, **b}, y)
    assert model.predict_one({"a": 2.0, **gap}) == model.predict_one({"a": 2.0, "b": stands})
    assert model.n_missing == 1
    assert pickle.loads(pickle.dumps(model)).n_missing == 1


def test_a_mean_that_is_filled_in_is_0_after_scaling() -> None:
    draws = np.random.default_rng(2)
    model = KernelClassifier(ram="4KiB", history=False)
    for row in draws.normal([50.0, -3.0], 2.0, (400, 2)).tolist():
        model.learn_one(dict(zip("ab", row, strict=True)), row[0] > 50.0)
    scaler = model.to_learner().scaler
    filled = model._columns.row({"a": 51.0})
    assert scaler.transform_one(filled)[1] == pytest.approx(0.0, abs=0.05)


def test_a_missing_key_may_be_refused() -> None:
    model = KernelRegressor(missing="refuse")
    model.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    for gap in ({}, {"b": None}, {"b": math.nan}):
        with pytest.raises(ValueError, match="feature 'b' is missing"):
            model.predict_one({"a": 1.0, **gap})


@pytest.mark.parametrize(
    ("y", "w", "message"),
    [
        pytest.param(math.nan, 1.0, "y must be", id="nan"),
        pytest.param("much", 1.0, "y must be a number, got str", id="text"),
        pytest.param(10**400, 1.0, "y must be", id="beyond a float"),
        pytest.param(1.0, -1.0, "weight must be", id="weight"),
    ],
)
def test_a_first_row_that_is_refused_fixes_no_keys(y: Any, w: float, message: str) -> None:
    model = KernelRegressor()
    with pytest.raises((TypeError, ValueError), match=message):
        model.learn_one({"b": 1.0}, y, w)
    assert (model.columns, model.learner) == ([], None)
    model.learn_one({"a": 1.0, "c": 2.0}, 1.0)
    assert model.columns == ["a", "c"]
    assert model.to_learner().n_features == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"unseen": "drop"}, "unseen must be one of 'warn', 'ignore', 'raise'"),
        ({"missing": "raise"}, "missing must be one of"),
        ({"features": ["a", "a"]}, "features must be distinct keys"),
        ({"features": 0}, "features must be"),
        ({"n_classes": 1}, "n_classes must be"),
    ],
)
def test_parameters_are_refused_by_name(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KernelClassifier(**arguments)


def _waves(n: int) -> list[dict[str, float | None]]:
    """Two readings in the order of time; the second stands still for a while."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, float | None]] = []
    for t in range(n):
        wave = {"a": np.sin(t / 20) + 0.1 * rng.normal(), "b": np.cos(t / 30) + 0.1 * rng.normal()}
        rows.append({key: float(value) for key, value in wave.items()})
    for row in rows[n // 2 : n // 2 + 60]:
        row["b"] = rows[n // 2]["b"]
    return rows


def test_scores_of_novelty_are_comparable() -> None:
    """From 0 to 1, from 0.5 on for a novel row."""
    model = KernelNovelty()
    scores, alarms, flat = [], 0, False
    for t, x in enumerate(_waves(3000)):
        said, alarm = model.score_one(x), model.is_novel(x)
        model.learn_one(x)
        learner = model.learner
        assert learner is not None
        assert alarm == learner.novel
        assert (said >= 0.5) == alarm
        alarms += alarm
        if t >= 200:
            scores.append(said)
            assert said == pytest.approx(learner.anomaly, abs=1e-6)
        elif t > 0 and not alarm:
            assert said == 0.0
        flat |= alarm and learner.why == ("flat", 1)
    assert 0.0 < min(scores) < max(scores) < 1.0
    assert flat
    assert alarms < 100


def test_gaps_are_missing_readings_in_time() -> None:
    models = [KernelNovelty() for _ in range(3)]
    for t, x in enumerate(_waves(400)):
        gone = t % 50 == 7
        short = {"a": x["a"]} if gone else x
        models[0].learn_one(short)
        models[1].learn_one({**x, "b": None} if gone else x)
        models[2].learn_one({**x, "b": float("nan")} if gone else x)
    files = [bytes(model.to_learner()._sealed()) for model in models]
    assert files[0] == files[1] == files[2]
    with pytest.raises(ValueError, match="'a' is missing"):
        KernelNovelty(missing="refuse").learn_one({"a": float("nan")})


def test_a_regressor_forecasts_from_the_targets_history() -> None:
    """By itself with the usual learner; the answers are those of a forecaster."""
    r = np.random.default_rng(0)
    X, y = r.normal(size=(200, 2)), np.cumsum(r.normal(size=200))
    model, plain = KernelRegressor(ram="4KiB"), KernelRegressor(ram="4KiB", history=False)
    learner = ek.Learner("sorf", n_features=2, ram="4KiB", loss="square", history=True)
    errors = np.zeros(2)
    for row, target in zip(X.tolist(), y.tolist(), strict=True):
        x = {"a": row[0], "b": row[1]}
        said = [one.predict_one(x) for one in (model, plain)]
        errors += np.abs(np.array(said) - target)
        for one in (model, plain):
            one.learn_one(x, target)
        assert learner.learn_one(np.array(row), target) == pytest.approx(said[0])
    assert errors[0] < 0.7 * errors[1]
    assert model.learner is not None
    assert model.learner._config.awaits_targets
    for other in (
        {"scale": None},
        {"algorithm": "ogd"},
        {"gamma": 0.1},
        {"loss": "epsilon", "algorithm": "bpa_s"},
    ):
        given = KernelRegressor(**other)
        given.learn_one({"a": 1.0}, 1.0)
        assert given.learner is not None
        assert not given.learner._config.awaits_targets


def _labels_that_stay() -> tuple[list[dict[str, float]], list[bool]]:
    r = np.random.default_rng(0)
    labels = [t % 40 < 20 for t in range(400)]
    return [{"a": r.normal() + (1.0 if y else -1.0), "b": r.normal()} for y in labels], labels


def test_a_classifier_repeats_the_last_label_where_labels_are_in_time() -> None:
    rows, labels = _labels_that_stay()
    wrong = {}
    for history in ("auto", False):
        model = KernelClassifier(budget=64, history=history)
        wrong[history] = 0
        for x, y in zip(rows, labels, strict=True):
            wrong[history] += model.predict_one(x) != y
            model.learn_one(x, y)
    assert wrong["auto"] < 0.8 * wrong[False]
    # The labels end here: its answers are those of the readings, and do not freeze.
    model = KernelClassifier(ram="4KiB")
    for x, y in zip(rows, labels, strict=True):
        model.predict_one(x)
        model.learn_one(x, y)
    said = [model.predict_one(x) for x in rows]
    assert 0.05 < np.mean(said) < 0.95
    model.predict_one(rows[1])
    model.learn_one(rows[1], True)  # in time again
    assert [model.predict_one(rows[2]), model.predict_proba_one(rows[2])[True] > 0.5] == [True] * 2


def test_late_labels_are_not_repeated() -> None:
    rows, labels = _labels_that_stay()
    said: dict[object, list[object]] = {}
    for history in ("auto", False):
        model = KernelClassifier(budget=64, history=history)
        said[history] = []
        for t in range(400):
            said[history].append(model.predict_one(rows[t]))
            if t >= 3:
                model.learn_one(rows[t - 3], labels[t - 3])
    same = np.mean([a == b for a, b in zip(said["auto"], said[False], strict=True)])
    assert same > 0.97
    with pytest.raises(ValueError, match="history must be"):
        KernelClassifier(history="never").learn_one({"a": 1.0}, True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("algorithm", ["sorf", "bpa_s"])
def test_balanced_decisions_find_rare_labels(algorithm: str, n_classes: int) -> None:
    random = np.random.default_rng(4)
    y = random.choice(n_classes, 2500, p=[0.95, 0.05] if n_classes == 2 else [0.94, 0.03, 0.03])
    X = random.normal(size=(2500, 2)) + 2.0 * np.eye(3)[y][:, :2] - (y == 2)[:, None]
    found = {}
    for decision in ("accuracy", "balanced"):
        model = KernelClassifier(
            algorithm, n_classes, "4KiB", gamma=0.5, history=False, decision=decision
        )
        answers = []
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            x = dict(enumerate(row))
            answers.append(model.predict_one(x))
            model.learn_one(x, label)
        said = np.array(answers[500:], dtype=float)
        found[decision] = np.mean([np.mean(said[y[500:] == k] == k) for k in range(n_classes)])
    assert found["balanced"] > found["accuracy"] + 0.06


def test_a_decision_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="decision must be 'accuracy' or 'balanced', got 'fair'"):
        KernelClassifier(decision="fair")


@pytest.mark.parametrize("protects", [True, False])
@pytest.mark.parametrize("history", [True, False])
def test_novelty_in_a_filter_of_a_quantile(history: bool, protects: bool) -> None:
    """As with river's own detectors: few rows are flagged, the shifted ones among them."""
    rng = np.random.default_rng(0)
    X = [{"a": float(a), "b": float(b)} for a, b in rng.normal(size=(4000, 2))]
    for x in X[2000::100]:
        x["a"] += 6.0
    model = anomaly.QuantileFilter(
        KernelNovelty(ram="4KiB", history=history), q=0.98, protect_anomaly_detector=protects
    )
    flagged = []
    for x in X:
        flagged.append(model.classify(model.score_one(x)))
        model.learn_one(x)
    assert not any(flagged[:50])
    assert sum(flagged) < 0.04 * len(X)
    assert sum(flagged[1000:]) < 0.035 * 3000
    assert sum(flagged[2000::100]) >= 18
    n_learned = model.anomaly_detector.learner.steps
    assert n_learned == (len(X) - sum(flagged) if protects else len(X))


def test_novelty_in_a_filter_of_a_threshold() -> None:
    """The threshold of a novel row in time is .5."""
    model = anomaly.ThresholdFilter(KernelNovelty(), threshold=0.5)
    for x in _waves(1000):
        assert model.classify(model.score_one(x)) == model.anomaly_detector.is_novel(x)
        model.learn_one(x)


@pytest.mark.parametrize(("history", "n_first"), [(True, 200), (False, 50)])
def test_scores_are_0_before_the_first_verdict(history: bool, n_first: int) -> None:
    model = KernelNovelty(history=history)
    scores = []
    for x, _ in _rows(n_first + 1):
        scores.append(model.score_one(x))
        model.learn_one(x)
    assert scores[:-1] == [0.0] * n_first
    assert scores[-1] > 0.0
