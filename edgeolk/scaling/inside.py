"""The scaler in a learner's block as a scaler of its own."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from edgeolk.core.arena import ALIGNMENT
from edgeolk.core.engine import Engine
from edgeolk.files import seal
from edgeolk.preprocessing.record import Preprocessing
from edgeolk.preprocessing.scaling import COMPACT
from edgeolk.scaling.block import FEATURE, FORMAT_VERSION, HEAD, MAGIC
from edgeolk.scaling.layout import plan_of
from edgeolk.scaling.scaler import RunningScaler


def copied(prepared: Preprocessing, engine: Engine) -> RunningScaler:
    """A scaler with the statistics in the block of a learner, by way of the scaler's file."""
    d: int = engine.config.n_features
    plan = plan_of(d, prepared.method, True)
    steps = engine.counters()["steps"]
    last = prepared.freeze_after
    frozen = 0 < last <= steps
    block = bytearray(plan.nbytes - ALIGNMENT)
    HEAD.pack_into(
        block, 0, MAGIC, FORMAT_VERSION, 0, len(block), d, last, min(steps, last or steps),
        prepared.method, frozen, prepared.window, prepared.clip,
    )  # fmt: skip
    at = {region.name: region.offset for region in plan.regions}
    if prepared.method == COMPACT:
        records = bytes(engine.view("statistics"))
        block[at["statistics"] : at["statistics"] + len(records)] = records
        return RunningScaler._from_block(seal.sealed(block))
    features = np.frombuffer(block, FEATURE, d, at["features"])
    numbers: Any = np.asarray(engine.view("scaler")).reshape(-1, 4)
    counts: Any = np.asarray(engine.view("scaler_counts")).reshape(-1, 2)
    features["numbers"], features["counts"] = numbers, counts.view(np.uint32)
    if "min" in at:
        span: Any = np.asarray(engine.view("scaler_range")).reshape(2, d)
        for name, values in zip(("min", "max"), span, strict=True):
            struct.pack_into(f"<{d}d", block, at[name], *values)
    del features
    return RunningScaler._from_block(seal.sealed(block))
