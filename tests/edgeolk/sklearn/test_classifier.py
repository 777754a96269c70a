"""Classes by any labels, weights, tables, probabilities, and the tools of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs, make_moons
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import edgeolk as ek
from edgeolk.sklearn import OnlineKernelClassifier


@pytest.fixture(scope="module")
def moons() -> Any:
    X, y = make_moons(n_samples=600, noise=0.15, random_state=0)
    return X, np.where(y == 0, "vacant", "occupied")


@pytest.fixture(scope="module")
def states() -> Any:
    X, y = make_blobs(n_samples=600, centers=3, cluster_std=1.5, random_state=3)
    return X, np.array(["idle", "running", "worn"])[y]


def test_labels_are_what_was_given(states: Any) -> None:
    X, y = states
    model = OnlineKernelClassifier(random_state=0).fit(X, y)
    assert list(model.classes_) == ["idle", "running", "worn"]
    assert model.score(X, y) > 0.95
    assert model.decision_function(X).shape == (600, 3)
    assert model.learner_.n_classes == 3


def test_two_classes_have_one_score(moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier(random_state=0).fit(X, y)
    f = model.decision_function(X)
    assert f.shape == (600,)
    assert (model.predict(X) == np.where(f > 0.0, "vacant", "occupied")).all()
    assert model.score(X, y) > 0.95
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(f, np.log(p / (1.0 - p)), rtol=1e-6)
    assert (model.learner_.decision_function(X).argsort() != f.argsort()).any()


def test_whole_weights_are_rows(moons: Any) -> None:
    X, y = moons
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    weighed = OnlineKernelClassifier(random_state=0).fit(X, y, sample_weight=weight)
    repeated = OnlineKernelClassifier(random_state=0).fit(X.repeat(weight, 0), y.repeat(weight))
    assert (weighed.decision_function(X) == repeated.decision_function(X)).all()


def test_half_a_weight_is_half_of_the_visits(moons: Any) -> None:
    X, y = moons
    weight = np.where(np.arange(len(y)) % 2, 1.0, 0.5)
    model = OnlineKernelClassifier(epochs=4, random_state=0).fit(X, y, sample_weight=weight)
    assert model.learner_.steps == 4 * 300 + 2 * 300


def test_small_weights_are_visited_nevertheless(moons: Any) -> None:
    X, y = moons
    small = np.full(len(y), 1.0 / len(y))
    model = OnlineKernelClassifier(random_state=0).fit(X, y, sample_weight=small)
    assert model.learner_.steps == 5 * len(y)


def test_an_algorithm_without_weights_takes_them_in_fit(moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier("forgetron", budget=100, random_state=0)
    model.fit(X, y, sample_weight=np.where(y == "vacant", 2.0, 1.0))
    assert model.learner_.steps == 5 * 900
    with pytest.raises(ValueError, match="weight"):
        model.partial_fit(X, y, sample_weight=np.full(len(y), 2.0))


def test_weights_of_classes_move_the_boundary(moons: Any) -> None:
    X, y = moons
    rare = np.concatenate((np.flatnonzero(y == "occupied")[:30], np.flatnonzero(y == "vacant")))
    said = {
        weight: OnlineKernelClassifier(class_weight=weight, random_state=0, epochs=2)
        .fit(X[rare] + np.random.default_rng(0).normal(0, 0.6, (len(rare), 2)), y[rare])
        .predict(X)
        for weight in (None, "balanced")
    }
    assert (said["balanced"] == "occupied").sum() > (said[None] == "occupied").sum()


def _rare(classes: int) -> Any:
    """Rows of which one class is 19 of 20, and their labels."""
    random = np.random.default_rng(4)
    y = random.choice(classes, 4000, p=[0.95, *[0.05 / (classes - 1)] * (classes - 1)])
    return random.normal(size=(4000, 2)) + 1.5 * np.eye(3)[y][:, :2] - 0.3 * (y == 2)[:, None], y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("algorithm", ["sorf", "bpa_s"])
def test_balanced_decisions_find_rare_classes(algorithm: str, classes: int) -> None:
    X, y = _rare(classes)
    model = OnlineKernelClassifier(algorithm, ram="4KiB", random_state=0, gamma=0.5)
    model.partial_fit(X[:3000], y[:3000], classes=range(classes))
    plain = model.predict(X[3000:])
    model.set_params(decision="balanced")
    balanced, margins = model.predict(X[3000:]), model.decision_function(X[3000:])
    chosen = margins.argmax(axis=1) if classes > 2 else (margins > 0.0).astype(int)
    assert (balanced == chosen).all()
    recalls = [
        np.mean([np.mean(said[y[3000:] == k] == k) for k in range(classes)])
        for said in (plain, balanced)
    ]
    assert recalls[1] > recalls[0] + 0.08
    named = model.to_learner()
    assert [named.predict_one(row) for row in X[3000:3200]] == balanced[:200].tolist()


def test_a_decision_is_one_of_two() -> None:
    X, y = _rare(2)
    for learns in ("fit", "partial_fit"):
        more = {"classes": [0, 1]} if learns == "partial_fit" else {}
        model = OnlineKernelClassifier(decision="fair")
        with pytest.raises(ValueError, match="decision must be 'accuracy' or 'balanced', got"):
            getattr(model, learns)(X, y, **more)
        assert not hasattr(model, "learner_")
    model = OnlineKernelClassifier(random_state=0).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="decision must be"):
        model.set_params(decision=True).predict(X)


def test_weights_of_classes_are_not_counted(moons: Any) -> None:
    """They reach the steps of sorf; rows are visited as often, and count one mistake each."""
    X, y = moons
    weight = {"occupied": 8.0, "vacant": 1.0}
    given = {"random_state": 0, "gamma": 0.5, "epochs": 1, "ram": "4KiB", "shuffle": False}
    model = OnlineKernelClassifier(class_weight=weight, **given).fit(X, y)
    labels = np.where(y == "vacant", 1.0, -1.0)
    steps = np.where(y == "vacant", 1.0, 8.0)
    by_hand = ek.Learner(model.learner_.config)
    by_hand._learn_many(X, labels, steps, np.ones(len(y)))
    assert model.learner_.steps == len(y)
    assert by_hand._sealed() == model.learner_._sealed()
    model = OnlineKernelClassifier(class_weight=weight, **given)
    rows = np.where(np.arange(len(y)) % 4, 1.0, 0.0)
    model.partial_fit(X, y, classes=np.unique(y), sample_weight=2.0 * rows)
    by_hand, kept = ek.Learner(model.learner_.config), rows > 0.0
    by_hand._learn_many(X[kept], labels[kept], 2.0 * steps[kept], 2.0 * np.ones(kept.sum()))
    assert by_hand._sealed() == model.learner_._sealed()


def test_a_class_without_weight_is_left_out(moons: Any) -> None:
    X, y = moons
    for algorithm in ("sorf", "bpa_s"):
        model = OnlineKernelClassifier(
            algorithm, class_weight={"occupied": 0.0, "vacant": 1.0}, random_state=0, epochs=1
        )
        assert model.fit(X, y).learner_.steps == 300
        model = clone(model).partial_fit(X, y, classes=np.unique(y))
        assert model.learner_.steps == 300


def test_the_first_call_names_the_classes(moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier()
    with pytest.raises(ValueError, match="classes must be passed"):
        model.partial_fit(X, y)
    model.partial_fit(X, y, classes=["occupied", "vacant", "unsure"])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=r"y holds .*, but classes are"):
        model.partial_fit(X, np.where(y == "vacant", "vacant", "broken"))
    with pytest.raises(ValueError, match="in the first call"):
        model.partial_fit(X, y, classes=["occupied", "vacant"])
    assert (model.decision_function(X) == before).all()


def test_balanced_weights_need_all_rows(moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="'balanced' needs all rows"):
        model.partial_fit(X, y, classes=np.unique(y))
    assert not hasattr(model, "learner_")


@pytest.mark.parametrize(
    ("weight", "message"),
    [(2.0, "weight"), (np.ones(3), "sample_weight.shape"), (np.ones((600, 1)), "1D array")],
)
def test_a_first_call_that_is_refused_leaves_nothing(weight: Any, message: str, moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier("forgetron", random_state=0)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y, classes=["occupied", "vacant"], sample_weight=weight)
    assert vars(model) == before
    model.partial_fit(X[:, :1], y, classes=["occupied", "vacant"])
    assert (model.n_features_in_, model.learner_.steps) == (1, 600)


def test_a_second_fit_that_is_refused_leaves_the_first(moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier(random_state=0).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="got one class"):
        model.fit(X[:, :1], np.full(len(y), "worn"))
    assert list(model.classes_) == ["occupied", "vacant"]
    assert (model.decision_function(X) == before).all()


def test_a_full_ring_keeps_what_was_learned(moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier("perceptron", budget=5, params={"full": "raise"})
    with pytest.raises(ek.BudgetError):
        model.partial_fit(X, y, classes=np.unique(y))
    assert model.learner_.n_support == 5


@pytest.mark.parametrize("classes", [[], np.array([], dtype=str)])
def test_no_classes_are_refused(classes: Any, moons: Any) -> None:
    X, y = moons
    with pytest.raises(ValueError, match="classes must list every possible label, at least 2"):
        OnlineKernelClassifier().partial_fit(X, y, classes=classes)


def test_columns_of_a_table_are_known_by_name(moons: Any) -> None:
    X, y = moons
    table = pd.DataFrame(X, columns=["light", "co2"])
    model = OnlineKernelClassifier(random_state=0).fit(table, y)
    assert list(model.feature_names_in_) == ["light", "co2"]
    with pytest.raises(ValueError, match="in the same order"):
        model.predict(table[["co2", "light"]])


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
def test_widths(gamma: Any, moons: Any) -> None:
    X, y = moons
    model = OnlineKernelClassifier(gamma=gamma, random_state=0).fit(X, y)
    width = model.learner_.kernel.gamma
    if gamma == "scale":
        assert width == pytest.approx(0.5, rel=0.1)
    elif gamma == "auto":
        assert model.learner_._config.preprocessing.follows
        assert width == pytest.approx(0.5 / X.shape[1], rel=0.2)
        ring = OnlineKernelClassifier("bpa_s", gamma=gamma, random_state=0).fit(X, y)
        made = ring.learner_.kernel.gamma
        assert made == pytest.approx(1.0 / np.median(_squares(X / X.std(axis=0))), rel=0.2)
    elif gamma == 0.7:
        assert width == 0.7
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("algorithm", ["sorf", "bpa_s"])
@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_one_scale_for_all_features(algorithm: str, gamma: str, moons: Any) -> None:
    X, y = moons
    X = np.column_stack([X, X[:, 0]])
    model = OnlineKernelClassifier(algorithm, scale="common", gamma=gamma, random_state=0).fit(X, y)
    alike = model.learner_.common_scale
    assert alike is not None
    assert alike.mean == pytest.approx(X.mean(), abs=1e-9)
    assert alike.sd == pytest.approx(X.std(), rel=1e-9)
    assert model.score(X, y) > 0.9


def _squares(X: Any) -> Any:
    apart = X[:, None] - X[None]
    return (apart**2).sum(axis=2)[np.triu_indices(len(X), 1)]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": "median"}, "gamma must be 'auto', 'scale' or a number above 0, got 'median'"),
        ({"gamma": -1.0}, "gamma must be above 0"),
        ({"kernel": "rbf"}, "kernel must be None for a Gaussian kernel"),
        ({"epochs": 0}, "epochs must be"),
        ({"algorithm": "ahpaton"}, "did you mean 'ahpatron'"),
        ({"params": {"sharpp": 3}}, "did you mean"),
        ({"ram": "16 bytes"}, "ram"),
        ({"scale": "both"}, "scale must be"),
    ],
)
def test_parameters_are_refused_by_name(
    parameters: dict[str, Any], message: str, moons: Any
) -> None:
    X, y = moons
    with pytest.raises((TypeError, ValueError), match=message):
        OnlineKernelClassifier(**parameters).fit(X, y)


def test_in_a_search_and_a_pipeline() -> None:
    X, y = load_iris(return_X_y=True)
    steps = make_pipeline(MinMaxScaler(), OnlineKernelClassifier(random_state=0, epochs=10))
    grid = {
        "onlinekernelclassifier__gamma": ["auto", 0.01],
        "onlinekernelclassifier__ram": ["2KiB", "8KiB"],
    }
    search = GridSearchCV(steps, grid, cv=3, n_jobs=1).fit(X, y)
    assert search.best_score_ > 0.93
    assert cross_val_score(clone(steps), X, y, cv=3).min() > 0.9


@pytest.mark.parametrize("labels", [2, 3])
def test_a_last_label_is_for_rows_in_order_and_lapses(labels: int) -> None:
    """partial_fit takes it, fit does not; where labels stop, a few rows are answered by it."""
    r = np.random.default_rng(0)
    y = np.arange(900) // 30 % labels
    X = r.normal(size=(900, 3))
    X[:, 0] += 1.5 * y
    told = {"ram": "4KiB", "random_state": 0, "params": {"history": "auto"}}
    assert OnlineKernelClassifier(**told).fit(X, y).learner_.parameters["last_label"] is False
    model = OnlineKernelClassifier(**told).partial_fit(X[:600], y[:600], classes=range(labels))
    assert model.learner_.parameters["last_label"] is True
    assert model.learner_.parameters["lapse"] == 16
    said = model.predict(X[600:])
    assert len(np.unique(said)) == labels
    assert (said[16:] == y[616:]).mean() > 0.5
    kept = {**told, "params": {"last_label": True}}
    model = OnlineKernelClassifier(**kept).partial_fit(X[:600], y[:600], classes=range(labels))
    assert (model.predict(X[600:]) == y[599]).mean() > (said == y[599]).mean()


@pytest.mark.parametrize("algorithm", ["sorf", "bpa_s", "ogd"])
def test_probabilities_know_something(algorithm: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, held, y, truth = train_test_split(X, y, random_state=0)
    params = {"loss": "logistic", "full": "oldest", "eta": 1.0} if algorithm == "ogd" else None
    model = OnlineKernelClassifier(algorithm, params=params, random_state=0).fit(X, y)
    assert (model.calibration_ is None) == (algorithm == "ogd")
    p = model.predict_proba(held)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(held)).all()
    base = log_loss(truth, np.tile(np.bincount(y) / len(y), (len(held), 1)))
    assert log_loss(truth, p) < 0.5 * base


def test_the_width_of_a_stream_is_not_that_of_its_first_few_rows(moons: Any) -> None:
    """They lie close together here."""
    X, y = moons
    X = X.copy()
    X[:10] = X[0] + 1e-3 * (X[:10] - X[0])
    model = OnlineKernelClassifier(algorithm="bpa_s", scale=None, random_state=0)
    for first in range(0, 300, 10):
        model.partial_fit(X[first : first + 10], y[first : first + 10], np.unique(y))
    width = model.learner_.kernel.gamma
    assert width == pytest.approx(1.0 / np.median(_squares(X)), rel=0.5)


@pytest.mark.parametrize("gamma", ["auto", "scale"])
def test_a_width_of_rows_that_are_not_scaled_is_that_of_the_rows(gamma: str) -> None:
    X = np.random.default_rng(2).normal(size=(60, 2)) * [1.0, 9.0]
    model = OnlineKernelClassifier("pa1", ram="4KiB", scale=None, gamma=gamma, random_state=0)
    kernel: Any = model.fit(X, X[:, 0] > 0.0).learner_.kernel
    wanted = ek.gamma_from(X) if gamma == "auto" else 1.0 / (2.0 * X.var())
    assert kernel.gamma == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("classes", "label"), [([1, 2], "a"), (np.array(["idle", "busy"], dtype=object), 3)]
)
def test_a_label_that_no_class_compares_to_is_refused(classes: Any, label: Any) -> None:
    X = np.arange(8.0).reshape(4, 2)
    model = OnlineKernelClassifier(ram="4KiB")
    model.partial_fit(X, np.array([*classes, *classes]), classes=classes)
    with pytest.raises(ValueError, match=f"y holds {label!r}, but classes are"):
        model.partial_fit(X[:2], np.array([label, label]))
    assert model.learner_.steps == 4
