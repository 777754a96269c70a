"""`make coverage` does not measure processes under a cap: its tracer takes more than they have."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def without_tracer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
