"""Statistics are judged by the conventions of c/winsor.h, in a learner as in a scaler."""

from __future__ import annotations

import itertools
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from math import isfinite, ldexp
from sys import float_info
from typing import Any

import numpy as np
import pytest
from helpers import few_first
from scalers import METHODS, block_of, place_of, resealed

import edgeolk as ek
from edgeolk.files import live
from edgeolk.files.holds import problem_of

NAN, INF = math.nan, math.inf
#: Where the header has its number of rows.
ROWS_AT = 64
#: The largest spread that is none beside a mean of 1, and the next number.
NO_SPREAD = 64.0 * float_info.epsilon
SPREAD = math.nextafter(NO_SPREAD, 1.0)
LEAST_SPREAD = 2.0 * float_info.min
AGES = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (1, 2), (2, 3), (3, 9), (9, 9), (10, 9), (0, 9)]


#: Lists of cases in so many parts, of which one runs by day.
PARTS = 12


def part_of(part: int, *axes: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Every combination whose number is ``part`` modulo the number of parts."""
    return itertools.islice(itertools.product(*axes), part, None, PARTS)


# ---- the conventions, in plain Python ------------------------------------------------------------

#: Readings before the scaler of a feature has a deviation (c/winsor.h).
START = 3
#: Code of a record with a pending reading, and the first code of records with a deviation.
_WAITS, _RUNNING = 5, 6
#: The minimum number of readings of a state, by its code.
_STATES = (0, 1, 2, 2, 3, 4, 3)
#: Bits of 2^-100, 2^125 and 2^126: of the smallest spread, the largest reading and spread.
_MIN_SPREAD, _MAX_NUMBER, _MAX_SPREAD = (127 - 100) << 23, (127 + 125) << 23, (127 + 126) << 23


def _no_spread(sd: float, size: float) -> bool:
    return sd <= 64.0 * float_info.epsilon * size or sd < 2.0 * float_info.min


def _feature_holds(numbers: tuple[float, ...], age: int, seen: int, gaps: bool) -> bool:
    """Whether a feature's numbers are valid by c/winsor.h after ``seen`` rows.

    ``gaps`` says whether readings may be missing.
    """
    mean, low, sd, held = numbers
    if not all(map(isfinite, numbers)) or sd < 0.0 or abs(low) > ldexp(abs(mean), -52):
        return False
    if age > seen or (age < START and age != seen and not gaps):
        return False
    if age == 0:
        return mean == sd == held == 0.0
    if age < START:
        return sd == 0.0 and low == 0.0 and (age > 1 or held == mean)
    return sd == 0.0 or (held == 0.0 and not _no_spread(sd, abs(mean)))


def _range_holds(lowest: float, highest: float, mean: float, sd: float, seen: int) -> bool:
    if not (isfinite(lowest) and isfinite(highest) and lowest <= highest):
        return False
    if (seen <= 1 and lowest != highest) or (seen == 0 and lowest != 0.0):
        return False
    half = 0.5 * highest - 0.5 * lowest
    margin = 1e-6 * half + 1e-14 * max(abs(lowest), abs(highest))
    inside = 0.5 * lowest - margin <= 0.5 * mean <= 0.5 * highest + margin
    return inside and 0.5 * sd <= half + margin


def _record_holds(word: int, spread: int, code: int, seen: int) -> bool:
    """Whether a record of 9 bytes is valid by c/scaler_compact.h after ``seen`` rows."""
    lowest, far = _STATES[min(code, _RUNNING)], spread << 7
    if seen < max(lowest, code - 3):
        return False
    if code >= _RUNNING:
        units = abs((word if word < 2**31 else word - 2**32) >> 4)
        normalised = units < 2**27 and (word & 15 == 0 or units >= 2**26)
        return normalised and _MIN_SPREAD <= far <= _MAX_SPREAD
    if code == 0:
        return word == 0 and spread == 0
    if code in (1, 4):
        far_enough = spread == 0
    else:
        far_enough = (_MIN_SPREAD if code == _WAITS else 0) <= far <= _MAX_SPREAD
    return word & 0x7FFFFFFF <= _MAX_NUMBER and far_enough


def in_a_learner(learner: ek.Learner, seen: int, numbers: dict[str, Any]) -> bool:
    """Whether a block may have these statistics, by region, after so many rows."""
    block = memoryview(bytearray(memoryview(learner._engine.arena)))
    struct.pack_into("<q", block, ROWS_AT, seen)
    for region in learner.plan.regions:
        if region.name in numbers:
            region_numbers = live.numbers(region, block)
            for at, number in enumerate(numbers[region.name]):
                region_numbers[at] = number
    said = problem_of(learner._config, learner.plan.regions, block)
    assert "statistics of feature 0 " in said or not said
    return not said


class Scalers:
    """One feature in a scaler of its own, a learner, and a forecaster, where readings may be
    missing."""

    def __init__(self, method: str) -> None:
        scaler = ek.RunningScaler(1, method=method, clip=5.0)
        self.block = bytearray(block_of(scaler))
        names = ("scaler", "scaler_counts", "scaler_range")
        self.at = {name: place_of(scaler, name) for name in names[: 2 + (method == "minmax")]}
        self.learner = ek.Learner(
            "rbp", n_features=1, budget=2, scale=method, clip=5.0, dtype="float64"
        )
        options: dict[str, Any] = {"loss": "square", "history": True, "D": 0, "dtype": "float64"}
        self.forecaster = ek.Learner("sorf", n_features=1, **options)

    def compiled(
        self,
        numbers: tuple[float, ...],
        age: int,
        clipped: int,
        seen: int,
        span: tuple[float, float] | None,
    ) -> bool:
        """Whether a scaler takes a block with these statistics."""
        block = bytearray(self.block)
        struct.pack_into("<q", block, ROWS_AT, seen)
        struct.pack_into("<4d", block, self.at["scaler"], *numbers)
        struct.pack_into("<2I", block, self.at["scaler_counts"], age, clipped)
        if span is not None:
            struct.pack_into("<2d", block, self.at["scaler_range"], *span)
        try:
            ek.RunningScaler._from_block(resealed(block))
        except ValueError as error:
            assert "statistics of feature 0" in str(error)  # noqa: PT017
            return False
        return True

    def of_a_file(
        self,
        numbers: tuple[float, ...],
        age: int,
        clipped: int,
        seen: int,
        span: tuple[float, float] | None,
        forecasts: bool = True,
    ) -> bool:
        """Whether a learner's block may have them; that of a forecaster if there is no range."""
        given = {"scaler": numbers, "scaler_counts": (age, clipped), "scaler_range": span or ()}
        learner = self.forecaster if forecasts and span is None else self.learner
        gaps = learner is self.forecaster
        good = _feature_holds(numbers, age, seen, gaps) and clipped <= seen
        if good and span is not None:
            good = _range_holds(*span, numbers[0], numbers[2], seen)
        assert in_a_learner(learner, seen, given) is good, (numbers, age, clipped, seen, span)
        return good

    def same(self, *case: Any) -> bool:
        """What both say."""
        numbers, age, clipped, seen, span = case
        good = _feature_holds(numbers, age, seen, gaps=True) and clipped <= seen
        if good and span is not None:
            good = _range_holds(*span, numbers[0], numbers[2], seen)
        assert self.compiled(*case) is good, case
        self.of_a_file(*case)
        return good


@pytest.mark.parametrize("part", few_first(range(PARTS), [0]))
def test_features(part: int) -> None:
    """Every pair of a number that is odd and one that is not, at every age."""
    means = [0.0, -0.0, 1.0, -3.0, 1e300, 5e-324, NAN, INF]
    lows = [0.0, 2.0**-52, math.ldexp(1.0, -52) * 1.01, -(2.0**-52), 1e-320, NAN, INF]
    sds = [0.0, 1.0, NO_SPREAD, SPREAD, LEAST_SPREAD, float_info.min, 1e308, -1.0, NAN, INF]
    helds = [0.0, 1.0, -3.0, NAN, -INF]
    both, taken = Scalers("standard"), 0
    for mean, sd, held, (age, seen) in part_of(part, means, sds, helds, AGES):
        taken += both.same((mean, 0.0, sd, held), age, 0, seen, None)
    for mean, low, sd, (age, seen) in part_of(part, means, lows, sds, AGES):
        taken += both.same((mean, low, sd, 0.0), age, 0, seen, None)
    assert taken > 400 / PARTS / 2
    for age, seen in AGES:
        gaps = age < min(seen, 3)
        case = ((0.0, 0.0, 0.0, 0.0), age, 0, seen, None)
        assert both.of_a_file(*case) is (age <= seen)
        assert both.of_a_file(*case, forecasts=False) is (age <= seen and not gaps)


class Records:
    """One record of 9 bytes in a scaler of its own, and in a learner."""

    def __init__(self) -> None:
        scaler = ek.RunningScaler(1, compact=True)
        self.block = bytearray(block_of(scaler))
        self.at = place_of(scaler, "statistics")
        self.learner = ek.Learner("rbp", n_features=1, budget=2, scale="standard")

    def same(self, word: int, spread: int, code: int, seen: int) -> bool:
        """Whether both take it, as the convention says."""
        record = struct.pack("<I", word) + struct.pack("<I", spread)[:3] + struct.pack("<H", code)
        block = bytearray(self.block)
        struct.pack_into("<q", block, ROWS_AT, seen)
        block[self.at : self.at + len(record)] = record
        good = _record_holds(word, spread, code, seen)
        signed = struct.unpack("9b", record)
        assert in_a_learner(self.learner, seen, {"statistics": signed}) is good
        try:
            ek.RunningScaler._from_block(resealed(block))
        except ValueError as error:
            assert "statistics" in str(error)  # noqa: PT017
            assert not good, (word, spread, code, seen)
            return False
        assert good, (word, spread, code, seen)
        return True


@pytest.mark.parametrize("part", few_first(range(PARTS), [0]))
def test_records(part: int) -> None:
    """Every state with words and spreads at the ends of what they may be."""
    both, taken = Records(), 0
    bits = [0, 1, 0x3F800000, 0x7E000000, 0x7E000001, 0x7F800000, 0x7FC00000, 0xFE000000]
    units = [m << 4 & 0xFFFFFFFF | k for m in (0, 1, -1, 2**26, 2**26 - 1, -(2**26), 1 - 2**26,
             2**27 - 1, 1 - 2**27, -(2**27)) for k in (0, 1, 15)]  # fmt: skip
    spreads = [0, 1, 27 << 16, (27 << 16) - 1, 127 << 16, 253 << 16, (253 << 16) + 1, 2**24 - 1]
    codes = (0, 1, 2, 3, 4, 5, 6, 7, 9, 65535)
    rows = (0, 1, 2, 3, 4, 5, 6, 65531, 65532, 2**40)
    for code, word, spread, seen in part_of(part, codes, [*bits, *units], spreads, rows):
        taken += both.same(word, spread, code, seen)
    assert taken > 1000 / PARTS / 2


@pytest.mark.parametrize("clipped", [0, 1, 8, 9, 10, 2**31 - 1])
def test_readings_that_were_clipped(clipped: int) -> None:
    both = Scalers("standard")
    assert both.same((1.0, 0.0, 1.0, 0.0), 9, clipped, 9, None) is (clipped <= 9)


@pytest.mark.parametrize("part", few_first(range(PARTS), [0]))
def test_ranges(part: int) -> None:
    """Mean and spread inside the range, at its ends, and a margin beyond."""
    both, taken = Scalers("minmax"), 0
    ends = [0.0, 1.0, -1.0, 1e-300, 1e308, -1e308, float_info.max, NAN, INF]
    # Of the width, and of the mean itself: just inside and just outside of what rounding may do.
    beside = [
        (0.0, 0.0),
        *((s * x, 0.0) for s in (-1, 1) for x in (0.95e-6, 1.05e-6)),
        *((0.0, s * x) for s in (-1, 1) for x in (1.9e-14, 2.1e-14)),
    ]
    for least, most, (age, seen) in part_of(part, ends, ends, AGES[:4] + AGES[-3:]):
        width = most - least
        for mean, (wide, own) in itertools.product((least, most), beside):
            for sd in (0.0, 0.5 * width, width * (1.0 + wide)):
                numbers = (mean + wide * width + own * mean, 0.0, sd, 0.0)
                taken += both.same(numbers, age, 0, seen, (least, most))
    assert taken > 1000 / PARTS / 2


@pytest.mark.parametrize("method", METHODS)
def test_what_rows_lead_to(method: str) -> None:
    """Of constants and rounding too; with its bits turned."""
    both, rng, taken = Scalers(method), np.random.default_rng(3), 0
    for rows in (np.full(9, 4.1), np.tile([1.0, 1.0 + 2e-16], 9), rng.normal(size=60) * 1e5):
        scaler = ek.RunningScaler(1, method=method, clip=5.0)
        for n, row in enumerate(rows, 1):
            scaler.learn_one([row])
            block = block_of(scaler)
            numbers = struct.unpack_from("<4d", block, both.at["scaler"])
            age, clipped = struct.unpack_from("<2I", block, both.at["scaler_counts"])
            span = None
            if method == "minmax":
                span = struct.unpack_from("<2d", block, both.at["scaler_range"])
            assert both.same(tuple(numbers), age, clipped, n, span)
            raw = bytearray(struct.pack("<4d", *numbers))
            raw[rng.integers(32)] ^= 1 << rng.integers(8)
            taken += both.same(struct.unpack("<4d", raw), age, clipped, n, span)
    assert taken > 10


@pytest.mark.parametrize(
    ("method", "rows", "region", "at", "word"),
    [
        *(("standard", 9, "moments", 0, struct.pack("<d", x)) for x in (NAN, INF, -1e308)),
        *(("standard", 9, "moments", 8, struct.pack("<d", x)) for x in (NAN, 1e-3)),
        *(("standard", 9, "moments", 16, struct.pack("<d", x)) for x in (NAN, INF, -1.0)),
        ("standard", 1, "moments", 16, struct.pack("<d", 1.0)),  # one row has no spread
        ("standard", 0, "moments", 0, struct.pack("<d", 1.0)),
        *(("standard", rows, "units", 0, b"\3") for rows in (0, 9)),
        *(("minmax", 9, "scaler_range", 0, struct.pack("<d", x)) for x in (NAN, INF, 1e3)),
        ("minmax", 0, "scaler_range", 8, struct.pack("<d", 1.0)),
    ],
)
def test_statistics_of_rows_that_count_as_they_are(
    method: str, rows: int, region: str, at: int, word: bytes
) -> None:
    scaler = ek.RunningScaler(1, method=method, clip=None)
    scaler.learn_many(np.random.default_rng(2).normal(size=(rows, 1)))
    block = bytearray(block_of(scaler))
    assert ek.RunningScaler._from_block(bytes(block)).n_seen == rows
    at += place_of(scaler, region)
    block[at : at + len(word)] = word
    with pytest.raises(ValueError, match="statistics of feature 0"):
        ek.RunningScaler._from_block(resealed(block))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seen", [-1, 2**62 + 1])
def test_rows_are_counted_up_to_a_limit(method: str, seen: int) -> None:
    scaler = ek.RunningScaler(1, method=method, clip=None)
    scaler.learn_many(np.random.default_rng(2).normal(size=(9, 1)))
    block = bytearray(block_of(scaler))
    struct.pack_into("<q", block, ROWS_AT, seen)
    with pytest.raises(ValueError, match="inconsistent"):
        ek.RunningScaler._from_block(resealed(block))


@pytest.mark.parametrize("clip", [None, 5.0])
@pytest.mark.parametrize(("seen", "frozen"), [(5, 0), (6, 1), (5, 2), (3, -1)])
def test_a_scaler_is_frozen_at_its_last_row(clip: float | None, seen: int, frozen: int) -> None:
    scaler = ek.RunningScaler(1, clip=clip, freeze_after=5)
    scaler.learn_many(np.random.default_rng(2).normal(size=(min(seen, 5), 1)))
    block = bytearray(block_of(scaler))
    ek.RunningScaler._from_block(bytes(block))
    struct.pack_into("<q", block, ROWS_AT, seen)
    struct.pack_into("<q", block, place_of(scaler, "frozen"), frozen)
    with pytest.raises(ValueError, match="frozen"):
        ek.RunningScaler._from_block(resealed(block))


@pytest.mark.parametrize("kernel", [ek.Gaussian(0.5), ek.Laplacian(0.5)])
@pytest.mark.parametrize(
    ("region", "number"),
    [
        ("width_mean", 1e308),
        ("width_mean", -1.1e140),
        ("width", 1e308),
        ("common", 1e308),
        ("common_mean", 1e308),
    ],
)
def test_sums_that_no_rows_reach(region: str, number: float, kernel: ek.Kernel) -> None:
    """A forged sum would overflow by the next row, and the file saved then could not be opened."""
    name = "common" if region.startswith("common") else region
    options: dict[str, Any] = {"scale": "common"} if name == "common" else {"gamma": "auto"}
    made = ek.Learner(
        "ogd", n_features=3, budget=5, dtype="float64", loss="square", kernel=kernel, **options
    )
    rows = np.random.default_rng(1).normal(size=(20, 3))
    rows[0] = 1e300
    made.learn_many(rows, np.ones(20))
    sealed = bytearray(made._sealed())
    ek.Learner._from_block(bytes(sealed))
    places = next(r for r in made.plan.regions if r.name == name)
    at = places.offset + {"width_mean": 0, "width": 8, "common": 8, "common_mean": 0}[region]
    sealed[at : at + 8] = np.float64(number).tobytes()
    sealed[8:12] = bytes(4)
    sealed[8:12] = zlib.crc32(sealed).to_bytes(4, "little")
    with pytest.raises(ValueError, match=r"width|first rows|scale of all"):
        ek.Learner._from_block(bytes(sealed))


def test_one_reading_has_no_squares() -> None:
    scaler = ek.RunningScaler(1, clip=None)
    scaler.learn_one(np.array([2.0]))
    block = bytearray(block_of(scaler))
    at = place_of(scaler, "moments")
    assert struct.unpack_from("3d", block, at) == (2.0, 0.0, 0.0)
    struct.pack_into("d", block, at + 16, 1.0)
    with pytest.raises(ValueError, match="the statistics of feature 0 are impossible"):
        ek.RunningScaler._from_block(resealed(block))
