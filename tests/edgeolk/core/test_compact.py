"""Statistics in 9 bytes an input: bit for bit those of a reference, and near those in double."""

from __future__ import annotations

import ctypes
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

import edgeolk as ek
from bench.compiled import ROOT, compiled, compiler
from edgeolk.core.units import C_FOLDER, NUMBERS
from edgeolk.reference.sorf_scaling import Input
from edgeolk.scaling.record import COMPACT_WINDOW, RECORD_BYTES

CAREFUL = ["-fsanitize=undefined", "-fno-sanitize=float-divide-by-zero",
           "-fsanitize-undefined-trap-on-error"]  # fmt: skip
relaxed = settings(deadline=None, max_examples=150)


@cache
def library() -> ctypes.CDLL:
    """The loops by themselves; what C leaves undefined ends the process."""
    command = [*compiler(), "-std=c11", "-O2", "-shared", "-fPIC", *NUMBERS, *CAREFUL]
    command += [f"-I{C_FOLDER}"]
    sources = [ROOT / "tests/support/compact.c"]
    made = ctypes.CDLL(str(compiled(command, sources, link_flags=["-lm"])))
    number = ctypes.c_double
    made.mean_of.restype = made.sd_of.restype = number
    made.root.restype, made.root.argtypes = ctypes.c_float, [ctypes.c_float]
    return made


