"""Stack and code of exported models, as reported by compilers (bench/mcu/costs.py)."""

from __future__ import annotations

from edgeolk.learner import Learner
from edgeolk.parts import Dtype

#: What the bounds below hold for.
COMPILERS = "gcc 12.2, -Os to -O3, Cortex-M0 and M4F"
#: Bytes of stack that a function of the compiler's library or of memory takes, at most.
OF_OTHERS = 96
#: Compiler flags of each arithmetic.
FLAGS = {"double": "", "single": "-DEK_SINGLE", "whole": "-DEK_FIXED"}
#: The most stack of any call by kind, type of numbers and arithmetic, in bytes: frames down the
#: deepest way through the calls, interrupts and the caller not among them.
STACK: dict[tuple[str, str, str], int] = {
    ("learner", "int8", "double"): 5480,
    ("learner", "int8", "single"): 3768,
    ("learner", "int8", "whole"): 3760,
    ("learner", "float32", "double"): 3792,
    ("learner", "float64", "double"): 5160,
    ("remembering", "int8", "double"): 5552,
    ("remembering", "int8", "single"): 3896,
    ("remembering", "int8", "whole"): 3888,
    ("remembering", "float32", "double"): 3912,
    ("remembering", "float64", "double"): 5280,
    ("novelty", "int8", "double"): 3576,
    ("novelty", "int8", "single"): 2896,
    ("novelty", "int8", "whole"): 2864,
    ("novelty", "float32", "double"): 2896,
    ("novelty", "float64", "double"): 3576,
    ("watching", "int8", "double"): 2896,
    ("watching", "int8", "single"): 2216,
    ("watching", "int8", "whole"): 2184,
    ("watching", "float32", "double"): 2208,
    ("watching", "float64", "double"): 2896,
    ("forecaster", "int8", "double"): 6008,
    ("forecaster", "int8", "single"): 3936,
    ("forecaster", "int8", "whole"): 3928,
    ("forecaster", "float32", "double"): 3952,
    ("forecaster", "float64", "double"): 5800,
    ("ring", "float32", "double"): 536,
    ("ring", "float64", "double"): 536,
}
#: The same where what a call works with lies in the arena.
STACK_BESIDE: dict[tuple[str, str, str], int] = {
    ("learner", "int8", "double"): 2904,
    ("learner", "int8", "single"): 2264,
    ("learner", "int8", "whole"): 2264,
    ("learner", "float32", "double"): 2096,
    ("learner", "float64", "double"): 2688,
    ("remembering", "int8", "double"): 3416,
    ("remembering", "int8", "single"): 2416,
    ("remembering", "int8", "whole"): 2792,
    ("remembering", "float32", "double"): 3080,
    ("remembering", "float64", "double"): 3104,
    ("novelty", "int8", "double"): 1816,
    ("novelty", "int8", "single"): 1744,
    ("novelty", "int8", "whole"): 1744,
    ("novelty", "float32", "double"): 1744,
    ("novelty", "float64", "double"): 1824,
    ("watching", "int8", "double"): 1744,
    ("watching", "int8", "single"): 1904,
    ("watching", "int8", "whole"): 1904,
    ("watching", "float32", "double"): 1672,
    ("watching", "float64", "double"): 1752,
    ("forecaster", "int8", "double"): 3424,
    ("forecaster", "int8", "single"): 2424,
    ("forecaster", "int8", "whole"): 2424,
    ("forecaster", "float32", "double"): 2264,
    ("forecaster", "float64", "double"): 3336,
}
#: Bytes there: of the call, and of a block of features and its gradient by the type computed in.
CALL_BYTES = 1024
WORK_BYTES = {"single": 1024, "double": 2048}
#: KiB of code and its constants by the same, least and most of -Os and -O2 on these cores; without
#: what it takes of the compiler's library, 2 to 8 KiB where floats are made in software.
CODE: dict[tuple[str, str, str], tuple[int, int]] = {
    ("learner", "int8", "double"): (34, 57),
    ("learner", "int8", "single"): (26, 45),
    ("learner", "int8", "whole"): (25, 45),
    ("learner", "float32", "double"): (26, 45),
    ("learner", "float64", "double"): (26, 45),
    ("remembering", "int8", "double"): (39, 66),
    ("remembering", "int8", "single"): (30, 53),
    ("remembering", "int8", "whole"): (29, 53),
    ("remembering", "float32", "double"): (30, 53),
    ("remembering", "float64", "double"): (30, 54),
    ("novelty", "int8", "double"): (20, 33),
    ("novelty", "int8", "single"): (17, 29),
    ("novelty", "int8", "whole"): (17, 28),
    ("novelty", "float32", "double"): (17, 29),
    ("novelty", "float64", "double"): (17, 29),
    ("watching", "int8", "double"): (17, 31),
    ("watching", "int8", "single"): (14, 27),
    ("watching", "int8", "whole"): (13, 26),
    ("watching", "float32", "double"): (14, 27),
    ("watching", "float64", "double"): (14, 27),
    ("forecaster", "int8", "double"): (38, 62),
    ("forecaster", "int8", "single"): (28, 48),
    ("forecaster", "int8", "whole"): (27, 47),
    ("forecaster", "float32", "double"): (28, 48),
    ("forecaster", "float64", "double"): (31, 52),
    ("ring", "float32", "double"): (2, 3),
    ("ring", "float64", "double"): (1, 3),
}


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


def stacks_of(learner: Learner, scratch: str = "stack") -> dict[str, int]:
    """The most stack of any call in each arithmetic that there is for it, in bytes.

    scratch: where a call works, "stack" or "arena".
    """
    table = STACK if scratch == "stack" else STACK_BESIDE
    kind, dtype = _case_of(learner)
    # A call that predicts has a score for each class.
    more = 8 * max(0, learner._config.columns - 3)
    return {how: table[kind, dtype, how] + more for how in FLAGS if (kind, dtype, how) in table}


def scratch_of(dtype: str) -> dict[str, int]:
    """Bytes that a call works with, in each arithmetic, where they lie in the arena."""
    usual = WORK_BYTES["single" if dtype == "float32" else "double"]
    kinds = FLAGS if dtype == "int8" else ("double",)
    return {how: CALL_BYTES + (usual if how == "double" else WORK_BYTES["single"]) for how in kinds}


def arithmetic_of(learner: Learner) -> list[str]:
    """The kinds of arithmetic that there are for it."""
    return list(stacks_of(learner))


def code_of(learner: Learner) -> dict[str, tuple[int, int]]:
    """KiB of code in each arithmetic, from and to."""
    kind, dtype = _case_of(learner)
    return {how: CODE[kind, dtype, how] for how in FLAGS if (kind, dtype, how) in CODE}
