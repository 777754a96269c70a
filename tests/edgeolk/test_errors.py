"""What a newcomer reads who guesses a name, an argument or a value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeolk as ek

LEARNER = ek.Learner(n_features=2, ram="2KiB")


@pytest.mark.parametrize(
    ("guess", "answer"),
    [
        (lambda: LEARNER.fit, "did you mean 'learn_many'"),
        (lambda: LEARNER.ram, "did you mean 'nbytes'"),
        (lambda: LEARNER.memory_usage, "did you mean 'nbytes'"),
        (lambda: LEARNER.load, r"use ek.load\(path\)"),
        (lambda: LEARNER.export_c, r"use ek.export_c\(learner, folder\)"),
        (lambda: LEARNER.reset, r"use ek.Learner\(learner.config\)"),
        (lambda: LEARNER.support_vectors, "did you mean 'support_vectors_'"),
        (lambda: LEARNER.nothing_like_it_at_all, "no attribute 'nothing_like_it_at_all'$"),
        (lambda: LEARNER.loss, r"use parameters\['loss'\]"),
        (lambda: LEARNER.config.loss, r"use parameters\['loss'\]"),
        (lambda: ek.Checkpointer.__new__(ek.Checkpointer).load, "did you mean 'open'"),
        (lambda: ek.Checkpointer.__new__(ek.Checkpointer).save, "did you mean 'write'"),
    ],
)
def test_a_guessed_attribute(guess: Callable[[], Any], answer: str) -> None:
    with pytest.raises(AttributeError, match=answer):
        guess()


@pytest.mark.parametrize(
    ("argument", "answer"),
    [
        ({"random_state": 0}, "did you mean 'seed'"),
        ({"task": "regression"}, "did you mean 'loss'"),
        ({"kernel": "rbf"}, r"a kernel such as ek.Gaussian\(0.5\) .*'rbf' is ek.Gaussian\(gamma\)"),
        ({"kernel": ek.Gaussian}, r"a kernel such as ek.Gaussian\(0.5\)"),
        ({"loss": "mse"}, "got 'mse'; 'square' is for real targets, 'novelty' for no labels"),
    ],
)
def test_a_guessed_argument(argument: dict[str, Any], answer: str) -> None:
    with pytest.raises((TypeError, ValueError), match=answer):
        ek.Learner(n_features=2, ram="2KiB", **argument)


def test_a_label_that_was_forgotten() -> None:
    with pytest.raises(TypeError, match="y is missing: it must be an array of numbers"):
        LEARNER.learn_many(np.zeros((3, 2)))


def test_an_estimator_is_no_learner_to_export(tmp_path: Path) -> None:
    sklearn = pytest.importorskip("edgeolk.sklearn", exc_type=ImportError)
    with pytest.raises(TypeError, match=r"got OnlineKernelNovelty: pass its to_learner\(\)"):
        ek.export_c(sklearn.OnlineKernelNovelty(), tmp_path)
    with pytest.raises(TypeError, match=r"must be an ek.Learner, got str$"):
        ek.export_c("model.olk", tmp_path)
