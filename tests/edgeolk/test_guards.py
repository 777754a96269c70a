"""Guards that only a rare row meets: a refusal after a draw, sums beyond the range, a merge."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import Owned

import edgeolk as ek


def test_a_refused_row_takes_no_draw() -> None:
    """Its coefficient overflows after the coin was tossed: the generator goes back too."""
    options = {"n_features": 1, "budget": 5, "dtype": "float64", "kernel": ek.Linear()}
    owned = Owned("spa", eta=1e308, beta=4.0, **options)
    tiny, refusals = np.array([1e-160]), 0
    for _ in range(60):
        before = owned.state()
        try:
            owned.learner.learn_one(tiny, 1)
        except ValueError:
            refusals += 1
            assert owned.state() == before
            with pytest.raises(ValueError, match="x: its coefficient would exceed 1e100"):
                owned.learner.learn_one(tiny, 1)
            # A row that draws too, and is taken, moves on to another draw.
            owned.learner.learn_one(np.array([1e-3]), -1)
    assert refusals > 0


def test_a_share_beyond_the_range_of_numbers_is_not_passed_on() -> None:
    """BPA-S: what the candidate would take over is 1e103, and a coefficient is 1e100 at most."""
    learner = ek.Learner(
        "bpa_s",
        n_features=1,
        budget=1,
        kernel=ek.Linear(),
        dtype="float64",
        C=1e99,
        allow_skip=False,
    )
    assert learner.learn_one(np.array([1e-50]), 1) == 0.0
    assert learner.dual_coef_[0] == pytest.approx(1e99)
    learner.learn_one(np.array([1e-54]), 1)
    assert learner.support_vectors_[0, 0] == 1e-54
    assert learner.dual_coef_[0] == 1e99


def test_a_merged_support_vector_is_as_young_as_its_merging() -> None:
    """So ties between weights go to those that have stood longer."""
    learner = ek.Learner("bsgd", n_features=1, budget=2, lam=0.5, kernel=ek.Gaussian(1.0))
    learner.learn_many(np.array([[0.0], [8.0], [8.5]]), np.ones(3))
    assert learner.n_support == 2
    with learner._engine.view("arrivals") as region:
        assert region.tolist()[0][:2] == [3, 3]
