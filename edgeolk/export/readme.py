"""The README of an exported folder: what is in it, and this model's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from edgeolk.export.costs import (
    COMPILERS,
    FIT_ERROR,
    FLAGS,
    OF_OTHERS,
    Row,
    code_of,
    instructions_of,
)
from edgeolk.export.text import Model
from edgeolk.learner import Learner
from edgeolk.parts.numbers import Rows

_TEXT = """# {title}

A learner of `edgeolk` as C99: no allocation, no C library but
`memcpy`, `memset` and `memcmp`, no variable but the arena you pass.

| | |
|---|---|
| inputs | {features} inputs per row, `{row}` |
| answers | {answers} |
| RAM | {ram} bytes, `EK_ARENA_BYTES`; no other state |
{more}
{what}

## Use

```c
#include "edgeolk.h"

static double arena[(EK_ARENA_BYTES + 7) / 8];

ek_start(arena);                         /* once */
{use}
```

Compile `edgeolk.c` and `model.c` with your program; `main.c` is an example:

```sh
cc -std=c99 -O2 -o example main.c edgeolk.c model.c
```

Every call returns `EK_OK` or an error code (`edgeolk.h`). Every answer is bit for bit
that of the library with `EDGEOLK_SIMD=scalar`, on any core and with any compiler;
`-ffast-math` is refused.
{notes}{costs}{rules}"""

_COSTS = """
## What it costs

| | stack, bytes at most | code, KiB |
|---|---|---|
{rows}
{scratch}The stack is an upper bound, not a measurement: the frames along the deepest call chain,
as reported by the compiler (`-fcallgraph-info=su`; {compilers}), plus {others} bytes for
compiler library routines. Interrupts and your own frames come on top. `EK_STACK_BYTES` of
`model.h` is the bound for the chosen flags. Code sizes range from -Os to -O2, without compiler
library routines (2 to 8 KiB without a floating-point unit).
"""
_SCRATCH = """Calls use working memory in the arena, behind the {ram} bytes of the block:
`EK_SCRATCH_BYTES`, which are {work}. `EK_ARENA_BYTES` is the sum.

"""

_INSTRUCTIONS = """
Thousands of instructions a row{how}:

| core | arithmetic | score | learn | longest step |
|---|---|---|---|---|
{rows}
{about}
"""
_COUNTED = """COUNTED on emulated boards (gcc -O2) for a learner of this configuration. Inputs are
Gaussian, and labels are the sign of a product of two inputs, which takes long to learn: most rows
change weights. Learn is the mean over the first 48 rows of a new learner, and the longest
step is among them. Later, when few rows change weights, a row costs little more than two scores."""
_FITTED = """ESTIMATES, not counted for this model: a fit to counts on emulated boards (gcc -O2),
of other sizes. {error}.
Rows are 120 to 170 of two real streams, the longest step among the first 40 of Gaussian inputs;
later, when few rows change weights, a row costs little more than two scores.
`python -m firmware_sim measure model.olk --out DIR` counts for a model."""

_RULES = """
## What holds

- Inputs: {inputs}.
- Labels: {labels}.
- Alignment: the arena and files may begin at any address; rows and scores need that of their C
  type.
  Integers and floats are little-endian everywhere, IEEE 754.
- Interrupts: one call at a time on an arena, including scoring. No call blocks, so an interrupt
  may call any function if it never interrupts a call on the same arena. As a call takes as long as
  above, putting the row into a queue is usually better. The constants of `model.h` can be read at
  any time.
- Error codes: `EK_BAD_ROW`, `EK_BAD_LABEL`, `EK_BAD_STATE`, `EK_IO`, `EK_SMALL`, `EK_WRONG_ORDER`;
  `edgeolk.h` explains each, and what it changes.
- MISRA C:2012, where the source goes beyond it, and why: 11.3 and 11.5 (regions of the one arena
  are reached by casts from its bytes: there is no allocation); 15.5 (a function returns where a row
  is rejected); 20.5 (names of one type are defined and undefined, so that float and double share a
  source); 2.1 and 2.2 (a branch that this model's constants never take stays for the compiler to
  remove); 8.9, 10.x and 12.1 (constants in tables, conversions of sizes that are known to fit, the
  precedence of C). There is no recursion (17.2), no heap (21.3), no function pointer but the four
  callbacks of flash, no `goto`, no `setjmp`, no standard I/O but in `main.c`. This was read, not
  checked by a tool.
