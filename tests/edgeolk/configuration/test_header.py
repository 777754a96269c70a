"""How long headers are: they are what a small model pays for its file being read for ever."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from helpers import EVERY

from edgeolk.configuration.config import Config
from edgeolk.configuration.families import FAMILIES
from edgeolk.configuration.header import FIXED_BYTES, MAX_BYTES, PLACES, lists_from, unpack
from edgeolk.configuration.layout import layout
from edgeolk.files import live
from edgeolk.parts.numbers import Family

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


def test_a_file_without_the_mark_is_no_model() -> None:
    with pytest.raises(ValueError, match=r"not a model: the first 4 bytes are not the mark"):
        unpack(bytes(FIXED_BYTES))


def test_a_list_of_numbers_has_no_gap() -> None:
    values = {"blends.0": 0.0, "blends.2": 1.0}
    with pytest.raises(ValueError, match="inconsistent: a number of blends is missing"):
        lists_from(FAMILIES[Family.SORF], values)
    values = {"blends.0": 0.0, "blends.1": 1.0, "unit": 2.0}
    assert lists_from(FAMILIES[Family.SORF], values) == {"blends": (0.0, 1.0)}
    assert values == {"unit": 2.0}


@pytest.mark.parametrize("number", [0.0, 1.5, 2.0, float("nan")])
def test_a_flag_of_a_file_is_one(number: float) -> None:
    settings = Config("rbp", n_features=3, budget=6, checksums=True)._settings
    head = live.head_of(settings, layout(settings))
    with pytest.raises(ValueError, match=f"inconsistent: checksums is {number}"):
        live.config_from(replace(head, values={**head.values, "checksums": number}))


def test_a_model_beyond_what_a_header_counts_is_refused() -> None:
    settings = Config("rbp", n_features=3, budget=6)._settings
    head = replace(live.head_of(settings, layout(settings)), nbytes=MAX_BYTES + 1)
    block = bytearray(400)
    with pytest.raises(ValueError, match=f"a model of {MAX_BYTES + 1} bytes cannot be stored"):
        live.write_head(memoryview(block), head)
    assert block == bytes(400)
