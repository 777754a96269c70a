"""Rows in many forms, out= in many forms, one thread at a time, nothing allocated."""

import itertools
import threading
import tracemalloc

import numpy as np
import pytest
from scalers import FORMS, block_of, noise, placed, scaler_of

import edgeolk as ek


@pytest.mark.parametrize("form", FORMS)
def test_many_ways_to_hand_over_a_row(form):
    X = np.round(noise(20, 4), 2).astype(np.float32)
    want = scaler_of(form, 4)
    want.learn_many(X.astype(np.float64))
    wide = np.zeros((20, 8))
    wide[:, ::2] = X
    locked = X.copy()
    locked.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + X.tobytes(), np.float32, offset=1).reshape(X.shape)
    swapped = X.astype(X.dtype.newbyteorder("S"))
    givens = (X, wide[:, ::2], X[::-1][::-1], locked, unaligned, swapped, X.tolist())
    for given in (*givens, np.asfortranarray(X), X.astype(object).astype(float)):
        for by_row in (False, True):
            scaler = scaler_of(form, 4)
            if by_row:
                for row in given:
                    scaler.learn_one(row)
            else:
                scaler.learn_many(given)
            assert block_of(scaler) == block_of(want)
            assert scaler.transform(given).tobytes() == want.transform(X).tobytes()
            first = want.transform_one(X[0]).tobytes()
            assert scaler.transform_one(given[0]).tobytes() == first


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_in_place(dtype):
    X = noise(20, 100).astype(dtype)
    scaler = ek.RunningScaler(100)
    scaler.learn_many(X)
    want = scaler.transform(X).astype(dtype)
    row = X[4].copy()
    assert scaler.transform_one(row, row) is row
    np.testing.assert_array_equal(row, want[4])
    scaler.transform(X, X)
    np.testing.assert_array_equal(X, want)


def read_only(array):
    array.flags.writeable = False
    return array


OUTS = [
    ([0.0, 0.0, 0.0], TypeError),
    (bytearray(24), TypeError),
    (np.zeros(3, np.int64), TypeError),
    (np.zeros(3, np.float16), TypeError),
    (np.zeros(3, object), TypeError),
    (np.zeros(2), ValueError),
    (np.zeros(4), ValueError),
    (np.zeros((1, 3)), ValueError),
    (np.zeros(()), ValueError),
    (np.zeros(6)[::2], ValueError),
    (read_only(np.zeros(3)), ValueError),
    (np.zeros(3, np.dtype(np.float64).newbyteorder("S")), ValueError),
    (np.frombuffer(bytearray(25), np.float64, offset=1), ValueError),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("out", "error"), OUTS)
def test_bad_out(form, out, error):
    memory, scaler = placed(form, 3)
    scaler.learn_many(noise())
    before = bytes(memory)
    for call in (scaler.transform_one, scaler.learn_transform_one):
        with pytest.raises(error, match="out must"):
            call(np.ones(3), out)
    with pytest.raises((TypeError, ValueError), match="out must"):
        scaler.transform(np.ones((3, 3)), out)
    assert bytes(memory) == before
    assert not np.any(np.asarray(out))


def test_out_over_a_part_of_x():
    memory, scaler = placed(FORMS[2], 4)
    scaler.learn_many(noise(20, 4))
    before = bytes(memory)
    row = np.arange(6.0)
    for x, out in (
        (row[:4], row[1:5]),
        (row[1:5], row[:4]),
        (row[:4].view(np.float32)[:4], row[:4]),
        (row[:4], row.view(np.float32)[:4]),
    ):
        with pytest.raises(ValueError, match="share no memory"):
            scaler.learn_transform_one(np.asarray(x), out)
    assert row.tolist() == list(range(6))
    assert bytes(memory) == before


def test_out_in_the_buffer_of_the_scaler():
    memory, scaler = placed(FORMS[2], 4)
    scaler.learn_many(noise(20, 4))
    before = bytes(memory)
    block = memory.find(b"edgescal")
    for start in (block, block + 64, block + len(scaler.__reduce__()[1][0]) - 32):
        out = np.frombuffer(memory, np.float64, 4, start)
        for call in (scaler.transform_one, scaler.learn_transform_one):
            with pytest.raises(ValueError, match="out must not lie in the buffer"):
                call(np.ones(4), out)
    assert bytes(memory) == before


