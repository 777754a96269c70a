"""The two streams: a9a in a drawn order, and the bundled sensor stream in the order of time."""

from __future__ import annotations

from pathlib import Path

from bench import datasets
from bench.peers.runner import Stream

A9A_GAMMA = 0.04


def a9a(folder: Path, rows: int | None, seed: int = 0) -> Stream:
    """a9a in the order of ``default_rng(seed).permutation``.

    Raises
    ------
    FileNotFoundError
        There is not even the train part.
    """
    data = datasets.a9a().permuted(seed)
    whole = data.name
    data = data.head(rows or len(data))
    title = f"{whole}, {len(data):,} rows, d = 123, gamma {A9A_GAMMA:g}"
    return Stream.write("a9a", title, folder / "a9a", data.X, data.y, A9A_GAMMA)


def occupancy(folder: Path, rows: int | None) -> Stream:
    """The bundled stream as the simulator's scaler leaves it, with the median width."""
    X, y, gamma = datasets.occupancy()
    X, y = X[:rows], y[:rows]
    title = f"occupancy, {len(y):,} rows in the order of time, d = {X.shape[1]}, gamma {gamma:.3g}"
    return Stream.write("occupancy", title, folder / "occupancy", X, y, gamma)
