"""Estimated instructions per row, fitted to counts on emulated boards (bench/mcu)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

from edgeolk.export.costs import kind_of
from edgeolk.learner import Learner

#: What ``python -m bench.mcu.instructions`` writes: factors of the terms to score a row, to learn
#: one and of the longest step, by kind, type of numbers, core and arithmetic.
_WRITTEN: dict[str, Any] = json.loads(
    Path(__file__).with_name("fitted.json").read_text(encoding="utf-8")
)
#: How far they were off at most for sizes that they were not made from.
FIT_ERROR: str = _WRITTEN["error"]

#: Frequencies that are computed together.
BLOCK = 64
#: What the fits hold for; others change what a row costs.
_USUAL = {"drift": True, "relevance": True, "groups": 1, "linear": False, "last_label": False}


class Row(NamedTuple):
    """Thousands of instructions: to score a row, to learn one (the mean), and the longest."""

    core: str
    arithmetic: str
    score: float
    learn: float
    longest: float


def terms(blocks: float, inputs: int, columns: int, memory: int) -> Sequence[float]:
    """What a row's instructions are a sum of, each with its factor.

    blocks: of frequencies; columns: scores; memory: rows that are remembered.
    """
    more = columns - 1
    plain = (1.0, blocks, inputs, blocks * inputs)
    return (*plain, more, blocks * more, memory, memory * inputs)


def terms_of(learner: Learner) -> Sequence[float]:
    """The same of a learner."""
    config = learner._config
    blocks = -(-learner._engine.structured()["D"] // BLOCK)
    return terms(blocks, config.n_inputs, config.columns, int(config.values["row_memory"]))


def _is_usual(learner: Learner) -> bool:
    """Whether its options are those that were counted."""
    told = learner._engine.structured()
    kind = kind_of(learner)
    if kind == "watching":
        return True
    if kind == "forecaster":
        return bool(told["relevance"] == 1)
    return kind == "learner" and all(told[name] == usual for name, usual in _USUAL.items())


def instructions_of(learner: Learner) -> list[Row]:
    """What rows cost, where models of its kind and options were counted."""
    if not _is_usual(learner):
        return []
    key, given = (kind_of(learner), learner.dtype), terms_of(learner)
    return [
        Row(core, how, *(sum(map(mul, fit, given)) / 1e3 for fit in each))
        for (kind, dtype, core, how), *each in _WRITTEN["fits"]
        if (kind, dtype) == key
    ]
