"""RunningScaler against numpy, and what it promises at the edges of float64."""

import copy
import itertools
import math
import pickle
import threading
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import edgeolk as ek

METHODS = ("standard", "minmax")
LARGEST = np.finfo(np.float64).max
relaxed = settings(deadline=None, max_examples=60)


def finite_rows(limit=LARGEST, width=64, most=12):
    shape = st.tuples(st.integers(1, most), st.integers(1, 4))
    dtype = np.float64 if width == 64 else np.float32
    numbers = st.floats(-limit, limit, width=width)
    return shape.flatmap(lambda size: hnp.arrays(dtype, size, elements=numbers))


def noise(n=400, d=3, seed=1):
    return np.random.default_rng(seed).normal(size=(n, d))


def placed(d, method="standard", offset=0, **options):
    """A scaler in memory whose bytes can be looked at."""
    memory = bytearray(ek.RunningScaler.plan(d, method).nbytes + offset)
    return memory, ek.RunningScaler(d, method=method, buffer=memoryview(memory)[offset:], **options)


def block_of(scaler):
    """The sealed block, wherever it lies."""
    return scaler.__reduce__()[1][0]


def reference(X, method):
    X = X.astype(np.float64)
    if method == "standard":
        return X.mean(axis=0), X.std(axis=0)
    return X.min(axis=0), np.ptp(X, axis=0)


def holds(scaler):
    """Loading checks the invariants kept from row to row."""
    assert repr(pickle.loads(pickle.dumps(scaler))) == repr(scaler)


# ---- against numpy --------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 5, 64, 65, 200])
def test_agrees_with_numpy(method, dtype, d):
    X = (3.0 + 2.0 * noise(300, d)).astype(dtype)
    centre, spread = reference(X, method)
    scaler = ek.RunningScaler(d, method=method)
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
    scaler = ek.RunningScaler(3, method=method)
    for t, row in enumerate(X, 1):
        got = scaler.learn_transform_one(row)
        centre, spread = reference(X[:t], method)
        want = (row - centre) / spread if t > 1 else np.zeros(3)
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("offset", [1e5, 1e9, -1e12])
@pytest.mark.parametrize("glitch", [False, True])
def test_large_offset_keeps_the_digits_of_the_noise(offset, glitch):
    X = offset + noise(20_000, 2)
    if glitch:
        X[0] = 0.0
    exact = X - offset  # no rounding: neighbours of one size
    scaler = ek.RunningScaler(2)
    scaler.learn_many(X)
    np.testing.assert_allclose(scaler.scale_, exact.std(axis=0), rtol=1e-12)
    np.testing.assert_allclose(scaler.mean_, offset + exact.mean(axis=0), rtol=1e-15)
    want = (exact - exact.mean(axis=0)) / exact.std(axis=0)
    np.testing.assert_allclose(scaler.transform(X), want, rtol=0, atol=1e-11 * abs(want).max())


def test_mean_goes_on_moving_in_a_long_stream():
    # delta / n is far below the last bit of 1e16: one float64 would stay where it is.
    scaler = ek.RunningScaler(1)
    scaler.learn_many(np.full((1000, 1), 1e16))
    scaler.learn_many(np.full((1000, 1), 1e16 + 4))
    assert scaler.mean_[0] == 1e16 + 2


@relaxed
@given(finite_rows(limit=1e6, width=32), st.sampled_from(METHODS))
def test_many_rows_are_one_row_often(X, method):
    one = ek.RunningScaler(X.shape[1], method=method)
    many = ek.RunningScaler(X.shape[1], method=method)
    for row in X:
        one.learn_one(row)
    many.learn_many(X)
    assert block_of(one) == block_of(many)
    holds(one)


# ---- the edges of float64 -------------------------------------------------------------------


@relaxed
@given(finite_rows(), st.sampled_from(METHODS), st.sampled_from([np.float64, np.float32]))
def test_finite_in_gives_finite_out(X, method, dtype):
    scaler = ek.RunningScaler(X.shape[1], method=method)
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
    plain = ek.RunningScaler(X.shape[1], method=method)
    other = ek.RunningScaler(X.shape[1], method=method)
    plain.learn_many(X)
    other.learn_many(far)
    np.testing.assert_allclose(other.transform(far), plain.transform(X), rtol=1e-9, atol=1e-12)