ROWS = [
    ([1.0, np.nan, 0.0], ValueError),
    ([1.0, 0.0, np.inf], ValueError),
    (np.array([-np.inf, 0.0, 0.0], np.float32), ValueError),
    ([1.0, 2.0], ValueError),
    ([1.0, 2.0, 3.0, 4.0], ValueError),
    ([], ValueError),
    (1.0, ValueError),
    ([[[1.0, 2.0, 3.0]]], ValueError),
    (["a", "b", "c"], TypeError),
    ([1j, 0, 0], TypeError),
    ([None, 1.0, 2.0], TypeError),
    (np.array(["2000-01-01"] * 3, "M8[D]"), TypeError),
    (None, TypeError),
    ({"a": 1.0}, TypeError),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("x", "error"), ROWS)
def test_bad_row_changes_nothing(form, x, error):
    memory, scaler = placed(form, 3)
    scaler.learn_many(noise())
    before = bytes(memory)
    out = np.full(3, 7.0)
    for call in (
        lambda: scaler.learn_one(x),
        lambda: scaler.transform_one(x, out),
        lambda: scaler.learn_transform_one(x, out),
    ):
        with pytest.raises(error, match="x must"):
            call()
    assert bytes(memory) == before
    assert (out == 7).all()


@pytest.mark.parametrize("form", FORMS)
def test_bad_matrix_changes_nothing(form):
    memory, scaler = placed(form, 3)
    scaler.learn_many(noise())
    before = bytes(memory)
    holed = noise(5)
    holed[4, 2] = np.nan
    cases = [
        (holed, r"X must be finite, got nan at row 4, feature 2"),
        (holed.astype(np.float32), "X must be finite"),
        (noise(5, 4), "X must have 3 features, got 4"),
        (np.zeros(3), "X must be 2-d"),
        (np.zeros((1, 1, 3)), "X must be 2-d"),
    ]
    out = np.full((5, 3), 7.0)
    for X, message in cases:
        with pytest.raises(ValueError, match=message):
            scaler.learn_many(X)
        with pytest.raises(ValueError, match=message):
            scaler.transform(X, out)
    with pytest.raises(ValueError, match=r"x must be finite, got inf at feature 1"):
        scaler.learn_one(np.array([0.0, np.inf, 0.0]))
    assert bytes(memory) == before
    assert (out == 7).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_call_allocates_nothing(form, dtype):
    scaler = scaler_of(form, 5)
    row = noise(1, 5)[0].astype(dtype)
    out = np.empty(5, dtype)
    for call in (scaler.transform_one, scaler.learn_transform_one):
        call(row, out)
        scaler.learn_one(row)
        times = itertools.repeat(None, 1000)
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            for _ in times:
                call(row, out)
                scaler.learn_one(row)
            after, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        # the pair that holds `before` is all there is
        assert after - before < 200
        assert peak - before < 200


def test_statistics_are_copies():
    for form in FORMS:
        scaler = scaler_of(form, 3)
        scaler.learn_many(noise())
        before = block_of(scaler)
        for values in (scaler.mean_, scaler.min_, scaler.max_, scaler.scale_, scaler.n_clipped):
            if values is not None:
                values[:] = 99.0
        assert block_of(scaler) == before


def test_one_thread_at_a_time():
    scaler = ek.RunningScaler(50)
    X = noise(40_000, 50)
    seen = []

    def poke():
        for _ in range(2000):
            try:
                scaler.learn_one(X[0])
            except RuntimeError as error:
                seen.append(str(error))

    thread = threading.Thread(target=poke)
    thread.start()
    many = 0
    while thread.is_alive():
        scaler.learn_many(X)
        many += len(X)
    thread.join()
    assert scaler.n_seen == many + 2000 - len(seen)
    assert set(seen) <= {"the scaler is in use by another thread"}
