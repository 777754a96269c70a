"""Checks of the state of preprocessing: the scaler, the bound, the width of the kernel."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import inf, isfinite, ldexp
from sys import float_info

from edgeolk.checks import require
from edgeolk.lean import TYPE_CHECKING, Any
from edgeolk.parts.numbers import Dtype
from edgeolk.preprocessing.scaling import COMPACT, RECORD_BYTES

if TYPE_CHECKING:
    from edgeolk.configuration.settings import Settings

#: The least mean of a squared input that a width follows (core/loops/width.h).
LEAST_SQUARE = 1e-6
#: What readings count as at most where one scale is that of all (core/loops/common.h).
MOST_READING = 1e140
#: Readings that the scaler of a feature begins with (core/loops/winsor.h).
START = 3
_MASK = 2**32 - 1
#: Codes of a record where a reading waits, and from which on it has a deviation.
_WAITS, _RUNNING = 5, 6
#: Readings that a state takes, by its code.
_STATES = (0, 1, 2, 2, 3, 4, 3)
#: Bits of 2^-100, 2^125 and 2^126: of the least spread, the largest reading, the largest spread.
_LEAST_FAR, _MOST_NUMBER, _MOST_FAR = (127 - 100) << 23, (127 + 125) << 23, (127 + 126) << 23


def _no_spread(sd: float, size: float) -> bool:
    return sd <= 64.0 * float_info.epsilon * size or sd < 2.0 * float_info.min


def _feature_holds(numbers: tuple[float, ...], age: int, seen: int, gaps: bool) -> bool:
    """The convention of core/loops/winsor.h after so many rows, of which some had ``gaps``."""
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


def _range_holds(least: float, most: float, mean: float, sd: float, seen: int) -> bool:
    if not (isfinite(least) and isfinite(most) and least <= most):
        return False
    if (seen <= 1 and least != most) or (seen == 0 and least != 0.0):
        return False
    half = 0.5 * most - 0.5 * least
    margin = 1e-6 * half + 1e-14 * max(abs(least), abs(most))
    inside = 0.5 * least - margin <= 0.5 * mean <= 0.5 * most + margin
    return inside and 0.5 * sd <= half + margin


def _record_holds(word: int, spread: int, code: int, seen: int) -> bool:
    """The convention of loops/compact.h after so many rows, for a record of 9 bytes."""
    least, far = _STATES[min(code, _RUNNING)], spread << 7
    if seen < max(least, code - 3):
        return False
    if code >= _RUNNING:
        units = abs((word if word < 2**31 else word - 2**32) >> 4)
        whole = units < 2**27 and (word & 15 == 0 or units >= 2**26)
        return whole and _LEAST_FAR <= far <= _MOST_FAR
    if code == 0:
        return word == 0 and spread == 0
    if code in (1, 4):
        far_enough = spread == 0
    else:
        far_enough = (_LEAST_FAR if code == _WAITS else 0) <= far <= _MOST_FAR
    return word & 0x7FFFFFFF <= _MOST_NUMBER and far_enough


def _check_records(config: Settings, seen: int, records: memoryview[Any]) -> None:
    for j in range(config.n_features):
        own = records[RECORD_BYTES * j : RECORD_BYTES * (j + 1)].tobytes()
        word, spread = int.from_bytes(own[:4], "little"), int.from_bytes(own[4:7], "little")
        good = _record_holds(word, spread, int.from_bytes(own[7:], "little"), seen)
        require(good, f"no rows give the statistics of feature {j}")


def _check_scaler(config: Settings, rows: int, regions: Mapping[str, memoryview[Any]]) -> None:
    seen = min(rows, config.preprocessing.freeze_after or rows)
    if config.preprocessing.method == COMPACT:
        _check_records(config, seen, regions["statistics"])
        return
    numbers, counts = regions["scaler"], regions["scaler_counts"]
    span = regions.get("scaler_range")
    d = config.n_features
    for j in range(d):
        own = tuple(numbers[4 * j : 4 * j + 4])
        age, clipped = (count & _MASK for count in counts[2 * j : 2 * j + 2])
        good = _feature_holds(own, age, seen, config.forecasts) and clipped <= rows
        if good and span is not None:
            good = _range_holds(span[j], span[d + j], own[0], own[2], seen)
        require(good, f"no rows give the statistics of feature {j}")


def _check_width(
    config: Settings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    gamma, spread, measured = words["gamma"], words["spread"], words["measured"]
    steps = words["steps_before"]
    require(0.0 <= gamma < inf and 0.0 <= spread < inf, "the width of the kernel is invalid")
    known = measured == config.preprocessing.gamma_rows
    require(known == (gamma > 0.0), f"a width from {measured} rows")
    require(measured == (steps if known else words["steps"]), f"a width from {measured} rows")
    for name in ("steps", "mistakes", "updates", "hits"):
        count = words[f"{name}_before"]
        require(0 <= count <= (steps if known else 0), f"{name} before the width: {count}")
    require(all(map(isfinite, regions["width_mean"])), "the mean of the first rows")


def following(config: Settings) -> list[float]:
    """The state of a width that begins to follow the rows, and each input's scale its own."""
    q = max(0.5 / config.kernel.fields()[2], LEAST_SQUARE * config.n_inputs)
    if config.vectors != Dtype.FLOAT64:
        q = struct.unpack("f", struct.pack("f", q))[0]
    return [q, 0.0, 0.0, -1.0] if config.finds_pairs else [q]


def _check_following(config: Settings, rows: int, numbers: memoryview[Any]) -> None:
    q, least = numbers[0], LEAST_SQUARE * config.n_inputs
    good = least * (1.0 - 1e-6) <= q < inf
    require(good, f"a width of {q} that follows the rows")
    if config.finds_pairs:
        readings = float(min(rows, config.preprocessing.freeze_after or rows) * config.n_features)
        good = all(map(isfinite, numbers)) and -1.0 <= numbers[3] <= readings
        require(good, "the numbers that readings were")


def check_preprocessing(
    config: Settings, words: Mapping[str, float], regions: Mapping[str, memoryview[Any]]
) -> None:
    """Check what lies beside a model.

    Raises ValueError: no rows lead to it; says what is wrong.
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
        require(abs(mean) <= MOST_READING and 0.0 <= squares < inf, "the scale of all inputs")
    elif config.preprocessing.method and config.n_features:
        _check_scaler(config, rows, regions)
