"""Structured Fourier features from a seed, and stored weights (sections 2 to 5 of docs/sorf.md).

Features after Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, NeurIPS 2016.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from edgeolk.reference.base import Pcg32, require
from edgeolk.reference.sorf_arithmetic import Double, P, Single

FEATURE_STREAM, ROUNDING_STREAM = 55, 54
DOUBLE, SINGLE = Double(), Single()


def arithmetic_of(dtype: str) -> Any:
    """That of a type of weights."""
    return DOUBLE if dtype == "float64" else SINGLE


class Signs(Pcg32):
    """Random signs, 32 per word; counts the words drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, FEATURE_STREAM)
        self.drawn = 0

    def signs(self, n: int) -> np.ndarray:
        words = [self.next_u32() for _ in range(-(-n // 32))]
        self.drawn += len(words)
        return np.array([-1.0 if words[i // 32] >> (i % 32) & 1 else 1.0 for i in range(n)])


class Features:
    """cos and sin of D structured frequencies; `groups` has a tuple of widths per group.

    There are no groups where D is 0.
    """

    def __init__(
        self,
        d: int,
        D: int,
        gamma: float,
        groups: Sequence[Sequence[float]],
        seed: int,
        dtype: str = "float64",
    ) -> None:
        require(d >= 1 and D >= 0, "n_features >= 1 and D >= 0 are required")
        require(gamma > 0.0 and math.isfinite(gamma), "gamma > 0 is required")
        require(1 <= len(groups) <= 4 if D else not groups, "1 to 4 groups, none for D = 0")
        for widths in groups:
            require(1 <= len(widths) <= 8 and min(widths) > 0.0, "1 to 8 widths > 0")
        self.d, self.D, self.N = d, D, -(-D // P)
        self.of = arithmetic_of(dtype)
        self.real = self.of.real
        require(len(groups) <= self.N, "a group needs a block")
        generator = Signs(seed)
        self.s1, self.s2, self.s3 = (np.zeros((self.N, n), dtype=self.real) for n in (d, P, P))
        for b in range(self.N):
            self.s1[b] = generator.signs(d)
            self.s2[b] = generator.signs(P)
            self.s3[b] = generator.signs(P)
        self.words = generator.drawn
        share, rest = divmod(self.N, max(1, len(groups)))
        sizes = [share + (g < rest) for g in range(len(groups))]
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        of_lines = [
            widths[k % len(widths)]
            for widths, size in zip(groups, sizes, strict=True)
            for k in range(P * size)
        ]
        self.widths: np.ndarray = np.array(of_lines, dtype=self.real).reshape(self.N, P)
        twice = self.real(2.0) * self.real(gamma)
        self.omega = np.asarray(self.of.sqrt(twice * self.widths) / self.real(P))

    def members(self, g: int) -> slice:
        """The frequencies of a group."""
        return slice(P * self.first[g], min(self.D, P * self.first[g + 1]))

    def size(self, g: int) -> int:
        """The divisor of the sums of a group."""
        if len(self.first) == 2:
            return self.D
        return int(P * (self.first[g + 1] - self.first[g]))

    def sketch(self, x: np.ndarray) -> np.ndarray:
        v: np.ndarray = np.zeros((self.N, P), dtype=self.real)
        for i in range(self.d):
            v[:, i % P] += self.s1[:, i] * x[i]
        return v

    def transform(self, v: np.ndarray) -> np.ndarray:
        H = self.of.transform
        return np.asarray(H(H(H(v) * self.s2) * self.s3))

    def angles(self, x: np.ndarray) -> np.ndarray:
        """theta (D,)."""
        return np.asarray((self.transform(self.sketch(x)) * self.omega).ravel()[: self.D])

    def due(self, t: int) -> Iterator[tuple[int, slice]]:
        """Group and frequencies of every block that is due in row t."""
        for b in range(t % 8, self.N, 8):
            g = int(np.searchsorted(self.first, b, side="right")) - 1
            yield g, slice(P * b, min(self.D, P * (b + 1)))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """(D, 2): cosine and sine."""
        return np.asarray(self.of.cos_sin(self.angles(x)))

    def transpose(self, delta: np.ndarray) -> np.ndarray:
        """The transpose of the linear map from x to theta, applied to delta (D,)."""
        H = self.of.transform
        padded: np.ndarray = np.zeros(self.N * P, dtype=self.real)
        padded[: self.D] = delta
        h = padded.reshape(self.N, P) * self.omega
        h = H(H(H(h) * self.s3) * self.s2)
        q: np.ndarray = np.zeros(self.d, dtype=self.real)
        at = np.arange(self.d) % P
        for b in range(self.N):
            q = q + self.s1[b] * h[b, at]
        return q


class Weights:
    """D x K x 2 stored numbers; int8 rounds by one random word per frequency and column."""

    def __init__(self, D: int, K: int, dtype: str, rounding: Pcg32) -> None:
        self.v = np.zeros((D, K, 2), dtype=dtype)
        self.rounding = rounding

    def add(self, k: slice, columns: Sequence[int], change: np.ndarray) -> None:
        """change: (frequencies, columns, 2), in stored units."""
        at = (k, list(columns))
        if self.v.dtype == np.int8:
            self.v[at] = rounded(self.v[at], change, self.rounding)
        else:
            self.v[at] += change


def rounded(levels: np.ndarray, change: np.ndarray, rounding: Pcg32) -> np.ndarray:
    """Levels (..., 2) after changes, whose 65,536ths are rounded stochastically.

    Cosines take the high half of a word, sines the low one.
    """
    F = np.float32
    words = np.array([rounding.next_u32() for _ in range(change[..., 0].size)], dtype=np.int64)
    bits = np.stack([words >> 16, words & 0xFFFF], axis=-1).reshape(change.shape)
    parts = np.floor(np.clip(change * F(65536), F(-65536000), F(65536000)) + F(0.5))
    risen = parts.astype(np.int64) + bits >> 16
    return np.asarray(np.clip(levels + risen, -127, 127))