def test_largest_numbers():
    X = np.array([[LARGEST, 1e308], [-LARGEST, -1e308]] * 20)
    scaler = ek.RunningScaler(2)
    scaler.learn_many(X)
    np.testing.assert_allclose(scaler.transform(X), np.sign(X), rtol=1e-14)
    np.testing.assert_allclose(scaler.scale_[1], 1e308, rtol=1e-14)
    ranged = ek.RunningScaler(2, method="minmax")
    ranged.learn_many(X)
    np.testing.assert_array_equal(ranged.transform(X), X > 0)
    assert ranged.scale_[0] == np.inf


def test_glitch_in_a_quiet_stream():
    scaler = ek.RunningScaler(1)
    scaler.learn_many(noise(100, 1))
    got = scaler.learn_transform_one(np.array([1e308]))
    np.testing.assert_allclose(got, math.sqrt(100), rtol=1e-12)
    holds(scaler)
    scaler.learn_many(noise(100, 1))
    holds(scaler)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_out_of_range_is_refused_before_writing(method, dtype):
    memory, scaler = placed(2, method, freeze_after=2)
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


def test_many_features_are_all_checked_before_writing():
    scaler = ek.RunningScaler(200, method="minmax")
    scaler.learn_many([[0.0] * 200, [1.0] * 200])
    row = np.zeros(200)
    row[199] = 1e200
    out = np.full(200, 7.0, np.float32)
    with pytest.raises(ValueError, match="float32"):
        scaler.transform_one(row, out)
    assert (out == 7).all()
    assert scaler.transform_one(row)[199] == 1e200


# ---- constant features, nothing seen --------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, -1e9, 5e-324, 1e-310, LARGEST])
def test_constant_feature_gives_exact_zero(method, value):
    scaler = ek.RunningScaler(2, method=method)
    for other in noise(50, 1):
        got = scaler.learn_transform_one(np.array([value, other[0]]))
        assert got[0].tobytes() == np.float64(0).tobytes()
    assert scaler.scale_[0] == 0
    scaler.freeze()
    assert scaler.transform_one(np.array([value / 2 - 1, 0.0]))[0] == 0


@pytest.mark.parametrize("method", METHODS)
def test_rounding_is_no_spread(method):
    X = np.array([[0.1 + 0.2], [0.3]] * 50)
    scaler = ek.RunningScaler(1, method=method)
    scaler.learn_many(X)
    np.testing.assert_array_equal(scaler.transform(X), 0.0)
    real = ek.RunningScaler(1, method=method)
    real.learn_many(np.array([[1.0], [1.0 + 1e-12]] * 50))
    assert real.transform_one(np.array([1.0 + 1e-12]))[0] == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tiny", [5e-324, 1e-323, 1e-310])
def test_spread_below_the_normal_numbers_is_none(method, tiny):
    X = np.array([[0.0], [tiny], [tiny]])
    scaler = ek.RunningScaler(1, method=method)
    scaler.learn_many(X)
    np.testing.assert_array_equal(scaler.transform(X), 0.0)
    assert scaler.scale_[0] == 0


@pytest.mark.parametrize("method", METHODS)
def test_before_the_first_example(method):
    scaler = ek.RunningScaler(3, method=method)
    assert scaler.n_seen == 0
    np.testing.assert_array_equal(scaler.transform_one(np.array([1.0, -2.0, 1e308])), 0.0)
    for statistic in (scaler.mean_, scaler.min_, scaler.max_, scaler.scale_):
        assert statistic is None or (statistic == 0).all()
    assert scaler.transform(np.empty((0, 3))).shape == (0, 3)
    scaler.learn_many(np.empty((0, 3)))
    assert scaler.n_seen == 0


