"""Attributes that a learner lacks, and those that only some have."""

from __future__ import annotations

import pytest

import edgeolk as ek


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mistake", "no attribute 'mistake' .did you mean 'mistakes'"),
        ("support_vectors", "did you mean 'support_vectors_'"),
        ("nothing_like_it_at_all", "no attribute 'nothing_like_it_at_all'$"),
    ],
)
def test_an_unknown_attribute_says_what_is_near(name: str, message: str) -> None:
    learner = ek.Learner(n_features=2, ram="2KiB")
    with pytest.raises(AttributeError, match=message):
        getattr(learner, name)
    assert not hasattr(learner, name)


def test_a_property_keeps_its_own_error() -> None:
    learner = ek.Learner("perceptron", n_features=2, budget=4)
    with pytest.raises(AttributeError) as raised:
        _ = learner.weights_
    assert "did you mean" not in str(raised.value)
    assert "no attribute" not in str(raised.value)
