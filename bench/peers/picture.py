"""Accuracy against time a row: a panel for each stream and mode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.drawing import figure_of, save
from bench.peers.conclusions import Entry
from bench.peers.models import BULK, ROW

OURS, THEIRS = "#0072B2", "#D55E00"
MARKERS = {
    **{"edgeolk": "o", "numpy": "X", "scikit-learn": "s", "river": "^"},
    **{"vowpal wabbit": "D", "dlib": "P"},
}
SHORTER = {
    **{"edgeolk: ": "", "scikit-learn: ": "", "river: ": "", "dlib: ": "", "vowpal wabbit: ": ""},
    **{"numpy: rbp": "rbp", " + SGD": "", " + LogisticRegression": "", "Classifier": ""},
    **{"RBFSampler": "RBF", "LogisticRegression": "logistic", ", sparse rows": " sparse"},
}
#: Points of accuracy shown below the best; worse ones are drawn at the lower edge.
DEPTH = {"a9a": 12.0, "occupancy": 3.0}
#: Places of a label around its point, in points: right, left, above, below, and further away.
PLACES = [
    (x, y)
    for far in (0, 8, 17, 26, 36, 48, 60, 75)
    for x, y in (
        *((6, far), (6, -far), (-6, far), (-6, -far), (0, far + 6), (0, -far - 6)),
        *((25, far + 6), (25, -far - 6), (-25, far + 6), (-25, -far - 6)),
    )
]


def label(entry: Entry) -> str:
    """A short name; the marker tells the library."""
    words = entry.name
    for long, short in SHORTER.items():
        words = words.replace(long, short)
    return words


def draw(entries: Sequence[Entry], path: Path) -> None:
    """Draw and save."""
    streams = list(dict.fromkeys(entry.data for entry in entries))
    figure, panels = figure_of(2, len(streams), (7.4 * len(streams), 12.5))
    for i, axes in enumerate(panels):
        data, mode = streams[i % len(streams)], (ROW, BULK)[i // len(streams)]
        own = [e for e in entries if (e.data, e.mode) == (data, mode)]
        _panel(axes, own, DEPTH[data])
        axes.set_title(f"{data}, {mode}")
    for library, marker in MARKERS.items():
        if any(entry.library == library for entry in entries):
            colour = OURS if library == "edgeolk" else THEIRS
            panels[0].plot([], [], marker, color=colour, ms=7, label=library)
    panels[0].plot([], [], "o", mfc="none", mec="0.3", ms=7, label="hollow: stopped early")
    panels[0].plot([], [], "v", color="0.3", ms=7, label="on the lower edge: worse than shown")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4, frameon=False)
    figure.draw_without_rendering()
    for axes in panels:
        _place(axes, figure.canvas.get_renderer())
    figure.set_layout_engine("none")
    save(figure, path, colours=64)


def _panel(axes: Any, entries: Sequence[Entry], depth: float) -> None:
    top = max(entry.accuracy for entry in entries)
    rows = max(entry.rows for entry in entries)
    floor = max(min(entry.accuracy for entry in entries), top - depth)
    axes.set_ylim(floor - 0.06 * (top - floor), top + 0.15 * (top - floor))
    axes.set_xscale("log")
    times = [entry.us for entry in entries]
    axes.set_xlim(min(times) / 2.0, max(times) * 2.5)
    axes.points = []
    for entry in entries:
        colour = OURS if entry.library == "edgeolk" else THEIRS
        y = max(entry.accuracy, floor)
        marker = MARKERS[entry.library] if y == entry.accuracy else "v"
        face = colour if entry.rows == rows else "none"
        axes.plot(entry.us, y, marker, color=colour, mfc=face, ms=7)
        axes.points.append((entry.us, y, label(entry), colour))
    axes.set_xlabel("microseconds a row (log)")
    axes.set_ylabel("accuracy, % of rows answered before they were learned")


def _place(axes: Any, renderer: Any) -> None:
    """Place the labels where they overlap nothing."""
    from matplotlib.transforms import Bbox

    at = [axes.transData.transform(point[:2]) for point in axes.points]
    taken = [Bbox.from_bounds(x - 5, y - 5, 10, 10) for x, y in at]
    panel = axes.get_window_extent(renderer)
    for x, y, words, colour in sorted(axes.points, key=lambda point: -point[1]):
        for dx, dy in PLACES:
            style = {
                "textcoords": "offset points",
                "ha": "left" if dx > 0 else "right" if dx < 0 else "center",
                "va": "center" if dx else "bottom" if dy > 0 else "top",
                "fontsize": 8,
                "color": colour,
            }
            text = axes.annotate(words, (x, y), (dx, dy), **style)
            box = text.get_window_extent(renderer)
            inside = panel.contains(box.x0, box.y0) and panel.contains(box.x1, box.y1)
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                if abs(dx) + abs(dy) > 14:  # far away: with a line to the point
                    line = {"arrowstyle": "-", "lw": 0.5, "color": colour, "shrinkB": 3}
                    axes.annotate("", (x, y), (dx, dy), arrowprops=line, **style)
                break
            text.remove()
