"""Figures in words: no figure that is printed as 0 has a minus."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import firmware_sim as fs
from firmware_sim.metrics.base import Metrics, Number, moment, percent, short, thousandths
from firmware_sim.metrics.batch import Batch
from firmware_sim.metrics.novelty import Novelty, _date
from firmware_sim.report import to_dict


@pytest.mark.parametrize("form", [percent, short, thousandths])
def test_zero_has_no_minus(form: Callable[[Number], str]) -> None:
    for value in (-0.0, -1e-300, -1e-9, -4e-5, -4e-4):
        text = form(value)
        assert text.startswith("-") == (float(text.removesuffix(" %")) != 0.0), (value, text)
        assert text.removeprefix("-") == form(-value)
    assert form(-2.5).startswith("-2")
    assert form(None) == "-"


@pytest.mark.parametrize(("history", "shown"), [(False, True), (True, False)])
def test_scores_of_rows_of_which_nothing_is_known(history: bool, shown: bool) -> None:
    """Those of a stream that were not judged are not among the anomalies."""
    params = {"history": history}
    config = fs.ReplayConfig("office", kind="novelty", ram="4KiB", limit=12, params=params)
    scores = [row["score"] for row in to_dict(fs.replay(config))["anomalies"]]
    assert (0.0 in scores) == shown
    assert all(score or math.copysign(1.0, score) > 0.0 for score in scores)


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [(0.08701, 0.08702, "is as good as"), (0.08, 0.09, "beats"), (0.09, 0.08, "does not beat")],
)
def test_figures_that_are_shown_equal_are_no_win(ours: float, theirs: float, verdict: str) -> None:
    class Known(Novelty):
        """With these losses."""

        def loss(self, name: str) -> float:
            return ours if name == "learner" else theirs

    assert Metrics.sentence(Known(0.05), "sorf").startswith(f"sorf {verdict} ")


def test_moments_beyond_the_calendar_are_seconds() -> None:
    assert moment(1_422_973_140.0) == "2015-02-03 14:19:00"
    assert (moment(math.nan), moment(1e15)) == ("-", "1e+15 s")
    assert _date(0) == "1970-01-01"
    assert _date(10**9) == "1000000000"


def test_of_no_rows_there_is_nothing_to_tell() -> None:
    empty = Novelty(0.05)
    empty.add_block(Batch.of(label=np.empty(0), score=np.empty(0)))
    assert (empty.rows, empty.comparable, empty.tables(["a"])) == (0, None, [])


def test_metrics_of_rows_without_labels_are_not_held_out() -> None:
    with pytest.raises(NotImplementedError):
        Novelty(0.05).held_out()
