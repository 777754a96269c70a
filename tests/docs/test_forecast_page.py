"""What docs/forecast.md says is what the library and its reference do: a second implementation,
made from the page alone, agrees with both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from forecast_from_page import Forecaster
from forecasts import learner_of, plain_of, series, troubled

CASES: list[dict[str, Any]] = [
    {}, {"D": 0, "interval": (0.5, 0.9)}, {"horizon": 2}, {"horizon": 12, "season": 24, "d": 2},
    {"D": 0, "horizon": 24, "season": 24}, {"d": 0, "horizon": 6}, {"season": 12},
]  # fmt: skip


def _from_page(d: int = 3, D: int = 96, **options: Any) -> Forecaster:
    return Forecaster(
        d, D, k=options.get("horizon", 1), season=options.get("season", 0), seed=5,
        levels=options.get("interval", (0.9,)),
    )  # fmt: skip


def _stuck() -> tuple[np.ndarray, np.ndarray]:
    """A target that stays for more than 200 rows, during which the history is forgotten."""
    X, y = series(600)
    y[100:400] = y[99]
    return X, y


#: Streams and the rounding that they leave.
STREAMS: dict[str, tuple[Any, float]] = {
    "clean": (series, 1e-12), "stuck": (_stuck, 1e-11), "troubled": (troubled, 1e-9),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("stream", STREAMS)
def test_every_answer_and_interval(case: dict[str, Any], stream: str) -> None:
    make, close = STREAMS[stream]
    learner, second = learner_of(**case), _from_page(**case)
    reference, k = plain_of(learner), second.k
    X, y = make()
    X = X[:, : learner.n_features]
    unit = float(np.nanmedian(np.abs(np.diff(y))))
    for t, row in enumerate(X):
        if t >= k and t not in (350, 351):
            for one in (second, reference):
                one.learn(y[t - k])
            if learner.n_waiting:
                learner.tell_one(y[t - k])
        if t == 350:
            for each in (second, reference, learner):
                each.restart()
        said, reach = second.answer(row)
        for other in (learner.ask_one(row), reference.answer(row)):
            assert other == pytest.approx(said, rel=close, abs=close * unit), t
        assert reference.reach == pytest.approx(reach, rel=1e3 * close, abs=1e-9)
        got = np.ravel(learner.interval) if learner.interval else np.zeros(2 * len(reach))
        if learner.interval:
            half = np.diff(got.reshape(-1, 2))[:, 0] / 2.0
            assert half == pytest.approx(reach, rel=1e3 * close, abs=1e-6 * unit)
        else:
            assert not any(reach)
