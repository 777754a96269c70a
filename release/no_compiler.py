"""A plugin of pytest for systems without a C compiler: tests that compile are skipped.

``-p release.no_compiler``. A test that asks for the compiler while it runs is skipped there, so
that no list of such tests has to be kept.
"""

from __future__ import annotations

from typing import NoReturn

import pytest

import bench.compiled

REASON = "compiles C, and there is no compiler on this system"


def _compiles_nothing(*words: object, **named: object) -> NoReturn:
    """Stand in for `bench.compiled.compiled`."""
    pytest.skip(REASON)


def pytest_configure() -> None:
    """Replace the compiler before any test imports it."""
    bench.compiled.compiled = _compiles_nothing
