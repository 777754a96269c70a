"""Statistics of sensors that send nonsense: against a reference, and what one reading can do."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scalers import METHODS, block_of, noise

import edgeolk as ek
from edgeolk.reference.sorf_scaling import WideInput

LARGEST = np.finfo(np.float64).max
relaxed = settings(deadline=None, max_examples=100)


few = st.sampled_from([0.0, 1.0, 1.0, 20.0, 20.0, 20.25, -3.5, 1e6, -1e6])
many = st.floats(-1e3, 1e3).map(lambda x: round(x, 2))


@relaxed
@given(
    st.lists(st.one_of(few, many), min_size=1, max_size=60),
    st.sampled_from([2.0, 5.0, 8.5]),
    st.sampled_from([10, 30, 10_000]),
)
def test_agrees_with_its_reference(readings, clip, window):
    plain = WideInput(clip, window)
    scaler = ek.RunningScaler(1, clip=clip, window=window)
    for x in readings:
        plain.learn(x)
        scaler.learn_one([x])
        assert scaler.mean_[0] == pytest.approx(plain.mean, rel=1e-9, abs=1e-9)
        assert scaler.scale_[0] == pytest.approx(plain.sd, rel=1e-6, abs=1e-9)
    assert scaler.n_clipped[0] == plain.clipped


# ---- what one reading can do --------------------------------------------------------------------


@relaxed
@given(
    st.lists(st.floats(-100, 100).map(lambda x: round(x, 1)), min_size=4, max_size=80),
    st.floats(-LARGEST, LARGEST),
    st.sampled_from([2.0, 5.0]),
)
def test_one_reading_moves_little_whatever_it_holds(readings, glitch, clip):
    scaler = ek.RunningScaler(1, clip=clip, window=50)
    scaler.learn_many(np.array(readings)[:, None])
    mean, sd = scaler.mean_[0], scaler.scale_[0]
    out = scaler.learn_transform_one([glitch])
    assert abs(out[0]) <= clip
    if sd > 0.0:
        gain = 1 / 2  # the largest there is after the start
        assert abs(scaler.mean_[0] - mean) <= clip * gain * sd * (1 + 1e-9)
        assert scaler.scale_[0] <= sd * math.sqrt(1 + clip**2 * gain) * (1 + 1e-9)
        if abs(glitch - mean) > clip * sd * (1 + 1e-9):
            seen = clip * math.sqrt((1 - gain) / (1 + gain * clip**2))
            assert abs(out[0]) >= seen * (1 - 1e-9)


# ---- a real change is followed ------------------------------------------------------------------


@pytest.mark.parametrize("n", [100, 1000, 20_000])
@pytest.mark.parametrize("shift", [10.0, -100.0])
def test_a_level_shift_is_followed(n, shift):
    window = 1000
    memory = min(n, window)  # the rows remembered so far
    rng = np.random.default_rng(4)
    scaler = ek.RunningScaler(1, window=window)
    scaler.learn_many(rng.normal(size=(n, 1)))
    scaler.learn_many(shift + rng.normal(size=(3 * memory // 10, 1)))
    assert abs(scaler.transform([[shift]])[0, 0]) < 4.9  # no longer clipped
    scaler.learn_many(shift + rng.normal(size=(7 * memory // 10, 1)))
    assert abs(scaler.transform([[shift]])[0, 0]) < 1
    scaler.learn_many(shift + rng.normal(size=(20 * memory, 1)))
    assert scaler.scale_[0] < 2
    assert abs(scaler.mean_[0] - shift) < 0.5


# ---- what is counted ----------------------------------------------------------------------------


def test_clipped_readings_are_counted_by_feature():
    X = 20 + noise(1000, 3)
    scaler = ek.RunningScaler(3)
    scaler.learn_many(X[:500])
    before = scaler.n_clipped
    X[600, 1] = 1e6
    X[700:705, 2] = -1e6
    scaler.learn_many(X[500:])
    np.testing.assert_array_equal(scaler.n_clipped - before, [0, 1, 5])
    assert scaler.n_clipped.dtype == np.int64


def test_a_frozen_scaler_counts_on_and_learns_nothing():
    scaler = ek.RunningScaler(2, freeze_after=100)
    scaler.learn_many(noise(100, 2))
    before = scaler.n_clipped
    mean, scale = scaler.mean_, scaler.scale_
    assert scaler.learn_transform_one([0.0, 1e6]).tolist()[1] == 5
    scaler.learn_many([[-1e6, 0.0], [1e308, 0.0]])
    np.testing.assert_array_equal(scaler.n_clipped - before, [2, 1])
    np.testing.assert_array_equal(scaler.mean_, mean)
    np.testing.assert_array_equal(scaler.scale_, scale)
    assert scaler.n_seen == 100


@pytest.mark.parametrize("method", METHODS)
def test_scaling_alone_counts_nothing(method):
    scaler = ek.RunningScaler(2, method=method)
    scaler.learn_many(noise(100, 2))
    before = block_of(scaler)
    scaler.transform(np.full((10, 2), 1e6))
    scaler.transform_one([1e6, -1e6])
    assert block_of(scaler) == before


# ---- what comes out -----------------------------------------------------------------------------


@pytest.mark.parametrize("clip", [2.0, 5.0, 30.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_scaled_number_is_beyond_clip(clip, dtype):
    scaler = ek.RunningScaler(2, clip=clip, freeze_after=200)
    scaler.learn_many(noise(200, 2))
    X = np.array([[1e308, -1e308], [LARGEST, -LARGEST], [0.5, -0.25], [1e6, -40.0]])
    out = np.empty((4, 2), dtype)
    assert scaler.transform(X, out) is out
    assert out[[0, 1, 3]].tolist() == [[clip, -clip]] * 3
    assert (abs(out[2]) < 1).all()


@relaxed
@given(
    st.lists(st.floats(-LARGEST, LARGEST), min_size=1, max_size=40),
    st.sampled_from(METHODS),
    st.sampled_from([2.0, 5.0, 1e6]),
)
def test_finite_in_gives_bounded_out(readings, method, clip):
    scaler = ek.RunningScaler(1, method=method, clip=clip, window=10)
    out = np.empty(1, np.float32)
    for x in readings:
        scaler.learn_transform_one([x], out)
        assert abs(out[0]) <= 4 * clip
        for far in (LARGEST, -LARGEST):
            assert abs(scaler.transform_one([far])[0]) <= 4 * clip
    # loading checks the invariants kept from row to row
    assert block_of(ek.RunningScaler._from_block(block_of(scaler))) == block_of(scaler)
