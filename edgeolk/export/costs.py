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
    ("learner", "int8", "double"): 5488,
    ("learner", "int8", "single"): 3776,
    ("learner", "int8", "whole"): 3768,
    ("learner", "float32", "double"): 3800,
    ("learner", "float64", "double"): 5168,
    ("remembering", "int8", "double"): 5512,
    ("remembering", "int8", "single"): 3896,
    ("remembering", "int8", "whole"): 3888,
    ("remembering", "float32", "double"): 3912,
    ("remembering", "float64", "double"): 5272,
    ("novelty", "int8", "double"): 3200,
    ("novelty", "int8", "single"): 2528,
    ("novelty", "int8", "whole"): 2536,
    ("novelty", "float32", "double"): 2528,
    ("novelty", "float64", "double"): 3208,
    ("watching", "int8", "double"): 2488,
    ("watching", "int8", "single"): 1808,
    ("watching", "int8", "whole"): 1816,
    ("watching", "float32", "double"): 1808,
    ("watching", "float64", "double"): 2480,
    ("forecaster", "int8", "double"): 6008,
    ("forecaster", "int8", "single"): 3968,
    ("forecaster", "int8", "whole"): 3960,
    ("forecaster", "float32", "double"): 3984,
    ("forecaster", "float64", "double"): 5736,
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
    ("remembering", "int8", "double"): 3328,
    ("remembering", "int8", "single"): 2424,
    ("remembering", "int8", "whole"): 2800,
    ("remembering", "float32", "double"): 3088,
    ("remembering", "float64", "double"): 3104,
    ("novelty", "int8", "double"): 1440,
    ("novelty", "int8", "single"): 1280,
    ("novelty", "int8", "whole"): 1288,
    ("novelty", "float32", "double"): 1280,
    ("novelty", "float64", "double"): 1448,
    ("watching", "int8", "double"): 1416,
    ("watching", "int8", "single"): 1416,
    ("watching", "int8", "whole"): 1416,
    ("watching", "float32", "double"): 1416,
    ("watching", "float64", "double"): 1352,
    ("forecaster", "int8", "double"): 3392,
    ("forecaster", "int8", "single"): 2416,
    ("forecaster", "int8", "whole"): 2416,
    ("forecaster", "float32", "double"): 2264,
    ("forecaster", "float64", "double"): 3096,
}
#: Bytes there: of the call, and of a block of features and its gradient by the type computed in.
CALL_BYTES = 1024
WORK_BYTES = {"single": 1024, "double": 2048}
#: KiB of code and its constants by the same, least and most of -Os and -O2 on these cores; without
#: what it takes of the compiler's library, 2 to 8 KiB where floats are made in software.
CODE: dict[tuple[str, str, str], tuple[int, int]] = {
    ("learner", "int8", "double"): (31, 47),
    ("learner", "int8", "single"): (23, 35),
    ("learner", "int8", "whole"): (22, 35),
    ("learner", "float32", "double"): (22, 35),
    ("learner", "float64", "double"): (23, 35),
    ("remembering", "int8", "double"): (36, 56),
    ("remembering", "int8", "single"): (27, 43),
    ("remembering", "int8", "whole"): (26, 42),
    ("remembering", "float32", "double"): (27, 42),
    ("remembering", "float64", "double"): (26, 43),
    ("novelty", "int8", "double"): (17, 25),
    ("novelty", "int8", "single"): (14, 21),
    ("novelty", "int8", "whole"): (13, 20),
    ("novelty", "float32", "double"): (14, 20),
    ("novelty", "float64", "double"): (14, 21),
    ("watching", "int8", "double"): (13, 26),
    ("watching", "int8", "single"): (13, 25),
    ("watching", "int8", "whole"): (12, 25),
    ("watching", "float32", "double"): (12, 25),
    ("watching", "float64", "double"): (13, 25),
    ("forecaster", "int8", "double"): (36, 53),
    ("forecaster", "int8", "single"): (25, 39),
    ("forecaster", "int8", "whole"): (24, 38),
    ("forecaster", "float32", "double"): (25, 39),
    ("forecaster", "float64", "double"): (28, 42),
    ("ring", "float32", "double"): (2, 3),
    ("ring", "float64", "double"): (2, 3),
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
