"""The sets of the figures: which file, which columns, what order, scaled how."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.datasets import columns, find, read_libsvm

Rows = NDArray[np.float64]
CLIP = 5.0
#: Rows the kernel's width is found on.
WIDTH_ROWS = 500


@dataclass(frozen=True)
class Spec:
    """One file: features of a LIBSVM file, or the columns of a CSV file that are no inputs.

    ``task`` is "two", "classes" or "regression"; labels of several classes become 0, 1, ... The
    label is the last column of a CSV file, or the one named; ``file`` is the name without it.
    """

    name: str
    n_features: int = 0
    drop: tuple[str, ...] = ()
    shuffled: bool = False
    scaled: bool = True
    limits: tuple[float, float] | None = None
    task: str = "two"
    classes: int = 0
    file: str = ""
    label: str = ""


ANOMALIES = (
    *("cardio", "mammography", "shuttle", "satimage2", "thyroid"),
    *("satellite", "vowels", "annthyroid", "optdigits"),
)
SPECS = {
    spec.name: spec
    for spec in (
        Spec("a9a_train", 123, shuffled=True, scaled=False),
        Spec("ijcnn1_train", 22, shuffled=True),
        Spec("phishing", 68, shuffled=True, scaled=False),
        Spec("spambase", 57, shuffled=True),
        Spec("covtype10k", 54, shuffled=True),
        Spec("usps_train", 256, shuffled=True, scaled=False),
        Spec("usps_test", 256, shuffled=True, scaled=False),
        Spec("phoneme", 5, shuffled=True),
        Spec("banana", 2, shuffled=True),
        Spec("ring", 20, shuffled=True),
        Spec("w8a", 300, shuffled=True, scaled=False),
        Spec("german", 24, shuffled=True),
        Spec("mushrooms", 126, shuffled=True),
        Spec("twonorm", 20, shuffled=True),
        Spec("svmguide3", 21, shuffled=True),
        Spec("shuttle", 9, shuffled=True),
        Spec("elec2", drop=("date",)),
        Spec("insects_gradual", drop=("class_code",)),
        Spec("weather_rain"),
        Spec("wall_following", drop=("move",)),
        Spec("occupancy", drop=("datetime",)),
        Spec("eeg_eye_state", limits=(3500.0, 5500.0)),
        Spec("arem_activity", drop=("sequence", "time_ms")),
        Spec("fan_vibration", drop=("run", "speed_pct")),
        Spec("skab_pump", drop=("datetime", "experiment", "changepoint")),
        Spec("gas_drift", drop=("batch", "gas", "concentration_ppmv")),
        *(Spec(f"ad_{name}", shuffled=True) for name in ANOMALIES),
        *(
            Spec(name, d, shuffled=True, task="classes", classes=k)
            for name, d, k in (
                *(("letter", 16, 26), ("segment", 19, 7), ("satimage_train", 36, 6)),
                *(("usps10_train", 256, 10), ("usps10_test", 256, 10), ("vowel_train", 10, 11)),
            )
        ),
        Spec("keystroke", task="classes", classes=4),
        Spec("dna_train", 180, shuffled=True, scaled=False, task="classes", classes=3),
        Spec("mnist_t10k", 784, shuffled=True, scaled=False, task="classes", classes=10),
        Spec("outdoor", task="classes", classes=40),
        Spec("wisdm_activity", drop=("user",), task="classes", classes=6),
        *(
            Spec(name, drop=drop, task="classes", classes=k, file=file, label=label)
            for name, drop, k, file, label in (
                ("wall_moves", ("forward",), 4, "wall_following", "move"),
                ("insect_classes", ("male_code",), 6, "insects_gradual", "class_code"),
                ("gases", ("batch", "concentration_ppmv", "oxygenated_voc"), 6, "gas_drift", "gas"),
            )
        ),
        *(
            Spec(f"{name}_regression", d, shuffled=True, task="regression")
            for name, d in (("abalone", 8), ("cadata", 8), ("ccpp", 4), ("cpusmall", 12), ("mg", 6))
        ),
        Spec("nab_machine_temp", drop=("timestamp", "point")),
        # `part` is not a reading, but the printed figure was computed with it as an input.
        Spec("smap_telemetry", drop=("channel",)),
    )
}


def read_csv(name: str, drop: tuple[str, ...], label: str = "") -> tuple[Rows, Rows]:
    """Inputs, and the last or the named column, of a file with a header; words are numbered."""
    inputs, words = columns(f"{name}.csv.gz", drop, label)
    try:
        return inputs, words.astype(float)
    except ValueError:
        return inputs, np.unique(words, return_inverse=True)[1].astype(float)


def running(X: Rows) -> Rows:
    """Each row scaled by the mean and deviation of the rows up to and with it, and clipped."""
    scaler = ek.RunningScaler(X.shape[1])
    return np.clip([scaler.learn_transform_one(x) for x in X], -CLIP, CLIP)


def lagged(X: Rows, lags: int) -> Rows:
    """Rows of the last `lags` values of a series, from where there are so many."""
    windows: Rows = np.lib.stride_tricks.sliding_window_view(X[:, 0], lags).copy()
    return windows


@functools.lru_cache(maxsize=4)
def load(
    name: str, rows: int | None = 10_000, lags: int = 0, *, raw: bool = False
) -> tuple[Rows, Rows]:
    """The first rows of a set as a learner sees them, or as they come, and labels -1 and +1."""
    spec = SPECS[name]
    if spec.n_features:
        single, y = read_libsvm(find(f"{name}.libsvm.gz"), spec.n_features)
        X = single.astype(float)
    else:
        X, y = read_csv(spec.file or name, spec.drop, spec.label)
    if lags:
        X, y = lagged(X, lags), y[lags - 1 :]
    if spec.task == "classes":
        y = np.unique(y, return_inverse=True)[1].astype(float)
    if spec.shuffled:
        order = np.random.default_rng(0).permutation(len(y))
        X, y = X[order], y[order]
    X, y = X[:rows], y[:rows]
    if spec.limits is not None:
        X = np.clip(X, *spec.limits)
    return (running(X) if spec.scaled and not raw else X), y


def gamma_of(X: Rows) -> float:
    """1 / median squared distance of the first rows."""
    first = X[:WIDTH_ROWS]
    norms = np.sum(first**2, axis=1)
    squares = norms[:, None] + norms[None, :] - 2.0 * first @ first.T
    return 1.0 / float(np.median(squares[np.triu_indices(len(first), 1)]))
