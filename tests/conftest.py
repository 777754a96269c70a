"""What holds for every test: Hypothesis without deadlines, and long lists of cases by day.

On a busy machine any example takes longer than usual, so none has a deadline.
"""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("day", deadline=None, max_examples=20)
settings.register_profile("night", deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """Fewer examples where slow tests are left out."""
    settings.load_profile("day" if "not slow" in config.option.markexpr else "night")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow all but each n-th case of a test with the marker ``spread(n)``."""
    cases: Counter[str] = Counter()
    for item in items:
        marker = item.get_closest_marker("spread")
        if marker is None or item.get_closest_marker("slow"):
            continue
        test = item.nodeid.partition("[")[0]
        if cases[test] % marker.args[0]:
            item.add_marker("slow")
        cases[test] += 1


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the collector need not go through it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def clients_of_mqtt() -> Iterator[None]:
    """Clients of MQTT are in cycles with their callbacks: their own sockets are the collector's."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
