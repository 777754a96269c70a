"""Draws the pictures of the tutorial and of forecasting: ``python docs/pictures.py``."""

from __future__ import annotations

import csv
import lzma
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import matplotlib as mpl
import numpy as np

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.drawing.pictures import draw
from firmware_sim.report import report_of

mpl.use("Agg")

from matplotlib import pyplot as plt

FOLDER = Path(__file__).parent
SENSORS = {
    "temperature_degC": "temperature (°C)",
    "humidity_pct": "humidity (%)",
    "light_lux": "light (lux)",
    "co2_ppm": "CO2 (ppm)",
}
INK, PALE, SHADE = "#1f4e79", "#8a8a8a", "#f3d9b1"

text = lzma.decompress((files("firmware_sim.data") / "occupancy.csv.xz").read_bytes()).decode()
table = list(csv.DictReader(text.splitlines()))
X = np.array([[float(row[name]) for name in SENSORS] for row in table])
y = np.array([1.0 if row["occupied"] == "1" else -1.0 for row in table])


def data() -> None:
    """Three days of the sensors."""
    rows = slice(0, 3 * 24 * 60)
    hours = np.arange(rows.stop) / 60.0
    figure, axes = plt.subplots(4, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for axis, (title, column) in zip(axes, zip(SENSORS.values(), X.T, strict=True), strict=True):
        axis.plot(hours, column[rows], color=INK, linewidth=0.9)
        axis.fill_between(
            hours, 0, 1, where=y[rows] > 0, color=SHADE, transform=axis.get_xaxis_transform()
        )
        axis.set_ylabel(title, fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("hours since the first row")
    figure.savefig(FOLDER / "tutorial-data.png", dpi=110)


def error() -> None:
    """Wrong answers so far, by memory."""
    figure, axis = plt.subplots(figsize=(8, 3.4), layout="constrained")
    seen = np.arange(1, len(y) + 1)
    lines = {"1 KiB": "#9ec5e8", "4 KiB": INK, "16 KiB": "#0b1f33"}
    for ram, colour in lines.items():
        learner = ek.Learner(n_features=X.shape[1], ram=ram.replace(" ", ""))
        wrong = ((learner.learn_many(X, y) >= 0) != (y > 0)).cumsum()  # as the simulator counts
        axis.plot(seen, 100.0 * wrong / seen, color=colour, label=f"{ram}: {wrong[-1]} wrong")
    last = np.concatenate(([0], (y[1:] != y[:-1]).cumsum()))
    axis.plot(seen, 100.0 * last / seen, "--", color=PALE, label=f"last label: {last[-1]} wrong")
    axis.set(ylim=(0.0, 3.0), xlabel="rows", ylabel="% wrong so far")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    figure.savefig(FOLDER / "tutorial-error.png", dpi=110)


def forecast() -> None:
    """The report of a forecast with a path: the first of its charts."""
    config = fs.ReplayConfig(
        "house",
        forecast="temperature_comedor_sensor",
        horizon="6h",
        path=True,
        ram="256KiB",
    )
    report = report_of(fs.replay(config))
    shown = [one for one in report.sections if one.name in ("path", "horizons")]
    title = "A room's temperature, six hours ahead"
    headline = "24 forecasters, one a horizon, in 256 KiB together; the season, a day, was found."
    report = replace(report, sections=shown, notes=[], title=title, headline=headline)
    draw(report, FOLDER / "forecasting.png")


if __name__ == "__main__":
    data()
    error()
    forecast()
