"""The streams of forecasts and their learners: inputs, target, and rows of a season.

All rows are in the order of time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from bench.datasets import find, read_libsvm, read_table

RAM = "4KiB"
#: Seeds of figures that are means.
SEEDS = 5
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Stream:
    """A table, its target, the columns that no model sees, and the rows of a season.

    Attributes
    ----------
    table : str
        A file of the data folder without its endings.
    target : str
        A column.
    without : tuple of str
        Columns, or beginnings of their names, that are not inputs.
    season : int
        Rows; 0 for none.
    alone : bool
        No inputs: a single series.
    """

    table: str
    target: str
    without: tuple[str, ...] = ()
    season: int = 0
    alone: bool = False


def _series(table: str, season: int = 0) -> Stream:
    return Stream(table, "value", season=season, alone=True)


_ELEC = ("date", "price_up")
_SKAB = ("datetime", "experiment", "changepoint", "anomaly")

#: Those that the design was chosen on.
DESIGN: dict[str, Stream] = {
    "house": Stream("sml2010_room", "temperature_comedor_sensor", ("datetime",), 96),
    "etth1": Stream("etth1", "OT", ("date",), 24),
    "beijing_pm25": Stream("beijing_pm25", "pm25_ug_per_m3", ("datetime",), 24),
    "air_quality": Stream("air_quality", "ref_co_mg_per_m3", ("datetime", "ref_"), 24),
    "bike_hourly": Stream("bike_hourly", "cnt", ("date",), 24),
    "elec2_price": Stream("elec2", "nswprice", _ELEC, 48),
    "elec2_demand": Stream("elec2", "nswdemand", _ELEC, 48),
    "nab_ambient": _series("nab_ambient_temp", 24),
    "nab_cpu": _series("nab_cpu_asg"),
    "nab_machine": _series("nab_machine_temp"),
    "skab_temperature": Stream("skab_pump", "motor_temperature_degC", _SKAB),
    "skab_pressure": Stream("skab_pump", "pressure_bar", _SKAB),
}
#: Those kept aside when it was.
ASIDE: dict[str, Stream] = {
    "beijing_temperature": Stream("beijing_pm25", "temp_degC", ("datetime",), 24),
    "etth1_HUFL": Stream("etth1", "HUFL", ("date",), 24),
    "skab_flow": Stream("skab_pump", "flow_rate_L_per_min", _SKAB),
    "taxis": _series("nab_nyc_taxi", 48),
    "co2": Stream("occupancy", "co2_ppm", ("datetime", "occupied")),
    "weather_temperature": Stream("weather_rain", "temperature_F", ("rain",)),
    "house_humidity": Stream("sml2010_room", "humedad_comedor_sensor", ("datetime",), 96),
    "no2": Stream("air_quality", "ref_no2_ug_per_m3", ("datetime", "ref_"), 24),
    "blood_pressure": _series("ucr_bleeding"),
}
#: Rows without order, where a history is none.
SHUFFLED = {"ccpp": 4, "abalone": 8, "cpusmall": 12, "cadata": 8, "mg": 6}


def read(stream: Stream) -> tuple[Numbers, Numbers]:
    """Inputs (n, d) and target (n,) of a stream.

    Raises
    ------
    FileNotFoundError
        The data folder has no such table.
    """
    names, rows = read_table(f"{stream.table}.csv.gz")
    taken = [
        place
        for place, name in enumerate(names)
        if name != stream.target and not name.startswith(stream.without or ("\n",))
    ]
    at = names.index(stream.target)
    y = np.array([float(row[at]) for row in rows])
    if stream.alone:
        return np.zeros((len(y), 0)), y
    return np.array([[float(row[place]) for place in taken] for row in rows]), y


def shuffled(name: str, seed: int) -> tuple[Numbers, Numbers]:
    """A set of regression in random order."""
    X, y = read_libsvm(find(f"{name}_regression.libsvm.gz"), SHUFFLED[name])
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order].astype(float), y[order]


def mackey_glass() -> tuple[Numbers, Numbers]:
    """The targets of mg in file order, as a series."""
    _, y = read_libsvm(find("mg_regression.libsvm.gz"), SHUFFLED["mg"])
    return np.zeros((len(y), 0)), y


#: Everything in the order of time, by name.
READERS: dict[str, Callable[[], tuple[Numbers, Numbers]]] = {
    **{name: partial(read, stream) for name, stream in (DESIGN | ASIDE).items()},
    "mg": mackey_glass,
}
SEASONS = {name: stream.season for name, stream in (DESIGN | ASIDE).items() if stream.season}


@cache
def rows_of(name: str) -> tuple[Numbers, Numbers]:
    return READERS[name]()


def learner_of(d: int, **options: Any) -> ek.Learner:
    """A learner of targets in 4 KiB by default."""
    size = {} if "D" in options else {"ram": RAM}
    return ek.Learner("sorf", n_features=d, loss="square", **{"seed": 1, **size, **options})
