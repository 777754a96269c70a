"""NaN in rows of the estimators: a missing reading."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import edgeolk as ek
from edgeolk.sklearn import OnlineKernelClassifier, OnlineKernelNovelty, OnlineKernelRegressor

CLASSES = [0, 1]


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, the same with gaps, and labels."""
    draws = np.random.default_rng(4)
    X = draws.normal([40.0, -2.0, 7.0], [5.0, 1.0, 0.5], (600, 3))
    gapped = X.copy()
    gapped[draws.random(X.shape) < 0.1] = np.nan
    return X, gapped, (X[:, 0] > 40.0).astype(int)


def test_fit_replaces_by_the_means_of_the_columns(rows: Any) -> None:
    _, gapped, y = rows
    filled = np.where(np.isnan(gapped), np.nanmean(gapped, axis=0), gapped)
    given, by_hand = (
        OnlineKernelClassifier(ram="4KiB", random_state=0).fit(X, y) for X in (gapped, filled)
    )
    np.testing.assert_allclose(
        given.decision_function(gapped), by_hand.decision_function(filled), rtol=1e-6
    )
    assert given.n_missing_.tolist() == np.isnan(gapped).sum(axis=0).tolist()
    assert by_hand.n_missing_.tolist() == [0, 0, 0]
    assert given.score(gapped, y) > 0.85
    assert not np.isnan(given.predict_proba(gapped)).any()


@pytest.mark.parametrize("step", [1, 7, 600])
def test_partial_fit_replaces_by_the_means_so_far(rows: Any, step: int) -> None:
    """Row by row and in batches alike."""
    _, gapped, y = rows
    model = OnlineKernelClassifier(ram="4KiB", random_state=0)
    by_hand = OnlineKernelClassifier(ram="4KiB", random_state=0)
    filled = gapped.copy()
    for at, row in enumerate(filled):
        known = gapped[:at]
        counts = (~np.isnan(known)).sum(axis=0)
        row[np.isnan(row)] = (np.nansum(known, axis=0) / np.maximum(1, counts))[np.isnan(row)]
    for start in range(0, 600, step):
        part = slice(start, start + step)
        model.partial_fit(gapped[part], y[part], classes=CLASSES)
        by_hand.partial_fit(filled[part], y[part], classes=CLASSES)
    np.testing.assert_allclose(
        model.decision_function(filled), by_hand.decision_function(filled), rtol=1e-5, atol=1e-7
    )
    assert model.n_missing_.sum() == np.isnan(gapped).sum()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(gapped), model.decision_function(gapped))


def test_a_mean_is_0_after_scaling(rows: Any) -> None:
    _, gapped, y = rows
    model = OnlineKernelClassifier(ram="4KiB", random_state=0).partial_fit(
        gapped, y, classes=CLASSES
    )
    scaler = model.to_learner().scaler
    means = model._means.fill(np.full((1, 3), np.nan))
    assert np.abs(scaler.transform_one(means[0])).max() < 0.1


def test_sparse_rows(rows: Any) -> None:
    _, gapped, y = rows
    model = OnlineKernelRegressor(ram="4KiB", random_state=0).fit(sparse.csr_matrix(gapped), y)
    dense = OnlineKernelRegressor(ram="4KiB", random_state=0).fit(gapped, y)
    np.testing.assert_allclose(model.predict(sparse.csr_matrix(gapped)), dense.predict(gapped))
    assert model.n_missing_.tolist() == dense.n_missing_.tolist()
    model.partial_fit(sparse.csr_matrix(gapped), y)
    assert model.n_missing_.sum() == 2 * np.isnan(gapped).sum()


@pytest.mark.parametrize(
    "make", [OnlineKernelClassifier, OnlineKernelRegressor, OnlineKernelNovelty]
)
def test_they_may_be_refused(rows: Any, make: Any) -> None:
    X, gapped, y = rows
    strict = make(missing="refuse", random_state=0)
    assert not strict.__sklearn_tags__().input_tags.allow_nan
    assert make().__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="X contains NaN, which missing='refuse' does not allow"):
        strict.fit(gapped, y)
    strict.fit(X, y)
    before = pickle.dumps(strict.learner_)
    for call in (strict.predict, lambda rows: strict.partial_fit(rows, y[: len(rows)])):
        with pytest.raises(ValueError, match="missing='mean' replaces it by the mean of its col"):
            call(gapped)
    assert pickle.dumps(strict.learner_) == before
    with pytest.raises(ValueError, match="missing must be 'mean' or 'refuse', got 'last'"):
        make(missing="last").fit(X, y)
    with pytest.raises(ValueError, match="infinity"):
        make().fit(np.where(np.isnan(gapped), np.inf, gapped), y)


def test_learners_of_time_series_take_them_as_they_are(rows: Any) -> None:
    _, gapped, _ = rows
    y = np.cumsum(np.random.default_rng(1).normal(size=600))
    model = OnlineKernelRegressor(ram="4KiB", history="auto", random_state=0)
    model.partial_fit(gapped, y)
    plain = copy.copy(model.learner_)
    learner = ek.Learner(
        "sorf", n_features=3, ram="4KiB", loss="square", history="auto", seed=plain.seed
    )
    learner.learn_many(gapped, y)
    np.testing.assert_array_equal(model.predict(gapped[:5]), learner.decision_function(gapped[:5]))
    watch = OnlineKernelNovelty(history=True, random_state=0).partial_fit(gapped)
    assert watch.n_missing_.sum() == np.isnan(gapped).sum()
    assert np.isfinite(watch.decision_function(gapped)).all()


def test_a_rejected_call_leaves_the_means_as_they_were(rows: Any) -> None:
    _, gapped, y = rows
    model = OnlineKernelClassifier(ram="4KiB", random_state=0)
    model.partial_fit(gapped, y, classes=CLASSES)
    before = model._means.means.tolist(), model.n_missing_.tolist()
    with pytest.raises(ValueError, match="y holds 7"):
        model.partial_fit(gapped, np.full(600, 7))
    with pytest.raises(ValueError, match="sample_weight"):
        model.partial_fit(gapped, y, sample_weight=np.full(600, -1.0))
    assert (model._means.means.tolist(), model.n_missing_.tolist()) == before


def test_a_column_without_readings_is_0(rows: Any) -> None:
    X, _, y = rows
    X = np.column_stack((X, np.full(600, np.nan)))
    model = OnlineKernelClassifier(ram="4KiB", random_state=0).fit(X, y)
    assert model._means.means[3] == 0.0
    assert model.score(X, y) > 0.9
