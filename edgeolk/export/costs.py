"""What exported models cost on boards, as compilers and emulators said; bench/mcu/costs.py asks."""

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
#: The most stack of any call by kind, type of numbers and arithmetic, in bytes: frames down the
#: deepest way through the calls, interrupts and the caller not among them.
STACK: dict[tuple[str, str, str], int] = {
    ("learner", "int8", "double"): 5840,
    ("learner", "int8", "single"): 4280,
    ("learner", "int8", "whole"): 4264,
    ("learner", "float32", "double"): 4288,
    ("learner", "float64", "double"): 5680,
    ("novelty", "int8", "double"): 3904,
    ("novelty", "int8", "single"): 3216,
    ("novelty", "int8", "whole"): 3176,
    ("novelty", "float32", "double"): 3216,
    ("novelty", "float64", "double"): 3888,
    ("watching", "int8", "double"): 3240,
    ("watching", "int8", "single"): 2552,
    ("watching", "int8", "whole"): 2512,
    ("watching", "float32", "double"): 2544,
    ("watching", "float64", "double"): 3224,
    ("forecaster", "int8", "double"): 5808,
    ("forecaster", "int8", "single"): 3896,
    ("forecaster", "int8", "whole"): 3880,
    ("forecaster", "float32", "double"): 3904,
    ("forecaster", "float64", "double"): 5760,
    ("ring", "float32", "double"): 528,
    ("ring", "float64", "double"): 528,
}
#: KiB of code and its constants by the same, least and most of -Os and -O2 on these cores; without
#: what it takes of the compiler's library, 2 to 8 KiB where floats are made in software.
CODE: dict[tuple[str, str, str], tuple[int, int]] = {
    ("learner", "int8", "double"): (32, 53),
    ("learner", "int8", "single"): (26, 44),
    ("learner", "int8", "whole"): (25, 43),
    ("learner", "float32", "double"): (26, 43),
    ("learner", "float64", "double"): (26, 43),
    ("novelty", "int8", "double"): (20, 33),
    ("novelty", "int8", "single"): (17, 29),
    ("novelty", "int8", "whole"): (16, 28),
    ("novelty", "float32", "double"): (17, 29),
    ("novelty", "float64", "double"): (17, 29),
    ("watching", "int8", "double"): (17, 31),
    ("watching", "int8", "single"): (14, 27),
    ("watching", "int8", "whole"): (13, 26),
    ("watching", "float32", "double"): (14, 27),
    ("watching", "float64", "double"): (14, 27),
    ("forecaster", "int8", "double"): (35, 56),
    ("forecaster", "int8", "single"): (27, 44),
    ("forecaster", "int8", "whole"): (25, 44),
    ("forecaster", "float32", "double"): (26, 44),
    ("forecaster", "float64", "double"): (30, 49),
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


#: Of the recommended learner: a + b blocks + c blocks inputs, a block being 64 frequencies.
INSTRUCTIONS: dict[tuple[str, str], tuple[tuple[int, int, int], ...]] = {
    ("Cortex-M0", "double"): (
        (68409, 309986, 876),
        (160824, 290888, 17802),
        (332156, 915191, 2885),
    ),
    ("Cortex-M0", "single"): ((68513, 309965, 858), (179825, 295587, 9695), (259453, 602620, 2389)),
    ("Cortex-M0", "whole"): ((65424, 12870, 702), (210451, -1774, 2460), (225602, 21306, 1909)),
    ("Cortex-M3", "double"): ((29010, 153671, 414), (65683, 143696, 8901), (140940, 457997, 1463)),
    ("Cortex-M3", "single"): ((28917, 153673, 412), (78991, 146965, 4910), (123960, 303214, 1254)),
    ("Cortex-M3", "whole"): ((26447, 11112, 266), (92874, 4340, 1224), (102040, 20719, 837)),
    ("Cortex-M4F", "double"): ((19400, 14181, 166), (41710, 13513, 1245), (75760, 47804, 406)),
    ("Cortex-M4F", "single"): ((19393, 14178, 163), (37218, 13141, 719), (46560, 30571, 298)),
}


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


def stacks_of(learner: Learner) -> dict[str, int]:
    """The most stack of any call in each arithmetic that there is for it, in bytes."""
    wide = "float64" if learner.config.dtype == Dtype.FLOAT64 else "float32"
    kind = kind_of(learner)
    dtype = wide if kind == "ring" else learner.dtype
    # A call that predicts has a score for each class.
    more = 8 * max(0, learner.config.columns - 3)
    return {how: STACK[kind, dtype, how] + more for how in FLAGS if (kind, dtype, how) in STACK}


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
    return [
        Row(core, how, *((a + b * blocks + c * blocks * inputs) / 1e3 for a, b, c in each))
        for (core, how), each in INSTRUCTIONS.items()
    ]
