"""Windows and their features: the reference to the bit, scipy in float64, the contract."""

from __future__ import annotations

import pickle
import struct
import threading
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeolk as ek
from edgeolk.reference.windows import SINES_F32, SINES_Q15, log_f32, rows_of
from edgeolk.windows import FEATURES, SETS

ALL = tuple(FEATURES)
SPECTRUM = ("bands", "dominant", "centroid", "entropy")
DTYPES = ("int16", "float32")
#: How close spectra are to those of float64.
SPECTRAL: dict[str, dict[str, float]] = {
    "int16": {"abs": 0.02, "rel": 1e-3},
    "float32": {"abs": 1e-5, "rel": 1e-5},
}


def noise(n: int, channels: int, dtype: str, seed: int = 0) -> np.ndarray:
    """Noise on an offset, with a tone in the first channel."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, channels)) + 0.3 * np.arange(channels)
    x[:, 0] += 2 * np.sin(2 * np.pi * 0.13 * np.arange(n))
    return np.rint(x * 1500).astype(np.int16) if dtype == "int16" else x.astype(np.float32)


def smoothed(c: np.ndarray) -> np.ndarray:
    signal = pytest.importorskip("scipy.signal")
    envelope = signal.lfilter([1 / 8], [1, -7 / 8], np.abs(c))
    return envelope - envelope.mean()


def powers(c: np.ndarray) -> np.ndarray:
    """Powers 1 to n/2, of which those below n/2 sum to the mean square of a sine."""
    n = len(c)
    signal = pytest.importorskip("scipy.signal")
    transformed = np.fft.rfft(c * signal.get_window("hann", n))[1:]
    return np.abs(transformed) ** 2 * 2 / 0.375 / n**2


def expected(window: np.ndarray, plan: ek.WindowsPlan) -> list[float]:
    """The features by numpy and scipy in float64."""
    stats = pytest.importorskip("scipy.stats")
    n, found = plan.size, []
    x = window.astype(np.float64)
    for v in x.T:
        c = v - v.mean()
        p = powers(smoothed(c) if plan.envelope else c)
        halved = np.append(p[:-1], p[-1] / 2)
        share, hertz = p / p.sum(), np.arange(1, n // 2 + 1) * plan.rate / n
        least = 1e-3 if plan.dtype == "int16" else 1e-12
        edges = zip(plan.edges, plan.edges[1:], strict=False)
        by_name = {
            "mean": v.mean(), "sd": v.std(), "rms": np.sqrt(np.mean(v**2)),
            "peak_to_peak": np.ptp(v),
            "crest": np.abs(c).max() / v.std(), "skewness": stats.skew(v),
            "kurtosis": stats.kurtosis(v, fisher=False),
            "zero_crossings": np.sum(np.diff(c >= 0)), "mean_change": np.abs(np.diff(v)).mean(),
            "slope": stats.linregress(np.arange(n) / plan.rate, v).slope,
            "bands": [np.log(max(halved[a - 1 : b - 1].sum(), least)) for a, b in edges],
            "dominant": hertz[p.argmax()], "centroid": share @ hertz,
            "entropy": -np.sum(share * np.log(share)) / np.log(n // 2),
        }  # fmt: skip
        for name in plan.features:
            if name != "correlation":
                found += [*np.atleast_1d(by_name[name])]
    if "correlation" in plan.features:
        found += [*np.corrcoef(x.T)[np.triu_indices(plan.channels, 1)]]
    return found


@pytest.mark.parametrize("envelope", [False, True])
@pytest.mark.parametrize("size", [32, 128, 1024])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bits_are_those_of_the_reference(dtype: str, size: int, envelope: bool) -> None:
    windows = ek.Windows(3, size, size // 4, ALL, 400, dtype, envelope=envelope)
    samples = noise(size * 2, 3, dtype)
    rows = windows.feed_many(samples)
    assert rows.shape == (5, windows.n_features)
    assert np.array_equal(rows, rows_of(samples, windows.plan))


@pytest.mark.parametrize("size", [32, 256, 1024])
@pytest.mark.parametrize("dtype", DTYPES)
def test_features_are_those_of_scipy(dtype: str, size: int) -> None:
    """1e-5 of each; the spectrum of int16 is itself in 16 bits, compared below."""
    features = ALL if dtype == "float32" else tuple(set(ALL) - {*SPECTRUM})
    windows = ek.Windows(3, size, 16, features, 400, dtype)
    samples = noise(size + 160, 3, dtype, seed=1)
    rows = windows.feed_many(samples)
    for i, row in enumerate(rows):
        exact = np.array(expected(samples[16 * i : 16 * i + size], windows.plan))
        assert row == pytest.approx(exact, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("envelope", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_spectra_are_those_of_scipy(dtype: str, envelope: bool) -> None:
    windows = ek.Windows(2, 256, 64, SPECTRUM, 400, dtype, envelope=envelope)
    samples = noise(1024, 2, dtype, seed=2)
    rows = windows.feed_many(samples)
    for i, row in enumerate(rows):
        exact = np.array(expected(samples[64 * i : 64 * i + 256], windows.plan))
        assert row == pytest.approx(exact, **SPECTRAL[dtype])


def test_a_spectrum_in_integers_shows_what_is_60_decibels_below_the_loudest() -> None:
    """Of two tones, one of a millionth of the power of the other: its band is right to 1 dB."""
    t = np.arange(1024)
    quiet = 0.001 * np.sin(2 * np.pi * t * 400 / 1024)
    tone = np.rint(30000 * (np.sin(2 * np.pi * t * 40 / 1024) + quiet)).astype(np.int16)
    windows = ek.Windows(1, 1024, 1024, ["bands"], 1024)
    [row] = windows.feed_many(tone)
    exact = expected(tone[:, None], windows.plan)
    assert row[[0, 6]] == pytest.approx(np.array(exact)[[0, 6]], abs=np.log(10) / 10)
    assert max(row[[2, 3, 4, 5, 7]]) < row[0] - np.log(1e6)


def test_tables_are_sines_and_the_logarithm_is_one() -> None:
    text = (Path(ek.__file__).parent / "c/fft.h").read_text()
    for name, table in (("olk_fft_sine_f32", SINES_F32), ("olk_fft_sine_q15", SINES_Q15)):
        body = text.split(f"{name}[257] = {{")[1].split("}")[0].replace("f", "")
        assert np.array_equal(np.array([float(v) for v in body.split(",") if v.strip()],
                                       table.dtype), table)  # fmt: skip
    values = np.exp(np.random.default_rng(0).uniform(-80, 80, 2000)).astype(np.float32)
    exact = np.log(values.astype(np.float64))
    errors = np.abs([log_f32(v) for v in values] - exact) / (1 + np.abs(exact))
    assert errors.max() < 1e-7


integers = st.lists(st.integers(-32768, 32767), min_size=64, max_size=64)
numbers = st.lists(st.floats(-1e6, 1e6, width=32), min_size=64, max_size=64)


@given(st.one_of(st.tuples(st.just("int16"), integers), st.tuples(st.just("float32"), numbers)),
       st.integers(1, 32), st.booleans())  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_samples_give_the_finite_rows_of_the_reference(
    drawn: tuple[str, list[float]], hop: int, envelope: bool
) -> None:
    dtype, values = drawn
    windows = ek.Windows(2, 32, hop, ALL, 50, dtype, bands=3, envelope=envelope)
    samples = np.array(values * 2, dtype).reshape(64, 2)
    rows = windows.feed_many(samples)
    assert np.isfinite(rows).all()
    assert np.array_equal(rows, rows_of(samples, windows.plan))


@given(integers, st.integers(1, 32))
@settings(max_examples=60, deadline=None)
def test_any_integers_have_the_sums_of_numpy(values: list[int], hop: int) -> None:
    names = ("mean", "sd", "rms", "peak_to_peak", "mean_change", "slope")
    windows = ek.Windows(1, 32, hop, names, 1)
    samples = np.array(values, np.int16)
    for i, row in enumerate(windows.feed_many(samples)):
        x = samples[i * hop : i * hop + 32].astype(np.float64)
        slope = np.polyfit(np.arange(32), x, 1)[0]
        exact = (x.mean(), x.std(), np.sqrt(np.mean(x**2)), np.ptp(x), np.abs(np.diff(x)).mean())
        assert row[:5] == pytest.approx(exact, rel=1e-5, abs=1e-5)
        assert row[5] == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("features", SETS)
def test_one_by_one_in_blocks_and_after_a_restart(features: str, dtype: str) -> None:
    samples = noise(500, 3, dtype, seed=3)
    all_at_once = ek.Windows(3, 64, 24, features, 100, dtype)
    rows = all_at_once.feed_many(samples)
    one = ek.Windows(3, 64, 24, features, 100, dtype)
    found = [row for sample in samples if (row := one.feed_one(sample)) is not None]
    assert np.array_equal(found, rows)
    blocks = ek.Windows(3, 64, 24, features, 100, dtype)
    blocks.feed_many(noise(77, 3, dtype, seed=9))
    blocks.restart()
    assert blocks.due == 64
    cuts = np.split(samples, [1, 64, 65, 300])
    assert np.array_equal(np.concatenate([blocks.feed_many(part) for part in cuts]), rows)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_file_continues_to_the_bit(dtype: str, tmp_path: Path) -> None:
    samples = noise(400, 2, dtype, seed=4)
    for at in (0, 10, 64, 65, 199):
        windows = ek.Windows(2, 64, 20, ALL, 400, dtype, bands=[0, 20, 77.7, 200], envelope=True)
        windows.feed_many(samples[:at])
        windows.save(tmp_path / "windows")
        loaded, pickled = ek.Windows.load(tmp_path / "windows"), pickle.loads(pickle.dumps(windows))
        assert loaded.plan == pickled.plan == windows.plan
        assert loaded.due == pickled.due == windows.due
        rest = windows.feed_many(samples[at:])
        assert np.array_equal(loaded.feed_many(samples[at:]), rest)
        assert np.array_equal(pickled.feed_many(samples[at:]), rest)


def test_a_file_may_have_the_learner_too(tmp_path: Path) -> None:
    windows = ek.Windows(2, 32, 8, "level")
    learner = ek.Learner(n_features=6, ram="2KiB")
    rows = windows.feed_many(noise(203, 2, "int16"))
    learner.learn_many(rows, np.where(rows[:, 0] > 0, 1.0, -1.0))
    windows.save(tmp_path / "both", learner)
    loaded, known = ek.Windows.load(tmp_path / "both"), ek.load(tmp_path / "both")
    assert loaded._to_bytes() == windows._to_bytes()
    assert known.__reduce__() == learner.__reduce__()
    with pytest.raises(TypeError, match=r"learner must be an edgeolk.Learner, got int"):
        windows.save(tmp_path / "both", 3)  # type: ignore[arg-type]
    assert ek.load(tmp_path / "both").steps == learner.steps
    named = tmp_path / "without"
    with zipfile.ZipFile(named, "w") as box:
        box.writestr("learner.olk", b"")
    with pytest.raises(ValueError, match="the file has no windows"):
        ek.Windows.load(named)


def test_damaged_and_forged_files_are_refused() -> None:
    windows = ek.Windows(2, 32, 8, ["rms"])
    windows.feed_many(noise(50, 2, "int16"))
    data = windows._to_bytes()
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0x10
        with pytest.raises(ValueError, match="windows"):
            ek.Windows._from_bytes(bytes(damaged))
    with pytest.raises(ValueError, match="windows"):
        ek.Windows._from_bytes(data[:-1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("features", [*SETS, ["entropy"], ["correlation"], ["zero_crossings"]])
def test_the_plan_is_the_memory(features: Any, dtype: str) -> None:
    for channels in (2, 3, 7):
        plan = ek.windows_plan(channels, 128, 5, features, 10, dtype)
        buffer = bytearray(plan.nbytes + 3)
        windows = ek.Windows(channels, 128, 5, features, 10, dtype, buffer=memoryview(buffer)[1:])
        assert windows.nbytes == plan.nbytes
        assert plan.nbytes == sum(region.nbytes for region in plan.regions)
        assert plan.n_features == len(plan.names) == len(set(plan.names)) == windows.n_features
        assert windows.plan == plan
        samples = noise(300, channels, dtype)
        rows = ek.Windows(channels, 128, 5, features, 10, dtype).feed_many(samples)
        assert np.array_equal(windows.feed_many(samples), rows)
        assert buffer[-2:] == bytes(2)
        with pytest.raises(ValueError, match="buffer must hold"):
            ek.Windows(channels, 128, 5, features, 10, dtype, buffer=bytearray(plan.nbytes - 1))


def test_constant_samples_have_finite_rows() -> None:
    for dtype in DTYPES:
        windows = ek.Windows(2, 32, 32, ALL, 400, dtype)
        row = windows.feed_many(np.full((32, 2), -300, dtype))[0]
        by_name = dict(zip(windows.names, row, strict=True))
        assert np.isfinite(row).all()
        assert by_name["c0_mean"] == -300
        assert all(by_name[f"c1_{name}"] == 0 for name in ("sd", "crest", "kurtosis", "entropy"))
        assert by_name["c0_c1_correlation"] == 0


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "channels": ({"channels": 0}, "channels must be from 1 to 64, got 0"),
    "size": ({"size": 200}, "size must be a power of two from 32 to 1024, got 200"),
    "large": ({"size": 2048}, "size must be from 32 to 1024, got 2048"),
    "hop": ({"hop": 257}, "hop must be from 1 to 256, got 257"),
    "set": ({"features": "vibrations"}, "one of .* got 'vibrations' .*'vibration'"),
    "feature": ({"features": ["rns"]}, "features must be among .*, got 'rns' .*'rms'"),
    "twice": ({"features": ["rms", "rms"]}, "features must be one or more names that differ"),
    "kind": ({"features": 3}, "features must be the name of a set or a sequence of names, got int"),
    "alone": ({"channels": 1, "features": ["correlation"]}, "correlation needs 2 channels, got 1"),
    "rate": ({"rate": 0}, "rate must be from 1e-06 to .* got 0"),
    "dtype": ({"dtype": "int8"}, "dtype must be one of 'int16', 'float32', got 'int8'"),
    "bands": ({"bands": 33}, "bands must be from 1 to 32, got 33"),
    "edges": ({"bands": [0, 50, 50]}, "bands must be finite edges that rise"),
    "empty": ({"bands": [0, 50.1, 51, 90]}, "multiple of rate / size .* got one from 50.1 to 51"),
    "text": ({"bands": "8"}, "bands must be a number of bands or a sequence .* got str"),
    "no bands": ({"features": "level", "bands": 4}, "bands are for the feature 'bands'"),
    "envelope": ({"features": "level", "envelope": True}, "envelope is for features of the"),
    "envelope 1": ({"envelope": 1}, "envelope must be True or False, got int"),
}  # fmt: skip


@pytest.mark.parametrize("key", WRONG)
def test_messages_say_what_is_allowed(key: str) -> None:
    options, message = WRONG[key]
    with pytest.raises((TypeError, ValueError), match=message):
        ek.Windows(**{"channels": 3, **options})


BAD: dict[str, tuple[str, Any, str]] = {
    "nan": ("float32", [[0, 1], [np.nan, 2]], r"got samples\[1, 0\] = nan"),
    "infinite": ("float32", np.array([[0, np.inf]], np.float32), r"got samples\[0, 1\] = inf"),
    "large": ("float32", [[0, 2e12]], r"finite numbers from -1e12 to 1e12, got samples\[0, 1\]"),
    "range": ("int16", [[0, 1], [2, 40000]], r"from -32768 to 32767, got samples\[1, 1\] = 40000"),
    "floats": ("int16", [[0.5, 1.0]], "must be integers .* got elements of type float64"),
    "shape": ("int16", [[1, 2, 3]], r"samples must have shape \(n, 2\), got \(1, 3\)"),
    "flat": ("int16", [1, 2], r"samples must have shape \(n, 2\), got \(2,\)"),
    "words": ("float32", [["a", "b"]], "must be finite numbers"),
    "ragged": ("float32", [[1, 2], [3]], "samples must be an array of numbers"),
}


@pytest.mark.parametrize("key", BAD)
def test_refused_samples_change_nothing(key: str) -> None:
    dtype, samples, message = BAD[key]
    windows = ek.Windows(2, 32, 1, ALL, 400, dtype)
    windows.feed_many(noise(45, 2, dtype))
    before = windows._to_bytes()
    with pytest.raises((TypeError, ValueError), match=message):
        windows.feed_many(samples)
    assert windows._to_bytes() == before


def test_out_receives_rows() -> None:
    windows = ek.Windows(2, 32, 8, "level")
    samples = noise(100, 2, "int16")
    out = np.empty((windows.n_rows(100), 6), np.float32)
    assert windows.feed_many(samples, out=out) is out
    assert np.array_equal(out, ek.Windows(2, 32, 8, "level").feed_many(samples))
    row = np.empty(6, np.float32)
    found = [windows.feed_one(sample, out=row) for sample in samples[: windows.due]]
    assert found[-1] is row
    assert found[:-1] == [None] * (len(found) - 1)
    before = windows._to_bytes()
    with pytest.raises(ValueError, match=r"out must be .* shape \(12, 6\), got float32 \(9, 6\)"):
        windows.feed_many(samples, out=out[:9])
    assert windows._to_bytes() == before


def test_a_single_channel_may_be_flat() -> None:
    windows = ek.Windows(1, 32, 32, "level")
    assert np.array_equal(windows.feed_many(range(32))[0, :1], [15.5])
    assert [windows.feed_one(v) for v in range(31)] == [None] * 31
    assert windows.feed_one(31) is not None


def test_windows_overlap_by_half_unless_told_otherwise() -> None:
    assert ek.windows_plan(1).hop == 128
    assert ek.windows_plan(1, 64, features="level").hop == 32
    assert ek.Windows(1, 64, features="level").plan.hop == 32


def test_a_plan_as_text_names_each_region_and_all_bytes() -> None:
    plan = ek.Windows(2, 64, features="level").plan
    title, *lines = str(plan).splitlines()
    assert title.startswith("windows of 64 samples")
    assert "channels = 2" in title
    assert all(any(region.name in line for line in lines) for region in plan.regions)
    assert f"{plan.nbytes}" in str(plan).replace(",", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": ["level", "mean"]}, "features must be a set alone or names of features"),
        ({"features": ["envelope"]}, "got 'envelope', which is an option"),
        ({"bands": [1.0]}, r"bands must have 2 to \d+ edges, got 1"),
    ],
)
def test_features_and_bands_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ek.Windows(1, 64, **options)


def forged(data: bytes, at: int, packed: bytes) -> bytes:
    """The file with other bytes, and a checksum that fits."""
    changed = bytearray(data)
    changed[at : at + len(packed)] = packed
    changed[8:12] = bytes(4)
    changed[8:12] = zlib.crc32(changed).to_bytes(4, "little")
    return bytes(changed)


#: Where a file of windows has it, what it says there, and why that is refused.
FORGED = {
    "of another format": (4, b"\x02", "format 2; this version reads 1"),
    "neither integers nor floats": (5, b"\x02", "inconsistent"),
    "a hop beyond the size": (18, struct.pack("<H", 99), "inconsistent"),
    "due after no row": (22, struct.pack("<H", 0), "header contradicts itself"),
    "due too late": (22, struct.pack("<H", 31), "header contradicts itself"),
    "more samples than there are": (26, struct.pack("<H", 33), "header contradicts itself"),
    "a reserved byte": (7, b"\x01", "header contradicts itself"),
}


@pytest.mark.parametrize(("at", "packed", "why"), FORGED.values(), ids=FORGED)
def test_a_forged_file_contradicts_itself(at: int, packed: bytes, why: str) -> None:
    """With a checksum that is right."""
    windows = ek.Windows(2, 32, 8, ["rms"])
    windows.feed_many(noise(50, 2, "int16"))
    data = windows._to_bytes()
    assert forged(data, 0, b"") == data
    with pytest.raises(ValueError, match=why):
        ek.Windows._from_bytes(forged(data, at, packed))


@pytest.mark.parametrize("features", [3, ["rms", 3], None])
def test_features_are_names(features: Any) -> None:
    with pytest.raises(TypeError, match="features must be the name of a set or a sequence"):
        ek.Windows(1, 64, features=features)


def test_windows_of_an_archive_are_stored(tmp_path: Path) -> None:
    """As they are: a compressed file might unpack to any size."""
    path = tmp_path / "packed"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("windows.eolw", ek.Windows(1, 32)._to_bytes())
    with pytest.raises(ValueError, match="compressed or too large"):
        ek.Windows.load(path)


@pytest.mark.parametrize("names", [("mean", "sd"), ("dominant", "entropy"), ("bands",)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_some_features_are_those_of_all(dtype: str, names: tuple[str, ...]) -> None:
    samples = noise(96, 2, dtype)
    some = ek.Windows(2, 32, 16, names, 400, dtype)
    rows = some.feed_many(samples)
    assert rows.shape == (5, some.n_features)
    assert np.array_equal(rows, rows_of(samples, some.plan))


def test_the_text_of_windows_says_what_they_make() -> None:
    windows = ek.Windows(size=64, channels=2, hop=32)
    assert repr(windows) == (
        f"<Windows of 64 samples: channels=2, a row of {len(windows.names)} every 32, int16,"
        f" {windows.nbytes} bytes>"
    )


def test_one_thread_at_a_time() -> None:
    windows = ek.Windows(size=64, channels=2, hop=32)
    samples, one = noise(60_000, 2, "int16"), noise(1, 2, "int16")[0]
    said: set[str] = set()
    fed = 0
    while not said:
        feeding = threading.Thread(target=windows.feed_many, args=(samples,))
        feeding.start()
        fed += len(samples)
        while feeding.is_alive():
            try:
                windows.feed_one(one)
                fed += 1
            except RuntimeError as error:
                said.add(str(error))
        feeding.join()
    assert said == {"the windows are in use by another thread"}
    assert windows.due == 32 - fed % 32


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_choice_of_features_has_the_numbers_of_all(dtype: str) -> None:
    samples = noise(300, 2, dtype)
    options: dict[str, Any] = {"size": 64, "channels": 2, "hop": 32, "dtype": dtype, "rate": 100.0}
    every = ek.Windows(features=ALL, **options)
    expected = dict(zip(every.names, every.feed_many(samples).T, strict=True))
    for name in ALL:
        own = ek.Windows(features=[name], **options)
        for title, column in zip(own.names, own.feed_many(samples).T, strict=True):
            np.testing.assert_array_equal(column, expected[title])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_constant_channel_has_no_correlation(dtype: str) -> None:
    samples = noise(128, 2, dtype)
    for constant in (0, 1):
        flat = samples.copy()
        flat[:, constant] = 1
        windows = ek.Windows(size=64, channels=2, features=["correlation"], dtype=dtype)
        assert not windows.feed_many(flat).any()
