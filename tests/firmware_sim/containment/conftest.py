"""Processes under a cap are not measured by `make coverage`: its tracer takes more than they have."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def without_tracer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
