"""Packed instructions of the loops for boards: what is counted."""

from __future__ import annotations

import re

from edgeolk.core.units import C_FOLDER, HEADERS
from release import vectors


def test_every_module_of_loops_is_counted() -> None:
    assert set(vectors.FUNCTIONS) == set(HEADERS)


def test_functions_that_are_never_vectorised_are_counted_ones() -> None:
    counted = [name for names in vectors.FUNCTIONS.values() for name in names]
    for ending in vectors.SCALAR_FUNCTIONS:
        assert any(name.endswith(ending) or f"{name}_f64".endswith(ending) for name in counted)


def test_variants_are_sets_of_instructions() -> None:
    sets = (C_FOLDER / "ring_variants.h").read_text(encoding="utf-8")
    names = re.findall(r'\{"(\w+)", olk_fill_single', sets)
    assert {name for name, _ in vectors.VARIANTS.values()} <= set(names)
