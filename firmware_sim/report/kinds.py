"""Charts that only one kind of labels has: forecasts over time, and answers by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.drawing.chart import FIRST, LEARNER, SECOND, TEXT, Chart, Drawing, Mark, legend
from firmware_sim.drawing.document import Section
from firmware_sim.metrics import Multiclass, Regression
from firmware_sim.metrics.curve import ForecastTimeline
from firmware_sim.plaintext import printable
from firmware_sim.replaying.result import ReplayResult

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
        Chart(
            *("Target minus forecast", errors, x_range, (-1.3 * half_width, 1.3 * half_width)),
            height=2 / 3,
        ),
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
    ranges = (0, timeline.rows), (0.0, 1.0)
    return Chart("Expert weights over time", marks, *ranges, percent=True, compact=True)


def sections_of_kind(result: ReplayResult) -> list[Section]:
    """Return the sections with the charts of this kind of labels."""
    metrics = result.metrics
    if isinstance(metrics, Regression) and metrics.timeline.rows:
        forecasts, errors, shares = timeline_charts(metrics.timeline)
        mixed = "Each answer is mixed of these; what has erred less has a larger share."
        return [
            Section("", forecasts.title, "", {"forecasts": forecasts, "intervals": errors}),
            Section("", shares.title, mixed, {"shares": shares}),
        ]
    if isinstance(metrics, Multiclass) and metrics.rows:
        scores = ClassScores(metrics)
        return [
            Section("", ConfusionChart.title, "", {"matrix": ConfusionChart(metrics)}),
            Section("", scores.title, "", {"scores": scores}),
        ]
    return []


class ConfusionChart(Drawing):
    """The confusion matrix in colours."""

    title = "Answers by class, shares of each row"
    height = 1.4

    def __init__(self, metrics: Multiclass) -> None:
        self._metrics = metrics

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw a cell for each class of the stream and each answer."""
        names = [_short(name) for name in self._metrics.names]
        places, few = np.arange(len(names)), len(names) <= _WRITTEN
        counts = self._metrics.learner.counts
        shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        axes.set(xlabel="answered", ylabel="in the stream")
        small = {"fontsize": "medium" if few else "xx-small"}
        axes.set_xticks(places, names, rotation=30 if few and not narrow else 90, **small)
        axes.set_yticks(places, names, **small)
        for i, j in np.ndindex(counts.shape) if few else ():
            colour = "white" if shares[i, j] > 0.55 else "black"
            axes.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", color=colour)


class ClassScores(Drawing):
    """Precision, recall and F1 of each class."""

    legend_rows = 3
    compact = True

    def __init__(self, metrics: Multiclass) -> None:
        self._metrics = metrics
        macro = metrics.learner.macro_f1
        self.title = "F1 by class" if macro is None else f"F1 by class, mean {macro:.3f}"
        self.height = 0.4 + 0.09 * min(len(metrics.names), 2 * _WRITTEN)

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw a bar for each F1, and marks."""
        by_class = self._metrics.by_class()
        places = np.arange(len(by_class))
        f1 = [one.f1 or 0.0 for one in by_class]
        handles = [axes.barh(places, f1, 0.6, color=LEARNER, alpha=0.4)]
        for mark, what in (("|", "precision"), ("x", "recall")):
            values = [getattr(one, what) or 0.0 for one in by_class]
            handles += axes.plot(values, places, mark, color=TEXT, markersize=9)
        axes.set(xlim=(0.0, 1.0), ylim=(len(places) - 0.4, -0.6))
        rows = [f"{_short(one.name)}  ({one.support:,})" for one in by_class]
        small = {"fontsize": "medium" if len(rows) <= _WRITTEN else "xx-small"}
        axes.set_yticks(places, rows, **small)
        axes.grid(axis="x")
        legend(axes, handles, ["F1", "precision", "recall"], narrow=narrow)


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"
