"""Normal draws, to the last bit those of the library (docs/sorf.md, section 2)."""

from __future__ import annotations

import numpy as np

from edgeolk.reference.base import Pcg32

#: Numerators and denominators of Algorithm AS 241 (Wichura 1988), highest power first.
CENTRE = (
    (
        *(2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4),
        *(4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3),
        *(1.3314166789178437745e2, 3.3871328727963666080e0),
    ),
    (
        *(5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4),
        *(2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2),
        *(4.2313330701600911252e1, 1.0),
    ),
)
TAIL = (
    (
        *(7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1),
        *(1.27045825245236838258e0, 3.64784832476320460504e0, 5.76949722146069140550e0),
        *(4.63033784615654529590e0, 1.42343711074968357734e0),
    ),
    (
        *(1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2),
        *(1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e0),
        *(2.05319162663775882187e0, 1.0),
    ),
)


def _quotient(
    parts: tuple[tuple[float, ...], tuple[float, ...]], r: np.ndarray, factor: np.ndarray | float
) -> np.ndarray:
    above, below = (np.full(r.shape, part[0]) for part in parts)
    for a, b in zip(parts[0][1:], parts[1][1:], strict=True):
        above = above * r + a
        below = below * r + b
    return np.asarray(above * factor / below)


def logarithm(x: np.ndarray) -> np.ndarray:
    """ln(x) = n ln 2 + 2 artanh((m - 1) / (m + 1)), x = 2^n m with m within sqrt(2) of 1."""
    m, n = np.frexp(x)
    low = m < np.sqrt(0.5)
    m, n = np.where(low, 2.0 * m, m), np.where(low, n - 1, n).astype(float)
    gap = m - 1.0
    s = gap / (m + 1.0)
    square = s * s
    total = np.full(x.shape, 1.0 / 23.0)
    for k in range(10, 0, -1):
        total = total * square + 1.0 / (2 * k + 1)
    rest = s * (2.0 * square * total - gap)
    return np.asarray(
        n * 6.93147180369123816490e-1 + (gap + (rest + n * 1.90821492927058770002e-10))
    )


def normals_of(words: np.ndarray) -> np.ndarray:
    """The normal numbers of words of 32 bits: word w is the probability (w + 1/2) / 2^32."""
    q = (words.astype(float) + 0.5) * 2.0**-32 - 0.5
    tails = np.abs(q) > 0.425
    root = np.sqrt(-logarithm(0.5 - np.abs(q[tails])))
    z = _quotient(CENTRE, 0.180625 - q * q, q)
    z[tails] = np.copysign(_quotient(TAIL, root - 1.6, 1.0), q[tails])
    return z


def standard_normals(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """Normal draws from stream 56 of PCG32, in C order."""
    draws = Pcg32(seed, 56)
    words = [draws.next_u32() for _ in range(int(np.prod(shape)))]
    return normals_of(np.array(words, dtype=np.uint64)).reshape(shape)
