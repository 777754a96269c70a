"""The scaler of a file is judged as the compiled one judges its own block, case by case."""

from __future__ import annotations

import itertools
import math
import struct
import zlib
from array import array
from sys import float_info
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scalers import METHODS, block_of, resealed

import edgeolk as ek
from edgeolk.files import scaler_state as state
from edgeolk.scaling.record import COMPACT

NAN, INF = math.nan, math.inf
#: Where the header of a scaler has its number of rows.
ROWS_AT = 40
#: The largest spread that is none beside a mean of 1, and the next number.
NO_SPREAD = 64.0 * float_info.epsilon
SPREAD = math.nextafter(NO_SPREAD, 1.0)
LEAST_SPREAD = 2.0 * float_info.min
AGES = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (1, 2), (2, 3), (3, 9), (9, 9), (10, 9), (0, 9)]


class Scalers:
    """One feature, told to both."""

    def __init__(self, method: str) -> None:
        self.block = bytearray(block_of(ek.RunningScaler(1, method=method, clip=5.0)))
        regions = ek.RunningScaler.plan(1, method, 5.0).regions
        self.at = {region.name: region.offset for region in regions}

    def compiled(
        self,
        numbers: tuple[float, ...],
        age: int,
        clipped: int,
        seen: int,
        span: tuple[float, float] | None,
    ) -> bool:
        """Whether the scaler itself takes a block with these statistics."""
        block = bytearray(self.block)
        struct.pack_into("<q", block, ROWS_AT, seen)
        struct.pack_into("<4d2I", block, self.at["features"], *numbers, age, clipped)
        if span is not None:
            for name, value in zip(("min", "max"), span, strict=True):
                struct.pack_into("<d", block, self.at[name], value)
        try:
            ek.RunningScaler._from_block(resealed(block))
        except ValueError as error:
            assert "no examples give these statistics" in str(error)  # noqa: PT017
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
        """Whether a learner's file may have them; of a forecaster, readings may have been missing.

        A scaler may be the copy of a forecaster's.
        """
        prepared = SimpleNamespace(freeze_after=0, method=1 if span is None else 2)
        config: Any = SimpleNamespace(n_features=1, preprocessing=prepared, forecasts=forecasts)
        regions = {
            "scaler": memoryview(array("d", numbers)),
            "scaler_counts": memoryview(array("i", [age, clipped])),
        }
        if span is not None:
            regions["scaler_range"] = memoryview(array("d", span))
        try:
            state._check_scaler(config, seen, regions)
        except ValueError as error:
            assert "the statistics of feature" in str(error)  # noqa: PT017
            return False
        return True

    def same(self, *case: Any) -> bool:
        """What both say."""
        said = self.compiled(*case)
        assert self.of_a_file(*case) is said, case
        return said


def test_features() -> None:
    """Every pair of a number that is odd and one that is not, at every age."""
    means = [0.0, -0.0, 1.0, -3.0, 1e300, 5e-324, NAN, INF]
    lows = [0.0, 2.0**-52, math.ldexp(1.0, -52) * 1.01, -(2.0**-52), 1e-320, NAN, INF]
    sds = [0.0, 1.0, NO_SPREAD, SPREAD, LEAST_SPREAD, float_info.min, 1e308, -1.0, NAN, INF]
    helds = [0.0, 1.0, -3.0, NAN, -INF]
    both, taken = Scalers("standard"), 0
    for mean, sd, held, (age, seen) in itertools.product(means, sds, helds, AGES):
        taken += both.same((mean, 0.0, sd, held), age, 0, seen, None)
    for mean, low, sd, (age, seen) in itertools.product(means, lows, sds, AGES):
        taken += both.same((mean, low, sd, 0.0), age, 0, seen, None)
    assert taken > 400
    for age, seen in AGES:
        gaps = age < min(seen, 3)
        case = ((0.0, 0.0, 0.0, 0.0), age, 0, seen, None)
        assert both.of_a_file(*case) is (age <= seen)
        assert both.of_a_file(*case, forecasts=False) is (age <= seen and not gaps)


class Records:
    """One record of 9 bytes, told to both."""

    def __init__(self) -> None:
        self.block = bytearray(block_of(ek.RunningScaler(1, compact=True)))

    def same(self, word: int, spread: int, code: int, seen: int) -> bool:
        """What the scaler itself and a learner's file say."""
        record = struct.pack("<I", word) + struct.pack("<I", spread)[:3] + struct.pack("<H", code)
        block = bytearray(self.block)
        struct.pack_into("<q", block, ROWS_AT, seen)
        block[64 : 64 + len(record)] = record
        prepared = SimpleNamespace(freeze_after=0, method=COMPACT)
        config: Any = SimpleNamespace(n_features=1, preprocessing=prepared, forecasts=False)
        said = []
        for judge in (
            lambda: ek.RunningScaler._from_block(resealed(block)),
            lambda: state._check_scaler(config, seen, {"statistics": memoryview(record)}),
        ):
            try:
                judge()
                said.append(True)
            except ValueError as error:
                assert "statistics" in str(error)  # noqa: PT017
                said.append(False)
        assert said[0] is said[1], (word, spread, code, seen)
        return said[0]


