"""Forecasts ahead, compared with the last value, that of a season ago and AutoETS, by horizon."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from statistics import fmean
from typing import Any

import numpy as np

from bench.cases import Cases
from bench.table import Table
from bench.time import streams
from bench.time.forecasts import formatted
from bench.time.streams import Numbers, learner_of, rows_of
from firmware_sim.replaying.season import find_season

#: Rows ahead, and the cap: the readings of 24 pending rows do not fit 4 KiB if there are many.
AHEAD, RAM = (1, 6, 24), "16KiB"
#: First rows, which are reported apart, and rows in all.
FIRST, ROWS = 500, 4_000
#: Every how manyth row AutoETS forecasts, since that takes milliseconds; others are judged there.
EVERY = 5
#: Rows between two fits of AutoETS, and the last rows that it is fitted to.
REFIT, FITTED = 200, 1_000
#: Seconds between rows.
PERIODS = {"house": 900, "house_humidity": 900, "elec2_price": 1800, "elec2_demand": 1800,
           "taxis": 1800, "nab_cpu": 300, "nab_machine": 300, "skab_temperature": 1,
           "skab_pressure": 1, "skab_flow": 1, "co2": 60, "weather_temperature": 86_400,
           "blood_pressure": None, "mg": None}  # fmt: skip
HOUR = 3600


def ahead(X: Numbers, y: Numbers, horizon: int, season: int) -> Numbers:
    """The forecast of each row from the readings and targets that many rows before."""
    learner = learner_of(X.shape[1], history=True, horizon=horizon, season=season, ram=RAM)
    earlier = np.vstack([np.full((horizon, X.shape[1]), np.nan), X[:-horizon]])
    if horizon == 1:
        return np.asarray(learner.learn_many(earlier, y))
    f = np.empty(len(y))
    for t, row in enumerate(earlier):
        if t >= horizon:
            learner.tell_one(y[t - horizon])
        f[t] = learner.ask_one(row)
    return f


def smoothed(y: Numbers, season: int) -> dict[int, Numbers]:
    """Forecasts of AutoETS by horizon; its states follow the targets; NaN where it is skipped."""
    ets: Any = import_module("statsforecast.ets")  # takes seconds, and is not everywhere
    found = {horizon: np.full(len(y), np.nan) for horizon in AHEAD}
    for begin in range(max(REFIT, 2 * season), len(y), REFIT):
        first = max(0, begin - FITTED)
        fitted = ets.ets_f(y[first:begin], m=season or 1)
        if "states" not in fitted:  # a constant series
            continue
        for at in range(begin, min(begin + REFIT, len(y)), EVERY):
            moved = ets.ets_f(y[first:at], m=season or 1, model=fitted)
            path = np.asarray(ets.forecast_ets(moved, h=max(AHEAD))["mean"])
            reach = np.ptp(y[:at])  # as the guard of the other peers
            low, high = y[:at].min() - reach, y[:at].max() + reach
            path = np.where((low <= path) & (path <= high), path, y[at - 1])
            for horizon, f in found.items():
                if at + horizon - 1 < len(y):
                    f[at + horizon - 1] = path[horizon - 1]
    return found


def measure(name: str, with_ets: bool) -> dict[str, dict[str, float]]:
    """Errors of each method and the season that was found, by horizon and part of the rows."""
    X, y = (part[:ROWS] for part in rows_of(name))
    n = len(y)
    found_in: dict[str, dict[str, float]] = {}
    ets = smoothed(y, streams.SEASONS.get(name, 0)) if with_ets else {}
    for horizon in AHEAD:
        found = find_season(y, PERIODS.get(name, HOUR), horizon, 256)
        known = streams.SEASONS.get(name, 0)
        season = found.rows or (known if known >= horizon else 0)
        forecasts = {
            "last value": np.concatenate([np.full(horizon, np.nan), y[:-horizon]]),
            "season ago": np.concatenate([np.full(season, np.nan), y[:-season]])
            if season
            else np.full(n, np.nan),
            "forecaster": ahead(X, y, horizon, found.rows),
            "no season": ahead(X, y, horizon, 0),
        }
        if with_ets:
            forecasts["AutoETS"] = ets[horizon]
        judged = np.arange(n) >= horizon
        for one in forecasts.values():
            judged &= np.isfinite(one) | ~np.isfinite(one).any()
        for part, rows in (
            (f"first {FIRST:,}", judged & (np.arange(n) < FIRST)),
            ("later", judged & (np.arange(n) >= FIRST)),
        ):
            errors = {who: float(np.abs(f - y)[rows].mean()) for who, f in forecasts.items()}
            found_in[f"{horizon} ahead, {part}"] = {**errors, "season": found.rows}
    return found_in


def run(names: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The tables and the numbers behind them."""
    data: dict[str, dict[str, float]] = {}
    cases = Cases.of_page("time_horizons", keep=not names)
    try:
        import_module("statsforecast.ets")
        with_ets = True
    except ImportError:
        if not names:  # the page would lose a column
            raise SystemExit("AutoETS is in statsforecast, of the extra `peers`") from None
        with_ets = False
    lines = []
    for name in streams.DESIGN:
        if names and name not in names:
            continue
        for key, found in cases.of(name, partial(measure, name, with_ets)).items():
            data[f"{name}, {key}"] = found
            rows_ahead, _, part = key.partition(" ahead, ")
            *errors, season = found.values()
            lines.append([name, rows_ahead, part, *map(formatted, errors), str(season or "")])
    peers: tuple[str, ...] = ("last value", "season ago", "forecaster", "no season")
    peers += ("AutoETS",) if with_ets else ()
    note = (
        f"Mean absolute errors on the first {ROWS:,} rows, in {RAM}, seed 1. Each row is forecast"
        " from the readings and targets of so many rows before. The season is the one that"
        " `firmware_sim` finds from the first 2,000 targets; empty: none. The value a season ago"
        " has the season of the table of streams where none is found. AutoETS sees the target"
        f" alone, and forecasts every {EVERY}th row, on which all are judged; every {REFIT} rows it"
        f" is chosen and fitted again, on the last {FITTED:,}, with the season of that table."
    )
    header = ("stream", "ahead", "rows", *peers, "season found")
    tables = [Table("Errors by horizon", header, lines, note, left=3)]
    return [*tables, _means(data, peers)], {}


def _means(data: dict[str, Any], peers: tuple[str, ...]) -> Table:
    """Geometric means of errors over those of the last value."""
    lines = []
    for horizon in AHEAD:
        for part in (f"first {FIRST:,}", "later"):
            rows = [one for key, one in data.items() if key.endswith(f", {horizon} ahead, {part}")]
            cells = []
            for who in peers:
                ratios = [one[who] / one["last value"] for one in rows if np.isfinite(one[who])]
                cells.append(f"{np.exp(fmean(np.log(ratios))):.3f}" if ratios else "")
            lines.append([str(horizon), part, *cells])
    note = "Geometric means over the streams of the errors over those of the last value."
    return Table("Means", ("ahead", "rows", *peers), lines, note, left=2)