"""


def _answers(learner: Learner) -> str:
    if learner.config.columns > 1:
        return f"one of {learner.config.columns} classes, from 0"
    if learner.is_regression:
        return "a number"
    return "1 for normal, -1 for novel" if not learner.config.needs_labels else "-1 or 1"


def _inputs(learner: Learner, model: Model) -> str:
    if learner.config.watches or learner.config.forecasts:
        return "any numbers; a non-finite one is a missing reading"
    most = model.macros["EK_MOST"]
    scaled = " as the scaler leaves it" if model.macros["EK_SCALE_METHOD"] else ""
    if not model.macros["EK_LEARNS"]:
        return f"finite numbers, each{scaled} from -{most:.3g} to {most:.3g}"
    sizes = f"the sum of their sizes{scaled} is at most {most:.3g}"
    return f"finite numbers in your sensor's units; {sizes}"


def _labels(learner: Learner) -> str:
    config = learner.config
    if not config.update.whole or not config.needs_labels:
        return "none are asked for"
    kind = "from -1e100 to 1e100" if learner.is_regression else "-1 or 1"
    if config.columns > 1:
        kind = f"whole numbers from 0 to {config.columns - 1}"
    return f"{kind}, as a double; a weight is above 0 and at most {config.update.most_weight:,.0f}"


def _flagged(flag: str) -> str:
    return f"with `{flag}`" if flag else "in its usual arithmetic"


def _costs(learner: Learner, model: Model, counted: Sequence[Row]) -> str:
    """What it costs in each arithmetic, and in instructions: counted, or else by the fit."""
    code = code_of(learner)
    rows = "".join(
        f"| {how}{f', `{flag}`' if flag else ''} | {stack:,} | {code[how][0]} to {code[how][1]} |\n"
        for how, flag in FLAGS.items()
        if (stack := model.stacks.get(flag))
    )
    work = "".join(f"{n:,} {_flagged(flag)}, " for flag, n in model.scratch.items())
    text = _COSTS.format(
        scratch=_SCRATCH.format(work=work.rstrip(", "), ram=model.arena) if work else "",
        rows=rows,
        compilers=COMPILERS,
        others=OF_OTHERS,
    )
    rows = "".join(
        f"| {each.core} | {each.arithmetic} | {each.score:,.0f} | {each.learn:,.0f} |"
        f" {each.longest:,.0f} |\n"
        for each in counted or instructions_of(learner)
    )
    if not rows:
        return text
    about = _COUNTED if counted else _FITTED.format(error=FIT_ERROR)
    return text + _INSTRUCTIONS.format(how="" if counted else ", ESTIMATED", rows=rows, about=about)


def readme(learner: Learner, model: Model, *, learns: bool, counted: Sequence[Row] = ()) -> str:
    """The text; ``arena`` are bytes of RAM, ``constants`` those of the model in flash."""
    needs_labels = learner.config.needs_labels
    use = "ek_predict(arena, row, &label);          /* answer for a row */"
    if learns:
        use = (
            f"ek_learn(arena, row, {'label' if needs_labels else '0'}, &score);"
            "   /* learn a row; score: that of before */\n" + use
        )
    what = (
        "It continues to learn from its exported state. `ek_file()` returns its state as a file"
        " that `edgeolk.load` opens, `ek_load()` reads one."
        if learns
        else "It does not learn: its support vectors are constants."
    )
    notes = (
        "\nOn a core without double precision, `-DEK_SINGLE` computes in float alone: several times"
        " faster,\nand about one rounding in several million differs from the library. On a core"
        " without a\nfloating-point unit, `-DEK_FIXED` computes features in integers, ten times"
        " faster again:\nfeatures differ by some thousandths, so weights differ; the error changes"
        " by less than .1 points.\nEither way, `edgeolk.load` and `ek_load()` exchange states.\n"
        if learns and learner.dtype == "int8"
        else ""
    )
    if learner.config.watches:
        notes += (
            "\nRows come in the order of time, one every period; a number that is not finite is a"
            " missing reading.\n`ek_watch()` tells whether the last learned row is novel or part"
            " of an event, and by what.\n"
        )
    if not learns and learner.config.parts["rows"] != Rows.DENSE:
        notes = (
            "\nRows are scored as dense. The library skips zeros in mostly sparse rows, which"
            " rounds"
            "\ndifferently.\n"
        )
    return _TEXT.format(
        title=f"`{learner.algorithm}` in C",
        features=learner.n_features,
        row="double" if learner.dtype == "float64" else "float",
        answers=_answers(learner),
        ram=model.arena + max(model.scratch.values(), default=0),
        more=(
            f"| constants | {model.constants} bytes of the model, in flash, in addition to the"
            f" code |\n"
            f"| learned so far | {learner.steps} rows |\n"
        ),
        what=what,
        use=use,
        notes=notes,
        costs=_costs(learner, model, counted),
        rules=_RULES.format(inputs=_inputs(learner, model), labels=_labels(learner)),
    )
