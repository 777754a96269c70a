"""The mixture of learners of targets, and errors in dB."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

# At the end: where an installed wheel is tested, edgeolk must not be the one beside bench.
sys.path.append(str(Path(__file__).parents[2]))

from bench.filters import choice, untuned


def test_a_mixture_follows_the_better_one() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=1500)
    good, bad = y + 0.1 * rng.normal(size=1500), y + rng.normal(size=1500)
    for answers in ([good, bad], [bad, good]):
        f = choice.mixed(answers, y)
        assert np.array_equal(f[:30], answers[0][:30])
        assert choice.error_of(f[300:], y[300:]) < 1.02 * choice.error_of(good[300:], y[300:])


def test_a_mixture_may_be_better_than_both() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=1500)
    one, other = (y + sign * 0.5 for sign in (1.0, -1.0))
    assert choice.error_of(choice.mixed([one, other], y)[300:], y[300:]) < 0.1


def test_errors_are_relative_to_the_targets() -> None:
    y = np.random.default_rng(0).normal(size=1000) * 50.0 + 1e3
    f = y.copy()
    f[: untuned.FIRST] = 0.0
    f[untuned.FIRST :] += 0.1 * y[untuned.FIRST :].std()
    assert untuned.decibels(f, y) == pytest.approx(-20.0)
