"""Errors with more than a message."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from firmware_sim.errors import DoesNotFitError, NotWrittenError


@pytest.mark.parametrize(
    "error", [DoesNotFitError("too few", 4096), NotWrittenError("no room", [Path("page.html")])]
)
def test_they_reach_another_process(error: Exception) -> None:
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), vars(sent)) == (type(error), str(error), vars(error))
