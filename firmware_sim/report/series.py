"""The series drawn for a replay, the same in the page and the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_sim.metrics import Novelty
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.oddities import reason
from firmware_sim.report.rises import rises
from firmware_sim.report.verdict import name_of, over_time
from firmware_sim.streams.faulty import FaultyStream

#: Parts of the device that are drawn as its scaler.
SCALING = ("scaler", "target scaler", "repair")

Numbers = npt.NDArray[np.float64]


class Band(NamedTuple):
    """A stretch of rows that is marked, and why."""

    kind: str  # "fault", "window", "alarm", "drift" or "rise"
    first: int
    last: int
    said: str


@dataclass(frozen=True)
class Series:
    """Losses over time."""

    title: str  # what is drawn
    names: tuple[str, ...]  # the learner and the baselines, as reports call them
    #: row numbers, shape (p,), and the mean losses over all rows so far, shape (p, names)
    rows: npt.NDArray[np.int64]
    running: Numbers
    #: the same over the last `window` rows
    recent_rows: npt.NDArray[np.int64]
    recent: Numbers
    window: int
    shares: bool  # whether losses are shares
    bands: list[Band]  # faults, labelled windows, alarms, and where the error rises


def series(result: ReplayResult) -> Series:
    """Return what is drawn of a replay over time."""
    metrics = result.metrics
    rows, running = metrics.curve.cumulative()
    recent_rows, recent, window = metrics.curve.windowed()
    return Series(
        title=over_time(result),
        names=tuple(name_of(result, name) for name in metrics.curve.names),
        rows=rows,
        running=running,
        recent_rows=recent_rows,
        recent=recent,
        window=window,
        shares=metrics.shares,
        bands=_bands(result, int(rows[-1]) if len(rows) else 0),
    )


def _bands(result: ReplayResult, last_row: int) -> list[Band]:
    found = []
    stream = result.stream
    for fault in stream.faults if isinstance(stream, FaultyStream) else ():
        found.append(Band("fault", fault.first, fault.last or last_row, str(fault)))
    for first, last in result.metrics.windows if isinstance(result.metrics, Novelty) else ():
        said = f"labelled window, rows {first:,} to {last:,}"
        found.append(Band("window", first, last, said))
    if isinstance(result.metrics, Novelty):
        names = tuple(result.stream.features)
        for alarm in result.metrics.oddities.alarms:
            said = f"rows {alarm.first:,} to {alarm.last:,}: {reason(alarm.worst, names)}"
            found.append(Band("alarm", alarm.first, alarm.last, said))
    for first, last in rises(result):
        found.append(Band("rise", first, last, f"the error rises, rows {first:,} to {last:,}"))
    for row in result.alarms:
        found.append(Band("drift", row, row, f"the learner's alarm of drift, row {row:,}"))
    return found
