"""Checks of the state of preprocessing: scaler, bound on rows, kernel width."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import inf, isfinite, ldexp
from sys import float_info
from typing import TYPE_CHECKING, Any

from edgeolk.checks import require
from edgeolk.parts.numbers import Dtype
from edgeolk.scaling.record import COMPACT, RECORD_BYTES

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

#: The smallest mean squared input for a width that follows the rows (c/width.h).
MIN_SQUARE = 1e-6
#: The bound on readings if all inputs share one scale, or determine the width (c/scaler.h), and on
#: what one of them adds to a sum of squared deviations: so no such sum overflows.
MAX_READING = 1e140
MAX_SQUARE = 4.0 * MAX_READING**2
#: Readings before the scaler of a feature has a deviation (c/scaler.h).
START = 3
_MASK = 2**32 - 1
#: Code of a record with a pending reading, and the first code of records with a deviation.
_WAITS, _RUNNING = 5, 6
#: The minimum number of readings of a state, by its code.
_STATES = (0, 1, 2, 2, 3, 4, 3)
#: Bits of 2^-100, 2^125 and 2^126: of the smallest spread, the largest reading and spread.
_MIN_SPREAD, _MAX_NUMBER, _MAX_SPREAD = (127 - 100) << 23, (127 + 125) << 23, (127 + 126) << 23


def _no_spread(sd: float, size: float) -> bool:
    return sd <= 64.0 * float_info.epsilon * size or sd < 2.0 * float_info.min


def _feature_holds(numbers: tuple[float, ...], age: int, seen: int, gaps: bool) -> bool:
    """Whether a feature's numbers are valid by c/scaler.h after ``seen`` rows.

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


def _check_records(config: Settings, seen: int, records: memoryview[Any]) -> None:
    for j in range(config.n_features):
        record = records[RECORD_BYTES * j : RECORD_BYTES * (j + 1)].tobytes()
        word, spread = int.from_bytes(record[:4], "little"), int.from_bytes(record[4:7], "little")
        good = _record_holds(word, spread, int.from_bytes(record[7:], "little"), seen)
        require(good, f"the statistics of feature {j} are impossible")


def _check_scaler(config: Settings, rows: int, regions: Mapping[str, memoryview[Any]]) -> None:
    seen = min(rows, config.preprocessing.freeze_after or rows)
    if config.preprocessing.method == COMPACT:
        _check_records(config, seen, regions["statistics"])
        return
    numbers, counts = regions["scaler"], regions["scaler_counts"]
    ranges = regions.get("scaler_range")
    d = config.n_features
    for j in range(d):
        record = tuple(numbers[4 * j : 4 * j + 4])
        age, clipped = (count & _MASK for count in counts[2 * j : 2 * j + 2])
        good = _feature_holds(record, age, seen, config.takes_gaps) and clipped <= rows
        if good and ranges is not None:
            good = _range_holds(ranges[j], ranges[d + j], record[0], record[2], seen)
        require(good, f"the statistics of feature {j} are impossible")


def _check_width(
    config: Settings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    gamma, spread, measured = words["gamma"], words["spread"], words["measured"]
    steps = words["steps_before"]
    require(0.0 <= gamma < inf, "the width of the kernel is invalid")
    good = 0.0 <= spread <= MAX_SQUARE * config.n_features * measured
    require(good, f"a spread of {spread} in {measured} rows, which determine the kernel width")
    known = measured == config.preprocessing.gamma_rows
    require(known == (gamma > 0.0), f"a width from {measured} rows")
    require(measured == (steps if known else words["steps"]), f"a width from {measured} rows")
    for name in ("steps", "mistakes", "updates", "hits"):
        count = words[f"{name}_before"]
        require(0 <= count <= (steps if known else 0), f"{name} before the width: {count}")
    good = all(abs(mean) <= MAX_READING for mean in regions["width_mean"])
    require(good, "the mean of the first rows")


def following(config: Settings) -> list[float]:
    """The initial state of a width that follows the rows, with a separate scale for each input."""
    q = max(0.5 / config.kernel.fields()[2], MIN_SQUARE * config.n_inputs)
    if config.vectors != Dtype.FLOAT64:
        q = struct.unpack("f", struct.pack("f", q))[0]
    return [q, 0.0, 0.0, -1.0] if config.finds_pairs else [q]


def _check_following(config: Settings, rows: int, numbers: memoryview[Any]) -> None:
    q, lowest = numbers[0], MIN_SQUARE * config.n_inputs
    good = lowest * (1.0 - 1e-6) <= q < inf
    require(good, f"a width of {q} that follows the rows")
    if config.finds_pairs:
        readings = float(min(rows, config.preprocessing.freeze_after or rows) * config.n_features)
        good = all(map(isfinite, numbers)) and -1.0 <= numbers[3] <= readings
        require(good, "the two values of the readings")


def check_preprocessing(
    config: Settings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    """Check the state of preprocessing.

    Raises ValueError with what is wrong: no rows can lead to this state.
    """
    rows = int(words["steps"] + words.get("steps_before", 0))
    if config.preprocessing.gamma_rows:
        _check_width(config, words, regions)
    if config.preprocessing.follows:
        _check_following(config, rows, regions["width_follows"])
    if config.preprocessing.clip_rows:
        bounded = words["clipped_rows"]
        require(0 <= bounded <= rows, f"{bounded} bounded rows of {rows}")
    if "common" in regions:
        mean, squares = regions["common"]
        good = abs(mean) <= MAX_READING
        good = good and 0.0 <= squares <= MAX_SQUARE * config.n_features * rows
        require(good, "the scale of all inputs")
    elif config.preprocessing.method and config.n_features:
        _check_scaler(config, rows, regions)
