"""Stack and code of exported models, as reported by compilers (bench/mcu/costs.py)."""

from __future__ import annotations

from typing import NamedTuple

from edgeolk.learner import Learner
from edgeolk.parts import Dtype

#: What the bounds below hold for.
COMPILERS = "gcc 12.2, -Os to -O3, Cortex-M0 and M4F"
#: Bytes of stack that a function of the compiler's library or of memory takes, at most.
OF_OTHERS = 96
#: Compiler flags of each arithmetic.
FLAGS = {"double": "", "single": "-DEK_SINGLE", "whole": "-DEK_FIXED"}


class Cost(NamedTuple):
    """The most stack of any call in bytes, and code with its constants in KiB.

    Stack: frames down the deepest way through the calls, interrupts and the caller not among them;
    ``beside``: where what a call works with lies in the arena, None if it never does. Code: least
    and most of -Os and -O2 on these cores, without what it takes of the compiler's library, 2 to
    8 KiB where floats are made in software.
    """

    stack: int
    beside: int | None
    code: tuple[int, int]


#: By kind, type of numbers and arithmetic.
COSTS: dict[tuple[str, str, str], Cost] = {
    ("learner", "int8", "double"): Cost(5488, 2904, (31, 47)),
    ("learner", "int8", "single"): Cost(3776, 2264, (23, 35)),
    ("learner", "int8", "whole"): Cost(3768, 2264, (22, 35)),
    ("learner", "float32", "double"): Cost(3800, 2096, (22, 35)),
    ("learner", "float64", "double"): Cost(5168, 2688, (23, 35)),
    ("remembering", "int8", "double"): Cost(5512, 3328, (36, 56)),
    ("remembering", "int8", "single"): Cost(3896, 2424, (27, 43)),
    ("remembering", "int8", "whole"): Cost(3888, 2800, (26, 42)),
    ("remembering", "float32", "double"): Cost(3912, 3088, (27, 42)),
    ("remembering", "float64", "double"): Cost(5272, 3104, (26, 43)),
    ("novelty", "int8", "double"): Cost(3200, 1440, (17, 25)),
    ("novelty", "int8", "single"): Cost(2528, 1280, (14, 21)),
    ("novelty", "int8", "whole"): Cost(2536, 1288, (13, 20)),
    ("novelty", "float32", "double"): Cost(2528, 1280, (14, 20)),
    ("novelty", "float64", "double"): Cost(3208, 1448, (14, 21)),
    ("watching", "int8", "double"): Cost(2488, 1416, (13, 26)),
    ("watching", "int8", "single"): Cost(1808, 1416, (13, 25)),
    ("watching", "int8", "whole"): Cost(1816, 1416, (12, 25)),
    ("watching", "float32", "double"): Cost(1808, 1416, (12, 25)),
    ("watching", "float64", "double"): Cost(2480, 1352, (13, 25)),
    ("forecaster", "int8", "double"): Cost(6008, 3392, (36, 53)),
    ("forecaster", "int8", "single"): Cost(3968, 2416, (25, 39)),
    ("forecaster", "int8", "whole"): Cost(3960, 2416, (24, 38)),
    ("forecaster", "float32", "double"): Cost(3984, 2264, (25, 39)),
    ("forecaster", "float64", "double"): Cost(5736, 3096, (28, 42)),
    ("ring", "float32", "double"): Cost(536, None, (2, 3)),
    ("ring", "float64", "double"): Cost(536, None, (2, 3)),
}
#: Bytes there: of the call, and of a block of features and its gradient by the type computed in,
#: where calls work in the arena.
CALL_BYTES = 1024
WORK_BYTES = {"single": 1024, "double": 2048}


def kind_of(learner: Learner) -> str:
    """The kind that the tables tell apart."""
    config = learner._config
    if not config.update.whole:
        return "ring"
    if config.forecasts:
        return "forecaster"
    if config.watches:
        return "watching"
    return "learner" if config.needs_labels else "novelty"


def _case_of(learner: Learner) -> tuple[str, str]:
    """Kind and type of numbers in the tables; a learner with a memory of rows has its own rows."""
    kind = kind_of(learner)
    if kind == "learner" and learner._config.values["row_memory"]:
        kind = "remembering"
    wide = "float64" if learner._config.dtype == Dtype.FLOAT64 else "float32"
    return kind, wide if kind == "ring" else learner.dtype


def costs_of(learner: Learner) -> dict[str, Cost]:
    """What it costs in each arithmetic that there is for it."""
    kind, dtype = _case_of(learner)
    return {how: COSTS[kind, dtype, how] for how in FLAGS if (kind, dtype, how) in COSTS}


def stacks_of(learner: Learner, scratch: str = "stack") -> dict[str, int]:
    """The most stack of any call in each arithmetic, in bytes.

    scratch: where a call works, "stack" or "arena".
    """
    # A call that predicts has a score for each class.
    more = 8 * max(0, learner._config.columns - 3)
    found = {
        how: cost.stack if scratch == "stack" else cost.beside
        for how, cost in costs_of(learner).items()
    }
    return {how: stack + more for how, stack in found.items() if stack is not None}


def scratch_of(dtype: str) -> dict[str, int]:
    """Bytes that a call works with, in each arithmetic, where they lie in the arena."""
    usual = WORK_BYTES["single" if dtype == "float32" else "double"]
    kinds = FLAGS if dtype == "int8" else ("double",)
    return {how: CALL_BYTES + (usual if how == "double" else WORK_BYTES["single"]) for how in kinds}
