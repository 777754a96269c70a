"""Which vector leaves a full ring of BOGD++: the one that its draw chooses, at ties too."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import edgeolk as ek
from edgeolk import hosting
from edgeolk.reference import LEARNERS, gaussian
from edgeolk.reference.base import Pcg32

BUDGET = 64
#: Rows that no kernel relates.
ROWS = 20.0 * np.eye(BUDGET + 1)
#: How much of a vector's weight the first rows have; one of 64 is certain to stay.
WEIGHTS = {
    "equal": np.full(BUDGET, 1.0),
    "one is certain to stay": np.where(np.arange(BUDGET) == 9, 64.0, 1.0),
}


def state_before(word: int) -> int:
    """A state of the generator that draws this word of 32 bits next."""
    mixed = word << 27
    return mixed ^ mixed >> 18 ^ mixed >> 36 ^ mixed >> 54


def test_the_state_draws_the_word() -> None:
    generator = Pcg32()
    for word in (0, 1, 0x12345678, 0xFFFFFFFF):
        generator.state = state_before(word)
        assert generator.next_u32() == word


def full(weights: np.ndarray, draw: int) -> ek.Learner:
    """A learner whose ring is full, and whose next draw is this word."""
    made = {"n_features": BUDGET + 1, "kernel": ek.Gaussian(1.0), "dtype": "float64"}
    learner = ek.Learner("bogd++", budget=BUDGET, projection="none", lam=0.0, eta=0.5, **made)
    for row, weight in zip(ROWS, weights, strict=False):
        learner.learn_one(row, 1.0, weight=weight)
    assert learner.n_support == BUDGET
    block = hosting.block_of(learner)
    state = struct.pack("<Q", Pcg32().state)
    at = bytes(block).index(state)
    block[at : at + 8] = struct.pack("<Q", state_before(draw))
    return learner


def evicted(learner: ek.Learner) -> int:
    """The slot of the vector that leaves."""
    before = learner.support_vectors_.copy()
    learner.learn_one(ROWS[-1], -1.0)
    changed = np.flatnonzero((learner.support_vectors_ != before).any(axis=1))
    assert len(changed) == 1
    return int(changed[0])


@pytest.mark.parametrize("slot", [0, 1, 31, 32, 50, 63])
def test_a_draw_where_two_meet_is_of_the_second(slot: int) -> None:
    """Of 64 equal vectors, slot i has the draws from i / 64 on: sums in any order are exact."""
    draw = slot << 26
    assert evicted(full(WEIGHTS["equal"], draw)) == slot
    if slot:
        assert evicted(full(WEIGHTS["equal"], draw - 1)) == slot - 1


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("draw", [0, 0x25000001, 0x7FFFFFFF, 0xC0000000, 0xFFFFFFFF])
def test_the_reference_evicts_the_same(weights: np.ndarray, draw: int) -> None:
    learner = full(weights, draw)
    plain = LEARNERS["bogd++"](gaussian(1.0), BUDGET, projection="none", lam=0.0, eta=0.5)
    for row in ROWS[:BUDGET]:
        plain.step(row, 1.0)
    plain.alpha = plain.alpha * weights
    plain.rng.state = state_before(draw)
    np.testing.assert_allclose(learner.dual_coef_, plain.alpha)
    plain.step(ROWS[-1], -1.0)
    gone = evicted(learner)
    assert gone == np.flatnonzero(plain.sv[:, -1])[0]
    np.testing.assert_allclose(learner.dual_coef_, plain.alpha, rtol=1e-12)
    assert weights[gone] < 64.0


@pytest.mark.parametrize("slot", [32, 33, 47, 63])
def test_vectors_that_are_certain_to_stay_have_no_draws(slot: int) -> None:
    """Of 32 others, each has 1/32 of the draws, where sums in any order are exact."""
    weights = np.where(np.arange(BUDGET) < 32, 1000.0, 1.0)
    assert evicted(full(weights, (slot - 32) << 27)) == slot
