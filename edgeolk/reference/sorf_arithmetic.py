"""The arithmetic of `sorf`: double precision for weights of float64, single precision for others.

In double precision the order of sums is free. In single precision docs/sorf.md (section 17) fixes
every operation: each is rounded once, none is fused, and sums are in one order, so that all
implementations have the same bits. Arguments and results of `Single` are numpy's float32, which
Python numbers must not meet: the result would be a double in numpy 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

P = 64  # lines of a block


def hadamard(n: int) -> np.ndarray:
    """Natural order, entries +-1, not normalised."""
    if n == 1:
        return np.ones((1, 1))
    half = hadamard(n // 2)
    return np.block([[half, half], [half, -half]])


H = hadamard(P)
F = np.float32


class Double:
    """float64; sums are numpy's."""

    real: Any = float

    def exp(self, x: Any) -> Any:
        """e to the x."""
        return math.exp(x) if isinstance(x, float) else np.exp(x)

    def sqrt(self, x: Any) -> Any:
        """The square root."""
        return math.sqrt(x) if isinstance(x, float) else np.sqrt(x)

    def squared(self, x: float) -> float:
        """X times x."""
        return float(x**2)

    def cos_sin(self, angle: np.ndarray) -> np.ndarray:
        """Cosine and sine (.., 2)."""
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1)

    def transform(self, v: np.ndarray) -> np.ndarray:
        """Rows of v times H."""
        return np.asarray(v @ H)

    def over(self, x: Any, n: Any) -> Any:
        """X divided by n."""
        return x / n

    def sum(self, a: np.ndarray, axis: int | None = None) -> Any:
        """The sum over an axis; None: over the last one, then the next."""
        return a.sum(axis=axis)

    def dot(self, a: np.ndarray, b: np.ndarray) -> Any:
        """The sums of a b over the last axis."""
        return a @ b

    def score(self, phi: np.ndarray, stored: np.ndarray, size: Any) -> np.ndarray:
        """Features (n, 2) times stored numbers (n, K, 2) over `size`: (K,)."""
        return np.asarray(np.einsum("ki,kci->c", phi, stored.astype(float)) / size)

    def similarity(self, phi: np.ndarray, stored: np.ndarray, size: Any) -> Any:
        """The same of one column."""
        return float(np.sum(phi * stored[:, 0].astype(float))) / size

    def last(self, fw: Any, fa: Any) -> Any:
        """The score of the expert A = 1."""
        return fw

    def blend(self, E: Any, alpha: Any, fa: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """The sum over groups of E f_a + alpha (f_w - f_a)."""
        return np.asarray(E @ fa + alpha @ gap)

    def linear(self, wl: np.ndarray, x: np.ndarray) -> Any:
        """The weights of a row and the bias, the last one."""
        return float(wl @ np.append(x, 1.0))

    def spread(self, S: np.ndarray, x: np.ndarray) -> Any:
        """1 + sum of S x^2, the bias included."""
        return np.append(x, 1.0) @ (S * np.append(x, 1.0)) + 1.0

    def mean_square(self, x: np.ndarray) -> Any:
        """The mean of squares."""
        return float(np.mean(x**2))

    def square(self, x: np.ndarray) -> Any:
        """The sum of squares."""
        return float(x @ x)

    def gradient(self, sigma: Any, x: np.ndarray, back: np.ndarray) -> np.ndarray:
        """The gradient by lambda: sigma x back."""
        return np.asarray(sigma * (x * back))

    def slope(self, delta: np.ndarray, omega: np.ndarray, v: np.ndarray) -> Any:
        """The sum of delta theta; delta (D,), the others (N, P)."""
        return float(delta @ (v * omega).ravel()[: len(delta)])

    def decayed(self, memory: float, steps: int) -> Any:
        """The power `steps` of `memory`."""
        return memory**steps

    def width(self, unit: np.ndarray, widths: np.ndarray, q: Any) -> np.ndarray:
        """The frequencies of gamma = 1 / (2 q); `unit`: those of gamma = 1/2."""
        return np.asarray(unit / math.sqrt(q))

    # --- the memory of rows ---

    def code_units(self, x: np.ndarray, steps: float) -> np.ndarray:
        """The row in steps of the codes."""
        return np.asarray(x / (1.0 / steps))

    def memory_kernels(
        self, u: np.ndarray, codes: np.ndarray, scale: np.ndarray | None
    ) -> np.ndarray:
        """The mean of two kernels, and the narrower alone: (2, rows)."""
        by = np.ones(len(u)) if scale is None else scale
        z = ((u - codes) ** 2) @ by / (25.0 * len(u))
        p = np.exp(-9.0 * z)
        return np.stack([(p + p**3) / 2.0, p**3])

    def votes(
        self, kernel: np.ndarray, C: np.ndarray, mine: np.ndarray, rival: np.ndarray | None,
        K: int, ridge: Any,
    ) -> np.ndarray:  # fmt: skip
        """The scores of a memory (K,); two classes: no rivals, `mine` is -1 or +1."""
        if rival is None:
            return np.array([2.0 * float((kernel * C / (127 * ridge)) @ mine)])
        g: np.ndarray = np.zeros(K)
        weighed = kernel * C / (255 * ridge)
        np.add.at(g, mine, weighed)
        np.subtract.at(g, rival, weighed)
        return g

    def mixed(self, f: np.ndarray, weights: np.ndarray, g: np.ndarray) -> np.ndarray:
        """The score of the features with those of the memory, g (kernels, K)."""
        return np.asarray(f + weights @ (g - f))


# exp(r), |r| <= ln(2) / 2, from r^6 down; sine and cosine, |r| <= pi / 4, from the highest power.
EXP = [
    F(c)
    for c in (
        0.00140614213267004718, 0.00837905902467253242, 0.0416647733349355985,
        0.166663648088619529, 0.500000043574032318, 1.0000000497968269, 1.0,
    )
]  # fmt: skip
SINE = [F(c) for c in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)]
COSINE = [F(c) for c in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)]
MAGIC = F(12582912.0)  # 1.5 times 2^23: adding it rounds to an integer, in the low bits of the sum
LOG2_E, LN2_HIGH, LN2_LOW = F(1.44269504088896341), F(0.693359375), F(-2.12194440e-4)
TURNS = F(0.636619772367581343)  # quarter turns of an angle of 1
QUARTERS = F(1.5703125), F(4.8382679489661923e-4)  # a quarter turn in two parts
#: The first 1,152 bits of 2 / pi.
TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea"
    "09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b"
    "1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f7"
    "8a5292ea6bfb5fb11f8d5d08",
    16,
)


