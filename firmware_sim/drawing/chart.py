"""Charts: their data, and how they are drawn on axes of matplotlib.

Making a chart does not need matplotlib; `drawing.pictures` gives it axes, for pages and for files.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

# Colours that colour-blind readers can distinguish (Okabe and Ito), also in grey.
LEARNER, FIRST, SECOND = "#0072b2", "#8c8c8c", "#d55e00"  # the learner and its baselines
BUFFER, SCALER, FREE, WARN = "#e69f00", "#009e73", "#e4e7eb", "#b00020"
TEXT, FAINT, GRID, PAPER = "#222b36", "#6b7785", "#edf0f3", "#fefefe"

#: Width of a band's note as a share of the axis; its maximum number of letters.
_NOTE_WIDTH, _LONGEST = 0.018, 60
#: Ticks of a narrow chart at round numbers, and most of those with dates, which are wider.
_NARROW_TICKS, _MAX_TICKS_NARROW = 4, 3


class Drawing(ABC):
    """Anything that draws itself on axes.

    title: its heading in a picture.
    height: its height relative to the usual one, without the legend.
    legend_rows: the number of names in its legend.
    compact: whether it needs only a narrow column of a picture.
    """

    title: str
    height: float = 1.0
    legend_rows: int = 0
    compact: bool = False

    @abstractmethod
    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw on axes without a title; `narrow` on a telephone and in a narrow column."""


class Mark(NamedTuple):
    """A line; an area, if it has ``low``; or a vertical band, if it has no ``y``."""

    name: str  # in the legend, once for all marks of the same name; empty: not in the legend
    colour: str
    x: Any
    y: Any = None
    low: Any = None
    width: float = 2.0
    dash: tuple[float, ...] = ()
    alpha: float = 1.0
    dots: bool = False  # whether its points are marked
    tooltip: str = ""  # of a band, shown by a page under the pointer
    points: str = ""  # the marker of points without a line
    note: str = ""  # of a band, written along it if there is space

    @property
    def depth(self) -> int:
        """0 for a band, 1 for an area, 2 for a line; higher ones are in front."""
        return 0 if self.y is None else 1 if self.low is not None else 2


#: What the axis of a chart against rows is called.
ROW_LABEL = "row of the stream"


@dataclass(frozen=True)
class Chart(Drawing):
    """Marks on two axes."""

    title: str
    marks: Sequence[Mark]  # the first ones are in front
    x_range: tuple[float, float]  # limits; values beyond them are clipped
    y_range: tuple[float, float]
    x_label: str = ROW_LABEL  # axis labels
    y_label: str = ""
    logarithmic: bool = False  # the vertical axis
    percent: bool = False
    x_ticks: Sequence[tuple[float, str]] = ()  # replaces the ticks at round numbers of rows
    height: float = 1.0
    compact: bool = False

    @property
    def legend_rows(self) -> int:  # type: ignore[override]
        """The number of names in its legend."""
        return len({mark.name for mark in self.marks if mark.name})

    def with_ticks(self, ticks: Sequence[tuple[float, str]]) -> Chart:
        """Return the chart with other ticks."""
        return replace(self, x_ticks=ticks)

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw the marks from back to front, the legend above them."""
        axes.set(xlim=self.x_range, ylim=self.y_range, xlabel=self.x_label, ylabel=self.y_label)
        self._scale(axes, _NARROW_TICKS if narrow else 6)
        handles = {}
        for mark in sorted(self.marks, key=lambda mark: -mark.depth)[::-1]:
            look: Any = {"color": mark.colour, "alpha": mark.alpha}
            if mark.y is None:
                shape = axes.axvspan(*mark.x, linewidth=1.0, **look)
                shape.set_gid(f"title:{mark.tooltip}" if mark.tooltip else None)
            elif mark.low is not None:
                ends = self._clipped(mark.low), self._clipped(mark.y)
                shape = axes.fill_between(mark.x, *ends, linewidth=0, **look)
            elif mark.points:
                look |= {"linestyle": "none", "marker": mark.points, "markersize": 7.0}
                (shape,) = axes.plot(mark.x, mark.y, clip_on=False, **look)
            else:
                dash = (0, [one / mark.width for one in mark.dash]) if mark.dash else "-"
                look |= {"linewidth": mark.width, "linestyle": dash, "marker": "o" * mark.dots}
                (shape,) = axes.plot(mark.x, mark.y, **look)
            handles[mark.name] = shape
        named = dict.fromkeys(mark.name for mark in self.marks if mark.name)
        legend(axes, [handles[name] for name in named], [*named], narrow=narrow)
        if not narrow:
            self._write_notes(axes)

    def _clipped(self, values: Any) -> np.ndarray:
        clipped: np.ndarray = np.clip(np.asarray(values, dtype=float), *self.y_range)
        return clipped

    def _scale(self, axes: Any, n_ticks: int) -> None:
        """Set scales, ticks and their labels."""
        from matplotlib import ticker

        if self.logarithmic:
            low, high = map(math.log10, self.y_range)
            steps = (1.0, 2.0, 5.0) if high - low < 3.5 else (1.0,)
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(ticker.LogLocator(subs=steps, numticks=99))
            axes.yaxis.set_minor_locator(ticker.NullLocator())
        else:
            axes.yaxis.set_major_locator(ticker.MaxNLocator(6, steps=(1, 2, 5, 10)))
        shown = (lambda y, _: f"{100 * y:g} %") if self.percent else (lambda y, _: f"{y:g}")
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(shown))
        axes.grid(axis="y")
        if self.x_ticks:
            every = -(-len(self.x_ticks) // _MAX_TICKS_NARROW) if n_ticks <= _NARROW_TICKS else 1
            axes.set_xticks(*zip(*self.x_ticks[::every], strict=True))
        else:
            axes.xaxis.set_major_locator(ticker.MaxNLocator(n_ticks, steps=(1, 2, 5, 10)))
            axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))

    def _write_notes(self, axes: Any) -> None:
        """Write each band's note vertically, if there is space next to the previous one."""
        rows = self.x_range[1] - self.x_range[0]
        previous = -math.inf
        for mark in self.marks:
            if not mark.note or mark.x[0] - previous < _NOTE_WIDTH * rows:
                continue
            previous = mark.x[0]
            text = mark.note if len(mark.note) <= _LONGEST else mark.note[:_LONGEST] + "..."
            axes.text(
                *(previous, 0.055, text), color=WARN, fontsize="x-small", rotation=90,
                ha="center", va="bottom", clip_on=True, transform=axes.get_xaxis_transform(),
                bbox={"facecolor": PAPER, "alpha": 0.75, "linewidth": 0, "pad": 0.5},
            ).set_in_layout(False)  # fmt: skip


def legend(axes: Any, handles: Sequence[Any], names: Sequence[str], *, narrow: bool) -> None:
    """Put a legend above the axes: in one column on a telephone, else in two."""
    if handles:
        place: Any = {"loc": "lower left", "bbox_to_anchor": (-0.01, 0.995)}
        axes.legend(handles, names, ncols=1 if narrow else 2, **place)
