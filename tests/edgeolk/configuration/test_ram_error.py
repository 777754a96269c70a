"""The error of a ``ram=`` that is too small."""

from __future__ import annotations

import pickle

import pytest

import edgeolk as ek


def test_it_reaches_another_process() -> None:
    with pytest.raises(ValueError, match="ram must be at least") as caught:
        ek.plan(n_features=5, ram=100)
    sent = pickle.loads(pickle.dumps(caught.value))
    assert (str(sent), sent.least) == (str(caught.value), caught.value.least)
