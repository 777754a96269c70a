"""The plain statistics, clip=None, against numpy, and what they promise at the edges of float64."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scalers import METHODS, block_of, noise, placed, plain

LARGEST = np.finfo(np.float64).max
relaxed = settings(deadline=None, max_examples=60)


def finite_rows(limit=LARGEST, width=64, most=12):
    shape = st.tuples(st.integers(1, most), st.integers(1, 4))
    dtype = np.float64 if width == 64 else np.float32
    numbers = st.floats(-limit, limit, width=width)
    return shape.flatmap(lambda size: hnp.arrays(dtype, size, elements=numbers))


def reference(X, method):
    X = X.astype(np.float64)
    if method == "standard":
        return X.mean(axis=0), X.std(axis=0)
    return X.min(axis=0), np.ptp(X, axis=0)


def holds(scaler):
    """Loading checks the invariants kept from row to row."""
    assert repr(pickle.loads(pickle.dumps(scaler))) == repr(scaler)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 5, 64, 65, 200])
def test_agrees_with_numpy(method, dtype, d):
    X = (3.0 + 2.0 * noise(300, d)).astype(dtype)
    centre, spread = reference(X, method)
    scaler = plain(d, method=method)
    scaler.learn_many(X[:100])
    for row in X[100:]:
        scaler.learn_one(row)
    assert scaler.n_seen == 300
    np.testing.assert_allclose(scaler.scale_, spread, rtol=1e-12)
    if method == "standard":
        np.testing.assert_allclose(scaler.mean_, centre, rtol=1e-12)
        assert scaler.min_ is None
        assert scaler.max_ is None
    else:
        np.testing.assert_array_equal(scaler.min_, X.min(axis=0))
        np.testing.assert_array_equal(scaler.max_, X.max(axis=0))
        assert scaler.mean_ is None
    scaled = scaler.transform(X)
    assert scaled.dtype == np.float64
    np.testing.assert_allclose(scaled, (X - centre) / spread, rtol=1e-11, atol=1e-13)
    for row, want in zip(X, scaled, strict=True):
        assert scaler.transform_one(row).tobytes() == want.tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_each_prefix_agrees_with_numpy(method):
    X = noise(40)
    scaler = plain(3, method=method)
    for t, row in enumerate(X, 1):
        got = scaler.learn_transform_one(row)
        centre, spread = reference(X[:t], method)
        want = (row - centre) / spread if t > 1 else np.zeros(3)
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)


def test_mean_goes_on_moving_in_a_long_stream():
    # delta / n is far below the last bit of 1e16: one float64 would stay where it is.
    scaler = plain(1)
    scaler.learn_many(np.full((1000, 1), 1e16))
    scaler.learn_many(np.full((1000, 1), 1e16 + 4))
    assert scaler.mean_[0] == 1e16 + 2


@relaxed
@given(finite_rows(limit=1e6, width=32), st.sampled_from(METHODS))
def test_many_rows_are_one_row_often(X, method):
    one = plain(X.shape[1], method=method)
    many = plain(X.shape[1], method=method)
    for row in X:
        one.learn_one(row)
    many.learn_many(X)
    assert block_of(one) == block_of(many)
    holds(one)


# ---- the edges of float64 -------------------------------------------------------------------


@relaxed
@given(finite_rows(), st.sampled_from(METHODS), st.sampled_from([np.float64, np.float32]))
def test_finite_in_gives_finite_out(X, method, dtype):
    scaler = plain(X.shape[1], method=method)
    out = np.empty(X.shape[1], dtype)
    for t, row in enumerate(X, 1):
        scaler.learn_transform_one(row, out)
        assert np.isfinite(out).all()
        if method == "minmax":
            assert ((out >= 0) & (out <= 1)).all()
        else:
            assert (abs(out) <= math.sqrt(t - 1) * (1 + 1e-6)).all()
    holds(scaler)
    assert np.isfinite(scaler.transform(X)).all()


@relaxed
@given(finite_rows(limit=1e6, width=32), st.integers(-880, 1000), st.sampled_from(METHODS))
def test_unit_of_measurement_does_not_matter(X, exponent, method):
    X = np.round(X.astype(np.float64), 3)
    far = np.ldexp(X, exponent)
    near = plain(X.shape[1], method=method)
    other = plain(X.shape[1], method=method)
    near.learn_many(X)
    other.learn_many(far)
    np.testing.assert_allclose(other.transform(far), near.transform(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_out_of_range_is_refused_before_writing(method, dtype):
    memory, scaler = placed((method, None), 2, freeze_after=2)
    scaler.learn_many([[0.0, 0.0], [1e-3, 1.0]])
    before = bytes(memory)
    row = np.array([1e308, 0.5])
    out = np.full(2, 7.0, dtype)
    for call in (scaler.transform_one, scaler.learn_transform_one):
        with pytest.raises(ValueError, match=f"x is too far .* exceeds {np.dtype(dtype)}"):
            call(row, out)
    many = np.full((3, 2), 7.0, dtype)
    with pytest.raises(ValueError, match=r"X\[2\] is too far"):
        scaler.transform(np.array([[0.0, 0.0], [1.0, 1.0], row]), many)
    assert (out == 7).all()
    assert (many == 7).all()
    assert bytes(memory) == before
