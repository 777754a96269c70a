"""Exported learners that use their features as they are computed: the library's bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Compiled

import edgeolk as ek
from edgeolk.export.costs import scratch_of
from edgeolk.hosting import to_bytes

BASE: dict[str, Any] = {"D": 150, "relevance": False, "drift": False, "gamma": 0.1}
#: Several groups, of which some do not change; angles that are reduced by integers; one line.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"dtype": "float32"},
    {"dtype": "float64"},
    {"groups": 2, "D": 300, "gamma": "auto"},
    {"linear": True, "last_label": True, "drift": True, "memory": 20},
    {"loss": "square"},
    {"leak": 0.001},
    {"gamma": 1e6, "scale": None},
    {"D": 1, "gamma": 50.0},
]


@pytest.mark.parametrize("scratch", ["stack", "arena"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.spread(10)
def test_it_learns_as_the_library_does(
    options: dict[str, Any], scratch: str, tmp_path: Path
) -> None:
    learner = ek.Learner("sorf", n_features=5, **{**BASE, **options})
    number = np.float64 if learner.dtype == "float64" else np.float32
    X = np.random.default_rng(0).standard_normal((300, 5)).astype(number)
    y = np.where(X[:, 0] * X[:, 4] > 0, 1.0, -1.0)
    ek.export_c(learner, tmp_path, scratch=scratch)
    assert "#define EK_STREAMS 1\n" in (tmp_path / "model.h").read_text()
    board = Compiled(tmp_path, learner)
    for x, label in zip(X, y, strict=True):
        board.learn(x, label)
    learner.learn_many(X, y)
    assert learner.updates > 50
    # In double the library's vectors add in another order.
    assert board.counts()[1] == pytest.approx(learner.mistakes, abs=2 * (number == np.float64))
    if number == np.float32:
        assert board.file(len(to_bytes(learner))) == to_bytes(learner)


@pytest.mark.parametrize(
    "options", [{"relevance": True}, {"relevance": "shared"}, {"n_classes": 3}, {"loss": "novelty"}]
)
def test_what_needs_the_features_of_a_block(options: dict[str, Any], tmp_path: Path) -> None:
    learner = ek.Learner("sorf", n_features=5, **{**BASE, **options})
    ek.export_c(learner, tmp_path, scratch="arena")
    header = (tmp_path / "model.h").read_text()
    assert "#define EK_STREAMS 0\n" in header
    assert f"#define EK_SCRATCH_BYTES {scratch_of('int8')['library']}u" in header
