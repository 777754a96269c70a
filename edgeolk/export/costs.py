"""What exported models cost on boards, as compilers and emulators said; bench/mcu/costs.py asks."""

from __future__ import annotations

from operator import mul
from typing import NamedTuple

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
    ("learner", "int8", "double"): (34, 56),
    ("learner", "int8", "single"): (26, 44),
    ("learner", "int8", "whole"): (25, 43),
    ("learner", "float32", "double"): (26, 43),
    ("learner", "float64", "double"): (26, 44),
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
    ("forecaster", "int8", "double"): (38, 60),
    ("forecaster", "int8", "single"): (28, 46),
    ("forecaster", "int8", "whole"): (27, 45),
    ("forecaster", "float32", "double"): (28, 46),
    ("forecaster", "float64", "double"): (31, 50),
    ("ring", "float32", "double"): (2, 3),
    ("ring", "float64", "double"): (1, 3),
}


class Row(NamedTuple):
    """Thousands of instructions: to score a row, to learn one (the mean of rows that mostly change
    weights, and the longest of them, the first hundred rows left out)."""

    core: str
    arithmetic: str
    score: float
    learn: float
    longest: float


#: Of the recommended learner: a + b blocks + c inputs + e blocks inputs, a block being 64
#: frequencies; what drawn rows cost (firmware_sim/mcu/counting.py).
INSTRUCTIONS: dict[tuple[str, str], tuple[tuple[int, ...], ...]] = {
    ("Cortex-M0", "double"): (
        (68409, 309986, 0, 876),
        (160824, 290888, 0, 17802),
        (332156, 915191, 0, 2885),
    ),
    ("Cortex-M0", "single"): (
        (68513, 309965, 0, 858),
        (179825, 295587, 0, 9695),
        (259453, 602620, 0, 2389),
    ),
    ("Cortex-M0", "whole"): (
        (65424, 12870, 0, 702),
        (210451, -1774, 0, 2460),
        (225602, 21306, 0, 1909),
    ),
    ("Cortex-M3", "double"): (
        (29010, 153671, 0, 414),
        (65683, 143696, 0, 8901),
        (140940, 457997, 0, 1463),
    ),
    ("Cortex-M3", "single"): (
        (28917, 153673, 0, 412),
        (78991, 146965, 0, 4910),
        (123960, 303214, 0, 1254),
    ),
    ("Cortex-M3", "whole"): (
        (26447, 11112, 0, 266),
        (92874, 4340, 0, 1224),
        (102040, 20719, 0, 837),
    ),
    ("Cortex-M4F", "double"): (
        (19400, 14181, 0, 166),
        (41710, 13513, 0, 1245),
        (75760, 47804, 0, 406),
    ),
    ("Cortex-M4F", "single"): (
        (19393, 14178, 0, 163),
        (37218, 13141, 0, 719),
        (46560, 30571, 0, 298),
    ),
}
#: How far that is off.
FIT_ERROR = (
    "The fit is older than widths that are learned by default:\nof the one model that was counted"
    " since, a row took 1.7 times as much to learn (Cortex-M4F, single)"
)


def kind_of(learner: Learner) -> str:
    """The kind that the tables tell apart."""
    config = learner.config
    if not config.update.whole:
        return "ring"
    if config.forecasts:
        return "forecaster"
    if config.watches:
        return "watching"
    return "learner" if config.needs_labels else "novelty"


def stacks_of(learner: Learner, scratch: str = "stack") -> dict[str, int]:
    """The most stack of any call in each arithmetic that there is for it, in bytes.

    scratch: where a call works, "stack" or "arena".
    """
    table = STACK if scratch == "stack" else STACK_BESIDE
    wide = "float64" if learner.config.dtype == Dtype.FLOAT64 else "float32"
    kind = kind_of(learner)
    dtype = wide if kind == "ring" else learner.dtype
    # A call that predicts has a score for each class.
    more = 8 * max(0, learner.config.columns - 3)
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
    kind = kind_of(learner)
    wide = "float64" if learner.config.dtype == Dtype.FLOAT64 else "float32"
    dtype = wide if kind == "ring" else learner.dtype
    return {how: CODE[kind, dtype, how] for how in FLAGS if (kind, dtype, how) in CODE}


def instructions_of(learner: Learner) -> list[Row]:
    """What rows cost, where that was measured: two classes or a number, weights of int8."""
    config = learner.config
    if kind_of(learner) != "learner" or learner.dtype != "int8" or config.columns > 1:
        return []
    if config.values["row_memory"]:
        return []
    blocks, inputs = learner._engine.structured()["D"] / 64, config.n_inputs
    terms = (1.0, blocks, inputs, blocks * inputs)
    return [
        Row(core, how, *(sum(map(mul, fit, terms)) / 1e3 for fit in each))
        for (core, how), each in INSTRUCTIONS.items()
    ]
