"""The report of a fleet: what its text and page show."""

from __future__ import annotations

from typing import Any

import numpy as np

from firmware_sim.drawing.chart import LEARNER, TEXT, WARN, Drawing
from firmware_sim.drawing.document import Report, Section, capital, split_sentence
from firmware_sim.fleet.statistics import shared
from firmware_sim.fleet.summary import Summary
from firmware_sim.plaintext import printable

_LEGEND = (
    "Box: the middle half of the boards, with the median; lines: 5 % to 95 %; dots: boards beyond; "
    "red: the mean."
)
#: Most letters of a configuration's name on a wide screen and on a telephone.
_LETTERS, _NARROW = 30, 14


def report_of(found: Summary) -> Report:
    """Return the report of a fleet."""
    title = f"Error by configuration, {found.over}"
    charts = {"errors": Boxes(found, title)} if any(found.losses.values()) else {}
    headline, notes = split_sentence(found.sentence)
    return Report(
        "A fleet of boards",
        headline,
        [
            Section("", title, _LEGEND, charts),
            *(Section("", capital(table.title), table=table) for table in found.tables),
            Section("run", "The run", lines=found.summary),
        ],
        alert=found.alert,
        notes=notes,
    )


class Boxes(Drawing):
    """Box plots of losses over boards, a line for each configuration, the best first.

    losses: of each configuration, in that order.
    """

    def __init__(self, found: Summary, title: str) -> None:
        losses = {name: np.array([*one.values()]) for name, one in shared(found.losses).items()}
        ranked = sorted(losses, key=lambda name: float(losses[name].mean()))
        self.title = title
        self.losses = {name: losses[name] for name in ranked}
        self.height = 0.25 + 0.11 * len(losses)
        self._percent = not found.relative

    def draw(self, axes: Any, *, narrow: bool) -> None:
        """Draw a box for each configuration, and dots for the boards beyond its lines."""
        scale, sign = (100.0, " %") if self._percent else (1.0, "")
        for place, values in enumerate(scale * one for one in self.losses.values()):
            low, first, middle, third, high = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
            axes.hlines(place, low, high, color=LEARNER, linewidth=1.5)
            axes.barh(place, third - first, 0.6, first, color=LEARNER, alpha=0.3)
            axes.vlines(middle, place - 0.3, place + 0.3, color=LEARNER, linewidth=3)
            # Dots at the same position are drawn once, which keeps the page of many boards small.
            beyond = np.unique(values[(values < low) | (values > high)].round(2))
            axes.plot(beyond, np.full(len(beyond), place), "o", ms=4, color=LEARNER, alpha=0.5)
            axes.plot(values.mean(), place, "o", ms=7, color=WARN)
        letters = _NARROW if narrow else _LETTERS
        names = [printable(name[:letters]) for name in self.losses]
        axes.set(ylim=(len(self.losses) - 0.5, -0.5), xlim=(0.0, None))
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0, labelcolor=TEXT)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}{sign}")
        axes.locator_params(axis="x", nbins=4 if narrow else 8)
        axes.grid(axis="x")
