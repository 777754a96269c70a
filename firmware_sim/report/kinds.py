"""Charts that only one kind of labels has: forecasts over time, and answers by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.drawing.chart import FIRST, LEARNER, SECOND, TEXT, Chart, Mark, charted
from firmware_sim.drawing.document import paragraph, section
from firmware_sim.metrics import Multiclass
from firmware_sim.metrics.curve import ForecastTimeline
from firmware_sim.plaintext import printable

#: The experts with their names and colours, in the order of the stacked areas.
_EXPERTS = {
    "last": ("last value", FIRST),
    "head": ("linear on history", "#56b4e9"),
    "kernel": ("kernel", LEARNER),
}
#: Most classes with counts in the cells; more would be illegible.
_WRITTEN = 12
_LONGEST = 18


def timeline_charts(timeline: ForecastTimeline) -> tuple[Chart, Chart, Chart]:
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
    forecasts, errors, shares = timeline_charts(timeline)
    for place, chart in ((stacked[0], forecasts), (stacked[1], errors), (columns[1], shares)):
        axes = figure.add_subplot(place)
        if chart is not errors:
            axes.set_title(chart.title, pad=46 if chart is shares else 30)
        plot(axes, chart, handlelength=1.2, columnspacing=1.4)


def timeline_sections(timeline: ForecastTimeline) -> list[str]:
    """Return the page's sections on forecasts.

    timeline: at least one row.
    """
    forecasts, errors, shares = timeline_charts(timeline)
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


def draw_classes(figure: Any, metrics: Multiclass) -> None:
    """Draw the confusion matrix on the left, precision, recall and F1 of each class on the right.

    figure: an empty figure.
    metrics: metrics of at least one row.
    """
    confusion, classes = figure.subplots(1, 2, width_ratios=(1.2, 1))
    figure.subplots_adjust(left=0.16, right=0.975, bottom=0.17, top=0.9, wspace=0.5)
    names = [_short(name) for name in metrics.names]
    places = np.arange(len(names))
    counts = metrics.learner.counts
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    confusion.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    confusion.set_title("Answers by class, shares of each row", pad=10)
    confusion.set_xlabel("answered")
    confusion.set_ylabel("in the stream")
    small = {"fontsize": 10 if len(names) <= _WRITTEN else 6}
    confusion.set_xticks(places, names, rotation=30 if len(names) <= _WRITTEN else 90, **small)
    confusion.set_yticks(places, names, **small)
    if len(names) <= _WRITTEN:
        for i, j in np.ndindex(counts.shape):
            colour = "white" if shares[i, j] > 0.55 else TEXT
            confusion.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", color=colour)
    by_class = metrics.by_class()
    classes.barh(places, [one.f1 or 0.0 for one in by_class], 0.6, color=LEARNER, label="F1")
    for mark, what in (("|", "precision"), ("x", "recall")):
        values = [getattr(one, what) or 0.0 for one in by_class]
        classes.plot(values, places, mark, color=TEXT, markersize=9, label=what)
    macro = metrics.learner.macro_f1
    classes.set_title(
        f"F1 by class, mean {macro:.3f}" if macro is not None else "F1 by class", pad=30
    )
    classes.set_xlim(0.0, 1.0)
    classes.set_ylim(len(names) - 0.4, -0.6)
    rows = [f"{name}  ({one.support:,})" for name, one in zip(names, by_class, strict=True)]
    classes.set_yticks(places, rows, **small)
    classes.grid(axis="x")
    classes.legend(loc="lower left", bbox_to_anchor=(-0.03, 0.995), ncols=3)


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"
