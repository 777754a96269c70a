"""Weights, masks, losses and parameters of the estimators: what is refused, by its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from edgeolk import Polynomial
from edgeolk.sklearn import OnlineKernelClassifier, OnlineKernelNovelty, OnlineKernelRegressor

X = np.random.default_rng(0).normal(size=(60, 4))
LABELS = np.where(X[:, 0] * X[:, 1] > 0.0, "b", "a")
TARGETS = X[:, 0] + 1.0
ESTIMATORS = {
    OnlineKernelClassifier: (LABELS,),
    OnlineKernelRegressor: (TARGETS,),
    OnlineKernelNovelty: (),
}
WEIGHED = [OnlineKernelClassifier, OnlineKernelRegressor]


@pytest.mark.parametrize(
    ("estimator", "loss", "message"),
    [
        (OnlineKernelClassifier, "novelty", "tells classes apart, got loss='novelty'"),
        (OnlineKernelClassifier, "square", "tells classes apart, got loss='square'"),
        (OnlineKernelRegressor, "novelty", "fits real targets, got loss='novelty'"),
        (OnlineKernelRegressor, "hinge", "fits real targets, got loss='hinge'"),
        (OnlineKernelNovelty, "hinge", "detects novelty, got loss='hinge'"),
        (OnlineKernelNovelty, "square", "detects novelty, got loss='square'"),
    ],
)
def test_a_loss_of_another_task_is_refused(estimator: Any, loss: str, message: str) -> None:
    for learns in ("fit", "partial_fit"):
        model = estimator(params={"loss": loss})
        more = {"classes": ["a", "b"]} if (estimator, learns) == (WEIGHED[0], "partial_fit") else {}
        with pytest.raises(ValueError, match=f"loss must be one that {message}"):
            getattr(model, learns)(X, *ESTIMATORS[estimator], **more)
        assert not hasattr(model, "learner_")


def test_a_composition_of_another_task_is_refused() -> None:
    parts = {"update": "gradient", "policy": "oldest"}
    for estimator, loss in ((WEIGHED[0], "epsilon"), (WEIGHED[1], "logistic")):
        with pytest.raises(ValueError, match="loss must be one that"):
            estimator(None, params={**parts, "loss": loss}).fit(X, *ESTIMATORS[estimator])
    made = OnlineKernelNovelty(None, params=parts).fit(X)
    assert made.learner_.algorithm == "custom"
    assert not made.learner_._config.needs_labels


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_params_are_the_other_arguments(estimator: Any) -> None:
    with pytest.raises(TypeError, match="params must be a dict or None, got list"):
        estimator(params=["loss"]).fit(X, *ESTIMATORS[estimator])
    for name in ("n_features", "scale", "ram", "budget", "seed", "n_classes", "kernel"):
        with pytest.raises(TypeError, match=f"params must not hold '{name}'"):
            estimator(params={name: 3}).fit(X, *ESTIMATORS[estimator])


@pytest.mark.parametrize("estimator", WEIGHED)
@pytest.mark.parametrize("weight", [1e8, 1e9, 1e19, 1e300, 8e307])
def test_weights_that_ask_for_too_many_visits_are_refused(estimator: Any, weight: float) -> None:
    for given in (weight, np.full(60, weight), np.r_[np.ones(59), 2 * weight]):
        model = estimator(epochs=1)
        with pytest.raises(ValueError, match=r"sample_weight must sum to at most 1e\+08"):
            model.fit(X, *ESTIMATORS[estimator], sample_weight=given)
        assert not hasattr(model, "learner_")


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"a": 1e9}, r"class_weight must be at most 1e\+06, got 1e\+09"),
        ({"a": -1.0}, "class_weight must be finite and not negative"),
        ({"a": np.inf}, "class_weight must be finite and not negative"),
    ],
)
def test_weights_of_classes_are_refused_by_name(class_weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OnlineKernelClassifier(class_weight=class_weight).fit(X, LABELS)


@pytest.mark.parametrize("weight", [1e9, 1e300])
def test_weights_of_classes_that_ask_for_too_many_visits(weight: float) -> None:
    with pytest.raises(ValueError, match="class_weight must sum to at most"):
        OnlineKernelClassifier("bpa_s", class_weight={"a": weight}).fit(X, LABELS)


@pytest.mark.parametrize("estimator", WEIGHED)
def test_weights_that_are_no_numbers_are_refused_by_name(estimator: Any) -> None:
    for given in ("heavy", ["1"] * 60, {"a": 1.0}, [1j] * 60):
        with pytest.raises(TypeError, match="sample_weight must"):
            estimator().fit(X, *ESTIMATORS[estimator], sample_weight=given)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("learns", ["fit", "partial_fit"])
def test_masked_numbers_are_refused(estimator: Any, learns: str) -> None:
    mask = np.arange(60) == 7
    both = np.ma.masked_array(X, np.repeat(mask[:, None], 4, axis=1))
    given = ESTIMATORS[estimator]
    more = {"classes": ["a", "b"]} if (estimator, learns) == (WEIGHED[0], "partial_fit") else {}
    with pytest.raises(ValueError, match="X must have no masked numbers"):
        getattr(estimator(), learns)(both, *given, **more)
    if given:
        with pytest.raises(ValueError, match="y must have no masked numbers"):
            getattr(estimator(), learns)(X, np.ma.masked_array(given[0], mask), **more)
        weight = np.ma.masked_array(np.ones(60), mask)
        with pytest.raises(ValueError, match="sample_weight must have no masked numbers"):
            getattr(estimator(), learns)(X, *given, sample_weight=weight, **more)
    fitted = estimator().fit(X, *given)
    with pytest.raises(ValueError, match="X must have no masked numbers"):
        fitted.predict(both)


def broken(part: str, at: int, value: int) -> Any:
    made = sparse.csr_matrix(np.where(np.abs(X) < 0.7, 0.0, X))
    numbers = getattr(made, part).copy()
    numbers[at] = value
    setattr(made, part, numbers)
    return made


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("part", "at", "value"),
    [("indptr", 5, 10**6), ("indptr", -1, 10**6), ("indices", 3, 10**6), ("indices", 3, -1)],
)
def test_a_broken_sparse_matrix_never_reaches_scipy(
    estimator: Any, part: str, at: int, value: int
) -> None:
    words = "contradict each other" if part == "indptr" else "X must have indices from 0 to 3"
    fitted = estimator().fit(X, *ESTIMATORS[estimator])
    for call in (
        lambda rows: estimator().fit(rows, *ESTIMATORS[estimator]),
        lambda rows: fitted.partial_fit(rows, *ESTIMATORS[estimator]),
        fitted.predict,
    ):
        with pytest.raises(ValueError, match=words):
            call(broken(part, at, value))


def test_weights_of_classes_and_of_rows_are_multiplied() -> None:
    rows = np.random.default_rng(1).integers(1, 4, 60)
    both = OnlineKernelClassifier("bpa_s", class_weight={"a": 2.0, "b": 1.0}, random_state=0)
    both.fit(X, LABELS, sample_weight=rows)
    product = OnlineKernelClassifier("bpa_s", random_state=0)
    product.fit(X, LABELS, sample_weight=rows * np.where(LABELS == "a", 2.0, 1.0))
    assert both.decision_function(X).tolist() == product.decision_function(X).tolist()


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["on", None], "str ('on') and NoneType (None)"),
        ([1, "off"], "int (1) and str ('off')"),
        (["on", 2.5, None], "str ('on') and float (2.5) and NoneType (None)"),
    ],
)
@pytest.mark.parametrize("learns", ["fit", "partial_fit"])
def test_labels_of_several_types_are_named(labels: list[Any], words: str, learns: str) -> None:
    y = np.array([labels[i % len(labels)] for i in range(60)], dtype=object)
    model = OnlineKernelClassifier(ram="2KiB")
    more = {"classes": ["on", "off"]} if learns == "partial_fit" else {}
    with pytest.raises((TypeError, ValueError), match=r"y |label") as refusal:
        getattr(model, learns)(X, y, **more)
    if learns == "fit":
        assert f"y holds labels of several types, {words}: they must be of one type" in str(
            refusal.value
        )
    assert "'<' not supported" not in str(refusal.value)
    assert not hasattr(model, "learner_")


def test_a_loss_that_the_algorithm_lacks_names_those_that_have_it() -> None:
    with pytest.raises(ValueError, match=r"'logistic' is an option of ogd, .*fogd, nogd$"):
        OnlineKernelClassifier(loss="logistic").fit(X, LABELS)
    with pytest.raises(ValueError, match=r"got 'cubic'$"):
        OnlineKernelClassifier(loss="cubic").fit(X, LABELS)
    with pytest.raises(ValueError, match="the algorithms ogd, fogd and nogd have it"):
        OnlineKernelClassifier(None, loss="logistic").fit(X, LABELS)
    for algorithm in ("ogd", "fogd", "nogd"):
        OnlineKernelClassifier(algorithm, loss="logistic", scale="standard").fit(X, LABELS)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_algorithm_that_does_not_exist_is_refused_by_fit(estimator: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown algorithm 'sorff'.*did you mean"):
        estimator("sorff").fit(X, *ESTIMATORS[estimator])


def test_a_kernel_is_that_of_the_learner() -> None:
    model = OnlineKernelClassifier("pa", budget=20, kernel=Polynomial(2)).fit(X, LABELS)
    assert model.to_learner().kernel == Polynomial(2)


def test_params_add_to_what_is_given_by_name() -> None:
    model = OnlineKernelClassifier("pa1", budget=20, dtype="float64", params={"C": 2.0})
    learner = model.fit(X, LABELS).to_learner()
    assert (learner.dtype, learner.parameters["C"]) == ("float64", 2.0)
    for twice in ({"dtype": "float32"}, {"C": 2.0, "dtype": "float64"}):
        with pytest.raises(TypeError, match=r"give dtype= or params=\{'dtype': ...\}, not both"):
            OnlineKernelClassifier("pa1", budget=20, dtype="float64", params=twice).fit(X, LABELS)
