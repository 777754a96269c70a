"""Streams that change once or more, and some that do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.bytes.sets import SPECS, load

Numbers = NDArray[np.float64]
#: Number of inputs, and the seed of each stream.
D, SEED = 10, 20


@dataclass(frozen=True)
class Drifting:
    """Rows, labels of -1 and 1, and where the world changes."""

    X: Numbers
    y: Numbers
    changes: tuple[int, ...] = ()


def concept(X: Numbers) -> Numbers:
    """A boundary that is not linear: labels of -1 and 1."""
    value = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.sin(3.0 * X[:, 3])
    return np.where(value > 0.0, 1.0, -1.0)


def _plain(n: int, noise: float = 0.0) -> tuple[Numbers, Numbers, np.random.Generator]:
    draws = np.random.default_rng(SEED)
    X = draws.normal(size=(n, D))
    y = concept(X)
    return X, np.where(draws.random(n) < noise, -y, y), draws


def stationary(n: int) -> Drifting:
    """Nothing changes."""
    return Drifting(*_plain(n)[:2])


def noisy(n: int) -> Drifting:
    """Nothing changes; a fifth of the labels is wrong."""
    return Drifting(*_plain(n, noise=0.2)[:2])


def flipped(n: int) -> Drifting:
    """All labels mean the other from the middle on."""
    X, y, _ = _plain(n)
    y[n // 2 :] *= -1.0
    return Drifting(X, y, (n // 2,))


def recurring(n: int) -> Drifting:
    """Two concepts in turns."""
    X, y, _ = _plain(n)
    changes = tuple(n * k // 5 for k in range(1, 5))
    for first, last in zip(changes[::2], changes[1::2], strict=True):
        y[first:last] *= -1.0
    return Drifting(X, y, changes)


def moved(n: int) -> Drifting:
    """One input moves by five deviations, for good."""
    X, y, _ = _plain(n)
    X[n // 2 :, 0] += 5.0
    return Drifting(X, y, (n // 2,))


def gain(n: int) -> Drifting:
    """All inputs are ten times smaller: another unit."""
    X, y, _ = _plain(n)
    X[n // 2 :] *= 0.1
    return Drifting(X, y, (n // 2,))


def stuck(n: int) -> Drifting:
    """One input stays at its last value."""
    X, y, _ = _plain(n)
    X[n // 2 :, 2] = X[n // 2, 2]
    return Drifting(X, y, (n // 2,))


def replaced(n: int) -> Drifting:
    """One sensor is exchanged for another: its offset, gain and sign."""
    X, y, _ = _plain(n)
    X[n // 2 :, 0] = 3.0 - 2.0 * X[n // 2 :, 0]
    return Drifting(X, y, (n // 2,))


def drawer(n: int) -> Drifting:
    """The device is idle for the first 500 rows: constant inputs, either label."""
    X, y, draws = _plain(n)
    X[:500] = 0.3
    y[:500] = np.where(draws.random(500) < 0.5, -1.0, 1.0)
    return Drifting(X, y, (500,))


def bursts(n: int) -> Drifting:
    """Labels are drawn by chance for 200 rows of each 2,000."""
    X, y, draws = _plain(n)
    late = (np.arange(n) % 2000 >= 1800) & (np.arange(n) >= 1000)
    return Drifting(X, np.where(late & (draws.random(n) < 0.5), -y, y))


def missing(n: int) -> Drifting:
    """One of the classes is not seen from the first fifth to the middle."""
    X, y, draws = _plain(n)
    gone = (np.arange(n) >= n // 5) & (np.arange(n) < n // 2)
    others = np.flatnonzero(y < 0.0)
    again = gone & (y > 0.0)
    X[again] = X[draws.choice(others, int(again.sum()))]
    return Drifting(X, concept(X), (n // 2,))


def centres(n: int) -> Drifting:
    """Eight clusters of either label move all the time."""
    draws = np.random.default_rng(SEED)
    start, pace = draws.normal(size=(8, D)), draws.normal(size=(8, D))
    which = draws.integers(0, 8, n)
    at = start[which] + 3.0 * np.sin(np.arange(n)[:, None] / 2000.0 * pace[which])
    return Drifting(at + 0.6 * draws.normal(size=(n, D)), np.where(which % 2, 1.0, -1.0))


def _real(name: str) -> Callable[[int], Drifting]:
    def read(n: int) -> Drifting:
        return Drifting(*load(name, n, raw=True))

    read.__doc__ = "Of `bench.bytes.sets`, in the order of its file."
    return read


STREAMS: dict[str, Callable[[int], Drifting]] = {
    one.__name__: one
    for one in (
        *(stationary, noisy, flipped, recurring, moved, gain, stuck, replaced, drawer, bursts),
        *(missing, centres),
    )
}
#: Long real streams, in the order of time.
REAL = ("elec2", "insects_gradual", "weather_rain", "gas_drift")
STREAMS |= {name: _real(name) for name in REAL if name in SPECS}