# ---- freezing -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_freeze_after(method):
    X = noise(30)
    memory, scaler = placed(3, method, freeze_after=10)
    short = ek.RunningScaler(3, method=method, freeze_after=10)
    short.learn_many(X[:10])
    for t, row in enumerate(X, 1):
        scaler.learn_one(row)
        assert scaler.n_seen == min(t, 10)
        assert scaler.frozen == (t >= 10)
        if t == 10:
            before = bytes(memory)
    assert bytes(memory) == before
    scaler.learn_many(100 * X)
    scaler.learn_transform_one(X[0])
    assert bytes(memory) == before
    assert block_of(scaler) == block_of(short)
    whole = ek.RunningScaler(3, method=method, freeze_after=10)
    whole.learn_many(X)
    assert block_of(whole) == block_of(scaler)
    assert scaler.freeze_after == 10


@pytest.mark.parametrize("method", METHODS)
def test_freeze_by_hand(method):
    X = noise(30)
    memory, scaler = placed(3, method)
    assert scaler.freeze_after is None
    scaler.learn_many(X[:20])
    scaler.freeze()
    scaler.freeze()
    before = bytes(memory)
    scaler.learn_many(X)
    assert scaler.frozen
    assert scaler.n_seen == 20
    assert bytes(memory) == before
    with pytest.raises(ValueError, match="x must be finite"):
        scaler.learn_one([1.0, np.nan, 0.0])


def test_frozen_range_is_not_clipped():
    scaler = ek.RunningScaler(1, method="minmax")
    scaler.learn_many([[0.0], [2.0]])
    scaler.freeze()
    assert scaler.learn_transform_one([5.0])[0] == 2.5
    assert scaler.learn_transform_one([-1.0])[0] == -0.5


# ---- what comes in and goes out -------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_many_ways_to_hand_over_a_row(method):
    X = np.round(noise(20, 4), 2).astype(np.float32)
    want = ek.RunningScaler(4, method=method)
    want.learn_many(X.astype(np.float64))
    wide = np.zeros((20, 8))
    wide[:, ::2] = X
    locked = X.copy()
    locked.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + X.tobytes(), np.float32, offset=1).reshape(X.shape)
    swapped = X.astype(X.dtype.newbyteorder("S"))
    forms = (X, wide[:, ::2], X[::-1][::-1], locked, unaligned, swapped, X.tolist())
    for form in (*forms, np.asfortranarray(X), X.astype(object).astype(float)):
        for by_row in (False, True):
            scaler = ek.RunningScaler(4, method=method)
            if by_row:
                for row in form:
                    scaler.learn_one(row)
            else:
                scaler.learn_many(form)
            assert block_of(scaler) == block_of(want)
            assert scaler.transform(form).tobytes() == want.transform(X).tobytes()
            first = want.transform_one(X[0]).tobytes()
            assert scaler.transform_one(form[0]).tobytes() == first


def test_whole_numbers_and_booleans_are_numbers():
    scaler = ek.RunningScaler(2, method="minmax")
    scaler.learn_many(np.array([[0, 0], [4, 1]]))
    scaler.learn_one(np.array([True, False]))
    assert scaler.transform_one([1, 1]).tolist() == [0.25, 1.0]


def test_float32_out_is_the_rounded_float64():
    X = noise(50, 5)
    scaler = ek.RunningScaler(5)
    scaler.learn_many(X)
    out = np.empty((50, 5), np.float32)
    assert scaler.transform(X, out) is out
    np.testing.assert_array_equal(out, scaler.transform(X).astype(np.float32))
    row = np.empty(5, np.float32)
    assert scaler.transform_one(X[3], out=row) is row
    np.testing.assert_array_equal(row, out[3])


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


@pytest.mark.parametrize(("out", "error"), OUTS)
def test_bad_out(out, error):
    memory, scaler = placed(3)
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
    memory, scaler = placed(4)
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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("x", "error"), ROWS)
def test_bad_row_changes_nothing(method, x, error):
    memory, scaler = placed(3, method)
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


@pytest.mark.parametrize("method", METHODS)
def test_bad_matrix_changes_nothing(method):
    memory, scaler = placed(3, method)
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


