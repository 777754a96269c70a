"""Forecasters against their plain reference: every answer, interval and share, row by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from forecasts import learner_of, plain_of, series, troubled
from helpers import in_turn

CASES: list[dict[str, Any]] = [
    {}, {"D": 0}, {"d": 0}, {"d": 0, "D": 0, "season": 12}, {"horizon": 3},
    {"horizon": 12, "season": 24, "d": 2}, {"season": 12, "interval": (0.5, 0.9, 0.99)},
    {"D": 130, "relevance": False}, {"gamma": 0.05}, {"horizon": 2}, {"d": 0, "horizon": 6},
    {"D": 0, "horizon": 24, "season": 24},
]  # fmt: skip


def _case_id(case: dict[str, Any]) -> str:
    return "-".join(f"{name}={value}" for name, value in case.items()) or "plain"


def stuck(n: int = 600, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A target that stays for more than 200 rows, during which the history is forgotten."""
    X, y = series(n, d)
    y[100:400] = y[99]
    return X, y


@pytest.mark.parametrize(("case", "make"), in_turn(CASES, [series, troubled, stuck]))
@pytest.mark.spread(6)
def test_every_answer_is_that_of_the_reference(case: dict[str, Any], make: Any) -> None:
    _compare(case, make, 1e-9)


NARROW = [{}, {"d": 0}, {"D": 0}, {"horizon": 3, "season": 12}]


@pytest.mark.parametrize("case", NARROW, ids=_case_id)
@pytest.mark.spread(4)
def test_in_single_precision_to_its_rounding(case: dict[str, Any]) -> None:
    _compare({"dtype": "float32", **case}, series, 2e-3)


@pytest.mark.parametrize("case", NARROW, ids=_case_id)
@pytest.mark.spread(4)
def test_with_an_int8_kernel_to_its_rounding(case: dict[str, Any]) -> None:
    _compare({"dtype": "int8", **case}, series, 2e-3)


def _compare(case: dict[str, Any], make: Any, tolerance: float) -> None:
    case = dict(case)
    k = case.get("horizon", 1)
    learner = learner_of(**case)
    plain = plain_of(learner)
    X, y = make(820 if make is troubled else 400, learner.n_features)
    scale = np.nanmedian(np.abs(np.diff(y)))
    for t in range(len(X)):
        if t % 211 and learner.n_waiting == k:  # every 211th target never comes, nor is it missed
            learner.tell_one(y[t - k])
            plain.learn(y[t - k])
        if t == 640:
            learner.restart()
            plain.restart()
        if t % 50 == 0:
            assert learner.predict_one(X[t]) == pytest.approx(
                plain.predict(X[t]), rel=tolerance, abs=tolerance * scale
            )
        said, expected = learner.ask_one(X[t]), plain.answer(X[t])
        assert said == pytest.approx(expected, rel=tolerance, abs=tolerance * scale), t
        interval = learner.interval
        intervals = (interval,) if len(plain.reach) == 1 else interval
        if np.isinf(intervals).any():
            assert not all(reach > 0.0 for reach in plain.reach)
            continue
        for (low, high), reach in zip(intervals, plain.reach, strict=True):
            rounding = np.spacing(max(abs(low), abs(high)))  # of the ends: a forecast may be huge
            assert 0.5 * (high - low) == pytest.approx(
                reach, rel=10 * tolerance, abs=1e-9 + rounding
            )


@pytest.mark.parametrize(
    ("case", "make"),
    [({"D": 0}, troubled), ({"horizon": 3}, stuck), ({}, series)],
    ids=["troubled", "stuck", "series"],
)
def test_ways_that_no_other_case_takes_by_day(case: dict[str, Any], make: Any) -> None:
    """No kernel, targets that never come, a restart; a target that stays; a kernel."""
    _compare(case, make, 1e-9)


def test_a_target_of_no_row_is_left_out() -> None:
    learner = learner_of(d=0, D=0)
    plain = plain_of(learner)
    plain.learn(1.0)
    assert (plain.N, plain.queue) == (0, [])
    for target in (5.0, None, math.nan, 7.0):
        assert learner.ask_one([]) == plain.answer(np.zeros(0))
        plain.learn(target)
        learner.tell_one(target)
    assert plain.N == 2
    assert learner.ask_one([]) == plain.answer(np.zeros(0))


def test_a_target_that_never_changes_has_no_unit() -> None:
    learner = learner_of(d=0, D=0)
    plain = plain_of(learner)
    for _ in range(6):
        assert learner.ask_one([]) == plain.answer(np.zeros(0)) == (5.0 if plain.N else 0.0)
        plain.learn(5.0)
        learner.tell_one(5.0)
    assert (plain.J, plain.sc, plain.Q) == (0, 0.0, 3)


def test_a_shared_scale_over_more_blocks_than_a_step_keeps() -> None:
    """A forecaster keeps the features of a row that waits, but not all of its transforms."""
    learner = learner_of(d=2, D=2700, relevance="shared")
    plain = plain_of(learner)
    X, y = series(260, 2)
    for t in range(260):
        if t:
            learner.tell_one(y[t - 1])
            plain.learn(y[t - 1])
        assert learner.ask_one(X[t]) == pytest.approx(plain.answer(X[t]), rel=1e-6)
    assert np.asarray(learner._engine.view("shared_relevance")).any()
