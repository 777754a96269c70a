"""Reference implementations beside compiled learners; nothing else in the library imports them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import edgeolk as ek
from edgeolk.reference import LEARNERS, Sorf, compare, gaussian
from edgeolk.reference.perceptrons import Budgeted


def stream(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)


class LeastAlike(Budgeted):
    def victim(self, row: np.ndarray) -> int:
        return int(np.argmin(row))


@pytest.mark.parametrize("name", ["rbp", "bpa_s", "forgetron", "projectron"])
def test_the_compiled_learner_answers_alike(name: str) -> None:
    X, y = stream()
    options = {"n_features": 3, "budget": 20, "gamma": 0.5, "dtype": "float64"}
    both = compare(
        {"numpy": LEARNERS[name](gaussian(0.5), 20), "compiled": ek.Learner(name, **options)}, X, y
    )
    assert both.difference("numpy", "compiled") < 1e-9
    assert both.errors["numpy"] == both.errors["compiled"] < 0.5


def test_what_has_steps_alone_is_run_too() -> None:
    X, y = stream()
    sorf = ek.Learner(
        "sorf", n_features=3, D=64, gamma=0.5, scale=None, dtype="float64", relevance=False
    )
    both = compare({"numpy": Sorf(3, 64, 0.5, dtype="float64"), "compiled": sorf}, X, y)
    assert both.difference("numpy", "compiled") < 1e-9


def test_a_policy_of_ones_own() -> None:
    X, y = stream()
    learner = LeastAlike(gaussian(0.5), 10)
    seen = compare({"own": learner, "other": LEARNERS["rbp"](gaussian(0.5), 10)}, X, y)
    assert learner.n_support == 10
    assert seen.difference("own", "other") > 0.0
    curve = seen.curve("own", 50)
    wrong = y * seen.scores["own"] <= 0.0
    assert curve[-1] == pytest.approx(np.mean(wrong[-50:]))
    assert curve[9] == pytest.approx(np.mean(wrong[:10]))


def test_real_targets_count_by_their_distance(tmp_path: Path) -> None:
    X, _ = stream()
    learner = ek.Learner("sorf", n_features=3, ram="2KiB", loss="square")
    seen = compare({"one": learner}, X, X[:, 0], real=True)
    assert seen.errors["one"] == pytest.approx(np.mean(np.abs(X[:, 0] - seen.scores["one"])))
    pytest.importorskip("matplotlib")
    seen.plot(str(tmp_path / "errors.png"))
    assert (tmp_path / "errors.png").stat().st_size > 1000


def test_no_user_pays_for_it() -> None:
    code = (
        "import sys, edgeolk, edgeolk.bare, edgeolk.learner;"
        "sys.exit(any(name.startswith('edgeolk.reference') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_figure_may_be_kept_instead_of_written() -> None:
    pytest.importorskip("matplotlib")
    X, y = stream(60)
    learners = {"a": LEARNERS["rbp"](gaussian(0.5), 5), "b": LEARNERS["pa"](gaussian(0.5))}
    both = compare(learners, X, y)
    labels = [line.get_label() for line in both.plot(window=20).axes[0].lines]
    assert [label.split()[0] for label in labels] == ["a", "b"]
