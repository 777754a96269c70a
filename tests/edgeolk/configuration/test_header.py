"""How long headers are: they are what a small model pays for its file being read for ever."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator

import pytest
from helpers import BY_DAY, EVERY, KERNELS, every_choice

from edgeolk.configuration.config import Config
from edgeolk.configuration.header import PLACES
from edgeolk.configuration.layout import layout
from edgeolk.files import live
from edgeolk.lean import replace

#: With the support vectors of two rings and the optimist's own state; all others are plain.
LARGE = ("pomdr", "sorf")


def header(config: Config) -> int:
    return len(live.head_of(config._settings, layout(config._settings)).pack())


def every_option(name: str) -> Iterator[Config]:
    """Choices x storage x rows x kernels x coefficients x a radius or none, where allowed."""
    for options in every_choice(name):
        for dtype, sparse, kernel, coefficients, radius in itertools.product(
            ("float32", "int8"),
            (False, True),
            ("gaussian", "polynomial", "sigmoid"),
            ("float64", "float32"),
            ({}, {"U": 2.0}, {"R": 2.0}),
        ):
            try:
                yield Config(name, n_features=3, budget=6, dtype=dtype, sparse=sparse,
                             kernel=KERNELS[kernel][0], coefficients=coefficients,
                             **options, **radius)  # fmt: skip
            except (TypeError, ValueError):
                continue  # there is no such learner


@pytest.mark.parametrize("name", EVERY)
def test_plain_learners(name: str) -> None:
    for dtype in ("float32", "float64", "float16"):
        try:
            config = Config(name, n_features=3, budget=6, dtype=dtype)
        except ValueError:
            assert (name, dtype) == ("sorf", "float16")
            continue
        assert header(config) <= (184 if name in LARGE else 168)


@pytest.mark.parametrize("name", BY_DAY)
def test_any_learner(name: str) -> None:
    found = {}
    for config in every_option(name):
        found[str(config)] = header(config)
        assert header(config) <= 256, config
    assert found


@pytest.mark.parametrize("order", "<>")
def test_counters_lie_where_they_are_packed(order: str) -> None:
    """Where a torn block is mended, counter by counter."""
    config = Config("rbp", n_features=3, budget=6)._settings
    counters = {name: number for number, name in enumerate(PLACES, 2)}
    packed = replace(live.head_of(config, layout(config)), **counters).pack(order)
    found = {
        name: struct.unpack_from(order + kind, packed, at)[0] for name, (at, kind) in PLACES.items()
    }
    assert found == counters
    assert PLACES["n_support"] == (52, "i")
    assert PLACES["updates"] == (80, "q")
