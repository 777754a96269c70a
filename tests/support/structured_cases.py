"""Learners on structured features for every task and option, and streams for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from synthetic import random_stream, regression_stream

import edgeolk as ek
from edgeolk.reference.sorf import Sorf

D, BUDGET, GAMMA, SEED = 5, 140, 0.1, 2**40 + 7
TWO_GROUPS = ((0.3, 1.0, 3.0), (3.0, 5.5))

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "linear": {"linear": True},
    "last label": {"last_label": True},
    "no constant": {"constant": False},
    "linear group": {"linear_group": True},
    "last linear group": {"linear_group": "last"},
    "relevance": {"relevance": True},
    "shared": {"relevance": "shared"},
    "leak": {"leak": 0.05},
    "groups": {"widths": TWO_GROUPS},
    "widths": {"widths": (0.5, 2.0)},
    "blends": {"blends": (0.0, 0.4, 1.0)},
    "numbers": {"r": 0.2, "unit": 2.0, "sharp": 0.5, "delta": 0.98, "cmin": 4.0, "cmax": 20.0,
                "shrink": 0.7},
    "all": {"linear": True, "last_label": True, "relevance": True, "widths": TWO_GROUPS},
    "all of classes": {"last_label": True, "relevance": True, "widths": TWO_GROUPS,
                       "linear_group": True, "leak": 0.05},
}  # fmt: skip
TASKS = ("two", "classes", "regression")
#: Every task with every option it takes; several classes have no linear expert.
CASES = [
    (task, name)
    for task in TASKS
    for name, options in OPTIONS.items()
    if not (task == "classes" and "linear" in options)
    and not (task == "regression" and "leak" in options)
]
ALL_TASKS = [*CASES, ("novelty", "plain")]
TYPES = ("int8", "float32", "float64")
every_type = pytest.mark.parametrize("dtype", TYPES)
EXTRA: dict[str, dict[str, Any]] = {
    "two": {},
    "classes": {"n_classes": 4},
    "regression": {"loss": "square"},
    "novelty": {"loss": "novelty"},
}


def stream(task: str, n: int, d: int = D, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Rows that float32 represents exactly; some inputs are 0."""
    X, y = (regression_stream if task == "regression" else random_stream)(seed, n, d)
    X = X.astype(np.float32).astype(float)
    X[np.abs(X) < 0.4] = 0.0
    if task == "classes":
        y = np.where(y > 0, 2.0, np.where(X[:, 0] > 0, 1.0, np.where(X[:, -1] > 0, 0.0, 3.0)))
    return X, y


def settings(task: str, dtype: str = "int8", name: str = "plain", **more: Any) -> dict[str, Any]:
    options = {
        "n_features": D, "D": BUDGET, "kernel": ek.Gaussian(GAMMA), "scale": None, "dtype": dtype,
        "seed": SEED,
        **EXTRA[task], **OPTIONS[name],
    }  # fmt: skip
    if task != "novelty":
        options.setdefault("relevance", False)
    return {**options, **more}


def case_id(value: Any) -> str:
    """A parameter's part of the name of a case: the members of a tuple, or the value."""
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def learner_of(task: str, dtype: str = "int8", name: str = "plain", **more: Any) -> ek.Learner:
    return ek.Learner("sorf", **settings(task, dtype, name, **more))


def stored(learner: ek.Learner, plain: Sorf) -> list[tuple[np.ndarray, np.ndarray]]:
    """What a block and the reference store beside features: labels counted, the linear group."""
    pairs: list[tuple[str, np.ndarray]] = []
    if plain.constant is not None and not plain.regression:
        pairs.append(("label_counts", plain.constant.n))
    if (group := plain.linear_group) is not None:
        pairs.append(("linear_weights", group.w))
        pairs += [("linear_mean", group.a)] if group.averages else []
    return [(np.asarray(learner._engine.view(name)).reshape(of.shape), of) for name, of in pairs]


def sealed(learner: ek.Learner) -> bytes:
    return bytes(learner._sealed())
