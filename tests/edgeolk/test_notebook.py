"""Learners as notebooks show them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ram": "4KiB"}, ("2 classes, 3 inputs", "mistakes")),
        ({"ram": "4KiB", "n_classes": 3}, ("3 classes", "mistakes")),
        ({"ram": "4KiB", "loss": "square"}, ("regression", "mean absolute error")),
        ({"ram": "4KiB", "loss": "novelty"}, ("novelty",)),
        ({"budget": 7, "algorithm": "rbp"}, ("support vectors", "of 7")),
    ],
)
def test_a_table(options: dict[str, Any], said: tuple[str, ...]) -> None:
    learner = ek.Learner(options.pop("algorithm", None), n_features=3, **options)
    assert "rows learned" in learner._repr_html_()
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = (X[:, 0] > 0).astype(float)
    if learner._config.needs_labels:
        learner.learn_many(X, y if learner.n_classes == 3 or learner.is_regression else 2 * y - 1)
    else:
        learner.learn_many(X)
    shown = learner._repr_html_()
    assert shown.startswith("<table>")
    assert shown.count("<tr>") == shown.count("</tr>") >= 5
    for part in (*said, ">30<", f"{learner.nbytes:,} bytes"):
        assert part in shown
