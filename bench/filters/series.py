"""Chaotic series as rows of lagged values with the next value as the target."""

from __future__ import annotations

import gzip
import math

import numpy as np
from numpy.typing import NDArray

from bench.datasets import find

Numbers = NDArray[np.float64]

#: Title of each series by the name of its file.
SERIES = {"lorenz": "Lorenz", "santafe": "Santa Fe laser", "mg30": "Mackey-Glass (30)"}
LAGS = 6


def read(name: str) -> Numbers:
    """The values of a series. Raises FileNotFoundError if its file is missing."""
    with gzip.open(find(f"series/{name}.dat.gz"), "rt", encoding="utf-8") as file:
        return np.array([float(line) for line in file if line.strip()])


def lagged(values: Numbers, n: int) -> tuple[Numbers, Numbers]:
    """The first n rows: row i is s_i .. s_(i-5), zeros before the start; its target is s_(i+1)."""
    padded = np.concatenate([np.zeros(LAGS - 1), values])
    windows = np.lib.stride_tricks.sliding_window_view(padded, LAGS)
    return windows[:n, ::-1].copy(), values[1 : n + 1].copy()


def standardised(name: str, n: int) -> tuple[Numbers, Numbers]:
    """Such rows with lags and targets standardised by mean and deviation of the n targets."""
    X, y = lagged(read(name), n)
    mean, deviation = y.mean(), y.std()
    return (X - mean) / deviation, (y - mean) / deviation


def steady_error(f: Numbers, y: Numbers, first: int) -> float:
    """The mean square error from row ``first`` on, in dB; infinite if an answer is not finite."""
    if not np.all(np.isfinite(f)):
        return math.inf
    return 10.0 * math.log10(float(np.mean((y - f)[first:] ** 2)))
