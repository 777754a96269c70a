"""Accepted and rejected forms of arrays and rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

NAN, INF = math.nan, math.inf


def misaligned(x: np.ndarray) -> np.ndarray:
    """The same numbers at an address misaligned by one byte."""
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(x.dtype)
    view[:] = x
    assert not view.flags.aligned
    return view


def read_only(x: np.ndarray) -> np.ndarray:
    """A read-only copy."""
    x = x.copy()
    x.flags.writeable = False
    return x


GOOD = np.array([0.5, -1.0, 2.0])
#: Forms of a row of real numbers: the same three, or those given beside it.
FORMS: dict[str, Callable[[], Any]] = {
    "list": GOOD.tolist,
    "tuple": lambda: tuple(GOOD.tolist()),
    "float32": lambda: GOOD.astype(np.float32),
    "float16": lambda: GOOD.astype(np.float16),
    "longdouble": lambda: GOOD.astype(np.longdouble),
    "integers": lambda: np.array([1, -1, 2]),
    "uint8": lambda: np.array([1, 0, 2], np.uint8),
    "bool": lambda: np.array([True, False, True]),
    "strided": lambda: np.repeat(GOOD, 2)[::2],
    "reversed": lambda: GOOD[::-1].copy()[::-1],
    "a column": lambda: np.asfortranarray(np.outer(GOOD, np.ones(2)))[:, 1],
    "read-only": lambda: read_only(GOOD),
    "byte-swapped": lambda: GOOD.astype(GOOD.dtype.newbyteorder()),
    "unaligned": lambda: misaligned(GOOD),
    "read-only float32": lambda: read_only(GOOD.astype(np.float32)),
    "byte-swapped float32": lambda: GOOD.astype(np.dtype(np.float32).newbyteorder()),
    "unaligned float32": lambda: misaligned(GOOD.astype(np.float32)),
    "memoryview": lambda: memoryview(GOOD),
    "subclass": lambda: GOOD.view(type("Sub", (np.ndarray,), {})),
    "a list of integers": lambda: [1, 0, 1],
    "nothing masked": lambda: np.ma.masked_array(GOOD, mask=[False] * 3),
    "denormals": lambda: np.array([5e-324, -1e-310, 1e-40]),
    "all zero": lambda: np.zeros(3),
    "minus zero": lambda: np.array([-0.0, 0.0, -0.0]),
    "tiny": lambda: np.array([1e-30, -1e-30, 1e-30]),
    "large": lambda: np.array([1e4, -1e4, 3e3]),
}
#: What is no row of three finite numbers of float32, whatever the learner.
BAD: dict[str, Any] = {
    "nan": [0.0, NAN, 1.0],
    "nan in float32": np.array([0.0, NAN, 1.0], np.float32),
    "nan at the end": np.array([1.0, 2.0, NAN]),
    "infinity": np.array([INF, 0.0, 1.0]),
    "minus infinity": np.array([0.0, -INF, 1.0]),
    "both infinities": np.array([INF, -INF, 1.0]),
    "1e308": np.array([0.5, 1e308, 1.0]),
    "beyond float32": np.array([0.5, -3.5e38, 1.0]),
    "short": GOOD[:2],
    "long": np.append(GOOD, 1.0),
    "empty": np.empty(0),
    "0-d": np.float64(1.0),
    "a number": 1.0,
    "2-d": GOOD[None, :],
    "3-d": GOOD[None, None, :],
    "objects": np.array([1.0, 2.0, 3.0], object),
    "none among numbers": np.array([1.0, None, 3.0], object),
    "complex": GOOD.astype(complex),
    "strings": np.array(["1", "2", "3"]),
    "bytes": b"abc",
    "text": "123",
    "dates": np.array(["2000", "2001", "2002"], "datetime64[Y]"),
    "records": np.zeros(3, [("a", float)]),
    "none": None,
    "a dict": {"a": 1.0, "b": 2.0, "c": 3.0},
    "ragged": [[1.0], [2.0, 3.0], []],
    "masked": np.ma.masked_array(GOOD, mask=[False, True, False]),
    "a generator": (v for v in GOOD.tolist()),
    "a set": {1.0, 2.0, 3.0},
    "a function": abs,
}
#: Those of them that a broken sensor gives; the others are wrong calls.
READINGS = [
    *("nan", "nan in float32", "nan at the end", "infinity", "minus infinity"),
    *("both infinities", "1e308", "beyond float32"),
]
