"""Exported novelty in time series: rows, learners, decisions of boards."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from exported import Compiled, stream

import edgeolk as ek


class Verdict(ctypes.Structure):
    """The struct of edgeolk.h."""

    _fields_ = [
        *((name, ctypes.c_int) for name in ("novel", "event", "part", "what")),
        ("channel", ctypes.c_uint32),
        ("alarms", ctypes.c_uint64),
        ("threshold", ctypes.c_double),
    ]


def verdict(board: Compiled) -> Verdict:
    found = Verdict()
    board.c.ek_watch(board.arena, ctypes.byref(found))
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
