"""Windows of the public recordings, as rows with a class and a group."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.datasets import folder, read_table

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Windowed:
    """Rows of a recording's windows.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
    y : ndarray of shape (n,)
        Classes from 0.
    group : ndarray of shape (n,)
        What is left out together.
    plan : WindowsPlan
    """

    X: Rows
    y: NDArray[np.int64]
    group: NDArray[Any]
    plan: ek.WindowsPlan


def columns(name: str) -> dict[str, list[str]]:
    """The columns of a set in the data folder, as text."""
    header, rows = read_table(f"{name}.csv.gz")
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def counts(values: Any, scale: float) -> NDArray[np.int16]:
    """Readings as integers of a sensor with this many counts a unit."""
    clipped = np.clip(np.rint(np.array(values, float) * scale), -32768, 32767)
    return clipped.astype(np.int16)


def fan(size: int = 256, hop: int = 128, features: Any = "vibration") -> Windowed:
    """A fan with weights on its blades (three ways), 17 speeds, 50 samples a second."""
    data = columns("fan_vibration")
    samples = counts([data[axis] for axis in ("x_g", "y_g", "z_g")], 4096).T
    runs = np.array(data["run"])
    rows, y, group = [], [], []
    windows = ek.Windows(3, size, hop, features, 50)
    for run in dict.fromkeys(data["run"]):
        windows.restart()
        found = windows.feed_many(np.ascontiguousarray(samples[runs == run]))
        rows.append(found)
        y += [int(run.split("_")[0].removeprefix("cfg")) - 1] * len(found)
        group += [run.split("speed")[1]] * len(found)
    return Windowed(np.concatenate(rows), np.array(y), np.array(group), windows.plan)


def ecg(size: int = 128, hop: int = 32, features: Any = "vibration") -> Windowed:
    """One lead at 128 Hz; class 1: most samples of a window are near an abnormal beat."""
    data = columns("ecg_805")
    samples = counts(data["ecg_mV"], 1000)
    abnormal = np.array(data["anomaly"], float) > 0
    windows = ek.Windows(1, size, hop, features, 128)
    X = windows.feed_many(samples)
    ends = np.arange(len(X)) * hop + size
    y = np.array([abnormal[end - size : end].mean() > 0.5 for end in ends]).astype(int)
    return Windowed(X, y, np.where(ends <= len(samples) // 2, "first", "second"), windows.plan)


#: Where the recordings of bearings come from: too large for the data folder's copy of small sets.
BEARINGS = "srigas/CWRU_Bearing_NumPy"
_PLACES = ("IR", "B", "OR@6")  # of the fault: inner race, ball, outer race


def bearings_folder() -> Path | None:
    """The recordings, a clone of `BEARINGS` as ``cwru`` in the data folder; None without them."""
    place = folder() / "cwru" / "Data"
    return place if place.is_dir() else None


def bearings(
    place: Path, held_out: str, size: int = 512, hop: int = 512, features: Any = "vibration"
) -> Windowed:
    """Faults in three places of a motor's bearing, of three sizes, at four loads; 12,000 Hz.

    held_out: "load" or "size", what is left out together. Each place and size is one bearing, so
        that another load has the same bearings, another size has others.
    """
    rows, y, group = [], [], []
    windows = ek.Windows(1, size, hop, features, 12_000)
    for file in sorted(place.glob("*/*_DE12.npz")):
        load, fault, inches, _ = file.stem.split("_")
        if fault not in _PLACES or inches == "28":  # which only two places have
            continue
        with np.load(file) as recording:
            samples = counts(recording["DE"].ravel(), 4096)
        windows.restart()
        found = windows.feed_many(samples)
        rows.append(found)
        y += [_PLACES.index(fault)] * len(found)
        group += [load if held_out == "load" else inches] * len(found)
    return Windowed(np.concatenate(rows), np.array(y), np.array(group), windows.plan)