@pytest.mark.parametrize(
    ("arguments", "options", "error", "name"),
    [
        ((), {}, TypeError, "argument"),
        ((0,), {}, ValueError, "n_features"),
        ((-1,), {}, ValueError, "n_features"),
        ((2.0,), {}, TypeError, "n_features"),
        ((True,), {}, TypeError, "n_features"),
        ((2**40,), {}, ValueError, "n_features"),
        ((2, "standard"), {}, TypeError, "positional"),
        ((2,), {"method": "robust"}, ValueError, "method"),
        ((2,), {"method": 1}, TypeError, "method"),
        ((2,), {"method": ["standard"]}, TypeError, "method"),
        ((2,), {"freeze_after": 0}, ValueError, "freeze_after"),
        ((2,), {"freeze_after": -5}, ValueError, "freeze_after"),
        ((2,), {"freeze_after": 10.0}, TypeError, "freeze_after"),
        ((2,), {"buffer": bytearray(10)}, ValueError, "buffer"),
        ((2,), {"buffer": bytes(4096)}, TypeError, "buffer"),
        ((2,), {"buffer": "text"}, TypeError, "buffer"),
        ((2,), {"ddof": 1}, TypeError, "ddof"),
    ],
)
def test_bad_construction(arguments, options, error, name):
    with pytest.raises(error, match=name):
        ek.RunningScaler(*arguments, **options)


# ---- memory ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("d", [1, 5, 8, 9, 64, 65, 123])
def test_plan_is_what_is_taken(method, d):
    plan = ek.RunningScaler.plan(d, method)
    assert plan == ek.RunningScaler.plan(d, method=method)
    assert isinstance(plan, ek.ScalerPlan)
    ends = [0]
    for region in plan.regions:
        assert isinstance(region, ek.Region)
        assert region.offset == ends[-1]
        assert region.nbytes % 64 == 0
        ends.append(region.offset + region.nbytes)
    assert plan.regions[-1].name == "alignment"
    assert plan.regions[-1].nbytes == 64
    assert plan.nbytes == ends[-1]
    assert str(plan.nbytes) in str(plan)
    tracemalloc.start()
    try:
        scaler = ek.RunningScaler(d, method=method)
        taken = [t.size for t in tracemalloc.take_snapshot().traces if t.size == plan.nbytes]
    finally:
        tracemalloc.stop()
    assert scaler.nbytes == plan.nbytes
    assert len(taken) == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("offset", [0, 1, 7, 63])
def test_buffer_is_used_exactly_wherever_it_starts(method, offset):
    size = ek.RunningScaler.plan(5, method).nbytes
    memory = bytearray(b"\xaa" * (size + offset + 100))
    with pytest.raises(ValueError, match=f"buffer must hold {size} bytes"):
        ek.RunningScaler(5, method=method, buffer=memoryview(memory)[: size - 1])
    assert memory == b"\xaa" * len(memory)
    scaler = ek.RunningScaler(5, method=method, buffer=memoryview(memory)[offset:])
    free = ek.RunningScaler(5, method=method)
    for each in (scaler, free):
        each.learn_many(noise(50, 5))
    assert scaler.nbytes == size
    assert memory[:offset] == b"\xaa" * offset
    assert memory[offset + size :] == b"\xaa" * 100
    assert block_of(scaler) == block_of(free)
    assert memory.find(b"edgescal") >= offset
    with pytest.raises(BufferError):
        memory.clear()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_call_allocates_nothing(method, dtype):
    scaler = ek.RunningScaler(5, method=method)
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
    for method in METHODS:
        scaler = ek.RunningScaler(3, method=method)
        scaler.learn_many(noise())
        before = block_of(scaler)
        for values in (scaler.mean_, scaler.min_, scaler.max_, scaler.scale_):
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


