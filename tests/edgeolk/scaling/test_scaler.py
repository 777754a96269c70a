"""Whatever the statistics: constant features, freezing, what the class says of itself."""

import numpy as np
import pytest
from scalers import FORMS, block_of, noise, place_of, placed, scaler_of

import edgeolk as ek

LARGEST = np.finfo(np.float64).max


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, -1e9, 5e-324, 1e-310, LARGEST])
def test_constant_feature_gives_exact_zero(form, value):
    scaler = scaler_of(form, 2)
    for other in noise(50, 1):
        got = scaler.learn_transform_one(np.array([value, other[0]]))
        assert got[0].tobytes() == np.float64(0).tobytes()
    assert scaler.scale_[0] == 0
    scaler.freeze()
    assert scaler.transform_one(np.array([value / 2 - 1, 0.0]))[0] == 0


@pytest.mark.parametrize("form", FORMS)
def test_rounding_is_no_spread(form):
    X = np.array([[0.1 + 0.2], [0.3]] * 50)
    scaler = scaler_of(form, 1)
    scaler.learn_many(X)
    np.testing.assert_array_equal(scaler.transform(X), 0.0)
    real = scaler_of(form, 1)
    real.learn_many(np.array([[1.0], [1.0 + 1e-12]] * 50))
    # a median starts what is clipped, and the first rows weigh little but not nothing
    near = 1e-3 if form[1] is None else 0.2
    assert real.transform_one(np.array([1.0 + 1e-12]))[0] == pytest.approx(1.0, rel=near)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tiny", [5e-324, 1e-323, 1e-310])
def test_spread_below_the_normal_numbers_is_none(form, tiny):
    X = np.array([[0.0], [tiny], [tiny]])
    scaler = scaler_of(form, 1)
    scaler.learn_many(X)
    np.testing.assert_array_equal(scaler.transform(X), 0.0)
    assert scaler.scale_[0] == 0


@pytest.mark.parametrize("form", FORMS)
def test_before_the_first_example(form):
    scaler = scaler_of(form, 3)
    assert scaler.n_seen == 0
    np.testing.assert_array_equal(scaler.transform_one(np.array([1.0, -2.0, 1e308])), 0.0)
    for statistic in (scaler.mean_, scaler.min_, scaler.max_, scaler.scale_):
        assert statistic is None or (statistic == 0).all()
    assert scaler.transform(np.empty((0, 3))).shape == (0, 3)
    scaler.learn_many(np.empty((0, 3)))
    assert scaler.n_seen == 0


# ---- freezing -----------------------------------------------------------------------------------


def state_of(memory, scaler):
    """The bytes of the block, but for the count of what a frozen scaler still clips."""
    state = bytearray(memory)
    if scaler.clip:
        start = state.find(b"eolk") + place_of(scaler, "scaler_counts")
        for j in range(3):
            state[start + 8 * j + 4 : start + 8 * j + 8] = bytes(4)
    return bytes(state)


@pytest.mark.parametrize("form", FORMS)
def test_freeze_after(form):
    X = noise(30)
    memory, scaler = placed(form, 3, freeze_after=10)
    short = scaler_of(form, 3, freeze_after=10)
    short.learn_many(X[:10])
    for t, row in enumerate(X, 1):
        scaler.learn_one(row)
        assert scaler.n_seen == min(t, 10)
        assert scaler.frozen == (t >= 10)
        if t == 10:
            before = state_of(memory, scaler)
    assert state_of(memory, scaler) == before
    scaler.learn_many(100 * X)
    scaler.learn_transform_one(X[0])
    assert state_of(memory, scaler) == before
    assert state_of(block_of(scaler), scaler)[12:] == state_of(block_of(short), short)[12:]
    whole = scaler_of(form, 3, freeze_after=10)
    for rows in (X, 100 * X, X[:1]):
        whole.learn_many(rows)
    assert block_of(whole) == block_of(scaler)
    assert scaler.freeze_after == 10


@pytest.mark.parametrize("form", FORMS)
def test_freeze_by_hand(form):
    X = noise(30)
    memory, scaler = placed(form, 3)
    assert scaler.freeze_after is None
    scaler.learn_many(X[:20])
    scaler.freeze()
    scaler.freeze()
    before = state_of(memory, scaler)
    scaler.learn_many(X)
    assert scaler.frozen
    assert scaler.n_seen == 20
    assert state_of(memory, scaler) == before
    with pytest.raises(ValueError, match="x must be finite"):
        scaler.learn_one([1.0, np.nan, 0.0])
