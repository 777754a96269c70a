"""Estimated instructions per row, fitted to counts on emulated boards (bench/mcu)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

from edgeolk.export.costs import kind_of
from edgeolk.learner import Learner

#: Written by ``python -m bench.mcu.instructions``: the factors of the terms for scoring a row,
#: learning one and the longest step, by kind, type of numbers, core and arithmetic.
_FITTED: dict[str, Any] = json.loads(
    Path(__file__).with_name("fitted.json").read_text(encoding="utf-8")
)
#: The largest error on sizes that were not used for the fit.
FIT_ERROR: str = _FITTED["error"]

#: Frequencies that are computed together.
BLOCK = 64
#: The options for which the fits hold; other values change the cost of a row.
_COUNTED = {"drift": True, "relevance": True, "groups": 1, "linear": False, "last_label": False}


class Row(NamedTuple):
    """Thousands of instructions: to score a row, to learn one (the mean), and the longest."""

    core: str
    arithmetic: str
    score: float
    learn: float
    longest: float


def terms(blocks: float, inputs: int, columns: int, memory: int) -> Sequence[float]:
    """The terms of the linear model of a row's instructions.

    blocks: of frequencies; columns: scores; memory: remembered rows.
    """
    more = columns - 1
    plain = (1.0, blocks, inputs, blocks * inputs)
    return (*plain, more, blocks * more, memory, memory * inputs)


def terms_of(learner: Learner) -> Sequence[float]:
    """The terms of a learner."""
    config = learner._config
    blocks = -(-learner._engine.sorf_config()["D"] // BLOCK)
    return terms(blocks, config.n_inputs, config.columns, int(config.values["row_memory"]))


def _was_counted(learner: Learner) -> bool:
    """Whether learners with its options were counted."""
    options = learner._engine.sorf_config()
    kind = kind_of(learner)
    if kind == "watching":
        return True
    if kind == "forecaster":
        return bool(options["relevance"] == 1)
    return kind == "learner" and all(options[name] == value for name, value in _COUNTED.items())


def instructions_of(learner: Learner) -> list[Row]:
    """The estimated instructions per row; empty if its kind and options were not counted."""
    if not _was_counted(learner):
        return []
    key, given = (kind_of(learner), learner.dtype), terms_of(learner)
    return [
        Row(core, how, *(sum(map(mul, fit, given)) / 1e3 for fit in each))
        for (kind, dtype, core, how), *each in _FITTED["fits"]
        if (kind, dtype) == key
    ]