# ---- files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("freeze_after", [None, 30, 60])
def test_saved_and_loaded_goes_on_bit_for_bit(tmp_path, method, freeze_after):
    X = 1e9 + noise(100, 9)
    X[:, 1] = 4.0
    X[40, 2] = 1e300
    path = tmp_path / "scaler.bin"
    straight = ek.RunningScaler(9, method=method, freeze_after=freeze_after)
    straight.learn_many(X[:50])
    straight.save(path)
    loaded = ek.RunningScaler.load(path)
    for name in ("method", "n_features", "n_seen", "frozen", "freeze_after", "nbytes"):
        assert getattr(loaded, name) == getattr(straight, name)
    for row in X[50:]:
        a, b = straight.learn_transform_one(row), loaded.learn_transform_one(row)
        assert a.tobytes() == b.tobytes()
    assert block_of(loaded) == block_of(straight)
    for twin in (copy.deepcopy(straight), pickle.loads(pickle.dumps(straight))):
        assert block_of(twin) == block_of(straight)
    assert [entry.name for entry in tmp_path.iterdir()] == ["scaler.bin"]


def resealed(block):
    block[12:16] = bytes(4)
    block[12:16] = zlib.crc32(block).to_bytes(4, "little")
    return bytes(block)


@pytest.mark.parametrize("method", METHODS)
def test_damaged_files_are_refused(tmp_path, method):
    scaler = ek.RunningScaler(3, method=method, freeze_after=500)
    scaler.learn_many(noise())
    path = tmp_path / "scaler.bin"
    scaler.save(path)
    block = path.read_bytes()
    bad = [block[:size] for size in (0, 1, 12, 63, 64, len(block) - 1)]
    bad += [block + b"\0", b"\0" * len(block), b"edgeolk\0" + block[8:]]
    for at in range(len(block)):
        flipped = bytearray(block)
        flipped[at] ^= 1 << at % 8
        bad.append(bytes(flipped))
    for data in bad:
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"scaler|model"):
            ek.RunningScaler.load(path)
    path.write_bytes(block)
    with pytest.raises(ValueError, match="not a model"):
        ek.load(path)
    with pytest.raises(OSError, match="nowhere"):
        ek.RunningScaler.load(tmp_path / "nowhere")


def test_hostile_numbers_are_refused():
    scaler = ek.RunningScaler(3)
    scaler.learn_many(noise())
    block = block_of(scaler)
    at = {region.name: region.offset for region in ek.RunningScaler.plan(3).regions}
    whole, real = "<i8", "<f8"
    head = [(8, "<u4", 2), (16, whole, 1), (16, whole, 2**62), (24, whole, 0), (24, whole, 2**40)]
    head += [(24, whole, -1), (24, whole, 9), (32, whole, -1), (32, whole, 5), (32, whole, 400)]
    head += [
        (40, whole, -1),
        (40, whole, 0),
        (40, whole, 2**63 - 1),
        (48, "<i4", 0),
        (48, "<i4", 3),
        (52, "<i4", 2),
    ]
    values = [(at["mean"], real, v) for v in (np.nan, np.inf, -1e308)]
    values += [(at["mean_low"], real, v) for v in (np.nan, np.inf, 1.0)]
    values += [(at["m2"], real, v) for v in (np.nan, np.inf, -1.0, 1e308)]
    values += [(at["level"], "i1", v) for v in (-1, 3, 127)]
    for offset, kind, value in head + values:
        changed = bytearray(block)
        number = np.array(value, kind).tobytes()
        changed[offset : offset + len(number)] = number
        with pytest.raises(ValueError, match=r"scaler|n_features"):
            ek.RunningScaler._from_block(resealed(changed))
    assert block_of(ek.RunningScaler._from_block(resealed(bytearray(block)))) == block


def test_hostile_ranges_are_refused():
    scaler = ek.RunningScaler(3, method="minmax")
    scaler.learn_many(noise())
    block = block_of(scaler)
    at = {region.name: region.offset for region in ek.RunningScaler.plan(3, "minmax").regions}
    for name, value in (("min", np.nan), ("min", -np.inf), ("min", 1e9), ("max", np.inf)):
        changed = bytearray(block)
        changed[at[name] : at[name] + 8] = np.array(value, "<f8").tobytes()
        with pytest.raises(ValueError, match="inconsistent"):
            ek.RunningScaler._from_block(resealed(changed))


def test_subclass_and_repr():
    class Mine(ek.RunningScaler):
        pass

    scaler = Mine(4, method="minmax")
    assert type(copy.copy(scaler)) is Mine
    assert repr(scaler).startswith("<RunningScaler minmax: d=4, 0 seen, learning,")
