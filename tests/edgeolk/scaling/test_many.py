"""Rows that are each learned and scaled, in one call."""

from __future__ import annotations

import numpy as np
import pytest

import edgeolk as ek

X = 100.0 + np.random.default_rng(0).normal(size=(300, 2))


@pytest.mark.parametrize("method", ["standard", "minmax"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_it_is_as_one_by_one(method: str, kind: type) -> None:
    one, many = (ek.RunningScaler(2, method=method, freeze_after=200) for _ in range(2))
    rows = X.astype(kind)
    expected = [one.learn_transform_one(row).tolist() for row in rows]
    out = np.empty(rows.shape)
    assert many._learn_transform_many(rows, out) == len(rows)
    assert out.tolist() == expected
    assert repr(many) == repr(one)


def test_mean_and_scale_before_each_row() -> None:
    one, many = ek.RunningScaler(1), ek.RunningScaler(1)
    rows, known = X[:, :1].copy(), []
    for row in rows:
        known.append([one.mean_[0], one.scale_[0]])
        one.learn_one(row)
    before = np.empty((len(rows), 2))
    assert many._learn_transform_many(rows, np.empty(rows.shape), before) == len(rows)
    assert before.tolist() == known
    assert (many.mean_, many.scale_) == (one.mean_, one.scale_)


def test_it_ends_before_a_row_too_far_from_what_a_frozen_scaler_knows() -> None:
    scaler = ek.RunningScaler(1, clip=None, freeze_after=10)
    rows = np.arange(20.0)[:, np.newaxis] * 1e-300
    rows[15] = 1e300
    out = np.zeros(rows.shape)
    assert scaler._learn_transform_many(rows, out) == 15
    assert not out[16:].any()


def test_arguments_are_checked() -> None:
    scaler = ek.RunningScaler(1)
    rows = X[:, :1].copy()
    with pytest.raises(ValueError, match="row 3"):
        scaler._learn_transform_many(np.where(np.arange(300)[:, None] == 3, np.nan, rows), rows)
    with pytest.raises(ValueError, match="before must be"):
        scaler._learn_transform_many(rows, np.empty(rows.shape), np.empty((3, 2)))
    unkept = ek.RunningScaler(1, method="minmax", clip=None)
    with pytest.raises(ValueError, match="before must be"):
        unkept._learn_transform_many(rows, np.empty(rows.shape), np.empty((300, 2)))
    assert scaler.n_seen == unkept.n_seen == 0
