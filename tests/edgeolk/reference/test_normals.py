"""Normal draws: against AS 241 in Python's library, and against the distribution."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from edgeolk.reference.base import Pcg32
from edgeolk.reference.normals import logarithm, normals_of, standard_normals


def test_a_word_is_the_inverse_of_its_probability() -> None:
    """To the last bits, at both ends, at the borders of the approximations and between."""
    edges = [
        0,
        1,
        2**31 - 1,
        2**31,
        2**32 - 1,
        *(int(p * 2**32) + i for p in (0.075, 0.925) for i in (-1, 0, 1)),
    ]
    words = np.array(
        [*edges, *np.random.default_rng(1).integers(0, 2**32, 20_000)], dtype=np.uint64
    )
    lower = [min(int(word), 2**32 - 1 - int(word)) for word in words]
    exact = [NormalDist().inv_cdf((word + 0.5) / 2**32) for word in lower]
    signed = np.where(words < 2**31, exact, -np.array(exact))
    np.testing.assert_allclose(normals_of(words), signed, rtol=1e-15)
    assert np.abs(normals_of(words)).max() == normals_of(np.array([2**32 - 1]))[0] < 6.35


def test_the_logarithm() -> None:
    x = np.array(
        [0.5, 1.0, math.sqrt(0.5), math.nextafter(math.sqrt(0.5), 0), 1e-9, 0.07, 2.0**-33, 37.5]
    )
    np.testing.assert_allclose(logarithm(x), np.log(x), rtol=1e-15, atol=1e-16)


def test_draws_are_words_of_stream_56_in_order() -> None:
    draws = standard_normals(5, (3, 4))
    generator = Pcg32(5, 56)
    words = np.array([generator.next_u32() for _ in range(12)], dtype=np.uint64)
    assert np.array_equal(draws.ravel(), normals_of(words))


def test_the_distribution() -> None:
    """Kolmogorov-Smirnov: the largest gap to the distribution is that of a sample."""
    draws = np.sort(standard_normals(3, (40_000,)))
    exact = np.array([NormalDist().cdf(x) for x in draws])
    steps = np.arange(40_001) / 40_000
    gap = max(np.abs(exact - steps[1:]).max(), np.abs(exact - steps[:-1]).max())
    assert gap < 1.63 / math.sqrt(40_000)
