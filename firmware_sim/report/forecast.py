"""The forecast beyond the last row, and the errors by horizon."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from firmware_sim.drawing.chart import FIRST, LEARNER, SCALER, SECOND, TEXT, Chart, Drawing, Mark
from firmware_sim.drawing.document import Section, Table
from firmware_sim.metrics.base import duration, moment, percent, short
from firmware_sim.plaintext import counted
from firmware_sim.replaying.forecast import Outlook, Point
from firmware_sim.replaying.result import ReplayResult
from firmware_sim.report.summary import name_of

#: Targets that the chart shows before the forecast: horizons of them, at least so many and at most.
_HORIZONS_SHOWN, _MIN_SHOWN, _MAX_SHOWN = 4, 40, 240
#: Most forecasts that a table lists.
_LISTED = 48
#: Seconds of the earliest time that is a date; lower ones count from the start of a log.
_FIRST_DATE = 1e8
_COLOURS = {"learner": LEARNER, "mean": FIRST, "last_value": SECOND, "seasonal": SCALER}


def sections(result: ReplayResult) -> list[Section]:
    """Return the sections of a forecast; an empty list if it is none."""
    found = result.outlook
    if found is None:
        return []
    chart = path_chart(found)
    charts: dict[str, Drawing] = {} if chart is None else {"path": chart}
    about = about_path(result, found)
    table = path_table(found)
    shown = [Section("path", "Forecast of the next rows", about, charts, table=table)]
    if len(found.horizons) > 1:
        charts = {"by-horizon": horizon_chart(result, found)}
        shown.append(
            Section("horizons", "Error by horizon", "", charts, table=horizon_table(result, found))
        )
    return shown


def about_path(result: ReplayResult, found: Outlook) -> str:
    """Return the sentence on horizon and season."""
    ahead = result.config.rows_ahead
    text = f"From the last row on, {counted(ahead, 'row')} ahead"
    if found.period:
        text += f" ({duration(ahead * found.period)})"
    if found.season and found.season != "as given":
        text += f"; {found.season}"
    elif season := result.config.season:
        text += f"; season {season:,} rows"
    step = _step(found)
    if step > 1:
        text += f". The table lists every {_ordinal(step)} row, up to the last"
    return f"{text}."


def _step(found: Outlook) -> int:
    """Return how many rows are between two forecasts of the table."""
    return math.ceil(len(found.future) / _LISTED)


def _ordinal(step: int) -> str:
    """Return "second", "third", "4th" and so on."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(step % 10 if step % 100 // 10 != 1 else 0, "th")
    return {2: "second", 3: "third"}.get(step, f"{step:,}{ending}")


def path_table(found: Outlook) -> Table | None:
    """Return the next forecasts; of more than `_LISTED`, evenly spaced ones and the last."""
    points = found.future
    if not points:
        return None
    shown = points[::-1][:: _step(found)][::-1]
    head: tuple[str, ...] = ("row",)
    times: list[tuple[str, ...]] = [()] * len(shown)
    if found.period and found.last > _FIRST_DATE:
        last = points[-1].row - found.horizons[-1].rows
        head = ("row", "time")
        times = [(moment(found.last + (one.row - last) * found.period),) for one in shown]
    rows = [
        (f"{one.row:,}", *time, *map(_number, (one.forecast, one.low, one.high)))
        for one, time in zip(shown, times, strict=True)
    ]
    return Table("next", "", (*head, "forecast", "from", "to"), rows)


def _number(value: float) -> str:
    return short(value) if math.isfinite(value) else "-"


