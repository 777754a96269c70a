"""Sets of these benchmarks: rows, and classes or anomalies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.datasets import columns, find, read_libsvm

FloatArray = NDArray[np.float64]

#: Name -> (files, features, what values are divided by; 0 where a scaler does it).
CLASSES: dict[str, tuple[tuple[str, ...], int, float]] = {
    "usps10": (("usps10_train", "usps10_test"), 256, 1.0),
    "letter": (("letter",), 16, 0.0),
    "satimage": (("satimage_train", "satimage_test"), 36, 0.0),
    "mnist_t10k": (("mnist_t10k",), 780, 255.0),
}
#: Streams with classes: name -> (label, columns left out).
STREAMS = {
    "wall_following": ("move", ("forward",)),
    "insects_gradual": ("class_code", ("male_code",)),
    "gas_drift": ("gas", ("batch", "concentration_ppmv", "oxygenated_voc")),
}
ANOMALIES = (
    *("ad_annthyroid", "ad_cardio", "ad_mammography", "ad_optdigits", "ad_satellite"),
    *("ad_satimage2", "ad_shuttle", "ad_smtp", "ad_thyroid", "ad_vowels"),
    *("nab_ambient_temp", "nab_cpu_asg", "nab_machine_temp", "nab_nyc_taxi"),
)
#: Of a series.
NO_READING = ("timestamp", "point")
#: Values of a row made from one number a time step.
LAGS = 8


@dataclass(frozen=True)
class Rows:
    """A set in the order it is learned in; ``scale`` is the scaler it needs."""

    name: str
    X: FloatArray
    y: NDArray[Any]
    scale: str | None = "standard"


def _mixed(X: FloatArray, y: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def classes(name: str) -> Rows:
    """Rows with classes 0 to K - 1; streams in file order, the others shuffled once."""
    if name in STREAMS:
        label, left_out = STREAMS[name]
        X, labels = columns(f"{name}.csv.gz", left_out, label)
        return Rows(name, X, np.unique(labels, return_inverse=True)[1])
    files, n_features, most = CLASSES[name]
    parts = [read_libsvm(find(f"{file}.libsvm.gz"), n_features) for file in files]
    X = np.concatenate([part[0] for part in parts]).astype(np.float64)
    y = np.unique(np.concatenate([part[1] for part in parts]), return_inverse=True)[1]
    X, y = _mixed(X, y)
    return Rows(name, X / most if most else X, y, None if most else "standard")


def anomalies(name: str, most: int) -> Rows:
    """Rows, True for anomalies; sets shuffled once, series with lagged values; the first rows."""
    X, labels = columns(f"{name}.csv.gz", () if name.startswith("ad_") else NO_READING, "anomaly")
    y = labels.astype(float) > 0.0
    if name.startswith("ad_"):
        X, y = _mixed(X, y)
    else:
        X = np.lib.stride_tricks.sliding_window_view(X[:, 0], LAGS).copy()
        y = y[LAGS - 1 :]
    return Rows(name, X[:most], y[:most])
