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
TARGET = "temperature_comedor_sensor"
SHOWN = {
    TARGET: "dining room (°C)",
    "temperature_exterior_sensor": "outside (°C)",
    "meteo_exterior_piranometro": "sun (W/m²)",
    "co2_comedor_sensor": "CO2 (ppm)",
}
INK, PALE, SHADE = "#1f4e79", "#8a8a8a", "#c9a227"
DAY, AHEAD = 96, 8  # rows

text = lzma.decompress((files("firmware_sim.data") / "house.csv.xz").read_bytes()).decode()
table = list(csv.DictReader(text.splitlines()))
SENSORS = [name for name in table[0] if name not in ("datetime", TARGET)]
X = np.array([[float(row[name]) for name in SENSORS] for row in table])
y = np.array([float(row[TARGET]) for row in table])


def data() -> None:
    """Four days of the room and three sensors."""
    rows = slice(0, 4 * DAY)
    days = np.arange(rows.stop) / DAY
    figure, axes = plt.subplots(4, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for axis, (name, title) in zip(axes, SHOWN.items(), strict=True):
        axis.plot(days, [float(row[name]) for row in table[rows]], color=INK, linewidth=0.9)
        axis.set_ylabel(title, fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("days since the first row")
    figure.savefig(FOLDER / "tutorial-data.png", dpi=110)


def error() -> None:
    """Mean error of four days, two hours ahead."""
    learner = ek.Learner(
        n_features=X.shape[1], ram="4KiB", loss="square", history=True, horizon=AHEAD
    )
    forecast = np.full(len(y) + AHEAD, np.nan)
    for _ in range(AHEAD):
        learner.ask_one(np.full(X.shape[1], np.nan))
    for now in range(len(y)):
        learner.tell_one(y[now])
        forecast[now + AHEAD] = learner.ask_one(X[now])
    known = np.arange(AHEAD + 1, len(y))
    last = y[known - AHEAD]
    answers = {
        "no change": (last, PALE, "--"),
        "same change": (last + AHEAD * (last - y[known - AHEAD - 1]), SHADE, "--"),
        "forecast in 4 KiB": (forecast[known], INK, "-"),
    }
    figure, axis = plt.subplots(figsize=(8, 3.4), layout="constrained")
    for name, (answer, colour, style) in answers.items():
        sums = np.abs(answer - y[known]).cumsum()
        misses = (sums[4 * DAY :] - sums[: -4 * DAY]) / (4 * DAY)
        axis.plot(known[4 * DAY :] / DAY, misses, style, color=colour, label=name)
    axis.set(xlim=(0.0, None), ylim=(0.0, 1.2), xlabel="days", ylabel="mean error (°C)")
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
