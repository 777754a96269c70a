"""Pictures and figures of the page on drift: ``PYTHONPATH=. python docs/drift_pictures.py``."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import edgeolk as ek
from bench.drift.streams import STREAMS, Drifting
from firmware_sim.metrics.curve import WINDOW, recovery

mpl.use("Agg")

from matplotlib import pyplot as plt

FOLDER = Path(__file__).parent / "drift"
ROWS, FROZEN, RAM = 20_000, 1_000, "4KiB"
NAMES = (
    *("stationary", "flipped", "recurring", "moved", "gain", "stuck", "replaced", "drawer"),
    *("bursts", "missing", "centres"),
)
#: What learns: how it is drawn, and what it is made of.
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "default": ("#1f4e79", {}),
    "drift=False": ("#e69f00", {"drift": False}),
    "ring (bpa_s)": ("#009e73", {"algorithm": "bpa_s", "scale": "standard", "gamma": "auto"}),
}


def answers(stream: Drifting, **options: Any) -> tuple[np.ndarray, ek.Learner, list[int]]:
    """Which rows were answered wrongly, the learner, and where its alarm rang."""
    name = options.pop("algorithm", None)
    learner = ek.Learner(name, n_features=stream.X.shape[1], ram=RAM, **options)
    wrong, rang = np.empty(len(stream.y)), []
    for first in range(0, len(stream.y), 50):
        part, before = slice(first, first + 50), learner.alarms
        wrong[part] = learner.learn_many(stream.X[part], stream.y[part]) * stream.y[part] <= 0.0
        rang += [first + 50] if learner.alarms > before else []
    return wrong, learner, rang


def frozen(stream: Drifting) -> np.ndarray:
    """Wrong answers of the default learner that knows the first rows."""
    learner = ek.Learner(n_features=stream.X.shape[1], ram=RAM)
    wrong = np.empty(len(stream.y))
    X, y = stream.X, stream.y
    wrong[:FROZEN] = learner.learn_many(X[:FROZEN], y[:FROZEN]) * y[:FROZEN] <= 0.0
    wrong[FROZEN:] = learner.decision_function(X[FROZEN:]) * y[FROZEN:] <= 0.0
    return wrong


def windowed(wrong: np.ndarray) -> np.ndarray:
    total = np.concatenate(([0.0], np.cumsum(wrong)))
    return np.asarray((total[WINDOW:] - total[:-WINDOW]) / WINDOW)


def told(stream: Drifting, wrong: np.ndarray) -> str:
    """Error behind the first change, or of all rows, and rows until recovery."""
    first = stream.changes[0] if stream.changes else 0
    back = [recovery(wrong, *part) for part in pairwise((*stream.changes, len(wrong)))]
    rows = ", ".join("never" if n is None else f"{n:,}" for n in back)
    return f"{100.0 * wrong[first:].mean():.1f} %" + (f" ({rows})" if back else "")


def draw(name: str, stream: Drifting) -> list[str]:
    """The picture of a stream; a line of the table."""
    figure, axis = plt.subplots(figsize=(7, 2.3), layout="constrained")
    lines = []
    for label, (colour, options) in LEARNERS.items():
        wrong, learner, rang = answers(stream, **options)
        at = np.arange(WINDOW, len(wrong) + 1)
        axis.plot(at, 100.0 * windowed(wrong), color=colour, label=label, linewidth=1.1)
        for row in rang:
            axis.axvline(row, color=colour, linestyle=":", linewidth=1.0)
        lines.append(told(stream, wrong) + (f", {learner.alarms} alarms" if learner.alarms else ""))
    wrong = frozen(stream)
    axis.plot(at, 100.0 * windowed(wrong), color="#8a8a8a", label="frozen", linewidth=0.9)
    lines.append(told(stream, wrong))
    for row in stream.changes:
        axis.axvline(row, color="#d55e00", linewidth=0.8, alpha=0.6)
    axis.set(ylim=(0.0, None), xlabel="rows", ylabel=f"% wrong of {WINDOW}")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=7, ncols=4, loc="upper left")
    figure.savefig(FOLDER / f"{name}.png", dpi=90)
    plt.close(figure)
    return [name, *lines]


def rare() -> None:
    """One row of 1,000 is of the class +1: weights, and thresholds on the score."""
    draws = np.random.default_rng(20)
    X = draws.normal(size=(60_000, 10))
    y = np.where((X[:, 0] + X[:, 1] > 2.2) & (X[:, 2] > 1.2), 1.0, -1.0)
    keep = (y < 0.0) | (draws.random(len(y)) < 0.001 / max(1e-9, float((y > 0).mean())))
    X, y = X[keep], y[keep]
    print(f"rare: {int((y > 0).sum())} of {len(y):,}")
    for weight in (1.0, 10.0, 100.0):
        learner = ek.Learner(n_features=10, ram=RAM)
        said = learner.learn_many(X, y, weight=np.where(y > 0.0, weight, 1.0))
        for limit in (0.0, -0.5, -0.8):
            late = np.arange(len(y)) > 10_000
            called = said > limit
            found = (called & (y > 0) & late).sum() / max(1, ((y > 0) & late).sum())
            false = (called & (y < 0) & late).sum() / ((y < 0) & late).sum()
            print(f"weight {weight:g}, score > {limit:g}: finds {100 * found:.0f} %,"
                  f" {1000 * false:.2f} false in 1,000 rows; alarms {learner.alarms}")  # fmt: skip


def scaler_alone() -> None:
    """Rows until a scaler follows a sensor that moves by five deviations."""
    draws = np.random.default_rng(20)
    for window in (10_000, 2_000, 500):
        scaler = ek.RunningScaler(1, window=window)
        X = draws.normal(size=(60_000, 1))
        X[10_000:] += 5.0
        near = None
        for at, x in enumerate(X):
            scaler.learn_one(x)
            if at > 10_000 and near is None and abs(scaler.mean_[0] - 5.0) < 0.5:
                near = at - 10_000
        print(f"scaler, window {window:,}: mean within half a deviation after {near} rows")


def novelty() -> None:
    """Share of rows called novel while one sensor has moved by five deviations."""
    draws = np.random.default_rng(20)
    X = draws.normal(size=(40_000, 10))
    X[10_000:, 0] += 5.0
    for options in ({}, {"window": 500.0}, {"history": True}, {"history": True, "window": 500.0}):
        learner = ek.Learner(n_features=10, ram=RAM, loss="novelty", **options)
        novel = learner.learn_many(X) < 0.0
        starts = (9_500, 10_000, 11_000, 15_000, 30_000)
        shares = [100.0 * novel[at : at + 500].mean() for at in starts]
        print("novelty", options, "% novel before, then after 0, 1,000, 5,000, 20,000 rows:",
              [f"{share:.0f}" for share in shares])  # fmt: skip


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    print("| stream |", " | ".join([*LEARNERS, "frozen"]), "|")
    for name in NAMES:
        print("|", " | ".join(draw(name, STREAMS[name](ROWS))), "|", flush=True)
    rare()
    scaler_alone()
    novelty()
