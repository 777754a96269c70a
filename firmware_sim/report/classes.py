"""The part of the picture for several classes: the confusion matrix and F1 by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.drawing.chart import LEARNER, TEXT
from firmware_sim.metrics import Multiclass
from firmware_sim.plaintext import printable

#: Most classes with counts in the cells; more would be illegible.
_WRITTEN = 12
_LONGEST = 18


def draw_classes(figure: Any, metrics: Multiclass) -> None:
    """Draw the confusion matrix on the left, precision, recall and F1 of each class on the right.

    figure: an empty figure.
    metrics: metrics of at least one row.
    """
    confusion, classes = figure.subplots(1, 2, width_ratios=(1.2, 1))
    figure.subplots_adjust(left=0.16, right=0.975, bottom=0.17, top=0.9, wspace=0.5)
    names = [_short(name) for name in metrics.names]
    places = np.arange(len(names))
    counts = metrics.learner.counts
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    confusion.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    confusion.set_title("Answers by class, shares of each row", pad=10)
    confusion.set_xlabel("answered")
    confusion.set_ylabel("in the stream")
    small = {"fontsize": 10 if len(names) <= _WRITTEN else 6}
    confusion.set_xticks(places, names, rotation=30 if len(names) <= _WRITTEN else 90, **small)
    confusion.set_yticks(places, names, **small)
    if len(names) <= _WRITTEN:
        for i, j in np.ndindex(counts.shape):
            colour = "white" if shares[i, j] > 0.55 else TEXT
            confusion.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", color=colour)
    by_class = metrics.by_class()
    classes.barh(places, [one.f1 or 0.0 for one in by_class], 0.6, color=LEARNER, label="F1")
    for mark, what in (("|", "precision"), ("x", "recall")):
        values = [getattr(one, what) or 0.0 for one in by_class]
        classes.plot(values, places, mark, color=TEXT, markersize=9, label=what)
    macro = metrics.learner.macro_f1
    classes.set_title(
        f"F1 by class, mean {macro:.3f}" if macro is not None else "F1 by class", pad=30
    )
    classes.set_xlim(0.0, 1.0)
    classes.set_ylim(len(names) - 0.4, -0.6)
    rows = [f"{name}  ({one.support:,})" for name, one in zip(names, by_class, strict=True)]
    classes.set_yticks(places, rows, **small)
    classes.grid(axis="x")
    classes.legend(loc="lower left", bbox_to_anchor=(-0.03, 0.995), ncols=3)


def _short(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"
