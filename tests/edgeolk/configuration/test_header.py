"""How long headers are: they are what a small model pays for its file being read for ever."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from helpers import EVERY

from edgeolk.configuration.config import Config
from edgeolk.configuration.header import PLACES
from edgeolk.configuration.layout import layout
from edgeolk.files import live

#: With the support vectors of two rings and the optimist's own state; all others are plain.
LARGE = ("pomdr", "sorf", "krls_auto")


def header(config: Config) -> int:
    return len(live.head_of(config._settings, layout(config._settings)).pack())


@pytest.mark.parametrize("name", EVERY)
def test_plain_learners(name: str) -> None:
    for dtype in ("float32", "float64", "float16"):
        try:
            config = Config(name, n_features=3, budget=6, dtype=dtype)
        except ValueError:
            assert (name, dtype) in (("sorf", "float16"), ("krls_auto", "float16"))
            continue
        assert header(config) <= (184 if name in LARGE else 168)


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
