"""A pytest plugin for slow processors: each test runs with some of its parameters, few examples.

``-p release.fewer --most 8``. The choice depends only on the test's name, so that all values of a
parameter occur somewhere and a failure is reproducible.
"""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from hypothesis import settings

EXAMPLES = 3
#: The attribute of a test in which Hypothesis stores its settings.
SETTINGS = "_hypothesis_internal_use_settings"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the number of parameter sets of a test."""
    parser.addoption("--most", type=int, default=8, help="sets of parameters of a test, at most")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect further parameter sets, and limit Hypothesis to few examples."""
    by_test: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        by_test[item.nodeid.partition("[")[0]].append(item)
    most, kept = config.getoption("--most"), set()
    for name, group in by_test.items():
        kept.update(random.Random(name).sample(group, min(most, len(group))))
    left_out = [item for item in items if item not in kept]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item in kept]
    for item in items:
        function = getattr(item, "obj", None)
        chosen = getattr(function, SETTINGS, None)
        if chosen is not None:
            few = min(EXAMPLES, chosen.max_examples)
            setattr(function, SETTINGS, settings(chosen, max_examples=few))
