"""Anomalies on two public boards, beside their published rows."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.anomalies import nab, skab
from bench.anomalies.detectors import FEW, loda, trees, watched
from bench.table import Table

Numbers = NDArray[np.float64]
#: Rows of the board: the scores of README.md of numenta/NAB, by the best threshold in hindsight.
NAB_BOARD = {
    "ARTime": (74.9, 65.2, 80.4),
    "Numenta HTM": (70.1, 63.1, 74.3),
    "CAD OSE": (69.9, 67.0, 73.2),
    "earthgecko Skyline": (58.2, 46.2, 63.9),
    "kNN CAD": (58.0, 43.4, 64.8),
    "Random Cut Forest": (51.7, 38.4, 59.7),
    "windowed Gaussian": (39.6, 20.9, 47.4),
    "EXPoSE": (16.4, 3.2, 26.9),
}
#: Those of SKAB: F1, false alarms and missed rows in percent.
SKAB_BOARD = {
    "Conv-AE": (0.78, 13.6, 28.0),
    "MSET": (0.78, 39.7, 14.1),
    "T-squared + Q": (0.76, 26.6, 24.9),
    "LSTM-AE": (0.74, 30.0, 25.9),
    "isolation forest": (0.29, 2.6, 82.9),
}
#: What the default learner is held to.
NAB_GOAL, SKAB_GOAL = (72.5, 65.0, 77.0), (0.785, 15.2)
#: Seeds other than the default of 0.
SEEDS = (1, 2, 3)
#: Folders of published results in numenta/NAB, with what the board says of each.
PUBLISHED = {
    "ARTime": "ARTime", "numenta": "Numenta HTM", "contextOSE": "CAD OSE",
    "earthgeckoSkyline": "earthgecko Skyline", "knncad": "kNN CAD",
    "randomCutForest": "Random Cut Forest", "windowedGaussian": "windowed Gaussian",
    "expose": "EXPoSE",
}  # fmt: skip
RESULTS_FOLDER = "EDGEOLK_NAB_RESULTS"


def _three(scores: Sequence[float]) -> str:
    return " / ".join(f"{score:.1f}" for score in scores)


class _Watching:
    """The library's detector on the series of NAB."""

    def __init__(self, clock: bool, **options: Any) -> None:
        self.made = [
            watched(one.X, one.seconds if clock else None, **options) for one in nab.series()
        ]

    def scores(self, what: Callable[[Any], Numbers]) -> list[Numbers]:
        return [what(made) for made in self.made]

    @property
    def alarms(self) -> list[Numbers]:
        return self.scores(lambda made: made.alarms)

    @property
    def nbytes(self) -> int:
        return self.made[0].nbytes

    @property
    def us(self) -> float:
        rows = np.array([len(made.verdicts) for made in self.made], dtype=float)
        return float(np.sum(rows * [made.us for made in self.made]) / np.sum(rows))


def _of_nab(alarms: list[Numbers], keep: Callable[[nab.Series], bool]) -> nab.Judged:
    pairs = [(one, of) for one, of in zip(nab.series(), alarms, strict=True) if keep(one)]
    return nab.judge([one for one, _ in pairs], [of for _, of in pairs])


def _row(title: str, nbytes: int, us: float, alarms: list[Numbers], own: bool) -> list[str]:
    every = _of_nab(alarms, lambda _: True)
    design = _of_nab(alarms, lambda one: one.in_design)
    test = _of_nab(alarms, lambda one: not one.in_design)
    hits = (f"{every.hits} of {every.windows}", f"{every.false}") if own else ("", "")
    return [
        title, f"{nbytes:,}", f"{us:.2f}",
        _three(every.own) if own else "", _three(every.best),
        _three(design.own if own else design.best), _three(test.own if own else test.best),
        *hits,
    ]  # fmt: skip


def _is_in(family: str) -> Callable[[nab.Series], bool]:
    return lambda one: one.family == family


def _families(alarms: list[Numbers]) -> Table:
    families = sorted({one.family for one in nab.series()})
    rows = []
    for family in families:
        judged = _of_nab(alarms, _is_in(family))
        scores = _three(judged.own) if judged.windows else "no window"
        rows.append([
            family, scores, f"{judged.hits} of {judged.windows}", f"{judged.false}",
            f"{1000.0 * judged.false / judged.rows:.2f}",
        ])  # fmt: skip
    return Table(
        "NAB by family",
        ("family", "at its own threshold", "windows hit", "alarms outside", "per 1,000 rows"),
        rows,
        "The default learner.",
    )


