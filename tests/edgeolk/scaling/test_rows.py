"""Rows in many forms, out= in many forms, one thread at a time, nothing allocated."""

from __future__ import annotations

import itertools
import threading
import tracemalloc

import forms
import numpy as np
import pytest
from scalers import FORMS, block_of, noise, placed, scaler_of

import edgeolk as ek


@pytest.mark.parametrize("form", FORMS)
def test_many_ways_to_hand_over_a_row(form):
    for name, make in forms.FORMS.items():
        row, plain = make(), np.array(make(), float)
        one, other = scaler_of(form, 3), scaler_of(form, 3)
        for scaler, given in ((one, row), (other, plain)):
            scaler.learn_many(noise())
            scaler.learn_one(given)
        assert one.transform_one(row).tobytes() == other.transform_one(plain).tobytes(), name
        assert one.learn_transform_one(row).tobytes() == other.learn_transform_one(plain).tobytes()
        assert one.transform([row]).tobytes() == other.transform(plain[None]).tobytes(), name
        assert block_of(one) == block_of(other), name


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
    (forms.read_only(np.zeros(3)), ValueError),
    (np.zeros(3, np.dtype(np.float64).newbyteorder("S")), ValueError),
    (forms.misaligned(np.zeros(3)), ValueError),
]


@pytest.mark.parametrize("form", FORMS)
def test_bad_out(form):
    memory, scaler = placed(form, 3)
    scaler.learn_many(noise())
    before = bytes(memory)
    for out, error in OUTS:
        for call in (scaler.transform_one, scaler.learn_transform_one):
            with pytest.raises(error, match="out must"):
                call(np.ones(3), out)
        with pytest.raises((TypeError, ValueError), match="out must"):
            scaler.transform(np.ones((3, 3)), out)
        assert not np.any(np.asarray(out))
    assert bytes(memory) == before


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
    block = memory.find(b"eolk")
    for start in (block, block + 64, block + len(scaler.__reduce__()[1][0]) - 32):
        out = np.frombuffer(memory, np.float64, 4, start)
        for call in (scaler.transform_one, scaler.learn_transform_one):
            with pytest.raises(ValueError, match="out must not overlap the buffer"):
                call(np.ones(4), out)
    assert bytes(memory) == before


@pytest.mark.parametrize("form", FORMS)
def test_bad_row_changes_nothing(form):
    memory, scaler = placed(form, 3)
    scaler.learn_many(noise())
    before = bytes(memory)
    out = np.full(3, 7.0)
    for kind, x in forms.BAD.items():
        if kind in ("1e308", "beyond float32"):
            continue
        for call in (scaler.learn_one, scaler.transform_one, scaler.learn_transform_one):
            with pytest.raises((TypeError, ValueError), match=r"x (must|is missing)"):
                call(x, *([] if call == scaler.learn_one else [out]))
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


# Rows that are each learned and scaled, in one call.

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
