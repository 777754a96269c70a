"""Error against bytes: what a narrower support vector buys at equal RAM, on real streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import edgeolk as ek
from bench.datasets import WIDTH_ROWS, sensors
from bench.drawing import COLOURS, figure_of, save
from bench.table import Table
from firmware_sim.device.planning import choose_width

DTYPES = ("float64", "float32", "float16", "int8")
RAMS = (4, 16, 64)  # KiB
ALGORITHMS = ("bpa_s", "rbp", "ahpatron")
#: Streams, and their columns that are no readings.
STREAMS = {
    "occupancy.csv.xz": ("datetime",),
    "elec2.csv.gz": ("date",),
    "insects_gradual.csv.gz": ("class_code",),
}
Result = dict[tuple[str, str, int, str], tuple[float, int] | None]


def measure() -> tuple[Result, list[str]]:
    """Prequential error and budget of every combination, and what was skipped."""
    result: Result = {}
    skipped: list[str] = []
    for filename, leave in STREAMS.items():
        try:
            X, y = sensors(filename, leave)
        except FileNotFoundError as missing:
            skipped.append(str(missing))
            continue
        stream = filename.partition(".")[0]
        kernel = ek.Gaussian(choose_width(X[WIDTH_ROWS]).gamma)
        for name in ALGORITHMS:
            for ram in RAMS:
                for dtype in DTYPES:
                    result[stream, name, ram, dtype] = one(name, X, y, kernel, ram, dtype)
    return result, skipped


def one(name: str, X: Any, y: Any, kernel: Any, ram: int, dtype: str) -> tuple[float, int] | None:
    """Error and budget; None where not even the smallest model fits."""
    try:
        learner = ek.Learner(
            name, n_features=X.shape[1], ram=1024 * ram, kernel=kernel, scale=None, dtype=dtype
        )
    except ValueError:
        return None
    wrong = np.where(learner.learn_many(X, y) >= 0, 1.0, -1.0) != y
    return float(np.mean(wrong)), learner.budget


def table(result: Result, skipped: list[str]) -> Table:
    """Errors in percent with budgets in brackets."""
    lines = []
    for stream, name, ram in dict.fromkeys(key[:3] for key in result):
        cells = [result[stream, name, ram, dtype] for dtype in DTYPES]
        shown = ["does not fit" if c is None else f"{100 * c[0]:.2f} ({c[1]:,})" for c in cells]
        lines.append([stream, name, f"{ram} KiB", *shown])
    note = (
        "Prequential error in percent, and the budget that fits, in the same RAM for the learner."
        " Readings standardised as they come, Gaussian kernel of the median width, default"
        " parameters; int8 levels from -4 to 4."
    )
    note += "".join(f" Skipped {reason}." for reason in skipped)
    title = "Error against bytes, by storage type"
    return Table(title, ["stream", "algorithm", "RAM", *DTYPES], lines, note, left=2)


def draw(result: Result, path: Path) -> None:
    """A panel for each stream and algorithm."""
    streams = list(dict.fromkeys(key[0] for key in result))
    figure, panels = figure_of(len(streams), len(ALGORITHMS), (11.0, 2.75 * len(streams) + 0.7))
    for i, axes in enumerate(panels):
        stream, name = streams[i // len(ALGORITHMS)], ALGORITHMS[i % len(ALGORITHMS)]
        for dtype in DTYPES:
            found = [(ram, result[stream, name, ram, dtype]) for ram in RAMS]
            points = [(ram, 100 * cell[0]) for ram, cell in found if cell is not None]
            if points:
                axes.plot(
                    *zip(*points, strict=True), "o-", color=COLOURS[dtype], lw=2, ms=5, label=dtype
                )
        axes.set_xscale("log", base=2)
        axes.set_xticks(RAMS, [f"{ram} KiB" for ram in RAMS])
        axes.minorticks_off()
        axes.set_ylim(0, 1.08 * axes.get_ylim()[1])  # no difference must look like none
        axes.set_title(f"{stream}: {name}")
        if i % len(ALGORITHMS) == 0:
            axes.set_ylabel("error, %")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(DTYPES), frameon=False)
    save(figure, path)