def path_chart(found: Outlook) -> Chart | None:
    """Return the last targets, a path that ends with them, and the path after them."""
    rows, truth = found.recent
    if not len(rows) or not found.future:
        return None
    ahead = found.horizons[-1].rows
    shown = min(_MAX_SHOWN, max(_MIN_SHOWN, _HORIZONS_SHOWN * ahead), len(rows))
    rows, truth = rows[-shown:], truth[-shown:]
    marks: list[Mark] = []
    for name, colour, points in (
        ("forecast of the next rows", SECOND, found.future),
        (f"forecast from row {_before(found.past):,}", LEARNER, found.past),
    ):
        if points:
            marks += _path(name, colour, points)
    marks.append(Mark("truth", TEXT, rows, truth, width=3.0, alpha=0.45))
    every = [*found.past, *found.future]
    ends = [value for one in every for value in one[1:4] if math.isfinite(value)]
    low, high = min([*truth.tolist(), *ends]), max([*truth.tolist(), *ends])
    margin = 0.05 * (high - low) or 0.5
    last = max(one.row for one in found.future)
    return Chart(
        "Forecast of the next rows",
        marks,
        (float(rows[0]), float(last)),
        (low - margin, high + margin),
    )


def _before(points: list[Point]) -> int:
    """Return the row from which a path starts."""
    return points[0].row - 1 if points else 0


def _path(name: str, colour: str, points: list[Point]) -> list[Mark]:
    rows = np.array([one.row for one in points], dtype=float)
    forecast, low, high = (np.array([one[at] for one in points]) for at in (1, 2, 3))
    known = np.isfinite(low)
    line = Mark(name, colour, rows, forecast, width=2.0, dots=len(points) == 1)
    band = Mark("its interval", colour, rows[known], high[known], low[known], alpha=0.18)
    return [line, band] if known.any() else [line]


def horizon_table(result: ReplayResult, found: Outlook) -> Table:
    """Return mean absolute errors by horizon."""
    names = [who for who in found.horizons[-1].figures if who != "mean"]
    head = ("rows ahead", *(name_of(result, who) for who in names), "inside", "bytes")
    rows = []
    for one in found.horizons:
        errors = (one.figures.get(who, {}).get("mae") for who in names)
        inside = one.figures["learner"].get("inside")
        ahead = f"{one.rows:,}"
        if found.period:
            ahead += f" ({duration(one.rows * found.period)})"
        rows.append((ahead, *map(short, errors), percent(inside), f"{one.cap:,}"))
    return Table("horizons", "", head, rows)


def horizon_chart(result: ReplayResult, found: Outlook) -> Chart:
    """Return mean absolute errors by horizon as lines."""
    ahead = np.array([one.rows for one in found.horizons], dtype=float)
    marks, highest = [], 0.0
    for who in found.horizons[-1].figures:
        errors = [one.figures.get(who, {}).get("mae") for one in found.horizons]
        known = np.array([math.nan if value is None else float(value) for value in errors])
        if who == "mean" or not np.isfinite(known).any():
            continue
        look: Any = {} if who == "learner" else {"dash": (6.0, 4.0), "width": 1.5}
        marks.append(Mark(name_of(result, who), _COLOURS[who], ahead, known, **look))
        highest = max(highest, float(np.nanmax(known)))
    ranges = (float(ahead[0]), float(ahead[-1])), (0.0, 1.05 * highest or 1.0)
    return Chart(
        "Error by horizon", marks, *ranges, x_label="rows ahead", y_label="mean absolute error"
    )


def record(result: ReplayResult) -> dict[str, Any] | None:
    """Return the forecast in types of strict JSON; None if it is none."""
    found = result.outlook
    if found is None:
        return None

    def points(path: list[Point]) -> list[dict[str, Any]]:
        return [
            {name: value if math.isfinite(value) else None for name, value in one._asdict().items()}
            for one in path
        ]

    return {
        "column": result.config.forecast,
        "rows_ahead": result.config.rows_ahead,
        "period_seconds": found.period,
        "season": result.config.season,
        "season_reason": found.season,
        "horizons": [
            {"rows": one.rows, "cap": one.cap, "metrics": one.figures} for one in found.horizons
        ],
        "past": points(found.past),
        "next": points(found.future),
    }