def run_nab(_: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """NAB: this detector, two of other libraries in the same run, the board."""
    ours = _Watching(clock=True)
    timeless = _Watching(clock=False)
    rows = [_row("default", ours.nbytes, ours.us, ours.alarms, True)]
    for seed in SEEDS:
        made = _Watching(clock=True, seed=seed)
        rows.append(_row(f"seed {seed}", made.nbytes, made.us, made.alarms, True))
    rows += [
        _row("without times of rows", timeless.nbytes, timeless.us, timeless.alarms, True),
        _row(
            "the score of every row", ours.nbytes, ours.us,
            ours.scores(lambda made: made.verdicts["score"]), False,
        ),
    ]  # fmt: skip
    for title, detector in (("river, HalfSpaceTrees", trees), ("PySAD, LODA", loda)):
        try:
            found = [detector(one.X, None) for one in nab.series()]
        except ImportError as missing:
            rows.append([title, *([""] * 6), f"not installed: {missing.name}", ""])
            continue
        cost = max(one.nbytes for one in found), float(np.mean([one.us for one in found]))
        rows.append(_row(title, *cost, [one.scores for one in found], False))
    rows += [[title, "", "", "", _three(of), "", "", "", ""] for title, of in NAB_BOARD.items()]
    judged = _of_nab(ours.alarms, lambda _: True)
    short = [f"{a:.1f} for {b}" for a, b in zip(judged.own, NAB_GOAL, strict=True) if a < b]
    note = (
        f"Standard / reward of few false alarms / of few missed. One channel, D = {FEW}. A row"
        " with an alarm counts, with its score; the detector's own threshold is .5 for every"
        " series. The board has the best of all thresholds in hindsight, and gives detectors the"
        " extremes of each series beforehand. Halves are those that the detector was designed on"
        " and judged by afterwards. Held to "
        + _three(NAB_GOAL)
        + (f": behind in {', '.join(short)}." if short else ": met.")
    )
    header = (
        "detector", "bytes", "us a row", "own threshold", "best threshold", "design half",
        "other half", "windows hit", "alarms outside",
    )  # fmt: skip
    data = {
        "all": asdict(judged),
        "files": {
            one.name: asdict(nab.judge([one], [of]))
            for one, of in zip(nab.series(), ours.alarms, strict=True)
        },
    }
    return [Table("NAB", header, rows, note), _families(ours.alarms)], data


def run_skab(_: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """SKAB: this detector and the board."""
    found = skab.runs()
    made = [watched(one.X) for one in found]
    rows = []
    data = {}
    for title, keep in (
        ("all 34 files", lambda _: True),
        ("the 15 of the design", lambda one: one.in_design),
        ("the 19 others", lambda one: not one.in_design),
    ):
        pairs = [(a, b.verdicts["event"]) for a, b in zip(found, made, strict=True) if keep(a)]
        judged = skab.judge([a for a, _ in pairs], [b for _, b in pairs])
        data[title] = asdict(judged)
        cells = f"{judged.f1:.3f}", f"{judged.false:.1f}", f"{judged.missed:.1f}"
        rows.append([title, *cells, f"{made[0].nbytes:,}", f"{made[0].us:.2f}"])
    rows += [
        [title, f"{f1:.2f}", f"{false:.1f}", f"{missed:.1f}", "", ""]
        for title, (f1, false, missed) in SKAB_BOARD.items()
    ]
    every = data["all 34 files"]
    met = every["f1"] >= SKAB_GOAL[0] and every["false"] <= SKAB_GOAL[1]
    note = (
        f"Rows in an event, judged after the first {skab.FREE} of each file; a new learner for each"
        " file, which learns all of it and is not calibrated. The board's detectors are fitted on"
        f" those {skab.FREE} rows. Held to {SKAB_GOAL[0]} at {SKAB_GOAL[1]} %: "
        + ("met." if met else "missed.")
    )
    header = ("", "F1", "false alarms, %", "missed, %", "bytes", "us a row")
    return [Table("SKAB", header, rows, note)], data


def run_published(_: tuple[str, ...] = ()) -> tuple[list[Table], dict[str, Any]]:
    """The score itself: published results of eight detectors, scored here; no table without."""
    folder = Path(os.environ.get(RESULTS_FOLDER, "results"))
    if not folder.is_dir():
        print(
            f"published results are skipped: {RESULTS_FOLDER} does not name the folder `results` of"
            " a clone of github.com/numenta/NAB",
            file=sys.stderr,
        )
        return [], {}
    rows, data = [], {}
    for name, title in PUBLISHED.items():
        try:
            judged = nab.judge(nab.series(), nab.published(folder, name))
        except FileNotFoundError:
            rows.append([title, _three(NAB_BOARD[title]), f"not in {folder}"])
            continue
        rows.append([title, _three(NAB_BOARD[title]), _three(judged.best)])
        data[name] = asdict(judged)
    note = (
        f"{RESULTS_FOLDER} names the folder `results` of github.com/numenta/NAB. The board has"
        " Numenta HTM and EXPoSE at a threshold that was rounded."
    )
    return [Table("NAB's score of published results", ("", "board", "here"), rows, note)], data
