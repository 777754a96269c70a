"""What an exported model costs: stack and code, as compilers report them (bench/mcu/costs.py), and
estimated instructions per row, fitted to counts on emulated boards (bench/mcu).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

from edgeolk.export.kinds import module_of
from edgeolk.learner import Learner
from edgeolk.parts import Dtype

#: The compilers and cores for which the bounds below hold.
COMPILERS = "gcc 12.2, -Os to -O3, C99 to C17, Cortex-M0 and M4F"
#: The maximum stack of a library function of the compiler or of ``memcpy`` and the like, in bytes:
#: by their machine code for a Cortex-M0, 108 of ``__aeabi_ldivmod``.
OF_OTHERS = 112
#: What frames of other sizes may take more than those that were compiled, in bytes: up to 32 were
#: found with 4 to 9 inputs, and 92 to 1,000 frequencies.
OF_SIZES = 64
#: Compiler flags of each arithmetic: the library's, whose results are equal to the bit, and
#: features in whole numbers, for cores without a floating-point unit.
FLAGS = {"library": "", "whole": "-DEK_FIXED"}


class Cost(NamedTuple):
    """The maximum stack of any call in bytes, and code with its constants in KiB.

    Stack: the frames along the deepest call chain, without interrupts and the caller;
    ``with_arena``: with scratch in the arena, None if not supported. Code: minimum and maximum of
    -Os and -O2 on these cores, without the compiler's library, which takes 2 to 8 KiB with software
    floats.
    """

    stack: int
    with_arena: int | None
    code: tuple[int, int]


#: By kind, type of numbers and arithmetic.
COSTS: dict[tuple[str, str, str], Cost] = {
    ("learner", "int8", "library"): Cost(2616, 1464, (18, 26)),
    ("learner", "int8", "whole"): Cost(2416, 1440, (17, 25)),
    ("learner", "float32", "library"): Cost(2608, 1456, (17, 25)),
    ("learner", "float64", "library"): Cost(3896, 1968, (20, 27)),
    ("remembering", "int8", "library"): Cost(2616, 1568, (20, 28)),
    ("remembering", "int8", "whole"): Cost(2416, 1920, (19, 28)),
    ("remembering", "float32", "library"): Cost(2600, 1552, (19, 28)),
    ("remembering", "float64", "library"): Cost(3912, 2656, (22, 30)),
    ("novelty", "int8", "library"): Cost(1800, 992, (11, 15)),
    ("novelty", "int8", "whole"): Cost(1712, 888, (10, 15)),
    ("novelty", "float32", "library"): Cost(1536, 728, (11, 15)),
    ("novelty", "float64", "library"): Cost(2264, 936, (12, 16)),
    ("watching", "int8", "library"): Cost(2216, 1880, (16, 28)),
    ("watching", "int8", "whole"): Cost(2184, 1880, (16, 28)),
    ("watching", "float32", "library"): Cost(2056, 1880, (16, 28)),
    ("watching", "float64", "library"): Cost(2760, 2032, (17, 29)),
    ("forecaster", "int8", "library"): Cost(2808, 1696, (19, 27)),
    ("forecaster", "int8", "whole"): Cost(2632, 1664, (18, 27)),
    ("forecaster", "float32", "library"): Cost(2808, 1696, (19, 27)),
    ("forecaster", "float64", "library"): Cost(4544, 2544, (23, 33)),
    ("mixing", "int8", "library"): Cost(2736, 1472, (30, 44)),
    ("mixing", "int8", "whole"): Cost(2536, 1448, (29, 44)),
    ("mixing", "float32", "library"): Cost(2728, 1464, (30, 44)),
    ("mixing", "float64", "library"): Cost(4016, 1976, (33, 46)),
    ("ring", "float32", "library"): Cost(632, None, (2, 3)),
    ("ring", "float64", "library"): Cost(640, None, (2, 3)),
    ("process", "float32", "library"): Cost(1944, None, (17, 22)),
    ("process", "float64", "library"): Cost(2144, None, (17, 23)),
    ("tracker", "float32", "library"): Cost(1072, None, (12, 19)),
    ("tracker", "float64", "library"): Cost(1168, None, (13, 20)),
    ("whitened", "float32", "library"): Cost(1704, None, (15, 20)),
    ("whitened", "float64", "library"): Cost(1832, None, (15, 20)),
}
#: Bytes of scratch in the arena: of the call, and of a block of features and its gradient, by the
#: type they are computed in.
CALL_BYTES = 1088
WORK_BYTES = {"single": 1024, "double": 2048}
#: The same where features are streamed: the lines of a block and the sums of products.
STREAM_BYTES = {"single": 384, "double": 640}


def kind_of(learner: Learner) -> str:
    """The kind of learner in the tables."""
    return str(module_of(learner).kind_of(learner))


def _case_of(learner: Learner) -> tuple[str, str]:
    """Kind and type of numbers in the tables; a memory of rows makes a separate kind."""
    kind = kind_of(learner)
    if kind == "learner" and learner._config.values["memory"]:
        kind = "remembering"
    wide = "float64" if learner._config.dtype == Dtype.FLOAT64 else "float32"
    return kind, wide if kind in ("ring", "process", "whitened", "tracker") else learner.dtype


def costs_of(learner: Learner) -> dict[str, Cost]:
    """The cost in each supported arithmetic."""
    kind, dtype = _case_of(learner)
    return {how: COSTS[kind, dtype, how] for how in FLAGS if (kind, dtype, how) in COSTS}


def stacks_of(learner: Learner, scratch: str = "stack") -> dict[str, int]:
    """The maximum stack of any call in each arithmetic, in bytes.

    scratch: where calls have their scratch memory, "stack" or "arena".
    """
    # A call that predicts stores a score for each class.
    more = OF_SIZES + 8 * max(0, learner._config.columns - 3)
    found = {
        how: cost.stack if scratch == "stack" else cost.with_arena
        for how, cost in costs_of(learner).items()
    }
    return {how: stack + more for how, stack in found.items() if stack is not None}


def scratch_of(dtype: str, *, streamed: bool = False) -> dict[str, int]:
    """Bytes of scratch in the arena, in each arithmetic."""
    kinds = FLAGS if dtype == "int8" else ("library",)
    number = "double" if dtype == "float64" else "single"
    found = dict.fromkeys(kinds, CALL_BYTES + WORK_BYTES[number])
    return {**found, "library": STREAM_BYTES[number]} if streamed else found


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
    """Thousands of instructions: to score a row, to learn one (the mean), and the longest.

    ``about``: where they were counted, for the README; "" if ``firmware_sim measure`` counted them.
    """

    core: str
    arithmetic: str
    score: float
    learn: float
    longest: float
    about: str = ""


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
    blocks = -(-learner._engine.setup()["sorf"]["D"] // BLOCK)
    return terms(blocks, config.n_inputs, config.columns, int(config.values["memory"]))


def _was_counted(learner: Learner) -> bool:
    """Whether learners with its options were counted."""
    options = learner._engine.setup()["sorf"]
    kind = kind_of(learner)
    if kind == "watching":
        return True
    if kind == "forecaster":
        return bool(options["relevance"] == 1)
    return kind == "learner" and all(options[name] == value for name, value in _COUNTED.items())


def factors_of(core: str, kind: str = "learner", dtype: str = "int8") -> list[list[float]]:
    """The factors of ``terms`` in the library's arithmetic: to score, to learn, the longest."""
    for key, *each in _FITTED["fits"]:
        if key == [kind, dtype, core, "library"]:
            return [[float(factor) for factor in fit] for fit in each]
    raise ValueError(f"core is {core!r}: no {kind} of {dtype} was counted on it")


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
