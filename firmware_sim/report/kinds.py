"""Pictures that only some kinds of labels have, drawn by the type of their data."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np

from firmware_sim.drawing.chart import LEARNER, PAPER, TEXT, Chart, Drawing, legend
from firmware_sim.drawing.document import Section
from firmware_sim.metrics.base import Bars, Calendar, Matrix, Panel
from firmware_sim.plaintext import printable
from firmware_sim.replaying.result import ReplayResult

#: Most classes with counts in the cells; more would be illegible.
_WRITTEN = 12
_LONGEST = 18
#: Most weeks of a calendar, on a telephone; fewest; most with counts in the cells.
_WEEKS, _NARROW_WEEKS, _FEWEST_WEEKS, _WRITTEN_WEEKS = 53, 20, 12, 53


def sections_of_kind(result: ReplayResult) -> list[Section]:
    """Return the sections with the pictures of this kind of labels."""
    sections: list[Section] = []
    charts: dict[str, Drawing] = {}
    rows = None
    for panel in result.metrics.panels(result.stream.features):
        chart = _drawing(panel)
        same = isinstance(chart, Chart) and chart.x_range == rows  # another view of the same rows
        charts = {**charts, panel.name: chart} if same else {panel.name: chart}
        first = sections.pop() if same else Section("", panel.title, panel.about)
        sections.append(replace(first, charts=charts))
        rows = chart.x_range if isinstance(chart, Chart) else None
    return sections


def _drawing(panel: Panel) -> Drawing:
    if isinstance(panel.data, Matrix):
        return MatrixChart(panel.title, panel.data)
    if isinstance(panel.data, Calendar):
        return CalendarChart(panel.title, panel.data)
    return BarChart(panel.title, panel.data) if isinstance(panel.data, Bars) else panel.data


class MatrixChart(Drawing):
    """Counts as colours: their shares of each row."""

    height = 1.4

    def __init__(self, title: str, matrix: Matrix) -> None:
        self.title, self._matrix = title, matrix

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw a cell for each count."""
        names, counts = [*map(_short, self._matrix.names)], self._matrix.counts
        places, few = np.arange(len(names)), len(names) <= _WRITTEN
        shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        y_label, x_label = self._matrix.axes
        axes.set(xlabel=x_label, ylabel=y_label)
        small = {"fontsize": "medium" if few else "xx-small"}
        axes.set_xticks(places, names, rotation=30 if few and not narrow else 90, **small)
        axes.set_yticks(places, names, **small)
        for i, j in np.ndindex(counts.shape) if few else ():
            colour = "white" if shares[i, j] > 0.55 else "black"
            axes.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", color=colour)


class BarChart(Drawing):
    """A bar for each name, and marks on it."""

    compact = True

    def __init__(self, title: str, bars: Bars) -> None:
        self.title, self._bars = title, bars
        self.legend_rows = len(bars.series)
        self.height = 0.4 + 0.09 * min(len(bars.names), 2 * _WRITTEN)

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw the first series as bars, the others as marks."""
        places = np.arange(len(self._bars.names))
        (_, values), *others = self._bars.series.items()
        handles = [axes.barh(places, values, 0.6, color=LEARNER, alpha=0.4)]
        for mark, (_, numbers) in zip("|x+", others, strict=False):
            handles += axes.plot(numbers, places, mark, color=TEXT, markersize=9)
        axes.set(xlim=(0.0, 1.0), ylim=(len(places) - 0.4, -0.6))
        each = zip(self._bars.names, self._bars.rows, strict=True)
        rows = [f"{_short(name)}  ({n:,})" for name, n in each]
        small = {"fontsize": "medium" if len(rows) <= _WRITTEN else "xx-small"}
        axes.set_yticks(places, rows, **small)
        axes.grid(axis="x")
        legend(axes, handles, [*self._bars.series], narrow=narrow)


class CalendarChart(Drawing):
    """A cell for each day: its colour is the count; days without rows are left out."""

    height = 0.7

    def __init__(self, title: str, calendar: Calendar) -> None:
        self.title, self._days = title, calendar.days

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw a column for each week, a line for each day of it."""
        most = _NARROW_WEEKS if narrow else _WEEKS
        # The first of January 1970 was a Thursday.
        weeks = {day: (day + 3) // 7 for day in self._days}
        last = max(weeks.values())
        first = max(min(weeks.values()), last - most + 1)
        counts = np.full((7, max(last - first + 1, _FEWEST_WEEKS)), np.nan)
        for day, week in weeks.items():
            if week >= first:
                counts[(day + 3) % 7, week - first] = self._days[day]
        greatest = max(1.0, float(np.nanmax(counts)))
        axes.imshow(counts, cmap="OrRd", vmin=0.0, vmax=1.3 * greatest, aspect="auto")
        axes.set_yticks(range(7), ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
        step = max(1, -(-counts.shape[1] // (2 if narrow else 6)))
        places = [*range(0, last - first + 1, step)]
        days = [date(1970, 1, 1) + timedelta(days=7 * (first + at) - 3) for at in places]
        axes.set_xticks(places, [f"{day:%d %b %y}" for day in days])
        axes.set_xticks(np.arange(-0.5, counts.shape[1]), minor=True)
        axes.set_yticks(np.arange(-0.5, 7), minor=True)
        axes.grid(which="minor", color=PAPER, linewidth=2.0)
        axes.grid(which="major", visible=False)
        axes.tick_params(which="minor", length=0)
        for (line, column), count in np.ndenumerate(counts):
            if count > 0.0 and counts.shape[1] <= _WRITTEN_WEEKS:
                colour = "white" if count > 0.75 * greatest else TEXT
                axes.text(
                    column, line, f"{count:.0f}", ha="center", va="center", color=colour,
                    fontsize="small",
                )  # fmt: skip


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"
