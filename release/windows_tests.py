"""A plugin of pytest: what of the tests Windows, or Wine, cannot run, each with the reason."""

from __future__ import annotations

import pytest

LEFT_OUT: dict[str, str] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot be run."""
    for item in items:
        name = item.nodeid.replace("\\", "/")
        for beginning, reason in LEFT_OUT.items():
            if name.startswith(beginning):
                item.add_marker(pytest.mark.skip(reason=reason))
