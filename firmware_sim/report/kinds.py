"""Pictures that only some kinds of labels have, drawn by the type of their data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from firmware_sim.drawing.chart import LEARNER, TEXT, Chart, charted
from firmware_sim.drawing.document import paragraph, section
from firmware_sim.metrics.base import Bars, Matrix, Panel
from firmware_sim.plaintext import printable

#: Most classes with counts in the cells; more would be illegible.
_WRITTEN = 12
_LONGEST = 18


def height_of(panels: Sequence[Panel]) -> float:
    """Return the inches that panels take in a picture."""
    return 6.0 if any(isinstance(one.data, Matrix) for one in panels) else 5.0


def draw_panels(figure: Any, panels: Sequence[Panel]) -> None:
    """Draw charts on the left above each other, the last one on the right; or other data.

    figure: an empty figure.
    panels: at least one.
    """
    charts = [one.data for one in panels if isinstance(one.data, Chart)]
    if charts:
        _draw_charts(figure, charts)
        return
    figure.subplots_adjust(left=0.16, right=0.975, bottom=0.17, top=0.9, wspace=0.5)
    places = figure.subplots(1, len(panels), width_ratios=(1.2, *(1,) * (len(panels) - 1)))
    for axes, one in zip(np.atleast_1d(places), panels, strict=True):
        if isinstance(one.data, Matrix):
            axes.set_title(one.title, pad=10)
            _draw_matrix(axes, one.data)
        elif isinstance(one.data, Bars):
            axes.set_title(one.title, pad=30)
            _draw_bars(axes, one.data)


def _draw_charts(figure: Any, charts: Sequence[Chart]) -> None:
    from firmware_sim.drawing.pictures import plot  # needs matplotlib; a page does not

    columns = figure.add_gridspec(
        1, 2, width_ratios=(1.55, 1), left=0.07, right=0.975, bottom=0.12, top=0.84, wspace=0.42
    )
    *left, right = charts
    heights = (1.3, *(1,) * (len(left) - 1))
    stacked = columns[0].subgridspec(len(left), 1, height_ratios=heights, hspace=0.55)
    for at, chart in enumerate(charts):
        axes = figure.add_subplot(columns[1] if chart is right else stacked[at])
        if at == 0 or chart is right:
            axes.set_title(chart.title, pad=46 if chart is right else 30)
        plot(axes, chart, handlelength=1.2, columnspacing=1.4)


def panel_sections(panels: Sequence[Panel]) -> list[str]:
    """Return the page's sections with charts; other data are in its tables."""
    drawn: dict[str, list[str]] = {}
    for at, one in enumerate(panels):
        if isinstance(one.data, Chart):
            # A second chart of the same rows is lower, without a heading of its own.
            low = at > 0 and one.data.x_range == panels[at - 1].data.x_range  # type: ignore[union-attr]
            title = [*drawn][-1] if low else one.title
            height = {"height": 2 / 3} if low else {}
            drawn.setdefault(title, []).extend(filter(None, [paragraph(one.about, "faint")]))
            drawn[title].append(f'<div id="{one.name}">{charted(one.data, **height)}</div>')
    return [section(title, *parts) for title, parts in drawn.items()]


def _draw_matrix(axes: Any, matrix: Matrix) -> None:
    """Draw the shares of each row."""
    names = [_short(name) for name in matrix.names]
    places, counts = np.arange(len(names)), matrix.counts
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    axes.set_ylabel(matrix.axes[0])
    axes.set_xlabel(matrix.axes[1])
    small = {"fontsize": 10 if len(names) <= _WRITTEN else 6}
    axes.set_xticks(places, names, rotation=30 if len(names) <= _WRITTEN else 90, **small)
    axes.set_yticks(places, names, **small)
    if len(names) <= _WRITTEN:
        for i, j in np.ndindex(counts.shape):
            colour = "white" if shares[i, j] > 0.55 else TEXT
            axes.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", color=colour)


def _draw_bars(axes: Any, bars: Bars) -> None:
    """Draw the first series as bars, the others as marks."""
    places = np.arange(len(bars.names))
    (first, values), *others = bars.series.items()
    axes.barh(places, values, 0.6, color=LEARNER, label=first)
    for mark, (what, numbers) in zip("|x+", others, strict=False):
        axes.plot(numbers, places, mark, color=TEXT, markersize=9, label=what)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(len(places) - 0.4, -0.6)
    rows = [f"{_short(name)}  ({n:,})" for name, n in zip(bars.names, bars.rows, strict=True)]
    axes.set_yticks(places, rows, fontsize=10 if len(rows) <= _WRITTEN else 6)
    axes.grid(axis="x")
    axes.legend(loc="lower left", bbox_to_anchor=(-0.03, 0.995), ncols=3)


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"