def ordered(a: np.ndarray, axis: int = 0) -> Any:
    """The sum over an axis, one after the other."""
    return np.take(np.add.accumulate(a, axis=axis, dtype=F), -1, axis=axis) + F(0)


def large_angle(angle: Any) -> tuple[int, Any]:
    """Quarter turns of an angle of 512 or more, and the rest of it in radians."""
    bits = int(np.asarray(angle, F).view(np.uint32))
    mantissa, exponent = bits & 0x7FFFFF | 0x800000, (bits >> 23 & 0xFF) - 150
    # In units of 2^-1152 quarter turns, then of 2^-64.
    product = mantissa * TWO_OVER_PI << exponent if exponent >= 0 else 0
    if exponent < 0:
        product = mantissa * TWO_OVER_PI >> -exponent
    part = product >> 1152 - 64
    turns, fraction = part >> 64 & 3, part & 2**64 - 1
    up = fraction >> 63
    size = 2**64 - fraction if up else fraction
    rest = F(size >> 40) * F(2.0**-24) * F(math.pi / 2.0)
    turns, rest = turns + up, -rest if up else rest
    return (-turns, -rest) if bits >> 31 else (turns, rest)


class Single:
    """float32, every operation as docs/sorf.md has it."""

    real: Any = F

    def exp(self, x: Any) -> Any:
        """E to the x, for x <= 88; 0 below -87."""
        x = np.asarray(x, dtype=F)
        known = x >= F(-87)
        x = np.where(known, x, F(0))
        n = (x * LOG2_E + MAGIC) - MAGIC
        r = (x - n * LN2_HIGH) - n * LN2_LOW
        total = np.full_like(r, EXP[0])
        for c in EXP[1:]:
            total = total * r + c
        return np.where(known, np.ldexp(total, n.astype(int)), F(0))[()]

    def sqrt(self, x: Any) -> Any:
        """The square root."""
        return np.sqrt(np.asarray(x, dtype=F))[()]

    def squared(self, x: Any) -> Any:
        """X times x."""
        return x * x

    def cos_sin(self, angle: np.ndarray) -> np.ndarray:
        """Cosine and sine (.., 2); 1 and 0 of an angle that is not finite."""
        finite, small = np.isfinite(angle), np.abs(angle) < F(512)
        reduced = np.where(small, angle, F(0))
        shifted = reduced * TURNS + MAGIC
        n = shifted - MAGIC
        r = reduced
        for part in QUARTERS:
            r = n * -part + r
        turns = shifted.view(np.uint32) & 3
        for at in np.argwhere(finite & ~small):
            count, r[tuple(at)] = large_angle(angle[tuple(at)])
            turns[tuple(at)] = count & 3
        z = r * r
        of_s = (SINE[0] * z + SINE[1]) * z + SINE[2]
        of_c = (COSINE[0] * z + COSINE[1]) * z + COSINE[2]
        s = (of_s * z) * r + r
        c = (of_c * z) * z + (z * F(-0.5) + F(1))
        odd = (turns & 1).astype(bool)
        cosine, sine = np.where(odd, s, c), np.where(odd, c, s)
        cosine = np.where((turns + 1) & 2, -cosine, cosine)
        sine = np.where(turns & 2, -sine, sine)
        return np.stack([np.where(finite, cosine, F(1)), np.where(finite, sine, F(0))], axis=-1)

    def transform(self, v: np.ndarray) -> np.ndarray:
        """Rows of v times H, by 6 stages."""
        v = v.copy()
        for h in (1, 2, 4, 8, 16, 32):
            pairs = v.reshape(len(v), P // (2 * h), 2, h)
            a, b = pairs[:, :, 0].copy(), pairs[:, :, 1].copy()
            pairs[:, :, 0], pairs[:, :, 1] = a + b, a - b
        return v

    def over(self, x: Any, n: Any) -> Any:
        """X times 1 / n."""
        return x * (F(1) / n)

    def sum(self, a: np.ndarray, axis: int | None = None) -> Any:
        """The sum over an axis; None: over the last one, then the next."""
        if axis is not None:
            return ordered(a, axis)
        while a.ndim:
            a = ordered(a, -1)
        return a

    def dot(self, a: np.ndarray, b: np.ndarray) -> Any:
        """The sums of a b over the last axis."""
        return ordered(a * b, -1)

    def score(self, phi: np.ndarray, stored: np.ndarray, size: Any) -> np.ndarray:
        """Features (n, 2) times stored numbers (n, K, 2) over `size`: (K,)."""
        K, lines = stored.shape[1], -(-len(phi) // P) * P
        products = np.zeros((lines, K, 2), dtype=F)
        products[: len(phi)] = phi[:, None, :] * stored.astype(F)
        if K > 1:
            both = ordered(products.reshape(-1, P, K, 2), 1)  # each block's C and S
            return np.asarray(ordered(self.over(both[..., 0] + both[..., 1], size)))
        lanes = ordered(products.reshape(-1, 16))
        for half in (8, 4, 2, 1):
            lanes = lanes[:half] + lanes[half:]
        return np.asarray(self.over(lanes, size))

    def similarity(self, phi: np.ndarray, stored: np.ndarray, size: Any) -> Any:
        """The same of one column."""
        return self.score(phi, stored, size)[0]

    def last(self, fw: Any, fa: Any) -> Any:
        """The score of the expert A = 1."""
        return fa + F(1) * (fw - fa)

    def blend(self, E: Any, alpha: Any, fa: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """The sum over groups of E f_a + alpha (f_w - f_a)."""
        return np.asarray(ordered(E[:, None] * fa + alpha[:, None] * gap))

    def linear(self, wl: np.ndarray, x: np.ndarray) -> Any:
        """The weights of a row and the bias, which is first."""
        return ordered(np.concatenate([wl[-1:], x * wl[:-1]]))

    def spread(self, S: np.ndarray, x: np.ndarray) -> Any:
        """1 + sum of S x^2, the bias included and first."""
        return ordered(np.concatenate([S[-1:] + F(1), (x * x) * S[:-1]]))

    def mean_square(self, x: np.ndarray) -> Any:
        """The mean of squares."""
        return min(ordered(x * x) / F(len(x)), F(1e30))

    def square(self, x: np.ndarray) -> Any:
        """The sum of squares."""
        return min(ordered(x * x), F(1e30))

    def gradient(self, sigma: Any, x: np.ndarray, back: np.ndarray) -> np.ndarray:
        """The gradient by lambda: sigma x back."""
        return np.asarray((sigma * x) * back)

    def slope(self, delta: np.ndarray, omega: np.ndarray, v: np.ndarray) -> Any:
        """The sum of delta theta; delta (D,), the others (N, P)."""
        padded = np.zeros(v.size, dtype=F)
        padded[: len(delta)] = delta
        parts = (padded.reshape(v.shape) * omega) * v
        lane = ordered(parts.reshape(len(v), 8, 8), 1).T
        return ordered(
            ((lane[0] + lane[4]) + (lane[1] + lane[5]))
            + ((lane[2] + lane[6]) + (lane[3] + lane[7]))
        )

    def decayed(self, memory: float, steps: int) -> Any:
        """The power `steps` of `memory`, by squares."""
        decayed, power = F(1), F(memory)
        with np.errstate(under="ignore"):
            while steps:
                decayed = decayed * power if steps & 1 else decayed
                steps, power = steps >> 1, power * power
        return decayed

    def width(self, unit: np.ndarray, widths: np.ndarray, q: Any) -> np.ndarray:
        """The frequencies of gamma = 1 / (2 q); `unit`: those of gamma = 1/2."""
        gamma = F(1) / (F(2) * q)
        return np.asarray(self.sqrt((F(2) * gamma) * widths) / F(P))

    # --- the memory of rows ---

    def code_units(self, x: np.ndarray, steps: Any) -> np.ndarray:
        """The row in steps of the codes."""
        return np.asarray(x * steps)

    def memory_kernels(
        self, u: np.ndarray, codes: np.ndarray, scale: np.ndarray | None
    ) -> np.ndarray:
        """The mean of two kernels, and the narrower alone: (2, rows)."""
        gap = (u + F(8)) - (codes + 8).astype(F)
        squares = gap * gap if scale is None else (gap * gap) * scale
        x = ordered(squares, 1) * (F(-9) / (F(25) * F(len(u))))
        p = self.exp(np.maximum(x, F(-28)))
        cube = (p * p) * p
        return np.stack([F(0.5) * (p + cube), cube])

    def votes(
        self, kernel: np.ndarray, C: np.ndarray, mine: np.ndarray, rival: np.ndarray | None,
        K: int, ridge: Any,
    ) -> np.ndarray:  # fmt: skip
        """The scores of a memory (K,); two classes: no rivals, `mine` is -1 or +1."""
        g: np.ndarray = np.zeros(K, dtype=F)
        if rival is None:
            lanes: np.ndarray = np.zeros((len(kernel) // 8 + 1, 8), dtype=F)
            lanes.ravel()[: len(kernel)] = kernel * (C * mine).astype(F)
            g[0] = ordered(ordered(lanes))
            return np.asarray(g * ((F(2) / F(127)) / ridge))
        for part, plus, minus in zip(kernel * C.astype(F), mine, rival, strict=True):
            g[plus] += part
            g[minus] -= part
        return np.asarray(g * ((F(1) / F(255)) / ridge))

    def mixed(self, f: np.ndarray, weights: np.ndarray, g: np.ndarray) -> np.ndarray:
        """The score of the features with those of the memory, g (kernels, K)."""
        total = f
        for weight, one in zip(weights, g, strict=True):
            total = total + weight * (one - f)
        return np.asarray(total)
