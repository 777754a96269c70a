"""Targets that are real numbers: in their own unit, beside the last value and the running mean."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.kinds.regression import Regression, Targets
from firmware_sim.metrics.batch import Batch
from firmware_sim.report import to_dict, to_text

N = 600


@pytest.fixture
def tank(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    lines = ["flow,heat,temp"]
    for _ in range(N):
        flow, heat = rng.uniform(0, 10), rng.uniform(0, 5)
        lines.append(f"{flow:.4f},{heat:.4f},{200 + 30 * np.sin(flow) + 12 * heat:.4f}")
    path = tmp_path / "tank.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def config(path: Path, **changes: object) -> fs.ReplayConfig:
    options = {"target": "temp", "algorithm": "ogd", "params": {"loss": "square", "eta": 0.5}}
    return fs.ReplayConfig(str(path), **{"ram": "16KiB", "gamma": 0.8, **options, **changes})  # type: ignore[arg-type]


def test_figures_against_numpy() -> None:
    rng = np.random.default_rng(0)
    targets, predictions = rng.normal(5, 2, 300), rng.normal(5, 2, 300)
    metrics = Regression()
    metrics.add_block(Batch.of(label=targets, score=predictions))
    got = metrics.summary()
    before = np.concatenate([[0.0], targets[:-1]])
    means = np.concatenate([[0.0], np.cumsum(targets)[:-1] / np.arange(1, 300)])
    for name, said in (("learner", predictions), ("last_value", before), ("mean", means)):
        errors = said - targets
        figures = got[name]
        assert figures["mae"] == pytest.approx(np.abs(errors).mean())
        assert figures["rmse"] == pytest.approx(np.sqrt((errors**2).mean()))
        total = ((targets - targets.mean()) ** 2).sum()
        assert figures["r2"] == pytest.approx(1 - (errors**2).sum() / total)
        last = ((before - targets) ** 2).sum()
        assert figures["r2_last_value"] == pytest.approx(1 - (errors**2).sum() / last)
    _, curve = metrics.curve.cumulative()
    assert curve[-1].tolist() == pytest.approx([got[n]["mae"] for n in metrics.curve.names])
    assert all(value is None for value in Regression().summary()["learner"].values())


def test_targets() -> None:
    targets = Targets([-200.0])
    assert [targets.value(cell) for cell in ("1.5", " -2e3 ", "1,5")] == [1.5, -2000.0, 1.5]
    assert [targets.value(cell) for cell in ("", "NaN", "inf", "-200", "n/a")] == [None] * 5
    with pytest.raises(fs.StreamError, match="'warm' is not a number"):
        targets.value("warm")


def test_same_as_a_loop_by_hand(tank: Path) -> None:
    result = fs.replay(config(tank))
    assert result.metrics.kind == "regression"
    rows = np.loadtxt(tank, delimiter=",", skiprows=1)
    learner = ek.Learner(
        "ogd",
        n_features=2,
        budget=result.learner["budget"],
        kernel=ek.Gaussian(0.8),
        loss="square",
        eta=0.5,
    )
    scaler, targets = ek.RunningScaler(2), ek.RunningScaler(1)
    errors = []
    for *readings, target in rows:
        x = scaler.learn_transform_one(np.array(readings))
        mean = targets.mean_
        assert mean is not None
        spread = float(targets.scale_[0]) or 1.0
        before = float(mean[0]) + spread * learner.decision_one(x)
        learner.learn_one(x, float(targets.learn_transform_one(np.array([target]))[0]))
        errors.append(abs(before - target))
    assert result.metrics.summary()["learner"]["mae"] == pytest.approx(np.mean(errors))


def test_learner_beats_both_baselines(tank: Path, tmp_path: Path) -> None:
    result = fs.replay(config(tank))
    figures = result.metrics.summary()
    assert figures["learner"]["mae"] < 0.75 * figures["mean"]["mae"]  # type: ignore[operator]
    assert figures["learner"]["mae"] < 0.75 * figures["last_value"]["mae"]  # type: ignore[operator]
    text = to_text(result)
    assert "R2 vs last value" in text
    assert "ogd beats running mean (" in text
    assert "MAE) and last value (" in text
    assert "mean and spread of the targets" in text
    data = json.loads(json.dumps(to_dict(result), allow_nan=False))
    assert data["kind"] == "regression"
    assert set(data["curve"]["cumulative"]) == {"rows", "learner", "mean", "last_value"}
    files = fs.write_report(result, tmp_path / "out")
    assert files[3].read_bytes().startswith(b"\x89PNG")


def test_late_and_missing_targets(tank: Path) -> None:
    late = fs.replay(config(tank, label_delay=25, label_missing=0.1))
    assert late.labels.waiting == 25
    assert late.metrics.summary()["learner"]["mae"] > 0
    assert late.metrics.loss("last_value") != fs.replay(config(tank)).metrics.loss("last_value")


def test_positive_makes_no_sense(tank: Path) -> None:
    with pytest.raises(fs.SimulatorError, match="labels of two classes, not for real numbers"):
        fs.replay(config(tank, positive="200"))


@pytest.mark.parametrize("algorithm", ["", "ogd"])
def test_a_history_is_a_hint_where_it_is_an_option(algorithm: str) -> None:
    params = {} if algorithm else {"history": False}
    config = fs.ReplayConfig("house", kind="regression", algorithm=algorithm, params=params)
    hints = [more for _, more in config.label_kind.hints(config, lambda **more: ("", more))]
    assert ({"history": True} in hints) == (not algorithm)
    assert ({"eta": 0.5} in hints) == bool(algorithm)
