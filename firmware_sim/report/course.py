"""Forecast, interval and truth of the last rows, and the shares of the candidates over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.drawing.chart import FIRST, LEARNER, SECOND, TEXT, Chart, Mark
from firmware_sim.drawing.document import said, section
from firmware_sim.drawing.svg import charted
from firmware_sim.metrics.course import Course

#: The candidates, in the order in which bands lie on each other, with their names and colours.
_CANDIDATES = {
    "last": ("last value", FIRST),
    "head": ("linear on history", "#56b4e9"),
    "kernel": ("kernel", LEARNER),
}


def charts(course: Course) -> tuple[Chart, Chart, Chart]:
    """Return forecasts and truth, errors and intervals, and the shares of the candidates.

    course: with a row at least.
    """
    rows, recent = course.recent
    across = float(rows[0]), float(max(rows[-1], rows[0] + 1))
    truth, forecast = recent[:, 0], recent[:, 1]
    ends, known = recent[:, 2:] - recent[:, 1:2], np.isfinite(recent[:, 2])
    # Nearly all errors and ends of intervals, with 0 in the middle: an outlier, and the width of
    # the intervals after it, would flatten everything else.
    seen = np.concatenate([truth - forecast, ends[known].ravel()])
    reach = float(np.abs(np.quantile(seen, [0.01, 0.99])).max()) or 1.0
    low, high = float(recent[:, :2].min()), float(recent[:, :2].max())
    both = [
        Mark("forecast", SECOND, rows, forecast, width=1.2),
        Mark("truth", TEXT, rows, truth, width=3.0, alpha=0.45),
    ]
    off = [
        Mark("truth less forecast", TEXT, rows, truth - forecast, width=1.2),
        Mark(
            "the interval that came with the forecast",
            SECOND,
            rows[known],
            ends[known, 1],
            ends[known, 0],
            alpha=0.2,
        ),
    ]
    title = f"Forecast and truth, the last {len(rows):,} rows"
    return (
        Chart(title, both, across, (low, high if high > low else low + 1.0)),
        Chart("truth less forecast", off, across, (-1.3 * reach, 1.3 * reach)),
        _shares(course),
    )


def _shares(course: Course) -> Chart:
    at, shares = course.shares()
    mean, upper, marks = course.mean_shares(), np.zeros(len(at)), []
    for name, (word, colour) in _CANDIDATES.items():
        if name in course.names:
            lower = upper
            upper = np.minimum(lower + shares[:, course.names.index(name)], 1.0)
            told = f"{word}, {100 * mean[name]:.0f} % in all"
            marks.append(Mark(told, colour, at, upper, lower))
    return Chart("Who answered when", marks, (0, course.rows), (0.0, 1.0), percent=True)


def draw_course(figure: Any, course: Course) -> None:
    """Draw the last forecasts on the left, the shares of the candidates on the right.

    figure: empty.
    course: with a row at least.
    """
    from firmware_sim.drawing.pictures import plot  # matplotlib, which a page does without

    columns = figure.add_gridspec(
        1, 2, width_ratios=(1.55, 1), left=0.07, right=0.975, bottom=0.12, top=0.84, wspace=0.42
    )
    stacked = columns[0].subgridspec(2, 1, height_ratios=(1.3, 1), hspace=0.55)
    forecasts, off, shares = charts(course)
    for place, chart in ((stacked[0], forecasts), (stacked[1], off), (columns[1], shares)):
        axes = figure.add_subplot(place)
        if chart is not off:
            axes.set_title(chart.title, pad=46 if chart is shares else 30)
        plot(axes, chart, handlelength=1.2, columnspacing=1.4)


def sections(course: Course) -> list[str]:
    """Return what the page shows of forecasts.

    course: with a row at least.
    """
    forecasts, off, shares = charts(course)
    mixed = "Each answer is mixed of these; what has erred less has a larger share."
    return [
        section(
            forecasts.title,
            f'<div id="forecasts">{charted(forecasts)}</div>',
            f'<div id="intervals">{charted(off, height=2 / 3)}</div>',
        ),
        section(shares.title, said(mixed, "faint"), f'<div id="shares">{charted(shares)}</div>'),
    ]
