"""Windows and their features in plain numpy, in the order of docs/windows.md, to the bit.

Every window is made from its samples alone; the library updates sums instead.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeolk.windows.plan import WindowsPlan

_F = np.float32
_Floats = NDArray[np.float32]
_Integers = NDArray[np.int64]
_MIN_VARIANCE = _F(2.0**-100)
_SINES = np.sin(np.pi * np.arange(257) / 512)
SINES_F32 = _SINES.astype(np.float32)
SINES_Q15 = np.floor(32768 * _SINES + 0.5).astype(np.int64)
#: 1 / (2 k + 1), k from 4 to 1.
_LOG = [_F(1 / 9), _F(1 / 7), _F(1 / 5), _F(1 / 3)]
_MOST = 13572


def rows_of(samples: NDArray[Any], plan: WindowsPlan) -> _Floats:
    """The rows of a block of samples, from the first window on."""
    ends = range(plan.size, len(samples) + 1, plan.hop)
    rows = [row_of(samples[end - plan.size : end], plan) for end in ends]
    return np.array(rows, np.float32).reshape(-1, plan.n_features)


def row_of(window: NDArray[Any], plan: WindowsPlan) -> list[Any]:
    """The features of one window."""
    make = _integers if plan.dtype == "int16" else _floats
    found = [make(window[:, channel], plan) for channel in range(plan.channels)]
    row = [value for values, _ in found for value in values]
    if "correlation" in plan.features:
        correlate = _correlation_i16 if plan.dtype == "int16" else _correlation_f32
        for i in range(plan.channels):
            for j in range(i + 1, plan.channels):
                row.append(correlate(window, i, j, found[i][1], found[j][1]))
    return row


def _in_order(moments: dict[str, Any], plan: WindowsPlan, bins: list[Any]) -> list[Any]:
    """The moments and the features of the spectrum, in the order of a row."""
    return [moments[name] for name in plan.features if name in moments] + bins


def log_f32(x: Any) -> Any:
    """The logarithm of a float."""
    bits = int(np.array(x, np.float32).view(np.uint32))
    raised = (bits + 0x3F800000 - 0x3F3504F3) & 0xFFFFFFFF
    n = _F((raised >> 23) - 127)
    m = np.array((raised & 0x007FFFFF) + 0x3F3504F3, np.uint32).view(np.float32)[()]
    gap = m - _F(1)
    s = gap / (m + _F(1))
    square = s * s
    total = _LOG[0]
    for term in _LOG[1:]:
        total = total * square + term
    rest = s * (_F(2) * square * total - gap)
    return n * _F(0.693359375) + (gap + (rest + n * _F(-2.12194440e-4)))


# -- int16 ------------------------------------------------------------------------------------


def _integers(x: NDArray[Any], plan: WindowsPlan) -> tuple[list[Any], tuple[Any, ...]]:
    """The features of one channel of integers; what its correlations need."""
    n = len(x)
    xs = [int(v) for v in x]
    total, squares = sum(xs), sum(v * v for v in xs)
    r = (total + n // 2) // n
    rest = total - r * n
    each = _F(1 / n)
    spread = n * squares - total * total
    variance = _F(spread) * each * each
    sd = np.sqrt(variance)
    low, high = _F(total - min(xs) * n) * each, _F(max(xs) * n - total) * each
    above = [v * n >= total for v in xs]
    doubled = 2 * sum(t * v for t, v in enumerate(xs)) - (n - 1) * total
    moments = {
        "mean": _F(total) * each,
        "sd": sd,
        "rms": np.sqrt(_F(squares) * each),
        "peak_to_peak": low + high,
        "crest": max(low, high) / sd if spread else _F(0),
        "skewness": _F(0),
        "kurtosis": _F(0),
        "zero_crossings": _F(sum(a != b for a, b in pairwise(above))),
        "mean_change": _F(sum(abs(b - a) for a, b in pairwise(xs))) / _F(n - 1),
        "slope": _slope(_F(doubled), n, plan),
    }
    if spread:
        fourths = [(v - r) ** 4 for v in xs]
        e = _F(rest) * each
        cubes = _F(sum((v - r) ** 3 for v in xs)) * each
        high_part = sum(v >> 32 for v in fourths)
        low_part = sum(v & 0xFFFFFFFF for v in fourths)
        fourth = (_F(high_part) * _F(2.0**32) + _F(low_part)) * each
        second = variance + e * e
        three, four, six = _F(3), _F(4), _F(6)
        moments["skewness"] = (cubes - three * e * second + _F(2) * e * e * e) / (variance * sd)
        moments["kurtosis"] = (
            fourth - four * e * cubes + six * e * e * second - three * e * e * e * e
        ) / (variance * variance)
    bins: list[Any] = []
    if {"bands", "dominant", "centroid", "entropy"}.intersection(plan.features):
        powers, exponent = power_q15(np.array(xs), r, plan.envelope)
        scale = _F(5.33333349) * _F(2.0 ** (-2 * (n.bit_length() - 1))) * _F(2.0 ** (2 * exponent))
        bins = _bins_i16(powers, scale, plan)
    return _in_order(moments, plan, bins), (total, spread)


def _correlation_i16(window: NDArray[Any], i: int, j: int, a: Any, b: Any) -> Any:
    product = int(window[:, i].astype(np.int64) @ window[:, j].astype(np.int64))
    both = _F(product * len(window) - a[0] * b[0])
    va, vb = _F(a[1]), _F(b[1])
    return both / (np.sqrt(va) * np.sqrt(vb)) if va > 0 and vb > 0 else _F(0)


def _shifted(v: Any, shift: int) -> Any:
    """v / 2^shift, halves rounded up."""
    return (v + (1 << (shift - 1))) >> shift if shift else v


def _cos_q15(at: int) -> int:
    at = 1024 - at if at > 512 else at
    return int(SINES_Q15[256 - at]) if at <= 256 else -int(SINES_Q15[at - 256])


def _sin_q15(at: int) -> int:
    return int(SINES_Q15[at if at <= 256 else 512 - at])


def _limited(z: _Integers, most: int) -> tuple[_Integers, int]:
    shift, largest = 0, int(np.abs(z).max())
    while _shifted(largest, shift) > most:
        shift += 1
    return _shifted(z, shift), shift


def power_q15(xs: _Integers, r: int, envelope: bool) -> tuple[list[int], int]:
    """Powers 1 to n/2 of a window, and the exponent e: the powers are 4^e times these."""
    n = len(xs)
    d = xs - r
    if envelope:
        smooth, levels = 0, []
        for v in d:
            smooth = smooth + abs(int(v)) - (smooth >> 3)
            levels.append(smooth >> 3)
        d = np.array(levels) - (sum(levels) + n // 2) // n
    hann = np.array([(32768 - _cos_q15(t * 1024 // n) + 2) >> 2 for t in range(n)])
    v = d * hann
    shift, largest = 0, int(np.abs(v).max())
    while _shifted(largest, shift) > _MOST:
        shift += 1
    x = _shifted(v, shift)
    m = n // 2
    order = [int(f"{i:0{m.bit_length() - 1}b}"[::-1], 2) for i in range(m)]
    z = np.stack([x[0::2], x[1::2]])[:, order]
    exponent, half = shift - 14, 1
    while half < m:
        z, by = _limited(z, _MOST)
        exponent += by
        stride = 512 // half
        for k in range(half):
            wr, wi = _cos_q15(k * stride), -_sin_q15(k * stride)
            at = np.arange(k, m, 2 * half)
            (ar, ai), (br, bi) = z[:, at], z[:, at + half]
            tr, ti = _shifted(br * wr - bi * wi, 15), _shifted(br * wi + bi * wr, 15)
            z[:, at] = ar + tr, ai + ti
            z[:, at + half] = ar - tr, ai - ti
        half *= 2
    z, by = _limited(z, 16383)
    powers = [0] * (m + 1)
    powers[m] = int(z[0, 0] - z[1, 0]) ** 2
    for k in range(1, m // 2 + 1):
        wr, wi = _cos_q15(k * 1024 // n), -_sin_q15(k * 1024 // n)
        (ar, ai), (br, bi) = (int(v) for v in z[:, k]), (int(v) for v in z[:, m - k])
        er, ei, odd_r, odd_i = ar + br, ai - bi, ai + bi, br - ar
        tr, ti = _shifted(odd_r * wr - odd_i * wi, 15), _shifted(odd_r * wi + odd_i * wr, 15)
        powers[k] = _shifted(er + tr, 1) ** 2 + _shifted(ei + ti, 1) ** 2
        powers[m - k] = _shifted(er - tr, 1) ** 2 + _shifted(ei - ti, 1) ** 2
    return powers[1:], exponent + by


def _bins_i16(powers: list[int], scale: Any, plan: WindowsPlan) -> list[Any]:
    """The features of a spectrum in integers."""
    m, found = len(powers), []
    if "bands" in plan.features:
        halved = [*powers[:-1], powers[-1] >> 1]
        for low, high in pairwise(plan.edges):
            energy = _F(sum(halved[low - 1 : high - 1])) * scale
            found.append(log_f32(max(energy, _F(1e-3))))
    total, moment = _F(sum(powers)), _F(sum(k * p for k, p in enumerate(powers, 1)))
    dominant = powers.index(max(powers)) + 1
    return found + _summary(plan, [_F(p) for p in powers], total, moment, dominant, sum(powers), m)


def _summary(
    plan: WindowsPlan, powers: Any, total: Any, moment: Any, dominant: int, loud: Any, m: int
) -> list[Any]:
    """Dominant frequency, centroid and entropy."""
    hertz, found = _F(plan.rate) * _F(1 / plan.size), []
    if "dominant" in plan.features:
        found.append(_F(dominant) * hertz if loud else _F(0))
    if "centroid" in plan.features:
        found.append(moment / total * hertz if loud else _F(0))
    if "entropy" in plan.features:
        entropy = _F(0)
        for power in powers if loud else []:
            share = power / total
            if share >= _F(1e-30):
                entropy = entropy - share * log_f32(share)
        found.append(entropy / (_F(m.bit_length() - 1) * _F(0.693147182)))
    return found


# -- float32 ----------------------------------------------------------------------------------


def _slope(doubled: Any, n: int, plan: WindowsPlan) -> Any:
    return doubled / (_F(n) * _F(n * n - 1)) * _F(6) * _F(plan.rate)


def _sum(x: _Floats, first: Any = None) -> Any:
    """The sum in blocks of 32; ``first``: what the sum of each block starts from."""
    blocks = x.reshape(-1, 32)
    sums = blocks[:, 0].copy() if first is None else first + blocks[:, 0]
    for i in range(1, 32):
        sums = sums + blocks[:, i]
    total = _F(0)
    for one in sums:
        total = total + one
    return total


def _variance(v: Any) -> Any:
    return _F(0) if v < _MIN_VARIANCE else v


def _floats(x: NDArray[Any], plan: WindowsPlan) -> tuple[list[Any], tuple[Any, ...]]:
    """The features of one channel of floats; what its correlations need."""
    x = np.ascontiguousarray(x, np.float32)
    n, zero = len(x), _F(0)
    each = _F(1 / n)
    square = _variance(_sum(x * x, zero) * each)
    centre = _sum(x) * each
    x = x - centre
    rest = _sum(x) * each
    x = x - rest
    variance = _variance(_sum(x * x, zero) * each)
    sd = np.sqrt(variance)
    low, high = max(zero, (-x).max()), max(zero, x.max())
    changes = np.concatenate([[zero], np.abs(np.diff(x))]).astype(np.float32)
    ramp = (2 * np.arange(n) - (n - 1)).astype(np.float32) * x
    moments = {
        "mean": centre + rest,
        "sd": sd,
        "rms": np.sqrt(square),
        "peak_to_peak": low + high,
        "crest": max(low, high) / sd if variance > 0 else zero,
        "skewness": zero,
        "kurtosis": zero,
        "zero_crossings": _F(((x[1:] >= 0) != (x[:-1] >= 0)).sum()),
        "mean_change": _sum(changes, zero) / _F(n - 1),
        "slope": _slope(_sum(ramp, zero), n, plan),
    }
    if variance > 0:
        z = x * (_F(1) / sd)
        square = z * z
        moments["skewness"] = _sum(square * z, zero) * each
        moments["kurtosis"] = _sum(square * square, zero) * each
    bins: list[Any] = []
    if {"bands", "dominant", "centroid", "entropy"}.intersection(plan.features):
        bins = _bins_f32(power_f32(x, plan.envelope), plan)
    return _in_order(moments, plan, bins), (centre, rest, sd)


def _correlation_f32(window: NDArray[Any], i: int, j: int, a: Any, b: Any) -> Any:
    if not (a[2] > 0 and b[2] > 0):
        return _F(0)
    p = (window[:, i].astype(np.float32) - a[0]) - a[1]
    q = (window[:, j].astype(np.float32) - b[0]) - b[1]
    return _sum(p * q, _F(0)) * _F(1 / len(window)) / a[2] / b[2]


def _cos_f32(at: int) -> Any:
    at = 1024 - at if at > 512 else at
    return SINES_F32[256 - at] if at <= 256 else -SINES_F32[at - 256]


def _sin_f32(at: int) -> Any:
    return SINES_F32[at if at <= 256 else 512 - at]


def power_f32(x: _Floats, envelope: bool) -> _Floats:
    """Powers 1 to n/2 of a window minus its mean."""
    n = len(x)
    level = _F(0)
    if envelope:
        smooth, levels = _F(0), []
        for v in np.abs(x):
            smooth = smooth + (v - smooth) * _F(0.125)
            levels.append(smooth)
        x = np.array(levels, np.float32)
        level = _sum(x) * _F(1 / n)
    hann = np.array([_F(0.5) - _F(0.5) * _cos_f32(t * 1024 // n) for t in range(n)], np.float32)
    x = (x - level) * hann
    m, half = n // 2, 1
    order = [int(f"{i:0{m.bit_length() - 1}b}"[::-1], 2) for i in range(m)]
    z = np.stack([x[0::2], x[1::2]])[:, order]
    while half < m:
        stride = 512 // half
        for k in range(half):
            wr, wi = _cos_f32(k * stride), -_sin_f32(k * stride)
            at = np.arange(k, m, 2 * half)
            (ar, ai), (br, bi) = z[:, at], z[:, at + half]
            tr, ti = br * wr - bi * wi, br * wi + bi * wr
            z[:, at] = ar + tr, ai + ti
            z[:, at + half] = ar - tr, ai - ti
        half *= 2
    powers = np.zeros(m + 1, np.float32)
    powers[m] = (z[0, 0] - z[1, 0]) * (z[0, 0] - z[1, 0])
    half_f = _F(0.5)
    for k in range(1, m // 2 + 1):
        wr, wi = _cos_f32(k * 1024 // n), -_sin_f32(k * 1024 // n)
        (ar, ai), (br, bi) = z[:, k], z[:, m - k]
        er, ei, odd_r, odd_i = ar + br, ai - bi, ai + bi, br - ar
        tr, ti = odd_r * wr - odd_i * wi, odd_r * wi + odd_i * wr
        pr, pi = half_f * (er + tr), half_f * (ei + ti)
        qr, qi = half_f * (er - tr), half_f * (ei - ti)
        # In this order: at k = n/4 both are the same power.
        powers[k] = pr * pr + pi * pi
        powers[m - k] = qr * qr + qi * qi
    return powers[1:]


def _bins_f32(powers: _Floats, plan: WindowsPlan) -> list[Any]:
    """The features of a spectrum in floats."""
    m, found = len(powers), []
    scale = _F(5.33333349) * _F(2.0 ** (-2 * (plan.size.bit_length() - 1)))
    if "bands" in plan.features:
        for low, high in pairwise(plan.edges):
            energy = _F(0)
            for k in range(low, high):
                energy = energy + powers[k - 1] * (_F(0.5) if k == m else _F(1))
            found.append(log_f32(max(energy * scale, _F(1e-12))))
    total = moment = _F(0)
    for k, power in enumerate(powers, 1):
        total = total + power
        moment = moment + power * _F(k)
    dominant = int(np.argmax(powers)) + 1
    return found + _summary(plan, powers, total, moment, dominant, total >= _MIN_VARIANCE, m)
