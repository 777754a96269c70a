"""Exported anomalies of a stream: rows, learners, verdicts of boards."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
from exported import Compiled, stream

import edgeolk as ek


class Verdict(ctypes.Structure):
    """The struct of edgeolk.h."""

    _fields_ = [
        ("score", ctypes.c_double),
        *((name, ctypes.c_int) for name in ("novel", "alarm", "event", "rare", "part")),
        ("channel", ctypes.c_uint32),
        ("alarms", ctypes.c_uint64),
    ]


def watch(board: Compiled, x: np.ndarray, seconds: float = math.nan) -> Verdict:
    """The verdict of a board on a row that it learns."""
    call = board.c.ek_watch
    call.restype = Verdict
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double]
    row = np.ascontiguousarray(x, board.dtype)
    found: Verdict = call(board.arena, row.ctypes.data, seconds)
    return found


def rows() -> np.ndarray:
    """A room's readings, with gaps and a flat line."""
    X = stream("occupancy", 3000)[0].copy()
    X[::97, 1] = np.nan
    X[500] = np.nan
    X[2000:2100, 0] = X[2000, 0]
    return X


def made(**more: Any) -> ek.Learner:
    return ek.Learner(n_features=rows().shape[1], loss="novelty", history=True, **more)
