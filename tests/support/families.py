"""What the tests of families of algorithms share: learners in float64, numbers of their regions."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers import KERNELS, fitting
from hypothesis import settings
from hypothesis import strategies as st

import edgeolk as ek

modest = settings(max_examples=15, deadline=None, database=None)
seeds = st.integers(0, 2**32 - 1)
kernels = st.sampled_from(["gaussian", "polynomial", "linear", "laplacian"])


def make(name: str | None, kernel: str = "gaussian", d: int = 3, **options: Any) -> ek.Learner:
    options = {"dtype": "float64", **options}
    return ek.Learner(name, n_features=d, kernel=KERNELS[fitting(name, kernel)][0], **options)


def numbers(learner: ek.Learner, region: str, dtype: Any = np.float64) -> np.ndarray:
    return np.frombuffer(learner._engine.view(region), dtype)
