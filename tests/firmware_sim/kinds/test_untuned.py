"""krls_auto on a simulated device: it scales inputs and targets itself, and may know targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.report import to_dict, to_text

N = 500


@pytest.fixture
def tank(tmp_path: Path) -> Path:
    """Readings, and a target that also follows its own past."""
    rng = np.random.default_rng(2)
    lines, temp = ["flow,heat,temp"], 200.0
    for _ in range(N):
        flow, heat = rng.uniform(0, 10), rng.uniform(0, 5)
        temp += 0.3 * (200 + 30 * np.sin(flow) + 12 * heat - temp)
        lines.append(f"{flow:.4f},{heat:.4f},{temp:.4f}")
    path = tmp_path / "tank.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def config(path: Path, **changes: Any) -> fs.ReplayConfig:
    options = {"target": "temp", "algorithm": "krls_auto", "kind": "regression", "ram": "8KiB"}
    return fs.ReplayConfig(str(path), **{**options, **changes})


def rows_of(path: Path) -> tuple[np.ndarray, np.ndarray]:
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    return rows[:, :-1], rows[:, -1]


@pytest.mark.parametrize("params", [{}, {"lags": 2}], ids=["plain", "lags"])
def test_same_as_a_loop_by_hand(tank: Path, params: dict[str, Any]) -> None:
    result = fs.replay(config(tank, params=params))
    X, y = rows_of(tank)
    learner = ek.Learner("krls_auto", n_features=2, budget=result.learner["budget"], **params)
    errors = np.abs(learner.learn_many(X, y) - y)
    assert result.metrics.summary()["learner"]["mae"] == pytest.approx(errors.mean())
    if params:  # half of the target is its own past
        assert result.metrics.loss("learner") < 0.5 * result.metrics.loss("last_value")
    # Neither readings nor targets have a scaler beside it.
    assert not {"scaler", "target scaler"} & {part.name for part in result.layout.parts}


def test_late_targets_are_learned_with_what_was_known(tank: Path) -> None:
    result = fs.replay(config(tank, params={"lags": 2}, label_delay=5))
    assert result.labels.waiting == 5
    X, y = rows_of(tank)
    learner = ek.Learner(
        "krls_auto", n_features=2, budget=result.learner["budget"], lags=2, horizon=5
    )
    errors = []
    for t in range(N):
        if t >= 5:
            learner.tell_one(y[t - 5])
        errors.append(abs(learner.ask_one(X[t]) - y[t]))
    assert result.metrics.summary()["learner"]["mae"] == pytest.approx(np.mean(errors))


def test_report_with_intervals(tank: Path) -> None:
    result = fs.replay(config(tank, params={"lags": 2}))
    assert "fell into their interval" in to_text(result)
    data = to_dict(result)
    assert data["forecasts"]["mean_shares"] == {"kernel": pytest.approx(1.0)}
    assert 0.8 < data["metrics"]["learner"]["inside"] <= 1.0
