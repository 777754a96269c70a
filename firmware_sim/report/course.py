"""Forecast, interval and truth of the last rows, and the shares of the candidates over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.drawing.svg import Frame, Plane, both, legend, round_numbers
from firmware_sim.metrics.course import Course

#: What the candidates are called, in the order in which bands lie on each other.
WORDS = {"last": "last value", "head": "linear on history", "kernel": "kernel"}
#: The classes of the page and the colours of the picture (Okabe and Ito).
_COLOURS = {"last": "#8C8C8C", "head": "#56B4E9", "kernel": "#0072B2"}
_TRUTH, _FORECAST = "#222B36", "#D55E00"
_SHOWN = "Forecast and truth, the last {:,} rows"
_OFF = "truth less forecast"
_MIXED = "Who answered when"

STYLE = """
polyline.truth{stroke:#222b36;stroke-width:1.6}polyline.forecast{stroke:#d55e00;stroke-width:1.2}
#forecasts polyline.truth{stroke-width:3;opacity:.45}
polygon.interval{fill:#d55e00;opacity:.2}
polygon.last{fill:#8c8c8c}polygon.head{fill:#56b4e9}polygon.kernel{fill:#0072b2}
.legend .truth{--c:#222b36}.legend .forecast{--c:#d55e00}.legend .interval{--c:#f6ddcc}
.legend .last{--c:#8c8c8c}.legend .head{--c:#56b4e9}.legend .kernel{--c:#0072b2}
"""


def draw_course(figure: Any, course: Course) -> None:
    """Draw the last forecasts on the left, the shares of the candidates on the right.

    figure: empty.
    course: with a row at least.
    """
    columns = figure.add_gridspec(
        1, 2, width_ratios=(1.55, 1), left=0.07, right=0.975, bottom=0.12, top=0.84, wspace=0.42
    )
    stacked = columns[0].subgridspec(2, 1, height_ratios=(1.3, 1), hspace=0.12)
    said = figure.add_subplot(stacked[0])
    off = figure.add_subplot(stacked[1], sharex=said)
    mixed = figure.add_subplot(columns[1])
    rows, recent = course.recent
    said.set_title(_SHOWN.format(len(rows)), pad=30)
    said.plot(rows, recent[:, 0], color=_TRUTH, linewidth=2.6, alpha=0.45, label="truth")
    said.plot(rows, recent[:, 1], color=_FORECAST, linewidth=1.2, label="forecast")
    said.set_xlim(rows[0], max(rows[-1], rows[0] + 1))
    said.tick_params(axis="x", labelbottom=False)
    ends = recent[:, 2:] - recent[:, 1:2]
    band = off.fill_between(rows, *ends.T, color=_FORECAST, alpha=0.2, linewidth=0)
    off.plot(rows, recent[:, 0] - recent[:, 1], color=_TRUTH, linewidth=1.2)
    low, high = _seen(recent)
    off.set_ylim(low, high)
    off.set_ylabel(_OFF)
    off.set_xlabel("row of the stream")
    mixed.set_title(_MIXED, pad=30)
    at, shares = course.shares()
    names = [name for name in WORDS if name in course.names]
    bands = [shares[:, course.names.index(name)] for name in names]
    colours = [_COLOURS[name] for name in names]
    mixed.stackplot(at, bands, colors=colours, labels=[WORDS[n] for n in names], linewidth=0)
    mixed.set_xlim(0, course.rows)
    mixed.set_ylim(0.0, 1.0)
    mixed.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    mixed.set_xlabel("row of the stream")
    for axes in (said, off):
        axes.grid(axis="y")
    for axes in (said, off, mixed):
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    handles, labels = said.get_legend_handles_labels()
    _name(said, [*handles, band], [*labels, "interval"])
    _name(mixed, *mixed.get_legend_handles_labels())


def _name(axes: Any, handles: list[Any], labels: list[str]) -> None:
    axes.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(-0.02, 0.99), ncols=3,
        handlelength=1.2, columnspacing=1.4,
    )  # fmt: skip


def _seen(recent: np.ndarray) -> tuple[float, float]:
    """What is shown of errors: nearly all of them and of the ends of intervals, 0 in between.

    An outlier, and the width of the intervals after it, would flatten everything else.
    """
    errors = recent[:, 0] - recent[:, 1]
    found = np.concatenate([errors, *(recent[:, 2:] - recent[:, 1:2]).T])
    found = found[np.isfinite(found)]
    low, high = np.quantile(found, [0.01, 0.99])
    reach = max(float(high), -float(low)) or 1.0
    return -1.3 * reach, 1.3 * reach


def sections(course: Course) -> list[str]:
    """Return what the page shows of forecasts.

    course: with a row at least.
    """
    rows, recent = course.recent
    names = [name for name in WORDS if name in course.names]
    mean = course.mean_shares()
    said = both(lambda frame: _said(rows, recent, frame))
    off = both(lambda frame: _off(rows, recent, frame._replace(height=2 * frame.height // 3)))
    return [
        f"<h2>{_SHOWN.format(len(rows))}</h2>",
        f'<div id="forecasts">{said}</div>',
        _legend([("truth", "truth"), ("forecast", "forecast")]),
        f'<div id="intervals">{off}</div>',
        _legend([("truth", _OFF), ("interval", "the interval that came with the forecast")]),
        f"<h2>{_MIXED}</h2>",
        '<p class="faint">Each answer is mixed of these; what has erred less has a larger share.'
        "</p>",
        f'<div id="shares">{both(lambda frame: _shares(course, names, frame))}</div>',
        _legend([(name, f"{WORDS[name]}, {100 * mean[name]:.0f} % in all") for name in names]),
    ]


def _legend(items: list[tuple[str, str]]) -> str:
    return legend((f'class="{kind}"', said) for kind, said in items)


def _plane(
    frame: Frame, rows: tuple[float, float], ends: tuple[float, float], *, percent: bool = False
) -> tuple[Plane, list[str]]:
    """Rows to the right and numbers upwards, both on plain scales; and their lines and marks."""
    first, last = float(rows[0]), max(float(rows[1]), float(rows[0]) + 1)
    low, high = ends
    plane = Plane(frame, (first, last), (low, high if high > low else low + 1.0))
    grid = plane.lines(round_numbers(plane.low, plane.high, 6), percent=percent)
    for row in round_numbers(first, last, max(3, frame.inner_width // 110)):
        grid.append(frame.below(plane.x(row), f"{row:,.0f}"))
    return plane, grid


def _said(rows: np.ndarray, recent: np.ndarray, frame: Frame) -> str:
    ends = float(recent[:, :2].min()), float(recent[:, :2].max())
    plane, grid = _plane(frame, (rows[0], rows[-1]), ends)
    kinds = enumerate(("truth", "forecast"))
    lines = [plane.line(f'class="{kind}"', rows, recent[:, at]) for at, kind in kinds]
    return frame.drawn("forecast and truth", [*grid, *lines])


def _off(rows: np.ndarray, recent: np.ndarray, frame: Frame) -> str:
    plane, parts = _plane(frame, (rows[0], rows[-1]), _seen(recent))
    known = np.isfinite(recent[:, 2])
    if known.any():
        ends = (recent[:, 2:] - recent[:, 1:2])[known]
        parts.append(plane.area('class="interval"', rows[known], ends[:, 0], ends[:, 1]))
    parts.append(plane.line('class="truth"', rows, recent[:, 0] - recent[:, 1]))
    return frame.drawn(_OFF, parts)


def _shares(course: Course, names: list[str], frame: Frame) -> str:
    at, shares = course.shares()
    plane, grid = _plane(frame, (0.0, course.rows), (0.0, 1.0), percent=True)
    parts, lower = [], np.zeros(len(at))
    for name in names:
        upper = np.minimum(lower + shares[:, course.names.index(name)], 1.0)
        parts.append(plane.area(f'class="{name}"', at, lower, upper))
        lower = upper
    return frame.drawn(_MIXED, [*parts, *grid])
