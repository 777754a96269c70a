"""The options of a memory of rows (docs/sorf.md, section 7f): their bytes, defaults, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import edgeolk as ek


@pytest.mark.parametrize(
    ("options", "row", "scores"),
    [
        ({"n_features": 10, "n_classes": 11}, 8, 88),
        ({"n_features": 16, "n_classes": 26}, 11, 208),
        ({"n_features": 5}, 4, 0),
        ({"n_features": 20}, 11, 0),
        ({"n_features": 256, "n_classes": 10}, 131, 80),
        ({"n_features": 3, "n_classes": 2}, 5, 16),
    ],
)
@pytest.mark.parametrize("memory", [1, 1280])
def test_bytes_of_the_plan(options: dict[str, int], row: int, scores: int, memory: int) -> None:
    """M rows of d / 2 + 3 bytes (two classes d / 2 + 1), a count and five mistakes, 8 bytes a class
    of scratch."""
    without = {region.name: region for region in ek.plan(D=100, memory=0, **options).regions}
    plan = ek.plan(D=100, memory=memory, **options)
    regions = {region.name: region for region in plan.regions}
    new = {name: regions[name] for name in regions if name not in without}
    sizes = {name: int(np.prod(region.shape)) for name, region in new.items()}
    assert sizes.pop("row_memory") == memory * row
    assert (sizes.pop("memory_state"), sizes.pop("memory_mistakes")) == (1, 5)
    assert sizes.pop("recalled", 0) * 4 == scores
    assert not sizes
    learner = ek.Learner(D=100, memory=memory, **options)
    assert learner.nbytes == plan.nbytes


@pytest.mark.parametrize(("classes", "scores"), [({}, 0), ({"n_classes": 11}, 48)])
def test_bytes_of_the_narrower_kernel(classes: dict[str, int], scores: int) -> None:
    """Four counters of state, 4 bytes a class of scratch, in whole words."""
    sizes = [
        {
            r.name: r.nbytes
            for r in ek.plan(D=100, n_features=3, memory=9, **more, **classes).regions
        }
        for more in ({}, {"memory_narrow": True})
    ]
    assert sizes[1].pop("memory_narrow") == 16
    assert sizes[1].pop("header") - sizes[0].pop("header") <= 16
    assert sizes[1].pop("recalled", 0) - sizes[0].pop("recalled", 0) == scores
    assert sizes[0] == sizes[1]


def test_the_narrower_kernel_answers_where_the_memory_is_there_by_itself() -> None:
    """Rows that are asked for answer as the text says; so does a memory that is told to."""
    made: dict[str, Any] = {"n_features": 5, "ram": 16_384}
    usual = ek.Learner(**made)
    rows = usual.parameters["memory"]
    assert usual.parameters["memory_narrow"] is True
    assert ek.Learner(**made, memory=rows).parameters["memory_narrow"] is False
    asked = ek.Learner(**made, memory=rows, memory_narrow=True)
    assert asked.config == usual.config
    plain = ek.Learner(**made, memory_narrow=False)
    assert plain.config == ek.Learner(**made, memory=rows).config
    X = np.random.default_rng(1).normal(size=(600, 5))
    y = np.where(X[:, 0] + 0.3 * X[:, 2] > 0.3, 1.0, -1.0)
    answers = [learner.learn_many(X, y) for learner in (usual, asked, plain)]
    assert np.array_equal(answers[0], answers[1])
    assert not np.array_equal(answers[0], answers[2])
    assert ek.Learner(n_features=5, D=100).parameters["memory_narrow"] is False


@pytest.mark.parametrize(
    ("options", "share"),
    [
        ({}, 0.137), ({"n_classes": 3}, 0.137),
        ({"memory_narrow": True}, 0.265), ({"n_classes": 2, "memory_narrow": True}, 0.265),
        ({"n_classes": 3, "memory_narrow": True}, 0.817),
    ],
)  # fmt: skip
def test_share_before_the_first_row(options: dict[str, Any], share: float) -> None:
    """Three classes or more, the narrower kernel answering too: a doubt is the memory's."""
    learner = ek.Learner(n_features=3, D=64, memory=20, **options)
    assert learner.memory_share == pytest.approx(share, abs=5e-4)


def test_no_narrower_kernel_without_a_memory() -> None:
    for off in (0, None):
        with pytest.raises(ValueError, match="memory_narrow is for a memory of rows"):
            ek.Learner(n_features=3, D=64, memory=off, memory_narrow=True)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"memory": -1}, ValueError, "memory must be an integer >= 0"),
        ({"memory": 2.5}, ValueError, "memory must be an integer"),
        ({"memory": True}, TypeError, "memory must be"),
        ({"memory": "many"}, TypeError, "memory must be"),
        ({"memory": float("nan")}, ValueError, "memory must be"),
        ({"memory": 5, "loss": "square"}, ValueError, "memory is for classification"),
        ({"memory": 5, "loss": "novelty"}, ValueError, "memory is for classification"),
        ({"memory": 5, "loss": "square", "history": True}, ValueError, "memory is for"),
        ({"memory": 5, "n_classes": 257}, ValueError, "at most 256 classes"),
        ({"memory": 5, "algorithm": "pa1", "budget": 5}, TypeError, "memory"),
    ],
)
def test_refusals(options: dict[str, Any], error: type[Exception], said: str) -> None:
    size = {} if "budget" in options else {"D": 64}
    with pytest.raises(error, match=said):
        ek.Learner(n_features=3, **size, **options)


@pytest.mark.parametrize("off", [0, False, 0.0, None])
def test_none_where_it_is_off(off: Any) -> None:
    learner = ek.Learner(n_features=3, D=64, memory=off)
    assert learner.parameters["memory"] == 0
    assert learner.nbytes == ek.Learner(n_features=3, D=64).nbytes
    assert (learner.n_remembered, learner.memory_share) == (0, 0.0)