def test_records() -> None:
    """Every state with words and spreads at the ends of what they may be."""
    both, taken = Records(), 0
    bits = [0, 1, 0x3F800000, 0x7E000000, 0x7E000001, 0x7F800000, 0x7FC00000, 0xFE000000]
    units = [m << 4 & 0xFFFFFFFF | k for m in (0, 1, -1, 2**26, 2**26 - 1, -(2**26), 1 - 2**26,
             2**27 - 1, 1 - 2**27, -(2**27)) for k in (0, 1, 15)]  # fmt: skip
    spreads = [0, 1, 27 << 16, (27 << 16) - 1, 127 << 16, 253 << 16, (253 << 16) + 1, 2**24 - 1]
    for code in (0, 1, 2, 3, 4, 5, 6, 7, 9, 65535):
        for word, spread in itertools.product([*bits, *units], spreads):
            for seen in (0, 1, 2, 3, 4, 5, 6, 65531, 65532, 2**40):
                taken += both.same(word, spread, code, seen)
    assert taken > 1000


@pytest.mark.parametrize("clipped", [0, 1, 8, 9, 10, 2**31 - 1])
def test_readings_that_were_clipped(clipped: int) -> None:
    both = Scalers("standard")
    assert both.same((1.0, 0.0, 1.0, 0.0), 9, clipped, 9, None) is (clipped <= 9)


def test_ranges() -> None:
    """Mean and spread inside the range, at its ends, and a margin beyond."""
    both, taken = Scalers("minmax"), 0
    ends = [0.0, 1.0, -1.0, 1e-300, 1e308, -1e308, float_info.max, NAN, INF]
    # Of the width, and of the mean itself: just inside and just outside of what rounding may do.
    beside = [
        (0.0, 0.0),
        *((s * x, 0.0) for s in (-1, 1) for x in (0.95e-6, 1.05e-6)),
        *((0.0, s * x) for s in (-1, 1) for x in (1.9e-14, 2.1e-14)),
    ]
    for least, most, (age, seen) in itertools.product(ends, ends, AGES[:4] + AGES[-3:]):
        width = most - least
        for mean, (wide, own) in itertools.product((least, most), beside):
            for sd in (0.0, 0.5 * width, width * (1.0 + wide)):
                numbers = (mean + wide * width + own * mean, 0.0, sd, 0.0)
                taken += both.same(numbers, age, 0, seen, (least, most))
    assert taken > 1000


@pytest.mark.parametrize("method", METHODS)
def test_what_rows_lead_to(method: str) -> None:
    """Of constants and rounding too; with its bits turned."""
    both, rng, taken = Scalers(method), np.random.default_rng(3), 0
    for rows in (np.full(9, 4.1), np.tile([1.0, 1.0 + 2e-16], 9), rng.normal(size=60) * 1e5):
        scaler = ek.RunningScaler(1, method=method, clip=5.0)
        for n, row in enumerate(rows, 1):
            scaler.learn_one([row])
            block = block_of(scaler)
            *numbers, age, clipped = struct.unpack_from("<4d2I", block, both.at["features"])
            span = None
            if method == "minmax":
                span = tuple(struct.unpack_from("<d", block, both.at[x])[0] for x in ("min", "max"))
            assert both.same(tuple(numbers), age, clipped, n, span)
            raw = bytearray(struct.pack("<4d", *numbers))
            raw[rng.integers(32)] ^= 1 << rng.integers(8)
            taken += both.same(struct.unpack("<4d", raw), age, clipped, n, span)
    assert taken > 10


@pytest.mark.parametrize("kernel", [ek.Gaussian(0.5), ek.Laplacian(0.5)])
@pytest.mark.parametrize(
    ("region", "number"),
    [("width_mean", 1e308), ("width_mean", -1.1e140), ("width", 1e308), ("common", 1e308)],
)
def test_sums_that_no_rows_reach(region: str, number: float, kernel: ek.Kernel) -> None:
    """A forged sum would overflow by the next row, and the file saved then could not be opened."""
    options: dict[str, Any] = {"scale": "common"} if region == "common" else {"gamma": "auto"}
    made = ek.Learner(
        "ogd", n_features=3, budget=5, dtype="float64", loss="square", kernel=kernel, **options
    )
    rows = np.random.default_rng(1).normal(size=(20, 3))
    rows[0] = 1e300
    made.learn_many(rows, np.ones(20))
    sealed = bytearray(made._sealed())
    ek.Learner._from_block(bytes(sealed))
    places = next(r for r in made.plan.regions if r.name == region)
    at = places.offset + {"width_mean": 0, "width": 8, "common": 8}[region]
    sealed[at : at + 8] = np.float64(number).tobytes()
    sealed[8:12] = bytes(4)
    sealed[8:12] = zlib.crc32(sealed).to_bytes(4, "little")
    with pytest.raises(ValueError, match=r"width|first rows|scale of all"):
        ek.Learner._from_block(bytes(sealed))
