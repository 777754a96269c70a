"""From how many healthy windows on a detector works: what is printed, and that it is so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek
import firmware_sim as fs
from firmware_sim.metrics.healthy import (
    ENOUGH,
    ENOUGH_IN_TIME,
    about_healthy,
    nearest_distance,
    spread_ratio,
)
from firmware_sim.report import report_of


def states(n_states: int, n: int = 200, spread: float = 20.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = spread * rng.standard_normal((n_states, 6))
    return centres[rng.integers(0, n_states, n)] + rng.standard_normal((n, 6))


def test_the_ratio_is_that_of_the_distances_of_all_pairs() -> None:
    rows = states(3, 40)
    squared = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    pairs = squared[np.triu_indices(40, 1)]
    np.fill_diagonal(squared, np.inf)
    nearest = np.median(squared.min(axis=1))
    assert nearest_distance(rows) == pytest.approx(nearest)
    assert spread_ratio(rows) == pytest.approx(np.median(pairs) / nearest)
    assert spread_ratio(np.ones((9, 2))) == 0.0


@pytest.mark.parametrize(
    ("n_states", "said"),
    [(1, "expected to work from 30 on. They are of one state"), (12, "no number is expected")],
)
def test_one_state_is_told_from_many(n_states: int, said: str) -> None:
    assert f"Healthy windows: {said}" in about_healthy(states(n_states), in_time=False)


def test_between_the_measured_ratios_nothing_is_promised() -> None:
    text = about_healthy(states(12, spread=4.0), in_time=False)
    assert "at least 30 are needed, and more may not help" in text
    assert "between recordings on which 30 were enough (15 times)" in text


def test_few_windows_are_too_few() -> None:
    text = about_healthy(states(1, 29), in_time=False)
    assert text == "Healthy windows: at least 30 are needed; there were 29."
    text = about_healthy(states(1), in_time=True)
    assert "from 200 on; before, this detector gives no verdict" in text


def test_the_first_verdict_is_when_it_is_said_to_be() -> None:
    rows = states(1, ENOUGH_IN_TIME).astype(np.float32)
    strange = rows[:5] + 40.0
    learner = ek.Learner(n_features=6, ram="8KiB", loss="novelty", history=True)
    learner.learn_many(rows[:-1])
    assert not learner.decision_function(strange).any()
    learner.learn_many(rows[-1:])
    assert learner.decision_function(strange).all()
    learner = ek.Learner(n_features=6, ram="8KiB", loss="novelty")
    learner.learn_many(rows[:ENOUGH])
    assert learner.decision_function(strange).max() < learner.decision_function(rows).min()


def log(folder: Path) -> str:
    """Four fan speeds and a fault at the end of each."""
    rng = np.random.default_rng(0)
    lines = ["x,state"]
    for hertz in (5, 11, 17, 23):
        x = np.sin(2 * np.pi * hertz * np.arange(3200) / 100) * 500 + rng.standard_normal(3200) * 9
        x[3000:] *= 4
        lines += [f"{v:.0f},{int(at >= 3000)}" for at, v in enumerate(x)]
    path = folder / "fan.csv"
    path.write_text("\n".join([*lines, ""]))
    return str(path)


def test_a_report_on_windows_says_how_many_are_needed(tmp_path: Path) -> None:
    options = {"target": "state", "kind": "novelty", "window": 32, "ram": "8KiB"}
    text = report_of(fs.replay(log(tmp_path), **options)).to_text()
    assert "Healthy windows: " in text
    assert "before, this detector gives no verdict" in text
    assert "times that to the nearest, among" in text
    plain = report_of(fs.replay(log(tmp_path), params={"history": False}, **options)).to_text()
    assert "no verdict" not in plain
    without = {name: value for name, value in options.items() if name != "window"}
    assert "Healthy windows" not in report_of(fs.replay(log(tmp_path), **without)).to_text()
