"""Helpers that the tests of the scaler share."""

import functools
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgeolk as ek
from edgeolk.configuration.header import unpack

METHODS = ("standard", "minmax")
#: Every kind of block there is.
FORMS = tuple((method, clip) for clip in (None, 5.0) for method in METHODS)
#: Every row counts as it is.
plain = functools.partial(ek.RunningScaler, clip=None)


def scaler_of(form: tuple[str, float | None], d: int, **options: Any) -> ek.RunningScaler:
    method, clip = form
    return ek.RunningScaler(d, method=method, clip=clip, **options)


def noise(n: int = 400, d: int = 3, seed: int = 1) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(n, d))


def placed(
    form: tuple[str, float | None], d: int, **options: Any
) -> tuple[bytearray, ek.RunningScaler]:
    """A scaler in memory whose bytes can be inspected."""
    memory = bytearray(ek.RunningScaler.plan(d, *form).nbytes)
    return memory, scaler_of(form, d, buffer=memory, **options)


def block_of(scaler: ek.RunningScaler) -> bytes:
    """A copy of the sealed block."""
    block = scaler.__reduce__()[1][0]
    assert isinstance(block, bytes)
    return block


def place_of(scaler: ek.RunningScaler, name: str) -> int:
    """Where a region of a scaler begins in its block."""
    head = unpack(block_of(scaler))
    return head.table[name][1]


def resealed(block: bytes | bytearray) -> bytes:
    """The block with its CRC-32 corrected."""
    block = bytearray(block)
    block[8:12] = bytes(4)
    block[8:12] = zlib.crc32(block).to_bytes(4, "little")
    return bytes(block)
