"""Every variant whose peak is measured is one that the benchmark knows."""

import sys
from pathlib import Path

import numpy as np

# At the end: where an installed wheel is tested, edgeolk must not be the one beside bench.
sys.path.append(str(Path(__file__).parents[2]))

import edgeolk as ek
from bench.roofs.peak import DTYPES, Instructions, in_vectors


def test_variants_that_are_measured() -> None:
    variants = in_vectors(ek.available_simd())
    assert ek.simd() in [*variants, "scalar"]
    for variant in variants:
        for dtype in DTYPES:
            lanes = Instructions.of(variant).lanes(dtype)
            assert lanes * np.dtype(dtype).itemsize >= 16
