"""A plugin of pytest for slow processors: of each test some of its parameters, a few examples.

``-p release.fewer --most 8``. Which ones depends on the test's name alone, so that all values of a
parameter are met somewhere and a failure comes again.
"""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from hypothesis import settings

EXAMPLES = 3
#: Where Hypothesis keeps the settings of a test.
SETTINGS = "_hypothesis_internal_use_settings"


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many sets of parameters a test is run with."""
    parser.addoption("--most", type=int, default=8, help="sets of parameters of a test, at most")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is more than that, and tell Hypothesis to make few examples."""
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