def at(array: NDArray[np.generic]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


class Compiled:
    """One input by the compiled loops."""

    def __init__(self, j: int = 0, clip: float = 5.0, window: int = 10_000) -> None:
        self.j, self.clip, self.window = j, clip, window
        self.record = np.zeros(RECORD_BYTES, np.uint8)
        self.rows = 0

    def follow(self, readings: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Learn readings; each scaled after it was learned, and the record after each."""
        x = np.ascontiguousarray(readings, np.float32)
        z = np.zeros(len(x), np.float32)
        states = np.zeros((len(x), RECORD_BYTES), np.uint8)
        library().follow(
            at(self.record), at(x), ctypes.c_long(len(x)), ctypes.c_double(self.clip),
            ctypes.c_double(self.window), ctypes.c_uint32((self.rows + 1) % 2**32),
            ctypes.c_uint32(self.j), at(z), at(states),
        )  # fmt: skip
        self.rows += len(x)
        return z, states

    @property
    def mean(self) -> float:
        return float(library().mean_of(at(self.record)))

    @property
    def sd(self) -> float:
        return float(library().sd_of(at(self.record)))

    def holds(self, record: NDArray[np.uint8], seen: int) -> bool:
        return bool(library().holds(at(np.ascontiguousarray(record)), ctypes.c_int64(seen)))


def numbers_of(record: NDArray[np.uint8]) -> tuple[int, int, int]:
    raw = record.tobytes()
    return tuple(int.from_bytes(raw[a:b], "little") for a, b in ((0, 4), (4, 7), (7, 9)))  # type: ignore[return-value]


def agree(
    readings: ArrayLike, clip: float = 5.0, window: int = 10_000, j: int = 0, before: int = 0
) -> tuple[Compiled, Input]:
    """Both after the readings, every record and every scaled reading on the way compared."""
    one, plain = Compiled(j, clip, window), Input(j, clip, window)
    one.rows = before
    x = np.asarray(readings, np.float32)
    z, states = one.follow(x)
    with np.errstate(all="ignore"):
        for i, reading in enumerate(x):
            plain.learn(reading, (before + i + 1) % 2**32)
            assert numbers_of(states[i]) == plain.stored, (i, reading)
            assert z[i] == plain.scaled(reading), (i, reading)
            assert one.holds(states[i], i + 1), (i, reading)
    assert one.mean == plain.mean
    assert one.sd == plain.sd
    return one, plain


def streams() -> dict[str, NDArray[np.floating]]:
    rng = np.random.default_rng(4)
    normal = rng.normal(size=600)
    absent = rng.normal(size=600)
    absent[::3] = np.nan
    absent[::50] = np.inf
    absent[7] = -np.inf
    bits = rng.integers(0, 2**32, 600, dtype=np.uint64).astype(np.uint32)
    glitches = 20.0 + 0.3 * rng.normal(size=600)
    glitches[rng.random(600) < 0.02] = 3e5
    return {
        "normal": normal,
        "tiny": normal * 1e-28,
        "huge": normal * 1e36,
        "below all": normal * 1e-31,
        "pressure": 101_325.0 + 10.0 * normal,
        "far": 1e6 + normal,
        "too far": 1.7e9 + np.arange(600.0),
        "wakes": np.r_[85.0, 20.0 + 0.1 * normal],
        "absent": absent,
        "bits": bits.view(np.float32),
        "glitches": glitches,
        "constant": np.r_[np.full(40, 3.0), 4.0, np.full(9, 3.0), 4.5, normal],
        "zeros": np.zeros(20),
        "minus zeros": np.r_[np.full(5, -0.0), 0.0, normal[:40]],
        "bit at an offset": 1e4 + (normal > 1.0),
        "rare": (normal > 2.5).astype(float),
        "cauchy": rng.standard_cauchy(600),
        "changes": np.r_[normal, 1e-12 * normal, 1e14 + 1e12 * normal, -1e14 + normal],
        "ramp": np.arange(600.0) ** 2,
        "alternating": np.where(np.arange(600) % 2, 1e20, -1e20),
    }


@pytest.mark.parametrize("window", [10, 300, 10_000, COMPACT_WINDOW])
@pytest.mark.parametrize("stream", streams())
@pytest.mark.spread(6)
def test_the_same_bits_as_the_text(stream: str, window: int) -> None:
    agree(streams()[stream], window=window, j=len(stream))


@pytest.mark.parametrize("clip", [2.0, 1000.0])
@pytest.mark.parametrize("stream", streams())
@pytest.mark.spread(4)
def test_at_any_clip_and_over_the_last_row_that_is_counted(stream: str, clip: float) -> None:
    agree(streams()[stream], clip, 10, before=2**32 - 200)


few = st.sampled_from(
    [0.0, -0.0, 1.0, 1.0, 1.0 + 2.0**-23, 20.0, 20.0, 20.25, -3.5, 1e6, -1e6, math.nan,
     math.inf, 1e-30, 2.0**-101, 3e38]
)  # fmt: skip
any_bits = st.integers(0, 2**32 - 1).map(lambda b: float(np.uint32(b).view(np.float32)))


@relaxed
@given(
    st.lists(st.one_of(few, st.floats(-1e3, 1e3, width=32), any_bits), max_size=60),
    st.integers(10, 60), st.floats(2.0, 50.0), st.integers(0, 900),
)  # fmt: skip
def test_whatever_comes(readings: list[float], window: int, clip: float, j: int) -> None:
    agree(readings, float(np.float32(clip)), window, j)


def test_roots_without_a_c_library() -> None:
    rng = np.random.default_rng(1)
    for x in np.r_[rng.random(5000), 2.0 ** rng.uniform(-120, 120, 5000), 0.0, 1.0, 2.0, 4.0]:
        assert library().root(float(np.float32(x))) == np.sqrt(np.float32(x))


# ---- what the page about rows promises ----


@pytest.mark.parametrize("rows", [3_000_000, pytest.param(200_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("centre", "spread"), [(0.0, 1.0), (1e4, 1.0), (101_325.0, 10.0)])
def test_it_does_not_drift(centre: float, spread: float, rows: int) -> None:
    one = Compiled()
    library().soak(
        at(one.record), ctypes.c_double(centre), ctypes.c_double(spread), ctypes.c_int64(rows),
        ctypes.c_uint64(11),
    )  # fmt: skip
    assert one.mean == pytest.approx(centre, abs=0.06 * spread)
    assert one.sd == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize("stream", ["normal", "pressure", "glitches", "wakes", "cauchy", "rare"])
def test_near_the_statistics_in_double(stream: str) -> None:
    readings = np.asarray(streams()[stream], np.float32).astype(float)[:, None]
    wide, narrow = ek.RunningScaler(1), ek.RunningScaler(1, compact=True)
    apart = [
        float(wide.learn_transform_one(x)[0] - narrow.learn_transform_one(x)[0]) for x in readings
    ]
    assert np.sqrt(np.mean(np.square(apart))) < 2e-3


# ---- readings side by side ----


@pytest.mark.parametrize("d", [1, 3, 4, 5, 8, 20, 64])
@pytest.mark.parametrize(("clip", "window"), [(5.0, 10_000), (2.0, 30)])
def test_readings_side_by_side_are_the_same(d: int, clip: float, window: int) -> None:
    kinds = list(streams().values())
    x = np.full((600, d), np.nan)
    for j in range(d):
        column = np.asarray(kinds[(3 * j + d) % len(kinds)], np.float64)[:600]
        x[: len(column), j] = column
    x = x.astype(np.float32).astype(np.float64)
    records = np.zeros(d * RECORD_BYTES, np.uint8)
    z, states = np.zeros((600, d)), np.zeros((600, d, RECORD_BYTES), np.uint8)
    library().follow_rows(
        at(records), at(x), ctypes.c_long(600), ctypes.c_long(d), ctypes.c_double(clip),
        ctypes.c_double(window), at(z), at(states),
    )  # fmt: skip
    for j in range(d):
        alone, after = Compiled(j, clip, window).follow(x[:, j])
        assert np.array_equal(states[:, j], after), j
        assert z[:, j].tolist() == alone.tolist(), j


# ---- a scaler of its own ----


def test_a_scaler_of_its_own_is_the_same() -> None:
    X = np.random.default_rng(8).normal(size=(300, 3)) * [1.0, 30.0, 1e-3] + [0.0, 900.0, 5.0]
    scaler = ek.RunningScaler(3, compact=True, clip=3.0, window=50)
    made = np.array([scaler.learn_transform_one(x) for x in X])
    for j in range(3):
        one = Compiled(j, 3.0, 50)
        assert one.follow(X[:, j])[0].tolist() == made[:, j].tolist()
        assert one.mean == scaler.mean_[j]
        assert one.sd == scaler.scale_[j]
    again = ek.RunningScaler(3, compact=True, clip=3.0, window=50)
    again.learn_many(X)
    assert again.transform(X).tolist() == scaler.transform(X).tolist()
    narrow = np.empty(X.shape, np.float32)
    assert again.transform(X, out=narrow).tolist() == again.transform(X).tolist()
    assert scaler.compact
    assert scaler.n_clipped is None
    assert not ek.RunningScaler(3).compact


@pytest.mark.parametrize(
    ("given", "error"),
    [({"method": "minmax"}, ValueError), ({"clip": None}, ValueError), ({"clip": 1001}, ValueError),
     ({"window": COMPACT_WINDOW + 1}, ValueError), ({"compact": 1}, TypeError)],
)  # fmt: skip
def test_what_it_does_not_serve(given: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error, match="compact"):
        ek.RunningScaler(2, **{"compact": True, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "compact"),
    [({}, True), ({"dtype": "float32"}, True), ({"dtype": "float64"}, False),
     ({"scale": "minmax"}, False), ({"scale_window": COMPACT_WINDOW}, True),
     ({"scale_window": COMPACT_WINDOW + 1}, False), ({"clip": 1000.0}, True),
     ({"clip": 1001.0}, False)],
)  # fmt: skip
def test_which_learners_have_it_inside(said: dict[str, object], compact: bool) -> None:
    config = ek.Config(n_features=4, budget=64, **said)  # type: ignore[arg-type]
    assert config._settings.preprocessing.compact is compact
    names = {region.name for region in ek.plan(config).regions}
    assert ("statistics" in names) is compact
    assert ("scaler" in names) is not compact


def test_a_spread_too_small_for_its_mean_is_kept_at_first() -> None:
    """Each of the units of the mean is then as large as the spread allows."""
    _, plain = agree(np.r_[1.0, 1.0 + 1e-5, 1.0 - 1e-5, np.ones(60)])
    assert plain.code - 3 == 63
    assert plain.w & 15 == 15
    assert plain.mean == 1.0


@pytest.mark.parametrize("window", [10, 300])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_scaler_of_its_own_is_the_same_on_any_readings(sign: float, window: int) -> None:
    """Far from 0 on either side, and quiet: constant for long, or so close that no deviation is."""
    draws = np.random.default_rng(1).normal(size=400)
    silent = np.r_[1e-28 * draws, np.zeros(3000)]
    quiet = [np.r_[m + draws, np.full(4000, m + 1.0), m + 1e-2 * draws] for m in (0.0, 1e3, 1e6)]
    close = [np.tile(v, 3) for v in ([1e6, 1e6 + 0.0625, 1e6], [3e7, 3e7 + 2.0, 3e7 + 2.0])]
    seen = [s for s in streams().values() if np.isfinite(s).all() and np.abs(s).max() < 1e37]
    for readings in [*seen, silent, *quiet, *close]:
        x = (sign * readings).astype(np.float32)
        scaler = ek.RunningScaler(1, compact=True, clip=5.0, window=window)
        made = np.empty((len(x), 1), np.float32)
        scaler._learn_transform_many(x[:, None], made)
        one = Compiled(0, 5.0, window)
        assert one.follow(x)[0].tolist() == made[:, 0].tolist()
        assert (one.mean, one.sd) == (scaler.mean_[0], scaler.scale_[0])
