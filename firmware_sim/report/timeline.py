"""Forecasts, intervals and targets of the last rows, and the experts' weights over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.drawing.chart import FIRST, LEARNER, SECOND, TEXT, Chart, Mark
from firmware_sim.drawing.document import paragraph, section
from firmware_sim.drawing.svg import charted
from firmware_sim.metrics.timeline import ForecastTimeline

#: The experts with their names and colours, in the order of the stacked areas.
_EXPERTS = {
    "last": ("last value", FIRST),
    "head": ("linear on history", "#56b4e9"),
    "kernel": ("kernel", LEARNER),
}


def charts(timeline: ForecastTimeline) -> tuple[Chart, Chart, Chart]:
    """Return charts of forecasts and targets, of errors and intervals, and of expert weights.

    timeline: at least one row.
    """
    rows, recent = timeline.recent
    x_range = float(rows[0]), float(max(rows[-1], rows[0] + 1))
    truth, forecast = recent[:, 0], recent[:, 1]
    ends, known = recent[:, 2:] - recent[:, 1:2], np.isfinite(recent[:, 2])
    # 98 % of errors and interval bounds, with 0 in the middle: an outlier, and the wide intervals
    # after it, would flatten everything else.
    shown = np.concatenate([truth - forecast, ends[known].ravel()])
    half_width = float(np.abs(np.quantile(shown, [0.01, 0.99])).max()) or 1.0
    low, high = float(recent[:, :2].min()), float(recent[:, :2].max())
    both = [
        Mark("forecast", SECOND, rows, forecast, width=1.2),
        Mark("truth", TEXT, rows, truth, width=3.0, alpha=0.45),
    ]
    errors = [
        Mark("target minus forecast", TEXT, rows, truth - forecast, width=1.2),
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
        Chart(title, both, x_range, (low, high if high > low else low + 1.0)),
        Chart("target minus forecast", errors, x_range, (-1.3 * half_width, 1.3 * half_width)),
        _shares(timeline),
    )


def _shares(timeline: ForecastTimeline) -> Chart:
    at, shares = timeline.shares()
    mean, upper, marks = timeline.mean_shares(), np.zeros(len(at)), []
    for name, (word, colour) in _EXPERTS.items():
        if name in timeline.names:
            lower = upper
            upper = np.minimum(lower + shares[:, timeline.names.index(name)], 1.0)
            label = f"{word}, {100 * mean[name]:.0f} % in all"
            marks.append(Mark(label, colour, at, upper, lower))
    return Chart("Expert weights over time", marks, (0, timeline.rows), (0.0, 1.0), percent=True)


def draw_timeline(figure: Any, timeline: ForecastTimeline) -> None:
    """Draw the last forecasts on the left, the experts' weights on the right.

    figure: an empty figure.
    timeline: at least one row.
    """
    from firmware_sim.drawing.pictures import plot  # needs matplotlib; a page does not

    columns = figure.add_gridspec(
        1, 2, width_ratios=(1.55, 1), left=0.07, right=0.975, bottom=0.12, top=0.84, wspace=0.42
    )
    stacked = columns[0].subgridspec(2, 1, height_ratios=(1.3, 1), hspace=0.55)
    forecasts, errors, shares = charts(timeline)
    for place, chart in ((stacked[0], forecasts), (stacked[1], errors), (columns[1], shares)):
        axes = figure.add_subplot(place)
        if chart is not errors:
            axes.set_title(chart.title, pad=46 if chart is shares else 30)
        plot(axes, chart, handlelength=1.2, columnspacing=1.4)


def sections(timeline: ForecastTimeline) -> list[str]:
    """Return the page's sections on forecasts.

    timeline: at least one row.
    """
    forecasts, errors, shares = charts(timeline)
    mixed = "Each answer is mixed of these; what has erred less has a larger share."
    return [
        section(
            forecasts.title,
            f'<div id="forecasts">{charted(forecasts)}</div>',
            f'<div id="intervals">{charted(errors, height=2 / 3)}</div>',
        ),
        section(
            shares.title, paragraph(mixed, "faint"), f'<div id="shares">{charted(shares)}</div>'
        ),
    ]
