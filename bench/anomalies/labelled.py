"""Streams with labelled anomalies in the order of time; each series starts with a new learner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.datasets import read_table

Rows = NDArray[np.float64]
#: Columns that are no reading.
NO_READING = ("timestamp", "datetime", "date", "point", "experiment", "changepoint", "part")
#: Columns whose values are series of their own.
SERIES = ("series", "channel")
#: What the detector was designed on; what was kept aside; sets whose rows are in any order.
DESIGN = (
    *("nab_machine_temp", "skab_pump", "nab_ambient_temp", "nab_cpu_asg", "nab_nyc_taxi"),
    *("ucr_bleeding", "ecg_805", "ai4i_machine", "ad_shuttle"),
)
ASIDE = ("smap_telemetry",)
FREE = "skab_free"
ANY_ORDER = tuple(
    f"ad_{name}"
    for name in (
        *("shuttle", "cardio", "mammography", "satimage2", "thyroid", "satellite"),
        *("vowels", "annthyroid", "optdigits", "smtp"),
    )
)


@dataclass(frozen=True)
class Series:
    """Rows of readings, and which are anomalies."""

    X: Rows
    anomaly: NDArray[np.bool_]


def series(name: str, shuffled: bool = False) -> list[Series]:
    """The series of a stream; ``shuffled``: shuffle them with seed 0."""
    header, rows = read_table(f"{name}.csv.gz")
    kept = [i for i, title in enumerate(header[:-1]) if title not in (*NO_READING, *SERIES)]
    X = np.array([[float(row[i]) for i in kept] for row in rows])
    anomaly = np.array([float(row[-1]) > 0.0 for row in rows])
    of = next((header.index(title) for title in SERIES if title in header), None)
    keys = np.array([row[of] if of is not None else "" for row in rows])
    made = [Series(X[keys == key], anomaly[keys == key]) for key in dict.fromkeys(keys)]
    if not shuffled:
        return made
    order = np.random.default_rng(0).permutation(len(X))
    return [Series(X[order], anomaly[order])]
